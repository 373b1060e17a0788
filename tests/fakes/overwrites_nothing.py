"""The claim that it calls its overwriting one refuses: either the fake or the witness is not to be trusted."""

from speaking import exclusive, serve

serve(overwriting=exclusive)
