"""The package from outside: its names, what importing it costs, and its errors."""

import ast
import builtins
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import hyperhedge as hh

SOURCES = sorted(Path(hh.__file__).parent.rglob("*.py"))


def test_every_public_name_is_listed_and_no_other():
    assert dir(hh) == sorted(hh.__all__)
    assert all(getattr(hh, name) is not None for name in hh.__all__)
    assert not [name for name in hh.__all__ if name.startswith("_") and name != "__version__"]
    with pytest.raises(AttributeError, match="module 'hyperhedge' has no attribute 'Hegde'"):
        _ = hh.Hegde


def test_the_version_is_that_of_the_distribution():
    assert version("hyperhedge") == hh.__version__


def test_slow_and_optional_libraries_are_imported_on_first_use():
    code = """
import sys, hyperhedge as hh
slow = {"xgi", "hypernetx", "hypergraphx", "pandas", "torch", "matplotlib", "numba", "sklearn", "pooch"}
assert not slow & sys.modules.keys(), slow & sys.modules.keys()
from hyperhedge import Hedge
assert "torch" in sys.modules and hh.Hedge is Hedge
print(Hedge.__module__, hh.Hygene.__module__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["hyperhedge.models.hedge.model", "hyperhedge.models.hygene.model"]


# -- errors ------------------------------------------------------------------------------------------

INTERNAL = {"NotAnIdError"}  # readers turn it into a FormatError


def test_every_error_and_warning_that_a_user_can_meet_is_in_errors():
    """Every exception class of the sources, by the names of its bases; those with an underscore are private."""
    trees = [ast.parse(path.read_text()) for path in SOURCES]
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    bases = {cls.name: [ast.unparse(base).rpartition(".")[2] for base in cls.bases] for cls in classes}

    def is_exception(name):
        builtin = getattr(builtins, name, None)
        return any(map(is_exception, bases.get(name, ()))) or (
            isinstance(builtin, type) and issubclass(builtin, BaseException)
        )

    exceptions = {name for name in bases if is_exception(name) and not name.startswith("_")}
    assert exceptions - INTERNAL == set(hh.errors.__all__)


@pytest.mark.parametrize("name", hh.errors.__all__)
def test_an_error_is_one_of_ours_and_a_warning_is_shown_by_default(name):
    cls = getattr(hh.errors, name)
    assert cls.__module__ == "hyperhedge.errors"
    assert issubclass(cls, UserWarning if name.endswith("Warning") else hh.errors.HyperhedgeError)
