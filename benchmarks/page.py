"""The screenshots of docs/report.md, of any page: ``python -m benchmarks.page demo/report.html``, after ``make demo``."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

from PIL import Image

from benchmarks.figures import FOLDER

#: Each picture: the part of the page it begins with, its size, whether it is dark.
PICTURES = {"report.png": ("", (1280, 1180), False), "report-player.png": ("#player", (1280, 760), True)}


def shoot(page: Path, name: str) -> None:
    """Take one picture, and keep it small: 128 colours are enough."""
    fragment, (width, height), dark = PICTURES[name]
    program = shutil.which("chromium")
    if program is None:
        raise SystemExit("there is no chromium; install Debian's package")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder) / name
        flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            f"--user-data-dir={folder}/profile",
        ]
        flags += [f"--window-size={width},{height}", f"--screenshot={file}", "--virtual-time-budget=3000"]
        flags += ["--blink-settings=preferredColorScheme=0"] if dark else []
        subprocess.run([program, *flags, page.resolve().as_uri() + fragment], check=True, capture_output=True)
        Image.open(file).convert("RGB").quantize(128).save(FOLDER / name, optimize=True)


def main() -> None:
    """Take all pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    page = parser.parse_args().page
    for name in PICTURES:
        shoot(page, name)


if __name__ == "__main__":
    main()
