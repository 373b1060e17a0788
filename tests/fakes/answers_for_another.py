"""Answers a claim that was not asked."""

from speaking import serve

serve(lambda request: {"id": request["id"] + 1, "said": "no", "error": "EEXIST", "exists": True})
