"""Names no claim that is known to overwrite."""

from speaking import LISTED, serve

serve(listed=[{**each, "role": None} for each in LISTED])
