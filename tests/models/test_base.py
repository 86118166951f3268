"""The contract that every generator keeps, and what becomes of saved models that are damaged or foreign."""

import inspect
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import sklearn.base
import torch

import hyperhedge as hh
from hyperhedge.errors import GeneratorError
from hyperhedge.models.base import MODELS, BaseGenerator, load_model, make_model, model_class
from small_hedge import QUICK as HEDGE
from small_hygene import QUICK as HYGENE
from strategies import random_hypergraphs

TRAINING = [
    *random_hypergraphs(5, 12, 7, density=0.25, seed=1),
    *random_hypergraphs(3, 9, 6, density=0.35, seed=2),
    hh.Hypergraph([["a", "b"], ["a", "b"], ["c"], []], nodes=["a", "b", "c", "d"], edges=["w", "x", "y", "z"]),
]
SIZES = {(H.n, H.m) for H in TRAINING}

#: Options with which a model keeps the contract in less time; what it learns does not matter here.
OPTIONS = {
    "hedge": HEDGE,
    "hygene": HYGENE,
    "hyperlap": {"seed": 0},
    "hy-mmsbm": {"communities": 2, "iterations": 10, "restarts": 1, "sweeps": 20, "seed": 0},
    "hyperedge-copying": {"seed": 0, "visits": 500},
    "hyper-dk": {"rewirings": 20},
    "dde": {"rank": 2, "passes": 3, "iterations": 20, "width": 16, "seed": 0},
}


def make(name):
    """Make a model that is fitted quickly."""
    return make_model(name, **OPTIONS.get(name, {}))


@pytest.fixture(scope="module", params=sorted(MODELS))
def name(request):
    return request.param


@pytest.fixture(scope="module")
def model(name):
    """Return a fitted model, which the tests share: none fits it again."""
    return make(name).fit(TRAINING)


def global_generators():
    """Return the states of the generators that everybody shares."""
    return random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()  # noqa: NPY002


# -- the contract ------------------------------------------------------------------------------------


def test_names_and_classes_belong_together(name):
    cls = model_class(name)
    assert issubclass(cls, BaseGenerator)
    assert cls.name == name


def test_fit_returns_the_model_and_counts_sizes(name):
    model = make(name)
    assert model.fit(iter(TRAINING)) is model
    assert model.shapes_ == {(12, 7): 5, (9, 6): 3, (4, 4): 1}


def test_a_seed_reproduces_and_another_differs(model):
    first = model.sample(6, seed=3)
    assert first == model.sample(6, seed=3) == model.sample(6, seed=np.random.default_rng(3))
    assert first != model.sample(6, seed=4)


def test_the_default_is_one_hypergraph_and_other_ones_at_every_call(model):
    assert len(model.sample()) == 1
    assert model.sample(6) != model.sample(6)
    assert model.sample(6, seed=None) != model.sample(6, seed=0)


def test_sample_options_are_those_of_the_signature(model):
    options = inspect.get_annotations(type(model).sample, eval_str=True)["options"]
    assert model.sample_options == (() if options is Any else tuple(get_args(options)[0].__annotations__))
    assert all(option in type(model).sample.__doc__ for option in model.sample_options)
    with pytest.raises(GeneratorError, match=rf"sample of {type(model).__name__} has no option 'wings'; it has"):
        model.sample(wings=2)


def test_fit_options_are_those_of_the_signature(name):
    model = make(name)
    arguments = inspect.signature(model.fit).parameters.values()
    assert model.fit_options == tuple(a.name for a in arguments if a.kind is a.KEYWORD_ONLY)
    with pytest.raises(GeneratorError, match=f"fit of {type(model).__name__} has no option 'wings'; it has"):
        model.fit(TRAINING, wings=2)


def test_fitting_and_sampling_leave_the_global_generators_alone(model, name):
    before = global_generators()
    make(name).fit(TRAINING)
    model.sample(3, seed=5)
    assert global_generators() == before


def test_the_global_generators_do_not_matter(model, name):
    first = model.sample(3, seed=5)
    random.seed(11)
    np.random.seed(11)  # noqa: NPY002
    torch.manual_seed(11)
    assert model.sample(3, seed=5) == first
    assert make(name).fit(TRAINING).sample(3, seed=5) == first


def test_samples_have_sizes_of_the_training_set_and_plain_labels_or_its_own(model):
    samples = model.sample(60, seed=0)
    assert len(samples) == 60
    assert {(H.n, H.m) for H in samples} == SIZES
    labels = {H.shape: (H.nodes, H.edges) for H in TRAINING}
    for H in samples:
        kept = labels[H.shape] if model.name == "configuration" else (range(H.n), range(H.m))
        assert (H.nodes, H.edges) == kept


def test_sizes_have_the_training_set_s_shares(model):
    samples = model.sample(400, seed=1)
    share = np.mean([(H.n, H.m) == (12, 7) for H in samples])
    assert abs(share - 5 / 9) < 4 * np.sqrt(20 / 81 / 400)


def test_no_hypergraphs_at_all(model):
    assert model.sample(0) == []


def test_saved_and_loaded_it_draws_the_same(model, tmp_path):
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert type(again) is type(model)
    assert again.get_params() == model.get_params()
    assert again.shapes_ == model.shapes_
    assert again.sample(5, seed=7) == model.sample(5, seed=7)
    assert type(model).load(str(tmp_path / "model")).sample(2, seed=8) == model.sample(2, seed=8)


def test_saving_twice_writes_the_same_bytes(model, tmp_path):
    for folder in ("a", "b"):
        model.save(tmp_path / folder)
    files = sorted(file.name for file in (tmp_path / "a").iterdir())
    assert "model.json" in files
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_a_new_fit_forgets_the_old_one(name):
    other = random_hypergraphs(2, 5, 3, density=0.5, seed=9)
    model = make(name).fit(TRAINING)
    assert model.fit(other).sample(4, seed=1) == make(name).fit(other).sample(4, seed=1)


def test_tiny_and_empty_training_hypergraphs(name, tmp_path):
    empty = [hh.Hypergraph(), hh.Hypergraph(nodes=3), hh.Hypergraph([[], []]), hh.Hypergraph([[0]])]
    for H in empty:
        samples = make(name).fit([H]).sample(3, seed=0)
        assert [(S.n, S.m) for S in samples] == [(H.n, H.m)] * 3
    model = make(name).fit(empty)
    assert len(model.sample(20, seed=0)) == 20
    model.save(tmp_path / "model")
    assert load_model(tmp_path / "model").sample(20, seed=0) == model.sample(20, seed=0)


def test_not_fitted_yet(name, tmp_path):
    model = make_model(name)
    with pytest.raises(GeneratorError, match="not fitted yet; call fit"):
        model.sample()
    with pytest.raises(GeneratorError, match="not fitted yet"):
        model.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("training", "message"),
    [
        ([], "training is empty"),
        (TRAINING[0], r"training is a single hypergraph; give a list of them, such as \[H\]"),
        (7, "training is an int; give a list"),
        ([TRAINING[0], [[1, 2]]], r"training\[1\] is a list; give a Hypergraph"),
    ],
)
def test_bad_training_sets(name, training, message):
    model = make_model(name)
    with pytest.raises(hh.errors.HyperhedgeError, match=message):
        model.fit(training)
    with pytest.raises(GeneratorError, match="not fitted"):
        model.sample()


@pytest.mark.parametrize("count", [-1, 1.0, True, "3", None, np.float64(2)])
def test_bad_counts(model, count):
    with pytest.raises(GeneratorError, match="count must be a whole number from 0 on"):
        model.sample(count)


@pytest.mark.parametrize("seed", [-1, 1.0, False, "3"])
def test_bad_seeds(model, seed):
    with pytest.raises(GeneratorError, match="seed must be a whole number from 0 on"):
        model.sample(seed=seed)


def test_numpy_integers_are_whole_numbers(model):
    assert model.sample(np.int32(2), seed=np.uint8(3)) == model.sample(2, seed=3)


def test_hypergraphs_of_other_libraries_are_taken(name):
    matrices = [H.incidence for H in TRAINING]
    unlabelled = [H.relabel(nodes=range(H.n), edges=range(H.m)) for H in TRAINING]
    assert make(name).fit(matrices).sample(3, seed=5) == make(name).fit(unlabelled).sample(3, seed=5)


# -- arguments, as scikit-learn has them -----------------------------------------------------------------


def test_its_looks(name):
    cls = model_class(name)
    assert repr(make_model(name)) == f"{cls.__name__}()"
    assert eval(repr(make(name)), {cls.__name__: cls}).get_params() == make(name).get_params()  # noqa: S307


def test_params_are_the_constructor_s_arguments_unchanged(name):
    defaults = {a.name: a.default for a in inspect.signature(model_class(name)).parameters.values()}
    assert make_model(name).get_params() == make_model(name).get_params(deep=False) == defaults
    arguments = {**defaults, **OPTIONS.get(name, {})}
    for key, value in arguments.items():
        assert make_model(name, **arguments).get_params()[key] is value


def test_numbers_of_numpy_are_stored_as_they_are_and_saved(name, tmp_path):
    options = {key: np.int16(value) for key, value in OPTIONS.get(name, {}).items()}
    model = make_model(name, **options)
    assert all(model.get_params()[key] is value for key, value in options.items())
    assert model.fit(TRAINING).sample(3, seed=5) == make(name).fit(TRAINING).sample(3, seed=5)
    model.save(tmp_path / "model")
    assert load_model(tmp_path / "model").get_params() == make(name).get_params()


def test_a_clone_is_an_unfitted_model_with_the_same_arguments(model):
    clone = sklearn.base.clone(model)
    assert type(clone) is type(model)
    assert clone.get_params() == model.get_params()
    with pytest.raises(GeneratorError, match="not fitted"):
        clone.sample()
    assert clone.fit(TRAINING).sample(3, seed=5) == model.sample(3, seed=5)


#: An argument of each model that has some: a good value, and one that is refused.
SETTABLE = {
    "hedge": ("steps", 7, 0),
    "hygene": ("steps", 7, 0),
    "erdos-renyi": ("repair", False, "perhaps"),
    "configuration": ("sweeps", 3, -1),
    "block-model": ("groups", 3, 0),
    "hyperlap": ("levels", 2, 0),
    "hy-mmsbm": ("communities", 3, 0),
    "multiscale-shuffle": ("leaf", 9, 0),
    "hyperedge-copying": ("visits", 50, 0),
    "hyper-dk": ("rewirings", 7, -1),
    "dde": ("rank", 3, 0),
}


def test_params_are_set_all_or_none(name):
    assert SETTABLE.keys() | {"chung-lu"} == MODELS.keys()
    model = make(name)
    assert model.set_params() is model
    with pytest.raises(GeneratorError, match=f"the model '{name}' has no option 'wings'; it has"):
        model.set_params(wings=2)
    if name not in SETTABLE:
        return
    argument, good, bad = SETTABLE[name]
    before = model.get_params()
    with pytest.raises(GeneratorError, match=f"{argument} must be"):
        model.set_params(**{argument: bad})
    with pytest.raises(GeneratorError, match="has no option 'wings'"):
        model.set_params(**{argument: good, "wings": 2})
    assert model.get_params() == before
    assert model.set_params(**{argument: good}).get_params() == {**before, argument: good}


def test_an_attribute_that_was_set_to_nonsense_is_refused_by_fit(name):
    if name not in SETTABLE:
        return
    argument, _, bad = SETTABLE[name]
    model = make(name)
    setattr(model, argument, bad)
    with pytest.raises(GeneratorError, match=f"{argument} must be"):
        model.fit(TRAINING)


def test_unknown_options(name):
    with pytest.raises(GeneratorError, match="has no option 'wings'"):
        make_model(name, wings=2)


# -- the registry ------------------------------------------------------------------------------------


def test_unknown_models():
    with pytest.raises(GeneratorError, match="there is no model 'oracle'; there are: hedge, erdos-renyi"):
        make_model("oracle")


def test_changed_options_show():
    assert repr(make_model("erdos-renyi", repair=False)) == "ErdosRenyi(repair=False)"


def test_listing_models_imports_none_of_them():
    code = (
        "import sys, hyperhedge.models.base as g; list(g.MODELS); "
        "sys.exit(any(m in sys.modules for m in ('torch', 'numba', 'sklearn', 'xgi')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class Unlisted(BaseGenerator):
    name = "unlisted"

    def _fit(self, training):
        if len(training) > 1:
            raise ValueError("too many")

    def _sample(self, count, rng):
        del rng
        return [hh.Hypergraph()] * count


def test_a_model_that_no_package_declares_is_not_saved(tmp_path):
    message = "load_model would not find Unlisted: .*; declare it as an entry point in the group 'hyperhedge.models'"
    with pytest.raises(GeneratorError, match=message):
        Unlisted().fit(TRAINING[:1]).save(tmp_path / "model")


def test_a_fit_that_fails_leaves_nothing_behind():
    model = Unlisted().fit(TRAINING[:1])
    with pytest.raises(ValueError, match="too many"):
        model.fit(TRAINING)
    with pytest.raises(GeneratorError, match="not fitted"):
        model.sample()


# -- saved models ------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path):
    make_model("erdos-renyi").fit(TRAINING).save(tmp_path / "model")
    return tmp_path / "model"


def edit(folder, **changes):
    record = json.loads((folder / "model.json").read_text())
    record.update(changes)
    (folder / "model.json").write_text(json.dumps(record))


def test_what_model_json_says(saved):
    record = json.loads((saved / "model.json").read_text())
    assert record["format"] == "hyperhedge-model"
    assert record["format_version"] == 1
    assert record["model"] == "erdos-renyi"
    assert record["hyperhedge"] == hh.__version__
    assert record["config"] == {"repair": True, "repeats": "allow"}
    assert record["sizes"] == [[12, 7, 5], [9, 6, 3], [4, 4, 1]]
    assert list(record["fitted"]) == ["density"]
    assert record["has_repeats"] is True


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other-model"}, "does not describe a saved model"),
        (
            {"format_version": 2, "hyperhedge": "9.0", "sizes": "new"},
            "saved by hyperhedge 9.0 in format version 2.*upgrade",
        ),
        ({"format_version": "1"}, "does not describe a saved model"),
        ({"model": "wings"}, "there is no model 'wings'; there are:"),
        ({"config": {"wings": 2}}, "has no option 'wings'; it has: repair"),
        ({"config": {"repair": "yes"}}, "repair must be True or False"),
        ({"config": []}, "does not describe a saved model"),
        ({"sizes": []}, "does not describe a saved model"),
        ({"sizes": [[1, -1, 1]]}, "does not describe a saved model"),
        ({"sizes": [[1, 1, 0]]}, "does not describe a saved model"),
        ({"sizes": [[10**30, 1, 1]]}, "does not describe a saved model"),
        ({"fitted": {}}, "missing required field 'density'"),
        ({"fitted": {"density": 2}}, "does not describe a saved model"),
        ({"fitted": {"density": 0.5, "colour": 1}}, "unknown field 'colour'"),
    ],
)
def test_model_json_that_is_wrong(saved, changes, message):
    edit(saved, **changes)
    with pytest.raises(hh.errors.FormatError, match=message) as caught:
        load_model(saved)
    assert str(caught.value).startswith(str(saved / "model.json"))


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "x" * 10**5},
        {"model": "x" * 10**5},
        {"config": {"x" * 10**5: 1}},
        {"config": {"repair": [0] * 10**5}},
    ],
    ids=["format", "model", "config", "repair"],
)
def test_an_error_about_a_long_text_is_short(saved, changes):
    edit(saved, **changes)
    with pytest.raises(hh.errors.FormatError, match="…") as caught:
        load_model(saved)
    assert len(str(caught.value)) < 700


def test_model_json_cut_anywhere(saved):
    whole = (saved / "model.json").read_bytes()
    for length in range(len(whole.rstrip())):
        (saved / "model.json").write_bytes(whole[:length])
        with pytest.raises(hh.errors.FormatError, match=r"model\.json") as caught:
            load_model(saved)
        assert "\n" not in str(caught.value)


def test_places_without_a_model(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "nowhere")
    with pytest.raises(hh.errors.FormatError, match=r"there is no model\.json in this folder"):
        load_model(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(hh.errors.FormatError, match="this is a file; a saved model is a folder"):
        load_model(tmp_path / "file")


def test_load_of_a_class_refuses_other_models(saved):
    with pytest.raises(hh.errors.FormatError, match=r"the model saved here is ErdosRenyi\(\), not a Unlisted"):
        Unlisted.load(saved)


def test_a_folder_that_is_there_is_not_replaced_unasked(saved):
    before = (saved / "model.json").read_bytes()
    other = make_model("erdos-renyi", repair=False).fit(TRAINING)
    with pytest.raises(FileExistsError):
        other.save(saved)
    assert (saved / "model.json").read_bytes() == before
    other.save(saved, overwrite=True)
    assert load_model(saved).get_params() == {"repair": False, "repeats": "allow"}
    assert [file.name for file in saved.parent.iterdir()] == ["model"]


@pytest.mark.parametrize("content", [None, b"{}", b"", b'{"format": "something else"}'])
def test_only_a_saved_model_is_overwritten(tmp_path, content):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("precious")
    if content is not None:
        (tmp_path / "thesis" / "model.json").write_bytes(content)
    with pytest.raises(FileExistsError):
        make_model("erdos-renyi").fit(TRAINING).save(tmp_path / "thesis", overwrite=True)
    assert (tmp_path / "thesis" / "chapter.txt").read_text() == "precious"


def test_an_error_while_saving_leaves_what_was_there(saved, monkeypatch):
    model = make_model("erdos-renyi", repair=False).fit(TRAINING)
    monkeypatch.setattr(type(model), "_write_arrays", lambda _self, _folder: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model.save(saved, overwrite=True)
    assert load_model(saved).get_params() == {"repair": True, "repeats": "allow"}
    assert [file.name for file in saved.parent.iterdir()] == ["model"]


def test_a_name_that_cannot_be_taken_leaves_what_was_there(saved, monkeypatch):
    rename = Path.rename

    def refuse(self, target):
        if self.suffix == ".tmp":
            raise PermissionError("no")
        return rename(self, target)

    monkeypatch.setattr("hyperhedge.io.files._exchange_names", lambda *_: False)  # as where the disk cannot
    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(PermissionError):
        make_model("erdos-renyi", repair=False).fit(TRAINING).save(saved, overwrite=True)
    assert load_model(saved).get_params() == {"repair": True, "repeats": "allow"}
    assert [file.name for file in saved.parent.iterdir()] == ["model"]


def test_a_new_folder_and_an_empty_one_may_be_filled_with_overwrite(tmp_path):
    model = make_model("erdos-renyi").fit(TRAINING)
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "new"):
        model.save(tmp_path / folder, overwrite=True)
        assert load_model(tmp_path / folder).sample(seed=0) == model.sample(seed=0)
