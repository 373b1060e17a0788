"""Cannot tell the time."""

from racing import serve

serve(clock=lambda honest, request: {"clock": "noon"})
