"""The command line: ``hyperhedge --help``.

Results go to standard output and everything else to standard error. An error is one sentence; the exit code
is 0 if all went well, 1 if cells of a benchmark failed, 2 if the usage or the input was bad and 130 after Ctrl-C. Colours follow
the terminal and ``NO_COLOR``.
"""

from hyperhedge.cli import bench, data, draw, evaluate, files, fit, sample  # noqa: F401 - they add their commands
from hyperhedge.cli.app import app, main

__all__ = ["app", "main"]
