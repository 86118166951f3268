"""Repeated hyperedges: what counts as one, laws conditioned on none against enumeration, and what every model makes of it."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import hyperhedge as hh
from hyperhedge.core.summary import summarise
from hyperhedge.errors import GeneratorError
from hyperhedge.models import repeats
from hyperhedge.models.base import MODELS, load_model, make_model
from hyperhedge.models.repeats import REPEATS, has_repeats, resampled
from small_hedge import QUICK as HEDGE
from small_hygene import QUICK as HYGENE
from strategies import hypergraphs, random_hypergraphs

LEARNED = ("hedge", "hygene")
OPTIONS = {
    "hedge": HEDGE,
    "hygene": HYGENE,
    "hyperlap": {"seed": 0},
    "hy-mmsbm": {"communities": 2, "iterations": 10, "restarts": 1, "sweeps": 20, "seed": 0},
    "multiscale-shuffle": {"leaf": 2, "fan_out": 2},
    "hyperedge-copying": {"seed": 0, "visits": 500},
    "hyper-dk": {"node": "2"},  # with 2.5, redundancy leads away from repeats
    "dde": {"rank": 2, "passes": 3, "iterations": 20, "width": 16, "seed": 0},
}

#: Different hyperedges so small that samples of every model repeat some, but not all do.
SIMPLE = [
    hh.Hypergraph([[0, 1], [1, 2], [2, 3], [0, 3]], nodes=5),
    hh.Hypergraph([[0, 4], [1, 2], [3], [0, 1]], nodes=5),
]


def make(name, **options):
    return make_model(name, **OPTIONS.get(name, {}), **options)


def repeated(H):
    """Count repeated hyperedges from their definition."""
    return H.m - len({frozenset(edge) for edge in H.hyperedges})


@pytest.fixture(scope="module", params=sorted(MODELS))
def name(request):
    return request.param


@given(hypergraphs(max_nodes=4, max_edges=6))
def test_a_hyperedge_is_repeated_if_an_earlier_one_is_the_same_set(H):
    assert has_repeats(H) == (repeated(H) > 0) == (summarise(H).repeated_hyperedges > 0)


def test_equal_sums_of_keys_are_not_yet_equal_hyperedges(monkeypatch):
    """With all keys 0, hyperedges themselves are compared."""

    class Zero:
        def integers(self, *_, size, **__):
            return np.zeros(size, dtype=np.uint64)

    monkeypatch.setattr(repeats.np.random, "default_rng", lambda _seed: Zero())
    assert not has_repeats(hh.Hypergraph([[0, 1], [2], []]))
    assert has_repeats(hh.Hypergraph([[0, 1], [2], [0, 1]]))


# -- every model --------------------------------------------------------------------------------------


def test_no_sample_has_repeats_where_they_are_forbidden(name):
    model = make(name, repeats="forbid").fit(SIMPLE)
    free = make(name, repeats="allow").fit(SIMPLE)
    assert any(repeated(H) for H in free.sample(60, seed=1))  # otherwise this would show nothing
    assert not any(repeated(H) for H in model.sample(60, seed=1))


def test_as_data_is_forbidden_if_no_training_hypergraph_has_repeats(name, tmp_path):
    model = make(name, repeats="as-data").fit(SIMPLE)
    assert model.has_repeats_ is False
    model.save(tmp_path / "model")
    for fitted in (model, load_model(tmp_path / "model")):
        assert fitted.sample(40, seed=1) == make(name, repeats="forbid").fit(SIMPLE).sample(40, seed=1)


def test_as_data_is_allowed_if_one_training_hypergraph_has_repeats(name, tmp_path):
    training = [*SIMPLE, hh.Hypergraph([[0, 1], [1, 0]])]
    model = make(name, repeats="as-data").fit(training)
    assert model.has_repeats_ is True
    model.save(tmp_path / "model")
    for fitted in (model, load_model(tmp_path / "model")):
        assert fitted.sample(40, seed=1) == make(name, repeats="allow").fit(training).sample(40, seed=1)


def test_a_model_saved_before_this_was_asked_allows_repeats(name, tmp_path):
    import json

    make(name, repeats="as-data").fit(SIMPLE).save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    record = json.loads(file.read_text())
    del record["has_repeats"]
    file.write_text(json.dumps(record))
    old = load_model(tmp_path / "model")
    assert old.has_repeats_ is None
    assert old.sample(40, seed=1) == make(name, repeats="allow").fit(SIMPLE).sample(40, seed=1)


def test_the_default_follows_the_data_in_what_is_learned_and_names_a_law_elsewhere(name):
    assert make_model(name).repeats == ("as-data" if name in LEARNED else "allow")


@pytest.mark.parametrize("bad", ["never", None, True, 0])
def test_bad_values_are_refused(name, bad):
    with pytest.raises(GeneratorError, match="repeats must be 'as-data' or 'forbid' or 'allow', not"):
        make_model(name, repeats=bad)


@pytest.mark.parametrize("name", LEARNED)
def test_samples_of_a_learned_model_have_the_option_too(name):
    models = {value: make(name, repeats=value).fit(SIMPLE) for value in REPEATS}
    for model in models.values():
        for value in REPEATS:
            assert model.sample(20, seed=1, repeats=value) == models[value].sample(20, seed=1)
    with pytest.raises(GeneratorError, match="repeats must be 'as-data' or"):
        model.sample(1, repeats="never")


# -- conditioned laws ------------------------------------------------------------------------------------


def law_of(probabilities):
    """Return the law of independent entries ``(n, m)`` on matrices with different columns, exactly."""
    n, m = probabilities.shape
    law = {}
    for bits in itertools.product((0, 1), repeat=n * m):
        matrix = np.array(bits).reshape(n, m)
        if len({tuple(column) for column in matrix.T}) == m:
            law[matrix.tobytes()] = float(np.where(matrix, probabilities, 1 - probabilities).prod())
    return {key: chance / sum(law.values()) for key, chance in law.items()}


def p_value(samples, law):
    seen = Counter(H.incidence.toarray().astype(np.int64).tobytes() for H in samples)
    keys = [key for key in law if law[key] > 0]
    assert set(seen) <= set(keys)
    expected = len(samples) * np.array([law[key] for key in keys])
    counts = np.array([seen[key] for key in keys])
    rare = expected < 5
    if rare.any():
        counts, expected = (np.append(part[~rare], part[rare].sum()) for part in (counts, expected))
    return stats.chisquare(counts, expected).pvalue


def test_independent_incidences_conditioned_on_no_repeats():
    H = hh.Hypergraph([[0], [0, 1], [2]])
    model = hh.ErdosRenyi(repair=False, repeats="forbid").fit([H])
    assert p_value(model.sample(2500, seed=1), law_of(np.full((3, 3), 4 / 9))) > 1e-3


def test_repaired_hypergraphs_conditioned_on_no_repeats():
    """Two nodes, two hyperedges: the repaired law of free samples, without those that repeat."""
    H = hh.Hypergraph([[0], [1]])
    free = [S for S in hh.ErdosRenyi().fit([H]).sample(6_000, seed=2) if not repeated(S)]
    law = Counter(S.hyperedges for S in free)
    seen = Counter(S.hyperedges for S in hh.ErdosRenyi(repeats="forbid").fit([H]).sample(2500, seed=3))
    assert set(seen) == set(law)
    table = [[counts[key] for key in law] for counts in (law, seen)]
    assert stats.chi2_contingency(table).pvalue > 1e-3


@pytest.mark.parametrize("model", ["chung-lu", "block-model"])
def test_expected_degrees_conditioned_on_no_repeats(model):
    H = hh.Hypergraph([[0], [0, 1], [1, 2]])
    chances = np.minimum(1, np.outer(H.degrees, H.edge_sizes) / H.num_incidences)
    options = {"groups": 1} if model == "block-model" else {}
    samples = make_model(model, repeats="forbid", **options).fit([H]).sample(2500, seed=1)
    assert p_value(samples, law_of(chances)) > 1e-3


def test_the_shape_is_chosen_before_the_condition():
    """Repeats are far more probable at one shape than at the other, and both come up equally often."""
    few, many = hh.Hypergraph([[0], [1]], nodes=6), hh.Hypergraph([[0], [1], [2], [0, 1], []], nodes=3)
    for model in ("erdos-renyi", "chung-lu", "block-model"):
        samples = make_model(model, repeats="forbid").fit([few, many]).sample(300, seed=4)
        assert abs(np.mean([H.n == 6 for H in samples]) - 0.5) < 4 * np.sqrt(0.25 / 300)


@pytest.mark.parametrize("model", ["erdos-renyi", "chung-lu", "block-model"])
def test_where_none_without_repeats_comes_up_it_is_said(model):
    H = random_hypergraphs(1, 40, 200, density=0.03, seed=1)[0]
    with pytest.raises(
        GeneratorError, match=r"1,\d{3} attempts at 40 nodes and 200 hyperedges all had repeated"
    ) as caught:
        make_model(model, repeats="forbid").fit([H]).sample(1, seed=1)
    assert "give repeats='allow', or use the configuration model" in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.integers(0, 5), st.lists(st.booleans(), max_size=40))
def test_each_is_sampled_again_until_it_has_no_repeats(count, tosses):
    """The first hypergraph of each number that has none is kept, and nothing else."""
    good, bad = hh.Hypergraph([[0], [1]]), hh.Hypergraph([[0], [0]])
    outcomes, first = iter([*tosses, *[True] * 10]), {}

    def sample(numbers):
        graphs = []
        for k in numbers.tolist():
            ok = next(outcomes)
            assert k not in first  # what is accepted is left alone
            H = (good if ok else bad).relabel(edges=[f"{k}", f"{len(first)}x"])
            if ok:
                first[k] = H
            graphs.append(H)
        return graphs

    assert resampled(sample, count, "X") == [first[k] for k in range(count)]
