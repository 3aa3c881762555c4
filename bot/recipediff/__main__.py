"""`python -m recipediff`."""

from recipediff.wiring.local import main

if __name__ == "__main__":
    main()
