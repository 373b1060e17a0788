"""Ends its rounds before it begins them."""

from racing import serve


def backwards(honest, request):
    """The times change places."""
    answer = honest()
    return {**answer, "rounds": [(won, ended + 1, began) for won, began, ended in answer["rounds"]]}


serve(race=backwards)
