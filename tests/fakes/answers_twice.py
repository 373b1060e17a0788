"""Answers honestly, and says it again."""

from speaking import exclusive, send, serve


def wrong(request):
    answer = {"id": request["id"], **exclusive(request)}
    send(answer)
    send(answer)


serve(wrong)
