"""Lists claims that are not claims."""

from speaking import serve

serve(listed=["open/x"])
