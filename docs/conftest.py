"""Every page's Python runs in a folder of its own, which has the page's example data and is gone afterwards."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _a_folder_of_its_own(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    data = request.path.parent / "data"
    if data.is_dir():
        shutil.copytree(data, tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    yield
    if "matplotlib.pyplot" in sys.modules:  # pages draw, and nobody closes a figure in an example
        sys.modules["matplotlib.pyplot"].close("all")
