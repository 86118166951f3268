"""README and docs say what is so: commands are run, tables are those of the records, links lead somewhere."""

import doctest
import os
import re
import shlex
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)


def commands(page):
    """Find the commands of a page's console blocks, each with the output that it shows."""
    for block in CONSOLE.findall(page.read_text()):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_print_what_the_page_shows(page, tmp_path):
    for command, shown in commands(page):
        program, *arguments = shlex.split(command)
        assert program == "hyperhedge"
        done = subprocess.run(
            [sys.executable, "-m", "hyperhedge", *arguments],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
            env={**os.environ, "HYPERHEDGE_QUICK_DEMO": "1"},  # which otherwise takes minutes
        )
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        assert doctest.OutputChecker().check_output(shown, done.stdout, flags), done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_the_two_commands_come_first():
    text = (ROOT / "README.md").read_text()
    assert text.index("make demo") < text.index("make test") < text.index("## ")


def test_the_benchmark_page_is_that_of_the_records():
    done = subprocess.run(
        [sys.executable, "-c", "from benchmarks.tables import page; print(page(), end='')"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == (ROOT / "docs" / "benchmarks.md").read_text()


def test_the_tables_in_other_pages_are_those_of_the_records():
    code = "from benchmarks.tables import filled; print([str(p) for p, t in filled().items() if t != p.read_text()])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", "run `make tables`"


def test_the_page_of_results_is_that_of_the_records(tmp_path):
    command = [sys.executable, "-m", "hyperhedge", "bench", "tables", "--out", str(tmp_path / "results.md")]
    subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert (tmp_path / "results.md").read_text() == (ROOT / "docs" / "results.md").read_text(), "run `make tables`"


def test_torch_is_pinned_and_every_dependency_constrained():
    pinned = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
    assert pinned["torch"] == "2.13.0"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = chain(project["dependencies"], *project["optional-dependencies"].values())
    names = {re.split(r"[<>=\[]", name)[0].lower().replace("_", "-") for name in wanted} - {"hyperhedge"}
    assert names <= {name.lower().replace("_", "-") for name in pinned}
