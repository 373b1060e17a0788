"""Ends as if all were well, without an answer."""

import os

from speaking import serve

serve(lambda request: os._exit(0))
