"""Tells of half the rounds that it was asked for."""

from racing import serve


def half(honest, request):
    """All rounds are run; only some are told."""
    answer = honest()
    return {**answer, "rounds": answer["rounds"][::2]}


serve(race=half)
