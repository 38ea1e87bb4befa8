"""``python -m fltheory`` is the command line."""

from fltheory.cli import main

if __name__ == "__main__":
    main()
