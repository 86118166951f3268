"""What would be released: the wheel and the source distribution have what they need, and work in an empty environment.

``make release-check`` builds both into ``dist`` and runs this on them; otherwise they are built into a temporary folder.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.version import Version

import hyperhedge as hh

ROOT = Path(__file__).parent.parent
ASSETS = ["hyperhedge/py.typed", "hyperhedge/data/southern-women.hif.json", "hyperhedge/report/assets/page.html"]

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """Return the folder of a wheel, built from the source distribution beside it."""
    if "HYPERHEDGE_DIST" in os.environ:
        return Path(os.environ["HYPERHEDGE_DIST"]).resolve()
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT], check=True)
    return folder


@pytest.fixture
def wheel(dist):
    [wheel] = dist.glob("*.whl")
    return wheel


@pytest.fixture
def sdist(dist):
    [sdist] = dist.glob("*.tar.gz")
    return sdist


def test_the_wheel_has_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [metadata] = [name for name in names if name.endswith(".dist-info/METADATA")]
        about = Parser().parsestr(archive.read(metadata).decode())
    assert {name.split("/")[0] for name in names} == {"hyperhedge", metadata.split("/")[0]}
    tracked = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {f"src/{name}" for name in names if name.startswith("hyperhedge/")} == set(tracked.split())
    assert set(ASSETS) <= set(names)
    assert (about["Name"], about["Version"], about["License-Expression"]) == ("hyperhedge", hh.__version__, "MIT")
    assert about["Requires-Python"] == ">=3.11"


def test_the_source_distribution_is_what_a_wheel_is_built_from(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    folders = {name.split("/")[0] for name in names if "/" in name}
    assert folders == {"src"}
    wanted = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "constraints.txt"}
    assert wanted | {f"src/{name}" for name in ASSETS} <= names


def test_every_dependency_has_a_tested_lower_bound():
    """The lowest versions, which `make test-lowest` installs, are the bounds themselves."""
    lowest = [line for line in (ROOT / "constraints-lowest.txt").read_text().splitlines() if "==" in line]
    tested = {name.lower().replace("_", "-"): bound for name, _, bound in (line.partition("==") for line in lowest)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *(line for name in extras if name not in ("dev", "docs") for line in extras[name]),
    ]
    for line in wanted:
        if line.startswith("hyperhedge["):
            continue
        name, separator, bound = line.partition(">=")
        assert separator, line
        assert Version(tested[name.lower().replace("_", "-")]) == Version(bound), line


def test_both_work_in_an_empty_environment(wheel, sdist, tmp_path):
    """Outside the checkout, with the plain dependencies; the second is built in an isolated environment by pip."""
    venv.create(tmp_path / "venv", with_pip=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HYPERHEDGE"))}
    environment |= {"PIP_CONSTRAINT": str(ROOT / "constraints.txt"), "HYPERHEDGE_CACHE": str(tmp_path / "cache")}
    python = [tmp_path / "venv" / "bin" / "python", "-I"]
    install = [*python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for name, arguments in (("wheel", [wheel]), ("sdist", ["--force-reinstall", "--no-deps", sdist])):
        subprocess.run([*install, *arguments], cwd=tmp_path, env=environment, check=True)
        folder = tmp_path / name
        folder.mkdir()
        script = shutil.copy(ROOT / "tests" / "release_smoke.py", folder)
        done = subprocess.run(
            [*python, script], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout == f"hyperhedge {hh.__version__} works\n"
