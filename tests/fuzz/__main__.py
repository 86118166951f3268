"""Run cases: `PYTHONPATH=tests python -m fuzz TARGET --seed 0 --first 0 --count 1000`."""

import argparse
import os
import sys
import tempfile
from pathlib import Path

import torch

from fuzz.oracle import limit_memory, run
from fuzz.targets import TARGETS
from hyperhedge.models.base import load_model  # noqa: F401  # what is loaded before the limit does not count


def main():
    """Run cases, print failures and what became of the others; exit with 1 if there are failures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=sorted(TARGETS))
    parser.add_argument("--seed", default="0")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument(
        "--current", type=Path, help="File that has the number of the case at hand, for when this dies."
    )
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    os.environ.setdefault("NO_PROXY", "*")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HYPERHEDGE_DATA"] = os.environ["HYPERHEDGE_CACHE"] = folder  # without datasets, and no downloads
        limit_memory()
        note = (lambda number: chosen.current.write_text(str(number))) if chosen.current else None
        work = Path(folder) / "work"
        work.mkdir()
        outcome = run(chosen.target, work, seed=chosen.seed, first=chosen.first, count=chosen.count, on_case=note)
    for failure in outcome.failures:
        print(failure)
    print(f"{chosen.target}: {chosen.count} cases, {len(outcome.failures)} failures; {dict(outcome.ends)}")
    sys.exit(bool(outcome.failures))


if __name__ == "__main__":
    main()
