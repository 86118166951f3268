"""The judge: rows, chance, defects and yardsticks of passes that are made by hand, against what their definitions give."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

import hyperhedge as hh
from hyperhedge.metrics.whole.copies import Copied
from hyperhedge.metrics.whole.statistics import WholeStatistics
from hyperhedge.report.whole.judge import INDEPENDENT, ITSELF, NULL, TRAINING, Judge, WholeOptions, _ceiling
from hyperhedge.report.whole.reference import REWIRED, Pass
from strategies import random_hypergraphs

OPTIONS = WholeOptions(metrics=["degree_ks", "overlap_tail", "motif_profile"], floor_repeats=2, null_repeats=3)

# Some fifty hypergraphs, all different, that play all parts.
CAST = [
    *random_hypergraphs(26, 12, 14, density=0.25, seed=1),
    *random_hypergraphs(26, 14, 12, density=0.15, seed=2),
]


def passes_of(reals=1, copies=None):
    """Return passes of a judge, each of another hypergraph, and the hypergraphs by name."""
    names = ["train", *(("rewired", share) for share in REWIRED)]
    for i in range(reals):
        names += [("real", i), ("independent", i), ("null of half", i)]
        names += [(half, i, k) for half in ("first half", "second half") for k in range(2)]
        names += [("null", i, k) for k in range(3)]
    graphs = dict(zip(names, CAST, strict=False))
    known = copies or {}
    return {name: replaced(Pass(WholeStatistics.of(H)), known.get(name)) for name, H in graphs.items()}, graphs


def replaced(one, changes):
    return one._replace(**changes) if changes else one


def judge_of(passes, reals=1, train=None):
    return Judge(passes, reals, train, OPTIONS)


MADE = CAST[-3:]


def degree_distance(one, other):
    return ks_2samp(one.degrees, other.degrees).statistic


def tail(H):
    pairs = [len(set(e) & set(f)) for k, e in enumerate(H.hyperedges) for f in H.hyperedges[:k]]
    return np.mean([k > 1 for k in pairs if k])


def tail_distance(one, other):
    return abs(tail(one) - tail(other))


def profile_distance(one, other, null):
    """Return half the summed differences of two characteristic profiles against the counts of a null model."""
    profiles = []
    for H in (one, other):
        counts = WholeStatistics.of(H).motifs.counts
        significance = (counts - null) / (counts + null + 1)
        profiles.append(significance / np.sqrt(np.sum(significance**2)))
    return np.abs(profiles[0] - profiles[1]).sum() / 2


def motifs(H):
    return WholeStatistics.of(H).motifs.counts


@pytest.mark.parametrize("key", ["degree_ks", "overlap_tail", "motif_profile"])
def test_a_row_has_means_over_all_real_and_made_hypergraphs_halves_and_null_models(key):
    passes, graphs = passes_of(reals=2)
    row = {one.key: one for one in judge_of(passes, reals=2).rows([Pass(WholeStatistics.of(H)) for H in MADE])}[key]

    def distance(i, other):
        real = graphs["real", i]
        if key != "motif_profile":
            return {"degree_ks": degree_distance, "overlap_tail": tail_distance}[key](real, other)
        return profile_distance(real, other, np.mean([motifs(graphs["null", i, k]) for k in range(3)], axis=0))

    def apart(i, k):
        one, other = graphs["first half", i, k], graphs["second half", i, k]
        if key != "motif_profile":
            return {"degree_ks": degree_distance, "overlap_tail": tail_distance}[key](one, other)
        return profile_distance(one, other, motifs(graphs["null of half", i]))

    of_each = [np.mean([distance(i, H) for i in range(2)]) for H in MADE]
    assert row.value == pytest.approx(np.mean(of_each))
    assert (row.low, row.high) == (pytest.approx(min(of_each)), pytest.approx(max(of_each)))
    assert row.floor == pytest.approx(np.sqrt(1 / 2) * np.mean([apart(i, k) for i in range(2) for k in range(2)]))
    null = np.mean([distance(i, graphs["null", i, k]) for i in range(2) for k in range(3)])
    assert row.configuration == pytest.approx(null)
    independent = np.mean([distance(i, graphs["independent", i]) for i in range(2)])
    assert row.independent == pytest.approx(independent)
    assert row.ceiling == pytest.approx(null if null > 1.5 * row.floor else independent)


def test_one_hypergraph_has_no_range():
    judge = judge_of(passes_of()[0])
    (row, *_) = judge.rows([Pass(WholeStatistics.of(MADE[0]))])
    assert (row.low, row.high) == (None, None)


@pytest.mark.parametrize(
    ("floor", "configuration", "ceiling"),
    [
        (0.1, 0.3, 0.3),
        (0.1, 0.16, 0.16),
        (0.1, 0.14, 0.9),  # a sample of the real law is as far
        (0.0, 0.0, 0.9),
        (None, 0.3, 0.3),
        (0.1, None, None),
    ],
)
def test_the_way_begins_at_independent_incidences_only_where_the_configuration_model_is_at_the_floor(
    floor, configuration, ceiling
):
    assert _ceiling(floor, configuration, 0.9) == ceiling


def test_what_is_not_defined_for_one_hypergraph_is_left_out_of_the_mean():
    passes, graphs = passes_of()
    nothing = hh.Hypergraph([[0], [1]])  # without overlaps there is no share of them
    rows = judge_of(passes).rows([Pass(WholeStatistics.of(H)) for H in (MADE[0], nothing)])
    row = rows[1]
    assert row.value == pytest.approx(tail_distance(graphs["real", 0], MADE[0]))
    assert row.low == row.high == row.value
    assert judge_of(passes).rows([Pass(WholeStatistics.of(nothing))])[1].value is None


def test_definitions_name_their_source_unless_it_is_common():
    by_key = {row.key: row for row in judge_of(passes_of()[0]).rows([Pass(WholeStatistics.of(MADE[0]))])}
    assert by_key["overlap_tail"].definition.endswith("(this library)")
    assert "(" not in by_key["degree_ks"].definition


# -- novelty -----------------------------------------------------------------------------------------

NAN = float("nan")


def novelty(copies, matched_by_chance=0.0, known_by_chance=0.0, between_halves=(0.0, 0.0)):
    """Judge how new hypergraphs are of which this much was copied: (surroundings, matched, by number)."""
    known = {("null", 0, 0): {"copied": Copied(known_by_chance, matched_by_chance, 0.0)}}
    known |= {("second half", 0, k): {"surroundings": share} for k, share in enumerate(between_halves)}
    statistics = WholeStatistics.of(MADE[0])
    return judge_of(passes_of(copies=known)[0]).novelty([Pass(statistics, Copied(*shares)) for shares in copies])


@pytest.mark.parametrize(
    ("copy", "chances", "score"),
    [
        ((0.0, 0.0, 0.0), (0.0, 0.0), 1.0),
        ((0.1, 0.6, 0.6), (0.2, 0.0), 1 - 0.4 / 0.8),  # half of what could be copied beyond chance
        ((0.6, 0.1, 0.0), (0.0, 0.2), 1 - 0.4 / 0.8),
        ((0.5, 0.6, 0.0), (0.2, 0.5), 1 - 0.4 / 0.8),
        ((0.1, 0.1, 0.0), (0.2, 0.2), 1.0),  # less than by chance is not newer than new
        ((1.0, 1.0, 1.0), (0.2, 0.2), 0.0),
        ((0.2, 1.0, 0.0), (0.95, 0.0), 0.8),  # where a shuffled one matches, matches say nothing
        ((NAN, 0.3, 0.0), (0.0, NAN), 0.7),  # no surroundings are unique
        ((1.0, 1.0, 0.0), (0.95, 0.95), None),
        ((0.3, NAN, NAN), (0.0, 0.0), None),
    ],
)
def test_novelty_is_one_minus_the_larger_share_that_was_copied_beyond_chance(copy, chances, score):
    found = novelty([copy], *chances, between_halves=(0.0, 0.0))
    assert found.score == (None if score is None else pytest.approx(score))


def test_chance_of_surroundings_is_that_of_the_null_model_or_of_halves_whichever_is_larger():
    assert novelty([(0.6, 0.0, 0.0)], 0.0, 0.1, between_halves=(0.1, 0.3)).score == pytest.approx(1 - 0.4 / 0.8)
    assert novelty([(0.6, 0.0, 0.0)], 0.0, 0.2, between_halves=(0.0, 0.1)).score == pytest.approx(1 - 0.4 / 0.8)
    assert novelty([(0.6, 0.0, 0.0)], 0.0, 0.2, between_halves=(NAN, NAN)).score == pytest.approx(1 - 0.4 / 0.8)


def test_novelty_of_several_hypergraphs_is_that_of_their_means():
    found = novelty([(0.1, 0.5, 0.3), (0.3, 0.1, 0.2)], 0.1, 0.0, between_halves=(0.1, 0.1))
    assert found.values == pytest.approx(
        {
            "matched": 0.3,
            "matched by chance": 0.1,
            "matched by number": 0.25,
            "known surroundings": 0.2,
            "known surroundings by chance": 0.1,
        }
    )


# -- defects -----------------------------------------------------------------------------------------


def shares_by_hand(H, sizes, degrees):
    """Return the shares of all defects, for ranges of sizes and degrees."""
    edges = [frozenset(edge) for edge in H.hyperedges]
    degree = [sum(v in edge for edge in edges) for v in H.nodes]
    component = {v: {v} for v in H.nodes}
    for edge in edges:
        joined = set().union(*(component[v] for v in edge))
        component |= dict.fromkeys(joined, joined)
    largest = max(len(component[v]) for v, d in zip(H.nodes, degree, strict=True) if d)
    return {
        "empty hyperedges": np.mean([not edge for edge in edges]),
        "singleton hyperedges": np.mean([len(edge) == 1 for edge in edges]),
        "repeated hyperedges": np.mean([bool(edge) and edge in edges[:k] for k, edge in enumerate(edges)]),
        "edge sizes out of range": np.mean([not sizes[0] <= len(edge) <= sizes[1] for edge in edges]),
        "isolated nodes": np.mean([d == 0 for d in degree]),
        "nodes outside the largest component": 1 - largest / H.n,
        "degrees out of range": np.mean([not degrees[0] <= d <= degrees[1] for d in degree]),
    }


def judged_validity(real, train, made):
    passes, _ = passes_of(reals=len(real))
    passes |= {("real", i): Pass(WholeStatistics.of(H)) for i, H in enumerate(real)}
    passes["train"] = Pass(WholeStatistics.of(train))
    return judge_of(passes, len(real), (train,)).validity([Pass(WholeStatistics.of(H)) for H in made])


REAL = hh.Hypergraph([[0, 1, 2], [1, 2, 3], [2, 3], [4, 5], [4, 5], [3, 4], [2, 5]], nodes=7)
TRAIN = hh.Hypergraph([[0, 1, 2, 3, 4], [0, 1], [1, 2]])
SPOILT = hh.Hypergraph(
    [[], [], [6], [0, 1], [0, 1], [0, 1], [0, 2, 3, 4, 5, 6, 7], [0, 1, 2], [9, 10], [0, 8], [0, 9]], nodes=16
)


def test_shares_of_defects_are_those_of_the_definition():
    found = judged_validity([REAL], TRAIN, [SPOILT])
    sizes, degrees = (2, 5), (0, 4)  # of the real and the training hypergraph
    for whose, H in (("real", REAL), ("generated", SPOILT)):
        for name, share in shares_by_hand(H, sizes, degrees).items():
            of = "hyperedges" if "hyperedges" in name or "sizes" in name else "nodes"
            assert found.values[f"{name}, share of {of} ({whose})"] == pytest.approx(share), (name, whose)
    assert [found.values[f"{name} (real)"] for name in ("edge sizes from", "edge sizes to")] == [*sizes]
    assert [found.values[f"{name} (real)"] for name in ("degrees from", "degrees to")] == [*degrees]


@pytest.mark.parametrize("count", [1, 2])
def test_a_defect_counts_beyond_two_standard_errors_of_a_count(count):
    n = 60
    real = hh.Hypergraph([[v] for v in range(n)])

    def excess(isolated):
        made = hh.Hypergraph([[v] for v in range(n - isolated)], nodes=n)
        return judged_validity([real], real, [made] * count).values["isolated nodes, excess beyond chance"]

    # k of n within twice the deviation of a binomial count, over the root of how many hypergraphs there are
    within = max(k for k in range(n) if k <= 2 * np.sqrt(k * (1 - k / n) / count))
    assert excess(within) == 0
    assert excess(within + 1) == pytest.approx((within + 1) / n)
    assert judged_validity([real], real, [hh.Hypergraph([[v] for v in range(30)], nodes=n)]).score == pytest.approx(0.5)


def test_what_is_wrong_with_the_real_hypergraph_is_no_fault():
    assert judged_validity([SPOILT], SPOILT, [REAL]).score == 1
    assert judged_validity([SPOILT], SPOILT, [SPOILT]).score == 1


def test_defects_of_several_hypergraphs_are_averaged():
    one, other = (judged_validity([REAL], TRAIN, [H]).values for H in (SPOILT, REAL))
    both = judged_validity([REAL], TRAIN, [SPOILT, REAL]).values
    for name in both:
        if name.endswith("(generated)"):
            assert both[name] == pytest.approx((one[name] + other[name]) / 2)


# -- yardsticks --------------------------------------------------------------------------------------


def test_yardsticks_are_what_was_measured_of_each():
    copies = {("rewired", share): {"copied": Copied(0.0, 1 - share, 1 - share)} for share in REWIRED}
    copies[("null", 0, 0)] = {"copied": Copied(0.0, 0.125, 0.0)}
    passes, graphs = passes_of(copies=copies)
    sticks = judge_of(passes).yardsticks()
    assert list(sticks) == [ITSELF, "copy, 1% rewired", "copy, 10% rewired", "copy, 50% rewired", NULL, INDEPENDENT]
    assert [one.kind for one in sticks.values()] == ["training", "copy", "copy", "copy", "null", "null"]
    assert [one.matched for one in sticks.values()] == [1, 0.99, 0.9, 0.5, 0.125, None]
    assert sticks[ITSELF].novelty == 0
    assert sticks[INDEPENDENT].novelty is None
    assert sticks["copy, 10% rewired"].novelty == pytest.approx(1 - (0.9 - 0.125) / 0.875)
    assert next(iter(judge_of(passes, train=(graphs["train"],)).yardsticks())) == TRAINING


def test_motifs_without_a_null_model_of_halves_have_no_floor():
    passes, _ = passes_of()
    del passes["null of half", 0]
    row = judge_of(passes).rows([Pass(WholeStatistics.of(MADE[0]))])[2]
    assert row.floor is None
    assert row.value is not None
