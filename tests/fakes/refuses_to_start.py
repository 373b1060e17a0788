"""Does not start."""

import sys

sys.exit("error: a newer system library is needed")
