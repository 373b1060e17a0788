"""Nothing is wrong: a contender like any other."""

from racing import serve

serve()
