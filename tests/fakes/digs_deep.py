"""Makes a tree of a hundred levels beside the name, too long for any path, and goes back where it was."""

import os

from speaking import exclusive, serve


def wrong(request):
    answer, home = exclusive(request), os.getcwd()
    os.chdir(os.path.dirname(request["name"]))
    for _ in range(100):
        os.mkdir("a-name-of-fifty-characters-for-every-level-of-it--")
        os.chdir("a-name-of-fifty-characters-for-every-level-of-it--")
    os.chdir(home)
    return answer


serve(wrong)
