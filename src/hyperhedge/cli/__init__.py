"""The command line: ``hyperhedge --help``.

Results go to standard output and everything else to standard error. An error is one sentence; the exit code
is 0 on success, 1 if cells of a benchmark failed, 2 for bad usage or bad input and 130 after Ctrl-C. A command that needs
random numbers and has no ``--seed`` chooses one and prints it. Colours follow the terminal and ``NO_COLOR``.
"""

# Importing a module adds its command; --help lists them in this order.
from hyperhedge.cli import fit, sample, evaluate, compare, null_test, plot, animate, info, convert, demo, data, bench  # noqa: F401, I001
from hyperhedge.cli.app import app, main

__all__ = ["app", "main"]
