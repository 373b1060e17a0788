"""Reports a version that leads out of the folder of results."""

from speaking import serve

serve(version="../../1.0.0")
