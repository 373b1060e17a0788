"""Answers in another encoding than UTF-8."""

import sys

from speaking import serve


def wrong(request):
    sys.stdout.buffer.write('{"said": "no", "message": "schon da: größer"}\n'.encode("latin-1"))
    sys.stdout.buffer.flush()


serve(wrong)
