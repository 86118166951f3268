"""``hyperhedge bench``: the whole way from experiments to a page and figures, tiny; and what is refused."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench_experiments import TINY
from hyperhedge.generator import MODELS

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_smoke_of_everything(run):
    shutil.copytree(ROOT / "experiments", "experiments")
    code, out, err = run("bench", "run", "--smoke", "--jobs", 1)
    missing = [] if "hygene" in MODELS else ["hygene"]
    assert (code, out) == (1 if missing else 0, "")
    assert f"real → build/smoke/real ({20 - 4 * len(missing)} cells done" in err
    assert "ablations → build/smoke/ablations (10 cells done)" in err
    assert "choices → build/smoke/choices (9 cells done)" in err
    assert ("4 failed: there is no model 'hygene'" in err) == bool(missing)
    again = run("bench", "run", "--smoke", "--jobs", 1)
    assert again[0] == code
    assert (Path("build/smoke/ablations/run.log").read_text().count("start: 0 cells to do")) == 1
    code, out, err = run("bench", "status", "--smoke")
    assert (code, err) == (0, "")
    assert "│ cora     │ hedge  │    2 │        │          │         │" in out
    assert run("bench", "tables", "--smoke")[0] == 0
    text = Path("build/smoke/results.md").read_text()
    assert all(
        heading in text for heading in ("## Real data", "## Ablations", "### Differences to Full HEDGE", "## Choices")
    )
    code, out, err = run("bench", "figures", "--smoke")
    assert code == 0
    assert err.splitlines() == [
        f"build/smoke/{name} → build/smoke/results-{name}.png" for name in ("real", "ablations", "choices")
    ]


def test_one_experiment_on_standard_output(run):
    Path("tiny.toml").write_text(TINY)
    options = ("bench", "run", "tiny.toml", "--jobs", 1, "--method", "floor", "--seed", 0, "--dataset", "committee")
    code, out, err = run(*options)
    assert (code, out) == (0, "")
    assert err.endswith("tiny → results/tiny (1 cells done)\n")
    code, out, err = run("bench", "tables", "tiny.toml", "--out", "-")
    assert (code, err) == (0, "")
    assert "1 of 8 cells are done." in out
    assert run("bench", "figures", "tiny.toml", "--results", "none", "--out", ".")[2] == (
        "tiny: there are no records yet, so nothing is drawn\n"
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run"], "there is no folder experiments here; name the files of the experiments"),
        (["run", "no.toml"], "no.toml: no such file or directory"),
        (["run", "tiny.toml", "tiny.toml"], "two experiments are called 'tiny'"),
        (["run", "tiny.toml", "--cluster", "slurm"], "there is no cluster 'slurm'"),
        (["run", "tiny.toml", "--method", "x"], "the experiment tiny has no method 'x'"),
        (["tables", "tiny.toml"], "docs/results.md: there is no folder docs; make it first"),
        (["figures", "tiny.toml"], "there is no folder docs/figures; make it first"),
    ],
)
def test_what_is_refused(run, arguments, says):
    Path("tiny.toml").write_text(TINY)
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
