"""Generators of other packages: installed with an entry point, they are found by name, saved and loaded."""

import subprocess
import sys

import pytest

import hyperhedge as hh
from hyperhedge.errors import FormatError, GeneratorError
from hyperhedge.models import MODELS, load_model, make_model, model_class, model_names

MODULE = """
import hyperhedge as hh

class Copies(hh.BaseGenerator):
    name = "copies"
    sample_options = ("times",)

    def __init__(self, *, nodes: int = 3) -> None:
        self.nodes = nodes

    def _fit(self, training):
        pass

    def _sample(self, count, rng, *, times=1):
        return [hh.Hypergraph([range(self.nodes)] * times)] * count
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Return a function that installs a package with entry points."""
    site = tmp_path / "site"
    monkeypatch.syspath_prepend(site)

    def install(declared, module=MODULE, package="copycat"):
        folder = site / f"{package}-1.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = (f"{name} = {value}\n" for name, value in declared.items())
        (folder / "entry_points.txt").write_text("[hyperhedge.models]\n" + "".join(lines))
        (site / f"{package}.py").write_text(module)
        monkeypatch.delitem(sys.modules, package, raising=False)
        return site

    return install


def test_an_installed_generator_is_made_by_name_saved_and_loaded(installed, tmp_path):
    installed({"copies": "copycat:Copies"})
    assert model_names() == (*MODELS, "copies")
    model = make_model("copies", nodes=2)
    assert type(model) is model_class("copies")
    assert repr(model) == "Copies(nodes=2)"
    assert model.fit([hh.Hypergraph()]).sample(2, times=3) == [hh.Hypergraph([[0, 1]] * 3)] * 2
    model.save(tmp_path / "model")
    assert load_model(tmp_path / "model").get_params() == {"nodes": 2}
    assert type(model).load(tmp_path / "model").sample() == [hh.Hypergraph([[0, 1]])]


def test_another_process_finds_it_too(installed, tmp_path):
    """Also one that has never heard of the package but by its entry point: the command line."""
    site = installed({"copies": "copycat:Copies"})
    hh.write(hh.Hypergraph([[0, 1]]), tmp_path / "one.hif.json")
    code = f"import sys; sys.path.insert(0, {str(site)!r}); from hyperhedge.cli import main; main(sys.argv[1:])"
    run = [sys.executable, "-c", code]
    fit = [*run, "fit", str(tmp_path / "one.hif.json"), "--model", "copies", "--set", "nodes=4"]
    done = subprocess.run([*fit, "--out", str(tmp_path / "model")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.endswith("(Copies(nodes=4))\n")) == (0, True)
    assert load_model(tmp_path / "model").sample() == [hh.Hypergraph([range(4)])]


def test_a_model_whose_package_is_not_installed(installed, tmp_path):
    site = installed({"copies": "copycat:Copies"})
    make_model("copies").fit([hh.Hypergraph()]).save(tmp_path / "model")
    sys.path.remove(str(site))
    with pytest.raises(FormatError, match="there is no model 'copies'; there are: hedge, "):
        load_model(tmp_path / "model")


def test_names_of_this_package_stay_its_own(installed):
    installed({"erdos-renyi": "copycat:Copies"})
    assert model_names() == tuple(MODELS)
    assert model_class("erdos-renyi") is hh.ErdosRenyi


@pytest.mark.parametrize(
    ("value", "module", "reason"),
    [
        ("copycat:Copies", "import feathers", r"cannot be loaded \(ModuleNotFoundError: No module named 'feathers'\)"),
        ("copycat:Copies", "1 / 0", r"cannot be loaded \(ZeroDivisionError: division by zero\)"),
        ("copycat:Copies", "def", r"cannot be loaded \(SyntaxError: .*\)"),
        ("copycat:Wings", MODULE, r"cannot be loaded \(AttributeError: .*'Wings'\)"),
        ("absent:Copies", MODULE, r"cannot be loaded \(ModuleNotFoundError: No module named 'absent'\)"),
        ("copycat:Copies", "Copies = 3", "is not a class derived from BaseGenerator"),
        ("copycat:Copies", "class Copies: pass", "is not a class derived from BaseGenerator"),
        ("copycat:Copies", MODULE.replace('"copies"', '"copy"'), "has the name 'copy'; the class and the entry point"),
    ],
)
def test_a_broken_entry_point_is_one_sentence(installed, value, module, reason):
    installed({"copies": value}, module)
    assert "copies" in model_names()  # which loads nothing
    declared = f"the model 'copies', which the package 'copycat' declares as '{value}', "
    with pytest.raises(GeneratorError, match=declared + reason) as caught:
        make_model("copies")
    assert "\n" not in str(caught.value)
