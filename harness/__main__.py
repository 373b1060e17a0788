"""`python -m harness` is `claimgrid`."""

from harness.cli import main

if __name__ == "__main__":
    main()
