"""What the page is made of: orders, places, distributions, films and the words of the verdict, against brute force."""

import base64
from dataclasses import replace
from itertools import pairwise, permutations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.distance import pdist

import hyperhedge as hh
from hyperhedge.metrics import Property, evaluate, statistics_of
from hyperhedge.metrics.page.content import Scale, recipe, table
from hyperhedge.metrics.page.distributions import QUANTITIES, distributions
from hyperhedge.metrics.page.drawing import GRID, MOST, Drawing, ordered, places
from hyperhedge.metrics.page.film import FRAMES, films, quantised
from laws import rewired, teams
from strategies import hypergraphs


@pytest.fixture(scope="module")
def report():
    return evaluate(
        teams(15, seed=1),
        rewired(teams(12, seed=2), 0.5),
        train=teams(20, seed=3),
        nulls={"as real": teams(12, seed=4), "worse": rewired(teams(6, seed=5), 1.0)},
        bootstrap=30,
        permutations=49,
    )


# -- drawings ----------------------------------------------------------------------------------------


def jaccard(H):
    sets = [set(e) for e in H.hyperedges]
    return np.array([[1 - len(a & b) / len(a | b) for b in sets] for a in sets])


def test_hyperedges_that_share_members_are_neighbours():
    H = hh.Hypergraph([[0, 1, 2], [5, 6, 7], [1, 2, 3], [6, 7, 8], [0, 2, 3], [5, 7, 8]], nodes=9)
    nodes, edges = ordered(H)
    found = jaccard(H)
    length = found[edges[:-1], edges[1:]].sum()
    assert length == min(sum(found[a, b] for a, b in pairwise(p)) for p in permutations(range(6)))
    blocks = H.incidence.toarray()[np.ix_(nodes, edges)]
    half = len(set(H.hyperedges[edges[0]]) & {0, 1, 2, 3}) > 0
    first = {0, 1, 2, 3} if half else {5, 6, 7, 8}
    assert set(nodes[:4].tolist()) == first
    assert not blocks[:4, 3:].any()
    assert nodes[-1] == 4  # isolated


@given(hypergraphs())
def test_a_drawing_is_the_hypergraph(H):
    drawing = Drawing.of(H)
    again = np.zeros((H.n, H.m), dtype=int)
    again[drawing.node_order[drawing.rows], drawing.edge_order[drawing.columns]] = 1
    assert (again == H.incidence.toarray()).all()
    assert sorted(drawing.node_order.tolist()) == list(range(H.n))
    assert sorted(drawing.edge_order.tolist()) == list(range(H.m))
    for part, count in zip(drawing.places, (H.n, H.m), strict=True):
        assert part.shape == (count, 2)
        assert ((part >= 0) & (part <= GRID)).all()
    data = drawing.as_data(H)
    assert data == Drawing.of(H).as_data(H)
    for k, shown in zip(drawing.node_order, data["nodeLabels"], strict=True):
        label = str(H.nodes[k])
        assert shown.isprintable()
        assert shown == label or not label.isprintable() or len(shown) == 60 < len(label)


def test_what_is_joined_is_near_and_components_do_not_overlap():
    ring = [[k, (k + 1) % 12] for k in range(12)]
    H = hh.Hypergraph([*ring, [12, 13, 14]], nodes=16)
    nodes, edges = places(H)
    radius = np.linalg.norm(nodes[:12] - nodes[:12].mean(axis=0), axis=1)
    assert radius.std() < 0.03 * radius.mean()  # a ring is drawn as one
    angles = np.sort(np.arctan2(*(nodes[:12] - nodes[:12].mean(axis=0)).T))
    assert np.ptp(np.diff(angles)) < 0.1
    assert (np.linalg.norm(edges[12] - nodes[12:15], axis=1) < radius.mean()).all()
    low, high = nodes[:12].min(axis=0), nodes[:12].max(axis=0)
    for apart in (*nodes[12:], edges[12]):
        assert ((apart < low) | (apart > high)).any()


def test_members_of_equal_groups_do_not_hide_each_other():
    nodes, _ = places(hh.Hypergraph([[0, 1, 2, 3, 4, 5]]))
    assert pdist(nodes).min() > 20


def test_a_large_hypergraph_becomes_a_matrix_of_shares():
    H = hh.Hypergraph([[k, k + 1] for k in range(3 * MOST)])
    data = Drawing.of(H).as_data(H)
    assert "rows" not in data
    assert data["shares"]["rows"] == data["shares"]["columns"] == 80
    filled = np.array(data["shares"]["percent"]).reshape(80, 80)
    assert filled.max() == 100
    assert 80 <= np.count_nonzero(filled) <= 3 * 80  # a band along the diagonal


# -- distributions -----------------------------------------------------------------------------------


def test_shares_are_counts():
    real, made = teams(9, seed=1), teams(7, seed=2)
    batches = {"real": statistics_of(real), "generated": statistics_of(made), "train": statistics_of(teams(2, seed=3))}
    found = {plot["key"]: plot for plot in distributions(batches, 5)}
    assert list(found) == [quantity.key for quantity in QUANTITIES]
    plot = found["degree"]
    assert list(plot["series"]) == ["real", "generated"]
    for name, batch in (("real", real), ("generated", made)):
        numbers = np.concatenate([H.degrees for H in batch])
        assert plot["series"][name]["mean"] == pytest.approx(numbers.mean(), abs=1e-4)
        shares = np.bincount(numbers, minlength=len(plot["series"][name]["shares"])) / len(numbers)
        assert plot["series"][name]["shares"] == pytest.approx(shares, abs=1e-3)
    overlaps = np.concatenate([H.overlaps.toarray()[np.triu_indices(H.m, 1)] for H in real])
    shares = found["overlap"]["series"]["real"]["shares"]
    assert shares == pytest.approx(np.bincount(overlaps, minlength=len(shares)) / len(overlaps), abs=1e-3)
    for plot in found.values():
        real_shares = np.array(plot["series"]["real"]["shares"])
        assert real_shares.sum() == pytest.approx(1, abs=0.01)
        tails = np.cumsum(real_shares[::-1])[::-1]
        for band, values in ((plot["band"], real_shares), (plot["tailBand"], tails)):
            low, high = np.array(band["low"]), np.array(band["high"])
            assert (low <= high).all()
            assert ((low <= values + 0.01) & (values <= high + 0.01)).mean() > 0.9


def test_the_band_holds_most_real_batches_and_shrinks_with_the_count():
    real = {"real": statistics_of(teams(200, seed=1))}
    widths, inside = [], []
    for count in (25, 100):
        (plot, *_) = distributions({**real, "generated": statistics_of(teams(count, seed=2))}, 5)
        low, high = np.array(plot["band"]["low"]), np.array(plot["band"]["high"])
        widths.append((high - low).sum())
        for seed in range(10, 20):
            numbers = np.concatenate([H.degrees for H in teams(count, seed=seed)])
            shares = np.bincount(numbers, minlength=len(low))[: len(low)] / len(numbers)
            inside.append(((low <= shares) & (shares <= high))[:6].mean())
    assert widths[0] / widths[1] == pytest.approx(2, rel=0.2)
    assert np.mean(inside) > 0.85


def test_wide_numbers_share_bins_and_what_has_no_numbers_is_left_out():
    star = hh.Hypergraph([[0, k] for k in range(1, 400)])
    batch = {"real": statistics_of([star]), "generated": statistics_of([star])}
    plots = {plot["key"]: plot for plot in distributions(batch, 3)}
    assert plots["degree"]["width"] == 10
    assert len(plots["degree"]["series"]["real"]["shares"]) == 40
    lonely = statistics_of([hh.Hypergraph([[0]])])
    assert [p["key"] for p in distributions({"real": lonely, "generated": lonely}, 3)] == [
        "degree",
        "size",
        "node-spectrum",
        "edge-spectrum",
    ]


# -- films -------------------------------------------------------------------------------------------


def path(H, steps, seed=0):
    noise = np.random.default_rng(seed).normal(0.5, 1.0, (steps + 1, H.n, H.m))
    share = np.linspace(1, 0, steps + 1)[:, None, None]
    return share * noise + (1 - share) * H.incidence.toarray()


def test_a_film_is_the_path_in_the_order_of_the_outcome():
    graphs = teams(5, seed=1)
    drawn = SimpleNamespace(
        hypergraphs=graphs, paths=[path(H, 100) for H in graphs], times=np.linspace(1, 0, 101).tolist()
    )
    found, notes = films(drawn)
    assert (len(found), notes) == (3, [])
    film, H = found[0], graphs[0]
    assert film["frames"] == FRAMES + 1 == len(film["times"]) + 1
    states = np.frombuffer(base64.b64decode(film["bytes"]), dtype=np.uint8).reshape(film["frames"], H.n, H.m)
    drawing = Drawing.of(H)
    rows, columns = np.ix_(drawing.node_order, drawing.edge_order)
    for frame, time in enumerate(film["times"]):
        original = np.clip(drawn.paths[0][round((1 - time) * 100)][rows, columns], -0.5, 1.5)
        assert np.abs(states[frame] / 255 * 2 - 0.5 - original).max() <= 1 / 255 + 1e-9
    assert ((states[-1] == quantised(np.array(1.0))) == H.incidence.toarray()[rows, columns]).all()
    assert film["decided"][-1] == 1
    last = drawn.paths[0][50]
    near = (np.minimum(abs(last), abs(last - 1)) <= 0.1).mean()
    assert film["decided"][film["times"].index(0.5) if 0.5 in film["times"] else 30] == pytest.approx(near, abs=0.05)


def test_what_cannot_be_played_is_said():
    large, empty = hh.Hypergraph([[k, k + 1] for k in range(200)]), hh.Hypergraph(nodes=3)
    drawn = SimpleNamespace(
        hypergraphs=[large, empty], paths=[np.zeros((2, 201, 200)), np.zeros((2, 3, 0))], times=[1.0, 0.0]
    )
    found, notes = films(drawn)
    assert found == []
    assert notes == ["Sample 1 (201 × 200) is too large to play.", "Sample 2 (3 × 0) is empty."]
    with pytest.raises(hh.HyperhedgeError, match="return_path=True"):
        films(replace_paths(drawn))


def replace_paths(drawn):
    return SimpleNamespace(hypergraphs=drawn.hypergraphs, paths=None, times=drawn.times)


# -- the table and the recipe ------------------------------------------------------------------------


def test_strips_are_logarithmic():
    scale = Scale(300.0)
    assert scale(0.01) == 0
    assert scale(3000) == scale.width
    assert scale(10) - scale(1) == pytest.approx(scale(100) - scale(10), abs=0.11)
    assert sum(width for _, _, width in scale.zones) == pytest.approx(scale.width, abs=0.2)
    assert [text for text, _ in scale.marks] == ["1", "3", "10", "30", "100", "300"]


def test_null_models_stand_in_the_table(report):
    good, bad = report.nulls["as real"], report.nulls["worse"]
    assert (good.count, bad.count) == (12, 6)
    assert good.score > bad.score
    found = table(report)
    assert found.nulls == ["as real", "worse"]
    lines = [line for _, _, group in found.groups for line in group]
    assert [line.row for line in lines] == list(report.details)
    # At the same count a null model is judged exactly as generated hypergraphs are.
    alone = evaluate(
        teams(15, seed=1), teams(12, seed=4), train=teams(20, seed=3), bootstrap=0, permutations=9, ceiling=False
    )
    for row in alone.details:
        assert good.values[row.key] == row.value
        assert good.ratios[row.key] == pytest.approx(row.ratio)


@pytest.mark.parametrize("nulls", [{"real": teams(2)}, {" ": teams(2)}, {"train": teams(2)}])
def test_names_of_null_models_are_their_own(nulls):
    with pytest.raises(hh.HyperhedgeError, match="needs names other than real"):
        evaluate(teams(3), teams(3), nulls=nulls)
    with pytest.raises(hh.HyperhedgeError, match="must be a mapping"):
        evaluate(teams(3), teams(3), nulls=[teams(2)])


def test_the_recipe_repeats_the_report(report):
    found = recipe(report, hh.ErdosRenyi(), "hyperhedge evaluate a b")
    assert found["model"] == "ErdosRenyi()"
    assert found["versions"]["hyperhedge"]
    assert [name for name, *_ in found["data"]] == ["real", "generated", "train", "as real", "worse"]
    call = found["call"].replace("…", "x")
    again = eval(  # noqa: S307
        call.replace("hh.evaluate", "evaluate"),
        {
            "evaluate": evaluate,
            "real": teams(15, seed=1),
            "generated": rewired(teams(12, seed=2), 0.5),
            "train": teams(20, seed=3),
            "x": teams(12, seed=4),
        },
    )
    assert again.details == report.details
    assert again.properties == report.properties


# -- the verdict -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fidelity", "novelty", "validity", "grade", "sentence"),
    [
        (0.9, 1.0, 1.0, "good", "Close to real, and new."),
        (0.9, 0.6, 1.0, "fair", "Close to real, but only partly new."),
        (0.9, 0.1, 1.0, "poor", "Too near to the training set to count as new, however close to real."),
        (0.9, None, 1.0, "good", "Close to real; whether new is not known without the training set."),
        (0.5, 1.0, 1.0, "fair", "Partly close to real (spectra least), but new."),
        (0.2, 0.6, 1.0, "poor", "Far from real (spectra most), and only partly new."),
        (0.9, 1.0, 0.7, "good", "Close to real, and new. More of them have defects than real ones."),
        (None, 1.0, 1.0, "", "There is nothing real to measure the distances by."),
    ],
)
def test_the_verdict_in_words(report, fidelity, novelty, validity, grade, sentence):
    parts = {
        "fidelity": Property(fidelity, {"overlap": 0.9, "spectra": 0.1}),
        "novelty": Property(novelty, {"copied": 0.5, "closer": 0.1}),
        "validity": Property(validity, report.properties["validity"].values),
    }
    found = replace(report, properties=parts).verdict
    assert (found.grade, found.sentence) == (grade, sentence)
    assert [finding.name for finding in found.findings] == list(parts)
    if novelty is not None:
        assert found.findings[1].text.startswith("6 of 12 are copies of a training hypergraph. 10% are nearer")
    else:
        assert found.findings[1].answer == "Not known"


def test_defects_are_named_with_their_shares():
    real = [hh.Hypergraph([[0, 1], [1, 2]], nodes=3)] * 4
    made = [hh.Hypergraph([[0, 1], []], nodes=3)] * 3 + real[:1]
    finding = evaluate(real, made, bootstrap=0, ceiling=False, permutations=9).verdict.findings[2]
    assert finding.name == "validity"
    assert "in 75% (real: 0%)" in finding.text
    clean = evaluate(real, real, bootstrap=0, ceiling=False, permutations=9).verdict.findings[2]
    assert clean.text == "No defect is more frequent than in real hypergraphs."
