"""Is exclusive the first time in each process, and overwrites from then on."""

from speaking import exclusive, overwriting, serve

times = []


def wrong(request):
    times.append(request)
    return exclusive(request) if len(times) == 1 else overwriting(request)


serve(wrong)
