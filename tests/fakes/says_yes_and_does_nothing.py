"""Says that it took the name and touches nothing."""

from speaking import serve

serve(lambda request: {"said": "yes"})
