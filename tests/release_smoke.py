"""What an installed hyperhedge must do, with its plain dependencies: run by test_release.py in an empty environment.

``python release_smoke.py``, in an empty folder outside the checkout. It exits with an error at the first thing that is not so.
"""

import subprocess
import sys
from importlib.metadata import requires, version
from pathlib import Path

import hyperhedge as hh

HEDGE = {"iterations": 3, "width": 16, "channels": 8, "blocks": 1, "steps": 2, "workers": 1}
EXPERIMENT = """
seeds = 1
[protocol]
train = 10
test = 5
generated = 5
bootstrap = 5
permutations = 9
[datasets.committee]
n = 10
m = 6
[methods.floor]
model = "real"
[methods.hcm]
model = "configuration"
"""


def command(*arguments):
    """Run the installed command; return what it prints."""
    program = Path(sys.executable).parent / "hyperhedge"
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def check_installation():
    assert Path(sys.prefix) in Path(hh.__file__).parents, hh.__file__
    assert hh.__version__ == version("hyperhedge") == command("--version").split()[-1]
    assert any(line.startswith("torch") for line in requires("hyperhedge"))
    assert (Path(hh.__file__).parent / "py.typed").is_file()
    assert {"Hypergraph", "Hedge", "ConfigurationModel", "evaluate", "load_dataset", "plot"} <= set(dir(hh))
    assert not [name for name in dir(hh) if name.startswith("_") and not name.endswith("__")]
    for name in set(dir(hh)) - {"plot", "animate"}:  # which need matplotlib
        getattr(hh, name)
    assert "fit" in command("--help")


def check_library():
    women = hh.load_dataset("southern-women").hypergraph
    assert (women.n, women.m) == (18, 14)
    [shuffled] = hh.ConfigurationModel().fit([women]).sample(1, seed=0)
    assert sorted(shuffled.degrees) == sorted(women.degrees)
    train = hh.load_dataset("committee").bank(10, 6, 12, seed=0)
    model = hh.Hedge(seed=0, **HEDGE).fit(train)
    generated = model.sample(4, seed=1)
    model.save("model")
    assert hh.load_model("model").sample(4, seed=1) == generated
    hh.write_collection(generated, "generated.npz")
    assert hh.read_collection("generated.npz") == generated
    report = hh.evaluate(train, generated, bootstrap=5, permutations=9, seed=0)
    report.save("report.html")
    page = Path("report.html").read_text()
    assert "<style" in page
    assert "<script" in page
    assert "Intersection WD" in page


def check_commands():
    assert "18" in command("info", "southern-women")
    Path("mine.toml").write_text(EXPERIMENT)
    command("bench", "run", "mine.toml", "--jobs", "1")
    assert "2 of 2 cells are done." in command("bench", "tables", "mine.toml")


if __name__ == "__main__":
    check_installation()
    check_library()
    check_commands()
    print(f"hyperhedge {hh.__version__} works")
