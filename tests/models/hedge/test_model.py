"""The learned generator: saving, devices, and training sets and settings at the edges of what it can learn from."""

import json
import math
import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import hyperhedge as hh
from hyperhedge.diffusion.denoiser import Denoiser
from hyperhedge.errors import GeneratorError, ScheduleError, TrainingError, TrainingWarning
from hyperhedge.models import weights as weights_module
from hyperhedge.models.base import load_model
from hyperhedge.models.hedge import PRESETS, Hedge
from hyperhedge.models.hedge.data import buckets_of, decay_of, rate_of
from hyperhedge.models.hedge.model import _some
from hyperhedge.models.weights import ARRAYS
from hyperhedge.train.tensors import read_claims
from models.hedge.make_fixture import FOLDER, OPTIONS, STATES
from small_hedge import MIXED, covered, quick, weights
from strategies import random_hypergraphs


def one_sentence(caught):
    text = str(caught.value)
    return "\n" not in text and not text.endswith(".") and len(text) < 500


# -- saving ----------------------------------------------------------------------------------------


@pytest.fixture
def saved(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    return tmp_path / "model"


def edit_arrays(folder, change):
    tensors = load_file(folder / ARRAYS)
    change(tensors)
    save_file(tensors, folder / ARRAYS)


def edit_facts(folder, key="fitted", **changes):
    record = json.loads((folder / "model.json").read_text())
    record[key] |= changes
    (folder / "model.json").write_text(json.dumps(record))


def test_relaxed_states_come_back_bit_for_bit(fitted, saved):
    for first, second in zip(
        fitted.sample_paths(6, seed=3).states, load_model(saved).sample_paths(6, seed=3).states, strict=True
    ):
        assert (first == second).all()


def test_all_that_was_fitted_comes_back(fitted, saved):
    again = load_model(saved)
    for name in ("training_", "data_fingerprint_", "density_", "rate_", "has_empty_", "has_isolated_", "scale_data_"):
        assert getattr(again, name) == getattr(fitted, name)
    assert not any(parameter.requires_grad for parameter in again._denoiser.parameters())


def test_numbers_of_numpy_are_saved_as_numbers(tmp_path):
    model = quick(iterations=np.int64(3), learning_rate=np.float64(1e-3), seed=np.uint8(4), gamma=np.float32(8))
    model.fit(MIXED).save(tmp_path / "model")
    assert (
        load_model(tmp_path / "model").get_params()
        == quick(iterations=3, learning_rate=1e-3, seed=4, gamma=8.0).get_params()
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t["network.out.bias"].view(-1)[0].fill_(torch.nan), "'network.out.bias' hold NaN or infinity"),
        (lambda t: t["network.out.bias"].view(-1)[0].fill_(torch.inf), "'network.out.bias' hold NaN or infinity"),
        (lambda t: t.pop("network.out.bias"), r"'network.out.bias' are absent, and \(2,\) float32 in the network"),
        (
            lambda t: t.update({"network.out.bias": torch.zeros(3)}),
            r"'network.out.bias' are \(3,\) float32, and \(2,\)",
        ),
        (lambda t: t.update({"network.out.bias": torch.zeros(2).double()}), r"are \(2,\) float64, and \(2,\) float32"),
        (lambda t: t.update(wings=torch.zeros(3)), r"'wings' are \(3,\) float32, and absent in the network"),
        (lambda t: t.pop("training.sizes"), "are missing or are not whole numbers"),
        (
            lambda t: t.update({"training.degrees": t["training.degrees"].float()}),
            "are missing or are not whole numbers",
        ),
        (
            lambda t: t.update({"training.sizes": t["training.sizes"].bfloat16()}),
            "are missing or are not whole numbers",
        ),
        (lambda t: t["training.sizes"][0].fill_(-1), "are missing or are not whole numbers"),
        (lambda t: t["training.sizes"][0].fill_(13), "a hyperedge size or a degree that is too large"),
        (lambda t: t["training.degrees"][0].fill_(8), "a hyperedge size or a degree that is too large"),
        (lambda t: t.update({"training.sizes": t["training.sizes"][1:].clone()}), "not as many as they should be"),
        (lambda t: t.update({"training.shapes": t["training.shapes"].flatten()}), "are not pairs"),
        (lambda t: t["training.sizes"][t["training.sizes"].argmax()].sub_(1), "do not add up to its hyperedge sizes"),
        (
            lambda t: [t.pop(name) for name in list(t) if name.startswith("network")],
            "the weights of the network are absent",
        ),
        (lambda t: t.pop("network.embed_nodes.weight"), "the weights 'network.embed_nodes.weight' are absent; copy"),
        (
            lambda t: t.update({"network.embed_nodes.weight": torch.zeros(16, 0)}),
            r"are \(16, 0\) float32, and \(16, 26\)",
        ),
        (lambda t: t.update({"network.embed_nodes.weight": torch.zeros(0, 9)}), r"cannot be \(0, 9\) float32"),
        (
            lambda t: t.update({"network.embed_nodes.weight": torch.zeros(2**30, 0)}),
            r"cannot be \(1073741824, 0\) float32",
        ),
        (lambda t: t["training.shapes"][0].fill_(2**62), "cannot have 2³¹ nodes or hyperedges"),
    ],
)
def test_arrays_that_are_wrong(saved, change, message):
    edit_arrays(saved, change)
    with pytest.raises(hh.errors.FormatError, match=message) as caught:
        load_model(saved)
    assert str(caught.value).startswith(str(saved / ARRAYS))
    assert one_sentence(caught)


def test_arrays_of_another_model(saved, tmp_path):
    """With as many hypergraphs of other sizes."""
    quick().fit(random_hypergraphs(23, 5, 5)).save(tmp_path / "other")
    shutil.copy(tmp_path / "other" / ARRAYS, saved / ARRAYS)
    with pytest.raises(hh.errors.FormatError, match=r"are not those in model\.json") as caught:
        load_model(saved)
    assert str(caught.value).startswith(str(saved / ARRAYS))


def test_arrays_that_are_cut_short_or_missing(saved):
    whole = (saved / ARRAYS).read_bytes()
    for length in [*range(0, 120, 9), *range(120, len(whole), len(whole) // 25), len(whole) - 1]:
        (saved / ARRAYS).write_bytes(whole[:length])
        with pytest.raises(hh.errors.FormatError, match="damaged or cut short") as caught:
            load_model(saved)
        assert str(caught.value).startswith(str(saved / ARRAYS))
        assert one_sentence(caught)
    (saved / ARRAYS).unlink()
    with pytest.raises(
        hh.errors.FormatError, match="this file of the model is missing; copy the whole folder"
    ) as caught:
        load_model(saved)
    assert str(caught.value).startswith(str(saved / ARRAYS))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scale_data": [0.1, 0.2]}, "scales must be positive, finite and equally many"),
        ({"scale_data": [], "scale_times": [], "scale_structure": []}, "scales must be .* at least two"),
        ({"scale_data": [1.0], "scale_times": [1.0], "scale_structure": [1.0]}, "scales must be .* at least two"),
        ({"scale_data": [0.1, -1], "scale_times": [0.1, 1], "scale_structure": [0.1, 1]}, "scales must be positive"),
        ({"scale_data": [0.1, 1], "scale_times": [1, 0.1], "scale_structure": [0.1, 1]}, "times .* must increase"),
        ({"scale_data": "large"}, "does not describe a saved model"),
        ({"density": 1.5}, "does not describe a saved model"),
        ({"rate": -1}, "does not describe a saved model"),
        ({"rate": 1e308}, "Expected `?'?float.* <= 3.03"),
        ({"seed": 2**63}, "does not describe a saved model"),
        ({"scale_times": [0.5] * 10_001}, "length <= 10000"),
        ({"has_empty": "no"}, "does not describe a saved model"),
        ({"training": []}, "does not describe a saved model"),
        ({"wings": 2}, "unknown field 'wings'"),
    ],
)
def test_facts_that_are_wrong(saved, changes, message):
    edit_facts(saved, **changes)
    with pytest.raises(hh.errors.FormatError, match=message) as caught:
        load_model(saved)
    assert str(caught.value).startswith(str(saved / "model.json"))
    assert one_sentence(caught)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"width": 17}, "width must be a multiple of channels"),
        ({"gamma": 1e9}, "the variance is not positive"),
        ({"learning_rate": "fast"}, "learning_rate must be a number"),
        ({"wings": 2}, "has no option 'wings'"),
        ({"tau": 10**400}, r"tau must be a positive number up to 1e\+09, not a number with 401 digits"),
        ({"tau": 1e308}, r"tau must be a positive number up to 1e\+09, not 1e\+308"),
        ({"horizon": 1e300}, "horizon must be a positive number up to"),
        ({"grid_power": 1e300}, r"grid_power must be a positive number up to 50, not 1e\+300"),
        ({"time_power": 51}, "time_power must be a positive number up to 50, not 51"),
        ({"width": 10**400}, "width must be at most 2,147,483,648, not a number with"),
        ({"steps": 10**12}, "steps must be at most 2,147,483,648, not 1000000000000"),
        ({"seed": 2**63}, "seed must be at most"),
        ({"learning_rate": 10**400}, "learning_rate must be a number above 0, not a number with 401 digits"),
        ({"batch_size": 10**400}, "batch_size must be a whole number from 1 on, not a number with"),
        ({"max_time": 10**400}, "is not a length of time"),
        ({"sampler": "a" * 10**6}, r"sampler must be .*, not 'a{98}…"),
    ],
)
def test_arguments_that_are_wrong(saved, changes, message):
    edit_facts(saved, "config", **changes)
    with pytest.raises(hh.errors.FormatError, match=message) as caught:
        load_model(saved)
    assert str(caught.value).startswith(str(saved / "model.json"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("blocks", 2),
        ("blocks", 10**9),
        ("width", 65_536),
        ("width", 2 * 10**9),
        ("channels", 4),
        ("hidden", 2**31),
    ],
)
def test_arguments_of_another_network_than_the_weights_are_refused_before_it_is_made(saved, name, value, monkeypatch):
    def made(*_, **__):
        raise AssertionError("a network was made")

    monkeypatch.setattr(Denoiser, "__init__", made)
    here = json.loads((saved / "model.json").read_text())["config"][name]
    edit_facts(saved, "config", **{name: value})
    message = rf"config\.{name}: it is {value}, and the weights in arrays.safetensors are of a model with {name}={here}"
    with pytest.raises(hh.errors.FormatError, match=message) as caught:
        load_model(saved)
    assert str(caught.value).startswith(str(saved / "model.json"))
    assert one_sentence(caught)


def test_a_network_is_compared_before_its_weights_have_memory(saved, monkeypatch):
    """Its file claims a terabyte of weights, which take no room on the disk and would take it in memory."""
    edit_facts(saved, "config", width=2**18)
    claims, end = {}, 0
    for name, claim in read_claims(saved / ARRAYS)[0].items():
        shape = [2**18 if k == 16 and "embed_nodes" in name else k for k in claim.shape]
        if name == "network.blocks.0.edges.inner.weight":
            shape = [2**18, 2**18]
        length = math.prod(shape) * (8 if claim.dtype == "I64" else 4)
        claims[name] = {"dtype": claim.dtype, "shape": shape, "data_offsets": [end, end + length]}
        end += length
    header = json.dumps(claims).encode()
    with (saved / ARRAYS).open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        try:
            file.truncate(8 + len(header) + end)
        except OSError:
            pytest.skip("this disk has no files with holes of this length")
    monkeypatch.setattr(weights_module, "load_tensors", None)  # nothing is read
    with pytest.raises(hh.errors.FormatError, match=r"in the network that model\.json describes") as caught:
        load_model(saved)
    assert str(caught.value).startswith(str(saved / ARRAYS))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": 100_001}, "steps must be at most 100,000, not 100001"),
        ({"steps": 10**5000}, "steps must be at most 100,000, not a number with"),
        ({"grid_power": 1e300}, r"grid_power must be a positive number up to 50, not 1e\+300"),
        ({"grid_power": 10**400}, "grid_power must be a positive number up to 50, not a number with 401 digits"),
    ],
)
def test_what_only_sampling_uses_is_bounded_there(fitted, options, message):
    with pytest.raises(GeneratorError, match=message):
        fitted.sample(1, **options)


def test_a_saved_model_with_too_many_steps_is_refused_when_it_samples_with_them(saved):
    edit_facts(saved, "config", steps=10**9)
    model = load_model(saved)
    with pytest.raises(GeneratorError, match="steps must be at most 100,000, not 1000000000"):
        model.sample(1)
    assert len(model.sample(1, steps=2)) == 1


def test_a_model_of_an_earlier_version_still_loads_and_draws_the_same():
    model = load_model(FOLDER)
    assert isinstance(model, Hedge)
    assert model.given == "both"
    with np.load(STATES) as recorded:
        for sampler in ("exponential", "flow"):
            states = model.sample_paths(**OPTIONS, sampler=sampler).states
            for k, X in enumerate(states):
                np.testing.assert_allclose(X, recorded[f"{sampler}-{k}"], rtol=0, atol=1e-4)


def test_saving_it_again_writes_the_same(tmp_path):
    load_model(FOLDER).save(tmp_path / "model")
    assert (tmp_path / "model" / ARRAYS).read_bytes() == (FOLDER / ARRAYS).read_bytes()
    before, after = (json.loads((folder / "model.json").read_text()) for folder in (FOLDER, tmp_path / "model"))
    assert after == {**before, "hyperhedge": after["hyperhedge"]}


def test_a_model_that_does_not_say_how_much_heat_it_was_trained_with_is_refused(tmp_path):
    """Its samples would be those of another process."""
    folder = shutil.copytree(FOLDER, tmp_path / "model")
    record = json.loads((folder / "model.json").read_text())
    del record["fitted"]["heat"]
    (folder / "model.json").write_text(json.dumps(record))
    with pytest.raises(hh.errors.FormatError, match="missing required field 'heat'"):
        load_model(folder)


def test_a_saved_model_is_loaded_in_another_process(fitted, saved):
    code = "import sys, hyperhedge as hh; print([H.hyperedges for H in hh.load_model(sys.argv[1]).sample(2, seed=5)])"
    done = subprocess.run([sys.executable, "-c", code, str(saved)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([H.hyperedges for H in fitted.sample(2, seed=5)])


# -- devices ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", ["cuda", "cuda:77", "meta", "abacus", "", 3])
def test_a_device_that_is_not_here_is_refused_by_fit_and_by_sample(fitted, device):
    if str(device).startswith("cuda") and torch.cuda.is_available():
        pytest.skip("there is one here")
    model = quick(device=device)
    with pytest.raises(GeneratorError, match=f"there is no device '{device}' here; give 'auto', 'cpu'") as caught:
        model.fit(MIXED)
    assert one_sentence(caught)
    with pytest.raises(GeneratorError, match="not fitted"):
        model.sample()
    with pytest.raises(GeneratorError, match=f"there is no device '{device}' here"):
        fitted.sample(device=device)


def test_a_model_of_another_machine_can_be_used_on_the_cpu(fitted, saved):
    edit_facts(saved, "config", device="cuda:77")
    model = load_model(saved)
    with pytest.raises(GeneratorError, match="there is no device 'cuda:77' here"):
        model.sample()
    assert model.sample(3, seed=1, device="cpu") == fitted.sample(3, seed=1)


def test_the_cpu_by_name(fitted):
    assert weights(quick(device="cpu").fit(MIXED))["out.weight"].equal(weights(fitted)["out.weight"])


# -- presets and arguments -------------------------------------------------------------------------


def test_presets_are_arguments():
    for name, arguments in PRESETS.items():
        assert Hedge.preset(name, seed=2).get_params() == Hedge(**{**arguments, "seed": 2}).get_params()
    assert Hedge.preset("fast", width=32).width == 32
    with pytest.raises(GeneratorError, match="preset must be 'fast' or"):
        Hedge.preset("slow")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, "seed must be a whole number"),
        ({"iterations": 0}, "iterations must be a whole number from 1 on, not 0"),
        ({"iterations": 1.5}, "iterations must be a whole number"),
        ({"batch_size": True}, "batch_size must be a whole number"),
        ({"learning_rate": float("nan")}, "learning_rate must be a number above 0"),
        ({"max_time": "soon"}, "'soon' is not a length of time"),
        ({"max_time": 0}, "0 is not a length of time"),
        ({"validation": 1}, "validation must be a share from 0 to less than 1"),
        ({"validation": "some"}, "validation must be a share"),
        ({"workers": 0}, "workers must be a whole number from 1 on"),
        ({"width": 0}, "width must be a whole number from 1 on"),
        ({"width": 20}, "width must be a multiple of channels"),
        ({"given": "degrees"}, "given must be 'nothing' or 'sizes' or 'both'"),
        ({"schedule": "exponential"}, "schedule must be 'cosine' or 'linear'"),
        ({"variant": "both"}, "variant must be"),
        ({"sampler": "ddpm"}, "sampler must be"),
        ({"projection": "round"}, "projection must be"),
        ({"horizon": 0}, "horizon must be a positive number"),
        ({"heat": 0}, "heat must be a positive number"),
        ({"heat": 17}, "heat must be a positive number up to 16, not 17"),
        ({"gamma": "8"}, "gamma must be a positive number"),
        ({"tau": float("inf")}, "tau must be a positive number"),
        ({"time_power": -1}, "time_power must be a positive number"),
        ({"steps": 0}, "steps must be a whole number from 1 on"),
    ],
    ids=lambda value: "-".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else None,
)
def test_bad_arguments(arguments, message):
    with pytest.raises(GeneratorError, match=message) as caught:
        Hedge(**{"channels": 8, "width": 16, **arguments})
    assert one_sentence(caught)


def test_a_process_that_cannot_be():
    with pytest.raises(ScheduleError, match="gamma too large") as caught:
        quick(gamma=1e9).fit(MIXED)
    assert one_sentence(caught)


# -- training sets at the edges --------------------------------------------------------------------

E = hh.Hypergraph


@pytest.mark.parametrize(
    "training",
    [[E(nodes=3)] * 3, [E([[], []])] * 3, [E()] * 3, [E([[], []], nodes=4)] * 30],
    ids=["no hyperedges", "no nodes", "nothing", "no incidences"],
)
def test_without_incidences_samples_have_none_either(training, tmp_path):
    model = quick().fit(training)
    H = training[0]
    assert [(S.n, S.m, S.num_incidences) for S in model.sample(3)] == [(H.n, H.m, 0)] * 3
    assert model.training_ == {}
    model.save(tmp_path / "model")
    assert load_model(tmp_path / "model").sample(3, seed=0) == model.sample(3, seed=0)
    if H.n and H.m:
        assert model.sample(1, n=5, m=4)[0].num_incidences == 0
    else:
        with pytest.raises(GeneratorError, match="no training hypergraph has both nodes and hyperedges"):
            model.sample(1, n=5, m=4)


@pytest.mark.parametrize(
    "training",
    [
        covered(1, 12, 7),
        covered(1, 12, 7) * 100,
        [E([[0]])],
        [E([[0, 1, 2]] * 4)] * 5,
        [E([[]] * 5, nodes=6)] * 30 + [E([[0]] * 5, nodes=6)],
        [*random_hypergraphs(5, 3, 2, 0.5, seed=1), *random_hypergraphs(2, 60, 40, 0.2, seed=2), E([[0, 1]] * 30)],
        random_hypergraphs(3, 200, 50, 0.001, seed=1),
        random_hypergraphs(5, 20, 12, 0.9, seed=1),
    ],
    ids=["one", "a hundred alike", "one entry", "all ones", "one in thirty", "mixed", "sparse", "dense"],
)
def test_odd_training_sets_make_models(training, tmp_path):
    """What is fitted is finite, draws, and comes back; it has not learned anything in these few steps."""
    model = quick(iterations=4, batch_size=8).fit(training)
    assert np.isfinite([model.density_, model.rate_, model.training_["loss"], *model.scale_data_]).all()
    drawn = model.sample_paths(4, seed=1)
    sizes = {(H.n, H.m) for H in training}
    assert all((H.n, H.m) in sizes for H in drawn.hypergraphs)
    assert all(np.isfinite(X).all() for X in drawn.states)
    model.save(tmp_path / "model")
    assert load_model(tmp_path / "model").sample(4, seed=1) == drawn.hypergraphs


@pytest.mark.parametrize("given", ["nothing", "sizes", "both"])
def test_where_nothing_is_given_the_typical_rate_is_that_of_the_hypergraphs(given):
    training = covered(6, 9, 6)  # too few to hold any out
    rate = quick(iterations=1, given=given).fit(training).rate_
    assert rate == (decay_of if given == "nothing" else rate_of)(buckets_of(training), "full")


@pytest.mark.parametrize("heat", [0.5, 3.0])
def test_heat_is_more_of_the_same_heat_and_the_same_noise(heat):
    """At the same share of the horizon the law is that of rates times as large, mode by mode, and the noise does not change."""
    training = covered(6, 9, 6)
    plain, hot = (quick(iterations=1, heat=eta).fit(training)._process() for eta in (1.0, heat))
    rates = (
        torch.linspace(0, 3 / max(heat, 1.0), 7, dtype=torch.float64)[None],
        torch.zeros((1, 1), dtype=torch.float64),
    )
    for share in (0.1, 0.5, 1.0):
        s = torch.tensor([share * plain.horizon], dtype=torch.float64)
        decay, pull, spread = plain.mode_factors(heat * rates[0], rates[1], s)
        hotter = hot.mode_factors(rates[0], rates[1], heat * s)
        torch.testing.assert_close(hotter[0], decay, rtol=1e-9, atol=0)
        torch.testing.assert_close(hot.gamma * hotter[1], plain.gamma * pull, rtol=1e-9, atol=0)
        torch.testing.assert_close(hot.tau * hotter[2], plain.tau * spread, rtol=1e-9, atol=0)
    assert hot.base_variance == pytest.approx(plain.base_variance)


def test_how_much_heat_follows_what_is_given_and_is_saved(tmp_path):
    training = covered(6, 9, 6)
    for given, heat in (("both", 2.0), ("sizes", 1.0), ("nothing", 1.0)):
        model = quick(iterations=1, given=given).fit(training)
        assert (model.heat_, model._process().horizon) == (heat, heat * model.horizon)
        model.save(tmp_path / given)
        again = hh.load_model(tmp_path / given)
        assert again.heat_ == heat
        assert again.sample(3, seed=0) == model.sample(3, seed=0)
    assert quick(iterations=1, heat=3).fit(training).heat_ == 3.0


def test_scales_of_one_small_hypergraph_are_those_of_many_copies():
    """They are measured on many draws, however few hypergraphs there are: one draw of twelve entries tells little."""
    H = E([[0, 1], [1, 2], [2, 3]], nodes=4)
    one = np.array([quick(iterations=1, seed=seed).fit([H]).scale_data_ for seed in range(6)])
    assert (one.std(0) < 0.2 * one.mean(0)).all()


def test_scales_are_measured_on_a_bounded_number_of_entries():
    large = [hh.Hypergraph([[0, 1]] * 100, nodes=128)] * 200
    measured = list(_some(buckets_of([*large[:150], *random_hypergraphs(50, 8, 6)]), seed=0))
    assert sum(H.numel() for H, _ in measured) < 2**19
    assert len(measured) == 2
    assert all(len(H) == len(spectrum.lam) for H, spectrum in measured)


def test_copies_are_not_held_out():
    """A hypergraph that is learned tells nothing when it validates."""
    assert quick(iterations=2).fit(covered(1, 6, 5) * 50).training_["validation"] is None
    assert quick(iterations=2).fit(covered(50, 6, 5)).training_["validation"] > 0
    assert quick(iterations=2, validation=0).fit(covered(50, 6, 5)).training_["validation"] is None
    assert quick(iterations=2).fit(covered(19, 6, 5)).training_["validation"] is None


# -- settings at the edges -------------------------------------------------------------------------


def test_a_learning_rate_that_is_far_too_high_is_reported():
    model = quick(learning_rate=1e6, warmup=0, iterations=100)
    with pytest.warns(TrainingWarning, match="was not finite after iteration"):  # noqa: SIM117
        with pytest.raises(TrainingError, match="5 roll-backs; lower learning_rate") as caught:
            model.fit(MIXED)
    assert one_sentence(caught)
    with pytest.raises(GeneratorError, match="not fitted"):
        model.sample()


def test_a_network_that_training_made_worse_is_reported():
    with pytest.warns(TrainingWarning, match=r"The loss was .* before the training and is .*: lower learning_rate"):
        quick(learning_rate=3.0, warmup=0, iterations=1).fit(MIXED)


def test_one_step_is_a_training():
    model = quick(iterations=1).fit(MIXED)
    assert (model.training_["iterations"], model.training_["stopped"]) == (1, "iterations")
    assert len(model.sample(3)) == 3


def test_a_time_limit_shorter_than_a_step():
    model = quick(iterations=10_000, max_time=1e-6).fit(MIXED)
    assert (model.training_["iterations"], model.training_["stopped"]) == (1, "max_time")
    assert len(model.sample(3)) == 3


@pytest.mark.parametrize(("batch_size", "workers"), [(1, 1), (1, 2), (2, 3)])
def test_small_batches_and_many_workers(batch_size, workers):
    model = quick(iterations=5, batch_size=batch_size, workers=workers).fit(MIXED)
    assert model.training_["iterations"] == 5


@pytest.mark.parametrize("variant", ["ou", "node", "edge"])
def test_every_variant_and_schedule_learns(variant):
    model = quick(variant=variant, schedule="linear", iterations=40, warmup=5).fit(MIXED)
    assert model.training_["loss"] < 1.8
    assert len(model.sample(3)) == 3


def test_threads_of_torch_do_not_change_a_fit(fitted):
    """Nor does a fit change torch's threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        model = quick().fit(MIXED)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert model.scale_data_ == fitted.scale_data_
    assert weights(model)["out.weight"].equal(weights(fitted)["out.weight"])
