"""Truncates whatever is there and says that it made it."""

from speaking import overwriting, serve

serve(overwriting)
