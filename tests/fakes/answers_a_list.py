"""Answers JSON that is not an object."""

from speaking import send, serve

serve(lambda request: send([request["id"], "no"]))
