"""`python -m tessella.demo`."""

from . import main

if __name__ == "__main__":
    raise SystemExit(main())
