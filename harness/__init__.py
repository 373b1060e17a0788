"""claimgrid: which call takes a name exclusively, by runtime version, OS and filesystem, as measured."""

__version__ = "0.1.0"
