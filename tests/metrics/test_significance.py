"""Significance tests: p-values in closed form, Holm's correction, and their law under the null itself."""

import io
import json
import os
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from scipy import stats

import hyperhedge as hh
from hyperhedge._system.progress import Meter
from hyperhedge.errors import GeneratorError, HypergraphError, HyperhedgeError, UndefinedError
from hyperhedge.metrics import significance
from hyperhedge.metrics.null_samples import FromHub, null_law
from hyperhedge.metrics.significance import holm
from hyperhedge.models.configuration import shuffle

WOMEN = hh.load_dataset("southern-women").hypergraph


def with_sizes(*sizes):
    """Return hypergraphs of one hyperedge each, with these numbers of nodes."""
    return [hh.Hypergraph([range(size)]) for size in sizes]


def size(H):
    return H.n


# -- p-values ----------------------------------------------------------------------------------------


def test_p_values_in_closed_form():
    (H,) = with_sizes(5)
    test = hh.null_test(H, size, null=with_sizes(1, 2, 3, 5, 5, 7, 3, 2, 2))
    row = test["size"]
    assert (row.p_greater, row.p_less, row.p_two_sided, row.p_holm) == (0.4, 0.9, 0.8, 0.8)
    assert (row.observed, row.mean, row.sd) == (5, 30 / 9, np.std([1, 2, 3, 5, 5, 7, 3, 2, 2], ddof=1))
    assert row.z == (5 - 30 / 9) / row.sd
    assert test.null_values["size"].tolist() == [1, 2, 3, 5, 5, 7, 3, 2, 2]
    assert (test.count, test.null) == (9, "9 hypergraphs")
    assert "exchangeable" in test.notes[0]


@pytest.mark.parametrize(("observed", "p"), [(9, (0.25, 1.0, 0.5)), (0, (1.0, 0.25, 0.5)), (2, (1.0, 1.0, 1.0))])
def test_a_constant_null_has_p_values_and_no_z(observed, p):
    row = hh.null_test(*with_sizes(observed), size, null=with_sizes(2, 2, 2))["size"]
    assert (row.p_greater, row.p_less, row.p_two_sided) == p
    assert (row.sd, row.z) == (0.0, None)


def test_one_null_hypergraph():
    row = hh.null_test(*with_sizes(3), size, null=with_sizes(1))["size"]
    assert (row.p_greater, row.p_less, row.z) == (0.5, 1.0, None)


def test_values_that_differ_by_rounding_are_ties():
    values = iter([0.1 + 0.2, 0.3, 0.3 - 1e-16, 0.3 + 1e-6, 0.3 - 1e-6])
    row = hh.null_test(*with_sizes(1), {"f": lambda _: next(values)}, null=with_sizes(*[1] * 4))["f"]
    assert (row.p_greater, row.p_less) == (4 / 5, 4 / 5)


@given(st.lists(st.integers(0, 20).map(lambda k: k / 20), min_size=1, max_size=6))
def test_holm_is_the_closed_test_of_bonferroni(p_values):
    """Corrected, p is the greatest of |S| · min p over all sets S of hypotheses that contain it."""
    k = len(p_values)
    sets = [s for r in range(1, k + 1) for s in combinations(range(k), r)]
    closed = [max(min(1.0, len(s) * min(p_values[i] for i in s)) for s in sets if j in s) for j in range(k)]
    assert holm(p_values) == pytest.approx(closed)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_alternative_is_what_is_corrected(alternative):
    test = hh.null_test(WOMEN, ["overlap", "overlap-size", "repeated"], count=49, seed=1, alternative=alternative)
    p = [row.p_value(alternative) for row in test.rows]
    assert [row.p_holm for row in test.rows] == holm(p)
    assert p == [getattr(row, f"p_{alternative.replace('-', '_')}") for row in test.rows]
    assert test.alternative == alternative


def test_too_few_null_hypergraphs_are_noted():
    assert not any("sample at least" in note for note in hh.null_test(WOMEN, "overlap", count=39, seed=0).notes)
    (note,) = hh.null_test(WOMEN, "overlap", count=38, seed=0).notes[1:]
    assert "below 0.0513 with 38 null hypergraphs; sample at least 39" in note
    one_sided = hh.null_test(WOMEN, "motifs", count=519, seed=0, alternative="greater")
    assert len(one_sided.notes) == 1
    assert min(row.p_holm for row in one_sided.rows) >= 26 / 520


# -- the law of the p-values under the null ----------------------------------------------------------


def first_overlap(H):
    """A statistic that mixes slowly: how much the first hyperedges overlap."""
    first = set(H.indices[: H.indptr[1]].tolist())
    return len(first & set(H.indices[H.indptr[1] : H.indptr[2]].tolist()))


def ranks(law_of, tests, nulls, seed):
    """Return the rank of an observed value among null ones, ties broken at random, for many hypergraphs that come from the null."""
    rng = np.random.default_rng(seed)
    start = hh.Hypergraph([range(8), range(4, 12), range(8, 16), [0, 9], [1, 10], [2, 11]])
    places = np.zeros(nulls + 1, dtype=int)
    for _ in range(tests):
        H = shuffle(start, seed=rng)
        values = [first_overlap(X) for X in law_of(H, rng).draw(nulls, rng)]
        below, equal = sum(v < first_overlap(H) for v in values), sum(v == first_overlap(H) for v in values)
        places[below + rng.integers(0, equal + 1)] += 1
    return places


def hub(H, rng):
    return null_law(H, "configuration", {"sweeps": 1}, rng)


def star(H, rng):
    return FromHub(H, hub(H, rng).model, "allow")


def test_p_values_are_exact_even_if_the_chain_hardly_mixes():
    """With one sweep: ranks are uniform from a hub, and far from it if all chains start at the observed hypergraph."""
    assert stats.chisquare(ranks(hub, 600, 9, seed=1)).pvalue > 1e-3
    assert stats.chisquare(ranks(star, 600, 9, seed=2)).pvalue < 1e-6


def form(H):
    """A statistic without ties: a bilinear form of the incidence matrix with irrational weights."""
    return float((np.sqrt(2 + H.indices) * np.cbrt(3 + H.edge_indices)).sum())


def p_values_under_the_null(statistic, labelled, tests, seed):
    """Test hypergraphs from the null law itself against 19 others; return p-values, a row per test, for each kind and statistic."""
    rng = np.random.default_rng(seed)
    start = hh.Hypergraph([*([0, k] for k in range(1, 6)), [0, 1], [0, 1], [2, 3, 4], [2, 3, 5], [6, 7, 8, 1]])
    p = []
    for _ in range(tests):
        H = shuffle(start, labelled=labelled, seed=rng)
        test = hh.null_test(H, statistic, count=19, seed=rng, labelled=labelled, sweeps=2)
        p.append([(row.p_greater, row.p_less, row.p_two_sided) for row in test.rows])
    return np.array(p).reshape(tests, -1)


def uniform(p):
    """Return how well p-values that are multiples of 1/20 fit the uniform law."""
    return stats.chisquare(np.bincount(np.rint(20 * p).astype(int), minlength=21)[1:]).pvalue


def too_small(p):
    """Return the levels at which P(p ≤ level) exceeds the level by more than four standard deviations of a binomial share."""
    levels = np.arange(1, 20) / 20
    shares = (p[:, :, None] <= levels + 1e-12).mean(axis=0)
    return levels[(shares > levels + 4 * np.sqrt(levels * (1 - levels) / len(p))).any(axis=0)]


@pytest.mark.parametrize(
    ("labelled", "tests"),
    [
        ("stub", 500),
        pytest.param("stub", 5000, marks=pytest.mark.full),
        pytest.param("vertex", 5000, marks=pytest.mark.full),
    ],
)
def test_p_values_are_uniform_under_the_null(labelled, tests):
    greater, less, both = p_values_under_the_null(form, labelled, tests, seed=5).T
    assert uniform(greater) > 1e-3
    assert np.allclose(greater + less, 21 / 20)
    assert np.bincount(np.rint(20 * both).astype(int), minlength=21)[1::2].sum() == 0
    assert len(too_small(np.c_[greater, less, both])) == 0
    assert len(too_small(0.7 * np.c_[greater])) > 0  # the check can fail


@pytest.mark.full
@pytest.mark.parametrize("labelled", ["stub", "vertex"])
def test_p_values_of_discrete_statistics_are_not_too_small_under_the_null(labelled):
    p = p_values_under_the_null(["overlap", "repeated", "clustering", "motif-20"], labelled, 600, seed=6)
    assert len(too_small(p)) == 0
    assert (np.ptp(p, axis=0) > 0.5).all()


def test_a_planted_effect_is_detected():
    """Pairs of almost equal hyperedges: degrees and sizes do not explain that."""
    rng = np.random.default_rng(3)
    planted = []
    for _ in range(15):
        members = rng.choice(60, size=5, replace=False).tolist()
        planted += [members, [*members[:4], int(rng.integers(60))]]
    H = hh.Hypergraph(planted, nodes=60)
    test = hh.null_test(H, ["overlap", "overlap-size", "motif-22"], count=199, seed=0)
    assert [test[name].p_greater for name in ("overlap", "overlap-size")] == [1 / 200] * 2
    assert test["overlap"].z > 3
    assert test["overlap"].p_holm <= 0.03
    shuffled = hh.null_test(hh.shuffle(H, seed=0), ["overlap", "overlap-size"], count=199, seed=0)
    assert min(row.p_two_sided for row in shuffled.rows) > 0.05


# -- where null hypergraphs come from ----------------------------------------------------------------


def keeps(names):
    """Return statistics that are 1 if null hypergraphs keep something of the women's."""
    kept = {
        "degrees": lambda H: float((H.degrees == WOMEN.degrees).all()),
        "sizes": lambda H: float((H.edge_sizes == WOMEN.edge_sizes).all()),
        "labels": lambda H: float(H.nodes == WOMEN.nodes and H.edges == WOMEN.edges),
        "shape": lambda H: float(H.shape == WOMEN.shape),
    }
    return {name: kept[name] for name in names}


@pytest.mark.parametrize(
    ("null", "options", "description", "exact"),
    [
        ("configuration", {}, "ConfigurationModel(labelled='stub', sweeps=100)", True),
        ("configuration", {"labelled": "vertex", "sweeps": 7}, "ConfigurationModel(labelled='vertex', sweeps=7)", True),
        (hh.ConfigurationModel(labelled="vertex"), {}, "ConfigurationModel(labelled='vertex', sweeps=100)", True),
        (hh.ConfigurationModel(sweeps=9).fit([WOMEN]), {}, "ConfigurationModel(labelled='stub', sweeps=9)", True),
        ("chung-lu", {}, "ChungLu()", False),
        ("erdos-renyi", {}, "ErdosRenyi(repair=False)", False),
        ("erdos-renyi", {"repair": True}, "ErdosRenyi()", False),
        ("block-model", {}, "BlockModel()", False),
        (hh.ChungLu(), {}, "ChungLu()", False),
    ],
)
def test_models_are_fitted_to_the_hypergraph(null, options, description, exact):
    names = ["labels", "shape", *(["degrees", "sizes"] if exact else [])]
    test = hh.null_test(WOMEN, keeps(names), null, 19, 0, **options)
    assert all((values == 1).all() for values in test.null_values.values())
    assert test.null == description
    assert test.notes[0].startswith("The p-values are exact (Besag" if exact else "The p-values are approximate")
    if isinstance(null, hh.ChungLu):
        assert not hasattr(null, "shapes_")  # the caller's model is not fitted


def test_a_worker_gets_its_share_of_a_list():
    law = null_law(WOMEN, with_sizes(*range(1, 8)), {}, np.random.default_rng(0))
    assert [H.n for H in law.share(3, 2).hypergraphs] == [4, 5]


@pytest.mark.parametrize("make", [hh.ChungLu, hh.ConfigurationModel])
def test_a_fitted_model_is_used_as_it_is(make):
    other = hh.Hypergraph([[0, 1, 2], [2, 3], [1, 4]])
    test = hh.null_test(WOMEN, {"nodes": lambda H: H.n}, make().fit([other]), 9, seed=0)
    assert set(test.null_values["nodes"]) == {5}
    assert "exchangeable" in test.notes[0]


def test_the_hub_is_not_the_hypergraph_itself():
    law = null_law(WOMEN, "configuration", {}, np.random.default_rng(0))
    assert law.hub != WOMEN
    assert law.hub.degrees.tolist() == WOMEN.degrees.tolist()
    assert null_law(WOMEN, "configuration", {"sweeps": 0}, np.random.default_rng(0)).hub == WOMEN


def test_every_kind_of_seed():
    def values(seed):
        return hh.null_test(WOMEN, "clustering", count=12, seed=seed).null_values["clustering"].tolist()

    assert values(3) == values(3) == values(np.random.default_rng(3)) != values(4)
    assert values(None) != values(None)
    assert len(set(values(3))) > 6


class _Here:
    """Whether a null hypergraph is seen by the process of the test."""

    __name__ = "here"

    def __init__(self):
        self.process = os.getpid()

    def __call__(self, _):
        return float(os.getpid() == self.process)


@pytest.mark.parametrize(
    "null", ["configuration", *(pytest.param(k, marks=pytest.mark.full) for k in ("chung-lu", "list"))]
)
def test_processes_change_nothing(null):
    null = hh.ErdosRenyi().fit([WOMEN]).sample(25, seed=1) if null == "list" else null
    statistics = ["overlap", {"own": lambda H: H.m + H.n}, _Here()]
    one, two = (hh.null_test(WOMEN, statistics, null, 25, 5, jobs=k) for k in (1, 2))
    assert [one.null_values["here"].sum(), two.null_values["here"].sum()] == [25, 0]
    for name in ("overlap", "own"):
        assert replace(one[name], p_holm=0) == replace(two[name], p_holm=0)
        assert (one.null_values[name] == two.null_values[name]).all()
    assert np.ptp(one.null_values["overlap"]) > 0


@pytest.mark.full
def test_errors_come_back_from_other_processes():
    with pytest.raises(UndefinedError, match=r"the statistic 'assortativity' is not finite on null hypergraph \d+"):
        hh.null_test(WOMEN, "assortativity", null=with_sizes(*[3] * 20), jobs=2)


def test_an_error_says_on_which_null_hypergraph():
    calls = iter([1.0] * 4)
    with pytest.raises(UndefinedError, match=r"the statistic 'f' raised StopIteration on null hypergraph 3"):
        hh.null_test(WOMEN, {"f": lambda _: next(calls)}, count=15)


def test_it_can_be_interrupted():
    calls = []

    def slow(_):
        calls.append(1)
        if len(calls) == 15:
            raise KeyboardInterrupt
        return 1

    with pytest.raises(KeyboardInterrupt):
        hh.null_test(WOMEN, slow, count=50)
    assert len(calls) == 15


def test_progress_is_lines_where_there_is_no_terminal(monkeypatch):
    text = io.StringIO()
    hh.null_test(WOMEN, "overlap", count=35, progress=Console(file=text))
    assert text.getvalue() == ""  # it took less than a second
    monkeypatch.setattr(significance, "Meter", partial(Meter, quick=True))
    hh.null_test(WOMEN, "overlap", count=35, progress=Console(file=text))
    lines = text.getvalue().splitlines()
    assert lines[0].startswith("testing 10/35")
    assert lines[-1] == "testing 35/35"
    terminal = io.StringIO()
    hh.null_test(WOMEN, "overlap", count=35, progress=Console(file=terminal, force_terminal=True, width=90))
    assert "35/35" in terminal.getvalue()


# -- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"H": hh.Hypergraph(nodes=3)}, HypergraphError, "H has no hyperedges, so there is nothing to test"),
        ({"H": 5}, HypergraphError, "H is a int|H is an int"),
        ({"count": 0}, GeneratorError, "count must be a whole number from 1 on, not 0"),
        ({"jobs": 0}, GeneratorError, "jobs must be a whole number from 1 on"),
        ({"alternative": "more"}, GeneratorError, "alternative must be 'two-sided' or 'greater' or 'less', not 'more'"),
        ({"statistic": "nothing"}, HyperhedgeError, "there is no statistic 'nothing'"),
        ({"null": "nothing"}, GeneratorError, "there is no model 'nothing'"),
        ({"null": "configuration", "labelled": "x"}, GeneratorError, "labelled must be"),
        ({"null": "chung-lu", "labelled": "stub"}, GeneratorError, "the model 'chung-lu' has no option 'labelled'"),
        (
            {"null": hh.ChungLu(), "labelled": "stub"},
            GeneratorError,
            "null= has its options already; leave out labelled=",
        ),
        ({"null": []}, GeneratorError, "null= is empty"),
        ({"null": [WOMEN, 5]}, HypergraphError, r"null\[1\]"),
        (
            {"null": [WOMEN] * 3, "count": 2},
            GeneratorError,
            "null= has 3 hypergraphs, and count= is 2; leave count= out",
        ),
        ({"null": "hygene"}, GeneratorError, "null= names 'hygene', a model that is trained; fit it"),
    ],
)
def test_refusals(arguments, error, message):
    with pytest.raises(error, match=message):
        hh.null_test(**{"H": WOMEN, "statistic": "overlap", **arguments})


def test_the_hypergraph_of_another_library_is_taken():
    test = hh.null_test(WOMEN.incidence.toarray(), "overlap", count=9, seed=0)
    assert test.rows == hh.null_test(WOMEN, "overlap", count=9, seed=0).rows


def test_json_has_everything():
    test = hh.null_test(WOMEN, ["overlap", "motif-13"], count=9, seed=0)
    document = json.loads(test.to_json())
    assert document["rows"][1]["z"] is None
    assert document["null_values"]["overlap"] == test.null_values["overlap"].tolist()
