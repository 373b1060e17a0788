"""Nothing is wrong: an exclusive create, the measure for all others."""

from speaking import serve

serve()
