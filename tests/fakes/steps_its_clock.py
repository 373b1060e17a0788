"""Has a clock that somebody sets: in every third race it goes a minute forward between two rounds, and in the next one back."""

from racing import probe, serve

system = probe.now
started = system()
readings = [0]


def now():
    """Steps in the middle of a race, not between two."""
    readings[0] += 1
    return system() - started + (60_000 if readings[0] // 2_000 % 2 else 0)


probe.now = now

serve()
