"""README and docs are true: commands run, tables match the records, links lead somewhere."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest

from commands import (
    blocks,
    console_commands,
    mentioned_commands,
    parse,
    run_here,
    run_in_a_process,
    shell_commands,
    unknown_words,
)
from hyperhedge.bench.experiment import read_experiment

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
IN_A_PROCESS = "convert"  # starting a process costs seconds, so one command shows that it works; the others run here
GENERATED = {"results.md", "costs.md"}
WIDTH = 100

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@each_page
def test_commands_print_what_the_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HYPERHEDGE_QUICK_DEMO", "1")  # which otherwise takes minutes
    if (page.parent / "data").is_dir():
        shutil.copytree(page.parent / "data", "data")
    for command in console_commands(page):
        run = run_in_a_process if command.arguments[0] == IN_A_PROCESS else run_here
        code, printed = run(command.arguments)
        assert code == 0, printed
        assert command.printed_what_is_shown(printed), f"{command.text}\n{printed}"


@each_page
def test_commands_that_are_not_run_could_be(page):
    for command in shell_commands(page):
        parse(command.arguments)


@each_page
def test_commands_in_sentences_exist(page):
    for command in mentioned_commands(page):
        assert not unknown_words(command.arguments), command.text


@each_page
def test_experiments_are_read_and_are_the_files_they_are_said_to_be(page, tmp_path):
    for k, text in enumerate(blocks(page, "toml")):
        (tmp_path / f"{k}.toml").write_text(text)
        read_experiment(tmp_path / f"{k}.toml")
        named = re.match(r"# (data/\S+\.toml)\n", text)
        assert not named or text == (page.parent / named[1]).read_text()


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("hyperhedge fit bank.npz --out model --presto fast", "No such option"),
        ("hyperhedge fitt bank.npz --out model", "No such command"),
        ("hyperhedge fit bank.npz", "Missing parameter: out"),
        ("hyperhedge sample model --out new.npz --sampler best", "is not one of"),
        ("hyperhedge fit bank.npz --out model --set widht=3", "has no option 'widht'"),
    ],
)
def test_a_stale_command_fails(command, says, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"```sh\n{command}   # a comment\n```\n")
    (stale,) = shell_commands(page)
    with pytest.raises(Exception, match=says):
        parse(stale.arguments)


@each_page
def test_links_to_files_lead_somewhere(page):
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)#]+)", prose):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


@each_page
def test_lines_are_wrapped(page):
    if page.name in GENERATED:
        return
    prose = re.sub(r"^<!-- begin.*?^<!-- end", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    long = [line for line in prose.splitlines() if len(line) > WIDTH and not re.match(r"\||!\[|\$\$", line)]
    assert long == []


@each_page
def test_files_of_tests_that_are_named_exist(page):
    names = re.findall(r"\btest_\w+\.py\b", page.read_text())
    assert {name for name in names if not list((ROOT / "tests").rglob(name))} == set()


def test_the_architecture_lists_folders_in_the_order_that_is_checked():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["containers"] == ["hyperhedge"])
    listed = re.search(r"^cli\n(?:.*\n)*?(?=```)", (ROOT / "docs/architecture.md").read_text(), re.MULTILINE)[0]
    assert listed.splitlines() == [layer.replace(" |", ",") for layer in layers if layer != "__main__"]


def test_the_readme_begins_with_an_example_and_the_two_commands():
    first_screen = (ROOT / "README.md").read_text().partition("\n## ")[0]
    lines = first_screen.splitlines()[:40]
    assert [line for line in lines if re.search(r"\.fit\(.*\.sample\(", line)]
    assert [line for line in lines if "hh.evaluate(" in line]
    assert first_screen.index("make demo") < first_screen.index("make test")


def test_the_page_of_costs_is_that_of_the_records():
    done = subprocess.run(
        [sys.executable, "-c", "from benchmarks.tables import page; print(page(), end='')"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == (ROOT / "docs" / "costs.md").read_text()


def test_the_tables_in_other_pages_are_those_of_the_records():
    code = "from benchmarks.tables import filled; print([str(p) for p, t in filled().items() if t != p.read_text()])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", "run `make tables`"


def test_the_page_of_results_is_that_of_the_records(tmp_path):
    command = [sys.executable, "-m", "benchmarks.results", "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert (tmp_path / "results.md").read_text() == (ROOT / "docs" / "results.md").read_text(), "run `make tables`"


def _times_the_floor(dataset):
    """How far HCM-MCMC is in each metric, over how far real hypergraphs are, by the record of four methods."""
    methods = json.loads((ROOT / "results" / "four_way.json").read_text())["measured"]["methods"]
    sizes = {}
    for cell in methods:
        for key, value in cell["values"].items():
            if cell["dataset"] == dataset:
                sizes.setdefault((cell["method"], key), []).append(abs(value))
    means = {name: sum(values) / len(values) for name, values in sizes.items()}
    return {
        key: means["HCM-MCMC", key] / floor
        for (method, key), floor in means.items()
        if method == "real" and floor > 1e-6
    }


@pytest.mark.parametrize("dataset", ["Actor", "Twitch", "DBLP"])
def test_choosing_says_of_hcm_what_the_record_says(dataset):
    text = (ROOT / "docs" / "choosing.md").read_text()
    (row,) = re.findall(rf"^\| {dataset} \| (.*) \|$", text, re.MULTILINE)
    stated = float(re.match(r"at most ([\d.]+) times", row)[1])
    assert round(max(_times_the_floor(dataset.lower()).values()), 1) == stated < 2


def test_the_readme_says_of_hedge_what_its_page_says():
    sentence = " ".join((ROOT / "docs/hedge.md").read_text().split())
    counts = re.search(r"Of (\d+) pairs [^.]* as good as real in (\d+), [^.]* HCM-MCMC in (\d+),", sentence)
    pairs, as_real, or_nearer = map(int, counts.groups())
    said = " ".join((ROOT / "README.md").read_text().split())
    assert f"as good as real in {as_real} of {pairs} pairs of a metric and a dataset" in said
    assert pairs - or_nearer == 1, "the README says that it is all but one"
    assert "after ten to thirty minutes of training on one core" in said
    assert 9.5 < min(_minutes_of_training()) < max(_minutes_of_training()) < 30


def _minutes_of_training():
    records = (ROOT / "results" / "real").glob("*/hedge-*.json")
    return [json.loads(record.read_text())["seconds"]["training"] / 60 for record in records]


def test_torch_is_pinned_and_every_dependency_constrained():
    pinned = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
    assert pinned["torch"] == "2.13.0"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = chain(project["dependencies"], *project["optional-dependencies"].values())
    names = {re.split(r"[<>=\[]", name)[0].lower().replace("_", "-") for name in wanted} - {"hyperhedge"}
    assert names <= {name.lower().replace("_", "-") for name in pinned}
