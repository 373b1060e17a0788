"""Refuses every name, a free one too."""

from speaking import serve

serve(lambda request: {"said": "no", "error": "EEXIST", "exists": True})
