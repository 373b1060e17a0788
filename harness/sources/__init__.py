"""Where builds that are not on the machine come from: one module per registry client."""

from harness.sources.npm import NpmSource

__all__ = ["NpmSource"]
