"""Reports a fault of its own, with a refusal beside it."""

from speaking import serve

serve(lambda request: {"fault": "no such claim", "said": "no"})
