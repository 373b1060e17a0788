"""The Python probe, which races honestly; each fake that uses this replaces one of its answers by a wrong one."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "probes" / "python"))

import main as probe


def serve(**answers):
    """Answer as the Python probe does, but for the requests named: those get what is given for them, called with the honest way
    to answer and the request.
    """
    for verb, wrong in answers.items():
        honest = getattr(probe.Probe, verb)
        setattr(
            probe.Probe,
            verb,
            lambda self, request, wrong=wrong, honest=honest: wrong(lambda: honest(self, request), request),
        )
    probe.main()
