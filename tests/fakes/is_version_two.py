"""Nothing is wrong but that it is another version than the others."""

from speaking import serve

serve(version="2.0.0")
