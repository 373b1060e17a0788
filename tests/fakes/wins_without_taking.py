"""Says in races that it won the names that the other one took, and that it lost its own."""

from racing import serve


def the_other_way_round(honest, request):
    """What was won is lost, and what was lost is won."""
    answer = honest()
    return {**answer, "rounds": [(1 - won, began, ended) for won, began, ended in answer["rounds"]]}


serve(race=the_other_way_round)
