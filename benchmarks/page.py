"""The screenshots in docs/report.md, from any page: ``python -m benchmarks.page demo/report.html`` after ``make demo``.

With ``--whole`` those in docs/whole.md, from the page of a report on a whole hypergraph.
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path

from PIL import Image

from benchmarks.chromium import Chromium, find_chromium
from benchmarks.figures import FOLDER

#: Each screenshot: the section at its top, its width and height, and whether it is dark.
PICTURES = {
    "report.png": ("answer", (1280, 1130), False),
    "report-metrics.png": ("metrics", (1280, 960), False),
    "report-player.png": ("player", (1200, 700), True),
}

#: The same of a report on a whole hypergraph.
OF_WHOLE = {
    "report-whole.png": ("answer", (1280, 1130), False),
    "report-whole-matrices.png": ("matrices", (1280, 620), False),
    "report-whole-distributions.png": ("distributions", (1280, 1000), True),
}

#: Where on its path the sample is shown: both noise and hypergraph can be seen.
_FRAME = 0.8


def shoot(browser: Chromium, page: Path, name: str) -> None:
    """Take one screenshot, and save it as a small file."""
    section, (width, height), dark = (PICTURES | OF_WHOLE)[name]
    browser.open(page, width=width, height=height, dark=dark)
    where = "header" if section == "answer" else f"#{section}"
    browser.run(f"document.querySelector('{where}').scrollIntoView({{behavior: 'instant'}})")
    if section == "player":
        slider = "document.getElementById('player-slider')"
        browser.run(f"{slider}.value = Math.round({_FRAME} * {slider}.max); {slider}.dispatchEvent(new Event('input'))")
    Image.open(io.BytesIO(browser.picture())).convert("RGB").save(FOLDER / name, optimize=True)


def main() -> None:
    """Take all screenshots."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("--whole", action="store_true")
    options = parser.parse_args()
    program = find_chromium()
    if program is None:
        raise SystemExit("Chromium is not installed (Debian: apt-get install chromium)")
    with Chromium(program) as browser:
        for name in OF_WHOLE if options.whole else PICTURES:
            shoot(browser, options.page, name)


if __name__ == "__main__":
    main()
