"""Answers a word that is none of the protocol's."""

from speaking import serve

serve(lambda request: {"said": "maybe"})
