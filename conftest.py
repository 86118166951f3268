"""Each page's examples run in a temporary folder that holds a copy of the example data beside the page."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _page_in_a_temporary_folder(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    if request.path.suffix != ".md":
        yield
        return
    data = request.path.parent / "data"
    if data.is_dir():
        shutil.copytree(data, tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    yield
    if "matplotlib.pyplot" in sys.modules:  # examples plot, and do not close their figures
        sys.modules["matplotlib.pyplot"].close("all")
