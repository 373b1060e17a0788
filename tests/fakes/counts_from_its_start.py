"""Has a clock that starts with the process, as Bun and Deno have."""

from racing import probe, serve

system = probe.now
started = system()
probe.now = lambda: system() - started

serve()
