"""Refuses with an error whose name no file can hold: half of a surrogate pair."""

from speaking import serve

serve(lambda request: {"said": "no", "error": "E\ud83d", "exists": True, "message": "\udc80"})
