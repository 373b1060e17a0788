"""One module per sub-command: it reads its options, calls the rest of the package, and prints."""
