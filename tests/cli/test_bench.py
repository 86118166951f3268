"""``hyperhedge bench``: from an experiment to tables, tiny; and what is refused."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from bench_experiments import HEDGE, TINY

SMOKE = "\n[smoke]\nseeds = 1\ndatasets = 1\nprotocol = { train = 10, test = 4, generated = 4 }\n"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("tiny.toml").write_text(TINY + HEDGE + SMOKE)


def test_smoke_leaves_the_records_alone(run):
    code, out, err = run("bench", "run", "tiny.toml", "--smoke", "--jobs", 1)
    assert (code, out) == (0, "")
    assert err.endswith("tiny → tiny.smoke (3 cells done)\n")
    assert run("bench", "run", "tiny.toml", "--smoke", "--jobs", 1)[0] == 0
    assert Path("tiny.smoke/run.log").read_text().count("start: 0 cells to do") == 1
    code, out, err = run("bench", "status", "tiny.toml", "--smoke")
    assert (code, err) == (0, "")
    assert "│ committee │ hedge  │    1 │        │          │         │" in out
    assert "3 of 3 cells are done." in run("bench", "tables", "tiny.toml", "--smoke")[1]
    assert not Path("tiny.results").exists()


def test_outputs_are_beside_the_experiment(run, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    options = ("--jobs", 1, "--method", "floor", "--seed", 0, "--dataset", "committee")
    code, out, err = run("bench", "run", "../tiny.toml", *options)
    assert (code, out) == (0, "")
    assert err.endswith("tiny → ../tiny.results (1 cells done)\n")
    assert (tmp_path / "tiny.results" / "committee" / "floor-0.json").is_file()
    code, out, err = run("bench", "tables", "../tiny.toml")
    assert (code, err) == (0, "")
    assert "1 of 10 cells are done." in out
    assert run("bench", "tables", "../tiny.toml", "--out", "-")[1] == out
    assert run("bench", "tables", "../tiny.toml", "-o", "tables.md")[2] == "../tiny.results → tables.md\n"
    assert Path("tables.md").read_text() == out
    assert run("bench", "tables", "../tiny.toml", "-o", "tables.csv")[0] == 0
    with Path("tables.csv").open() as stream:
        assert {row["method"] for row in csv.DictReader(stream)} == {"floor"}
    assert "None of 10 cells has been run" in run("bench", "tables", "../tiny.toml", "--results", "none")[1]


def test_a_failed_cell_is_reported_once_per_reason(run):
    text = Path("tiny.toml").read_text().replace("[datasets.committee]", "[datasets.committee]\nsource = 'no.npz'")
    Path("tiny.toml").write_text(text)
    code, _, err = run("bench", "run", "tiny.toml", "--jobs", 1, "--method", "er")
    assert code == 1
    assert "(2 cells done, 2 failed)" in err
    assert err.count("2 failed: no.npz: neither a dataset nor an existing file") == 1
    assert "failed: no.npz: neither" in run("bench", "status", "tiny.toml")[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run"], "Missing argument"),
        (["run", "no.toml"], "no.toml: no such file or directory"),
        (["run", "tiny.toml", "--cluster", "slurm"], "there is no cluster 'slurm'"),
        (["run", "tiny.toml", "--method", "x"], "the experiment tiny has no method 'x'"),
        (["tables", "tiny.toml", "-o", "no/tables.md"], "there is no folder no; make it first"),
    ],
)
def test_what_is_refused(run, arguments, says):
    code, out, err = run("bench", *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert err.startswith("Error: ")


def test_help_needs_neither_torch_nor_ray():
    code = (
        "import sys\nfrom hyperhedge.cli import main\ntry:\n    main(['bench', 'run', '--help'])\nexcept SystemExit:\n"
        "    print([m for m in ('torch', 'ray', 'matplotlib', 'joblib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
