"""``python -m hyperhedge`` is ``hyperhedge``."""

from hyperhedge.cli import main

if __name__ == "__main__":
    main()
