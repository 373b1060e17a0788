"""Comes back from its first race, and never from the second."""

import time

from racing import serve

races = []


def hanging(honest, request):
    """Honest once."""
    races.append(request)
    return honest() if len(races) == 1 else time.sleep(3600)


serve(race=hanging)
