"""Reports on whole hypergraphs: what they say of copies, null models and fresh samples, reproducibly, and of odd input."""

import json
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

import hyperhedge as hh
from hyperhedge._system.memory import memory_limit
from hyperhedge.errors import HyperhedgeError, MissingDependencyError
from hyperhedge.metrics.resample import rescaled
from hyperhedge.metrics.whole.copies import rewired
from hyperhedge.metrics.whole.measures import MEASURES, Compared
from hyperhedge.metrics.whole.seams import seams_by_cluster, seams_by_detour
from hyperhedge.metrics.whole.statistics import WholeStatistics
from hyperhedge.models.configuration import shuffle
from hyperhedge.report import evaluate
from hyperhedge.report.report import Report
from hyperhedge.report.whole import evaluate as module
from hyperhedge.report.whole import reference
from hyperhedge.report.whole.judge import INDEPENDENT, NULL
from hyperhedge.report.whole.reference import halves
from hyperhedge.report.whole.report import WholeReport


def groups(seed, count=60):
    """Sample a hypergraph of overlapping groups, each of which meets often and nearly always the same."""
    rng = np.random.default_rng(seed)
    edges = []
    for g in range(count):
        core = 7 * g + rng.choice(11, size=5, replace=False)
        edges += [
            np.unique(
                np.append(rng.choice(core, size=rng.integers(2, 5), replace=False), 7 * rng.integers(count))
            ).tolist()
            for _ in range(6)
        ]
    return hh.Hypergraph(edges, nodes=7 * count + 12)


REAL, FRESH = groups(1), groups(2)


@pytest.fixture(scope="module")
def fresh():
    return evaluate(REAL, FRESH, baselines={"shuffled": shuffle(REAL, seed=5)}, seed=0)


def test_another_sample_of_the_law_has_gone_most_of_the_way(fresh):
    assert isinstance(fresh, WholeReport)
    assert fresh.score > 0.8
    assert fresh.properties["novelty"].score > 0.9
    assert fresh.properties["validity"].score > 0.9
    assert list(fresh.properties) == ["fidelity", "novelty", "validity"]
    assert fresh.verdict.sentence.endswith("and new.") or "but new" in fresh.verdict.sentence
    assert fresh.baselines["shuffled"].score < 0.35
    assert [row.key for row in fresh.details] == list(MEASURES)


def test_yardsticks_are_in_order(fresh):
    sticks = fresh.yardsticks
    names = ["the real hypergraph itself", *(f"copy, {share:.0%} rewired" for share in reference.REWIRED), NULL]
    scores = [sticks[name].fidelity for name in names]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 1
    assert scores[-1] < 0.3
    new = [sticks[name].novelty for name in names]
    assert new == sorted(new)
    assert new[0] == 0
    assert sticks["generated"].fidelity == fresh.score
    assert sticks["generated"].novelty == fresh.properties["novelty"].score
    assert sticks["shuffled"].kind == "baseline"
    assert sticks[INDEPENDENT].fidelity < scores[-1] + 0.1


def numbers_of(statistics):
    return {name: (pool.value.tolist(), pool.count.tolist()) for name, pool in statistics.distributions.items()}


def test_a_report_keeps_one_hypergraph_of_each_with_its_statistics_and_seams(fresh):
    assert list(fresh.graphs) == list(fresh.statistics) == ["real", "generated", NULL, "shuffled"]
    known = {"real": REAL, "generated": FRESH, "shuffled": shuffle(REAL, seed=5)}
    for name, H in known.items():
        assert fresh.graphs[name] == H
        assert numbers_of(fresh.statistics[name]) == numbers_of(WholeStatistics.of(H))
    null = fresh.graphs[NULL]
    assert null.degrees.tolist() == REAL.degrees.tolist()
    assert null.edge_sizes.tolist() == REAL.edge_sizes.tolist()
    for kind, measured in (("detour", seams_by_detour), ("cluster", seams_by_cluster)):
        assert fresh.seams[kind] == {
            name: measured(H, seed=0) for name, H in (("real", REAL), ("generated", FRESH), (NULL, null))
        }
    assert len(fresh.halves) == 5
    for k, pair in enumerate(fresh.halves):
        assert [numbers_of(half) for half in pair] == [numbers_of(WholeStatistics.of(half)) for half in halves(REAL, k)]


def test_yardsticks_of_generated_hypergraphs_and_baselines_say_what_was_copied(fresh):
    assert (fresh.yardsticks["generated"].kind, fresh.yardsticks["shuffled"].kind) == ("generated", "baseline")
    assert fresh.yardsticks["shuffled"].matched is not None
    copied = evaluate(REAL, FRESH, baselines={"copy": REAL}, metrics=["degree_ks"], seed=0).yardsticks["copy"]
    assert (copied.matched, copied.novelty, copied.fidelity) == (1, 0, 1)


def test_all_that_is_random_depends_on_the_seed(fresh):
    other = evaluate(REAL, FRESH, metrics=["pair_ks"], seed=1)
    assert other["pair_ks"].floor != fresh["pair_ks"].floor
    assert other["pair_ks"].configuration != fresh["pair_ks"].configuration
    assert other["pair_ks"].independent != fresh["pair_ks"].independent
    assert other.graphs[NULL] != fresh.graphs[NULL]
    assert other.settings["seed"] == 1


def test_seams_by_cluster_are_left_out_where_clustering_takes_too_long_or_is_not_installed(monkeypatch):
    graphs = {"real": hh.Hypergraph([[0, 1], [1, 2]]), "generated": hh.Hypergraph([[0, 1], [1, 2], [2, 3]])}
    assert list(module._seams(graphs, 0)[0]) == ["detour", "cluster"]
    monkeypatch.setattr(module, "MOST_CLUSTERED", 3)
    assert list(module._seams(graphs, 0)[0]) == ["detour", "cluster"]
    monkeypatch.setattr(module, "MOST_CLUSTERED", 2)
    seams, notes = module._seams(graphs, 0)
    assert list(seams) == ["detour"]
    assert notes == ["Seams by cluster are left out: there are more than 2 hyperedges."]

    def missing(*_args, **_kwargs):
        raise MissingDependencyError("a tree needs a partitioner")

    monkeypatch.setattr(module, "MOST_CLUSTERED", 3)
    monkeypatch.setattr(module, "seams_by_cluster", missing)
    seams, notes = module._seams(graphs, 0)
    assert list(seams) == ["detour"]
    assert notes == ["Seams by cluster are left out: a tree needs a partitioner."]


def test_what_was_estimated_from_samples_is_said():
    assert module._sampled_notes(WholeStatistics.of(REAL)) == []
    (note,) = module._sampled_notes(WholeStatistics.of(REAL, most_steps=3000))
    assert note.startswith("Estimated from samples: overlaps (")
    assert "; path lengths (from 400 nodes at most)" in note


def test_memory_is_asked_for_the_largest_of_all_hypergraphs(monkeypatch):
    seen = []

    def stop(graphs):
        seen.extend(graphs)
        raise HyperhedgeError("enough")

    monkeypatch.setattr(module, "whole_bytes", stop)
    with pytest.raises(HyperhedgeError, match="enough"):
        evaluate(REAL, FRESH, train=groups(3), baselines={"other": groups(4)}, seed=0)
    assert seen == [REAL, FRESH, groups(3), groups(4)]


def test_a_hidden_copy_is_close_and_not_new():
    rng = np.random.default_rng(3)
    copy = REAL.permute(nodes=rng.permutation(REAL.n), edges=rng.permutation(REAL.m))
    report = evaluate(REAL, copy, seed=0)
    assert report.score == 1
    assert report.properties["novelty"].score < 0.05
    assert report.verdict.grade == "poor"
    assert "copy" in report.verdict.sentence


def test_where_a_shuffled_hypergraph_is_a_copy_novelty_is_not_known():
    disjoint = hh.Hypergraph([[3 * k, 3 * k + 1, 3 * k + 2] for k in range(30)])
    report = evaluate(disjoint, shuffle(disjoint, seed=1), seed=0)
    assert report.properties["novelty"].score is None
    assert "nothing to copy" in report.properties["novelty"].note
    assert "whether it is new is not known" in report.verdict.sentence or "cannot judge" in report.verdict.sentence


def test_rows_are_the_measures_between_floor_and_null_model(fresh):
    real, made = WholeStatistics.of(REAL), WholeStatistics.of(FRESH)
    for row in fresh.details:
        if row.key != "motif_profile":
            assert row.value == pytest.approx(MEASURES[row.key].compare(Compared(real), Compared(made)), abs=1e-12)
        assert row.floor is not None
    assert fresh["degree_ks"].configuration == fresh["size_ks"].configuration == 0
    assert fresh["degree_ks"].ceiling == fresh["degree_ks"].independent > 0.1
    assert fresh["homogeneity_ks"].ceiling == fresh["homogeneity_ks"].configuration > 0.3


def test_the_floor_is_the_mean_over_halves_at_full_size():
    report = evaluate(REAL, FRESH, metrics=["degree_ks", "intersection_ks"], floor_repeats=3, seed=7)
    for row in report.details:
        distances = []
        for k in range(3):
            one, other = (Compared(WholeStatistics.of(H)) for H in halves(REAL, 7 + k))
            distances.append(MEASURES[row.key].compare(one, other))
        assert row.floor == pytest.approx(rescaled(np.mean(distances), (1, 1), (2, 2), 0.5))


def test_halves_are_a_partition_of_the_hyperedges():
    H = groups(4, 5)
    one, other = halves(H, 3)
    assert one.m == other.m == H.m // 2
    assert one.n == other.n == H.n
    assert sorted(one.hyperedges + other.hyperedges) == sorted(tuple(sorted(edge)) for edge in H.hyperedges)
    assert halves(H, 3)[0] == one
    assert halves(H, 4)[0] != one


def test_the_same_seed_gives_the_same_report_whatever_the_threads(fresh, monkeypatch):
    monkeypatch.setattr(reference, "usable_cores", lambda: 1)
    again = evaluate(REAL, FRESH, baselines={"shuffled": shuffle(REAL, seed=5)}, seed=0)
    assert again == fresh
    assert evaluate(REAL, FRESH, seed=1)["pair_ks"].floor != fresh["pair_ks"].floor


def test_json_and_back(fresh, tmp_path):
    path = tmp_path / "r.json"
    fresh.save(path)
    again = WholeReport.from_json(path.read_bytes())
    assert again == fresh
    assert again.verdict == fresh.verdict
    data = json.loads(path.read_text())
    assert data["format"] == "hyperhedge-whole-report"
    assert data["details"][0]["score"] == fresh.details[0].score
    with pytest.raises(HyperhedgeError, match="this is not a report: its format is 'hyperhedge-whole-report'"):
        Report.from_json(path.read_bytes())


def test_tables(fresh):
    frame = fresh.to_frame()
    assert frame.loc["pair_ks", "score"] == fresh["pair_ks"].score
    console = Console(width=120, record=True, file=StringIO())
    console.print(fresh)
    text = console.export_text()
    assert "to read the scores by" in text
    assert "copy, 10% rewired" in text
    assert "way" in text


def test_a_few_hypergraphs_on_each_side():
    several = evaluate(
        [REAL, groups(3)], [FRESH, groups(4), groups(5)], whole=True, metrics=["overlap", "motifs"], seed=0
    )
    assert several.counts == {"real": 2, "generated": 3}
    one = several["overlap_tail"]
    pairs = [
        [
            abs(WholeStatistics.of(G).numbers["overlap tail"] - WholeStatistics.of(H).numbers["overlap tail"])
            for H in (REAL, groups(3))
        ]
        for G in (FRESH, groups(4), groups(5))
    ]
    means = np.mean(pairs, axis=1)
    assert one.value == pytest.approx(means.mean())
    assert (one.low, one.high) == (pytest.approx(means.min()), pytest.approx(means.max()))
    # Plots and pictures show the first of each.
    assert (several.graphs["real"], several.graphs["generated"]) == (REAL, FRESH)
    for name, H in (("real", REAL), ("generated", FRESH)):
        degrees = several.statistics[name].distributions["degrees"]
        assert np.repeat(degrees.value, degrees.count.astype(int)).tolist() == sorted(H.degrees)
    # A collection of one hypergraph is a whole one only if that is said.
    assert not isinstance(evaluate([REAL], [FRESH], bootstrap=2, permutations=9, metrics=["degree_wd"]), WholeReport)


def test_another_training_hypergraph():
    report = evaluate(groups(9), rewired(REAL, 0.02, seed=0), train=REAL, metrics=["overlap"], seed=0)
    assert report.counts["train"] == 1
    assert report.properties["novelty"].score < 0.3
    assert report.yardsticks["training hypergraph"].fidelity < 1
    assert report.yardsticks["training hypergraph"].novelty == 0


def test_hypergraphs_of_other_libraries():
    matrix = REAL.incidence.toarray()
    assert evaluate(matrix, hh.convert.to_xgi(FRESH), metrics=["degree_ks"], seed=0)["degree_ks"].value is not None


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: evaluate(REAL, FRESH, bootstrap=9), "bootstrap= is for collections"),
        (lambda: evaluate(REAL, FRESH, metrics={"f": len}), "names of measures or groups, not functions"),
        (lambda: evaluate(REAL, FRESH, metrics=["degre_ks"]), "did you mean 'degree_ks'"),
        (lambda: evaluate(REAL, [], seed=0), "generated is empty"),
        (lambda: evaluate([], FRESH, whole=True), "real is empty"),
        (lambda: evaluate(REAL, "a file"), "generated"),
        (lambda: evaluate(REAL, FRESH, floor_repeats=0), "floor_repeats= must be"),
        (lambda: evaluate(REAL, FRESH, baselines={"real": FRESH}), "needs names other than"),
    ],
)
def test_bad_input_gets_a_sentence(call, said):
    with pytest.raises(HyperhedgeError, match=said):
        call()


@pytest.mark.parametrize(
    "H",
    [
        hh.Hypergraph([[0, 1]]),
        hh.Hypergraph([[0]]),
        hh.Hypergraph([], nodes=3),
        hh.Hypergraph([[0, 1], [2, 3]]),
        hh.Hypergraph([[]]),
    ],
)
def test_tiny_hypergraphs(H):
    report = evaluate(H, H, seed=0)
    assert report.score is None or report.score == 1
    assert report.to_html()
    evaluate(H, FRESH, seed=0)
    evaluate(REAL, H, seed=0, metrics=["protocol"])


def test_memory_is_said_and_refused():
    with memory_limit("1MB"), pytest.raises(HyperhedgeError, match="evaluating needs about"):
        evaluate(REAL, FRESH, seed=0)
