"""What the page is made of: orders, layouts, distributions, animations and the words of the verdict, against brute force."""

import base64
import re
from itertools import pairwise, permutations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

import hyperhedge as hh
from hyperhedge.metrics import statistics_of
from hyperhedge.report import Property, Report, evaluate
from hyperhedge.report.animation import FRAMES, animations, quantised
from hyperhedge.report.content import RatioAxis, recipe, table
from hyperhedge.report.distributions import QUANTITIES, distributions
from hyperhedge.report.grades import BOUNDS, grade_of_score
from hyperhedge.report.pictures import GRID, MOST, Picture
from laws import rewired, teams
from strategies import hypergraphs, random_hypergraphs


@pytest.fixture(scope="module")
def report():
    return evaluate(
        teams(15, seed=1),
        rewired(teams(12, seed=2), 0.5),
        train=teams(20, seed=3),
        baselines={"as real": teams(12, seed=4), "worse": rewired(teams(6, seed=5), 1.0)},
        bootstrap=30,
        permutations=49,
        seed=0,
    )


# -- pictures ----------------------------------------------------------------------------------------


def jaccard(H):
    sets = [set(e) for e in H.hyperedges]
    return np.array([[1 - len(a & b) / len(a | b) for b in sets] for a in sets])


def test_hyperedges_that_share_members_are_neighbours():
    H = hh.Hypergraph([[0, 1, 2], [5, 6, 7], [1, 2, 3], [6, 7, 8], [0, 2, 3], [5, 7, 8]], nodes=9)
    picture = Picture.of(H)
    nodes, edges = picture.node_order, picture.edge_order
    distance = jaccard(H)
    length = distance[edges[:-1], edges[1:]].sum()
    assert length == min(sum(distance[a, b] for a, b in pairwise(p)) for p in permutations(range(6)))
    blocks = H.incidence.toarray()[np.ix_(nodes, edges)]
    half = len(set(H.hyperedges[edges[0]]) & {0, 1, 2, 3}) > 0
    first = {0, 1, 2, 3} if half else {5, 6, 7, 8}
    assert set(nodes[:4].tolist()) == first
    assert not blocks[:4, 3:].any()
    assert nodes[-1] == 4  # isolated


@given(hypergraphs())
def test_a_picture_is_the_hypergraph(H):
    picture = Picture.of(H)
    again = np.zeros((H.n, H.m), dtype=int)
    again[picture.node_order[picture.rows], picture.edge_order[picture.columns]] = 1
    assert (again == H.incidence.toarray()).all()
    assert sorted(picture.node_order.tolist()) == list(range(H.n))
    assert sorted(picture.edge_order.tolist()) == list(range(H.m))
    for positions, count in zip(picture.positions, (H.n, H.m), strict=True):
        assert positions.shape == (count, 2)
        assert ((positions >= 0) & (positions <= GRID)).all()
    data = picture.as_data(H)
    assert data == Picture.of(H).as_data(H)
    for k, shown in zip(picture.node_order, data["nodeLabels"], strict=True):
        label = str(H.nodes[k])
        assert shown.isprintable()
        assert shown == label or not label.isprintable() or len(shown) == 60 < len(label)


def positions(H):
    """Return the positions of nodes and of hyperedges in the order of the hypergraph."""
    picture = Picture.of(H)
    return picture.positions[0][np.argsort(picture.node_order)], picture.positions[1][np.argsort(picture.edge_order)]


def test_what_is_joined_is_near_and_components_do_not_overlap():
    ring = [[k, (k + 1) % 12] for k in range(12)]
    H = hh.Hypergraph([*ring, [12, 13, 14]], nodes=16)
    nodes, edges = positions(H)
    radius = np.linalg.norm(nodes[:12] - nodes[:12].mean(axis=0), axis=1)
    assert radius.std() < 0.03 * radius.mean()  # a ring is samples as one
    angles = np.sort(np.arctan2(*(nodes[:12] - nodes[:12].mean(axis=0)).T))
    assert np.ptp(np.diff(angles)) < 0.1
    assert (np.linalg.norm(edges[12] - nodes[12:15], axis=1) < radius.mean()).all()
    low, high = nodes[:12].min(axis=0), nodes[:12].max(axis=0)
    for apart in (*nodes[12:], edges[12]):
        assert ((apart < low) | (apart > high)).any()


def test_members_of_equal_groups_do_not_hide_each_other():
    nodes, _ = positions(hh.Hypergraph([[0, 1, 2, 3, 4, 5]]))
    assert pdist(nodes).min() > 20


def test_a_node_does_not_hide_its_hyperedge():
    nodes, edges = positions(hh.Hypergraph([[0], [1, 2, 3]], nodes=4))
    assert pdist(np.concatenate([nodes, edges])).min() > 20


def test_a_picture_fills_the_grid_and_what_stands_alone_is_at_the_bottom():
    nodes, edges = positions(hh.Hypergraph([[0, 1], [1, 2], [2, 3]], nodes=6))
    points = np.concatenate([nodes, edges])
    assert np.ptp(points, axis=0).max() == GRID
    assert abs(points.min(0) + points.max(0) - GRID).max() <= 1  # the shorter side is centred
    assert nodes[4:, 1].min() > np.concatenate([nodes[:4], edges])[:, 1].max()  # the y axis points down


@pytest.mark.parametrize(("n", "m"), [(MOST + 40, 30), (2 * MOST, 2 * MOST), (30, MOST + 40)])
def test_a_large_matrix_is_ordered_too(n, m):
    H = random_hypergraphs(1, n, m, density=0.02, seed=0)[0]
    picture = Picture.of(H)
    assert picture.positions is None
    again = np.zeros((n, m), dtype=int)
    again[picture.node_order[picture.rows], picture.edge_order[picture.columns]] = 1
    assert (again == H.incidence.toarray()).all()
    assert (np.diff((H.edge_sizes[picture.edge_order] == 0).astype(int)) >= 0).all()  # empty ones come last
    assert (np.diff((H.degrees[picture.node_order] == 0).astype(int)) >= 0).all()


def test_a_large_hypergraph_becomes_a_matrix_of_shares():
    H = hh.Hypergraph([[k, k + 1] for k in range(3 * MOST)])
    data = Picture.of(H).as_data(H)
    assert "rows" not in data
    assert data["shares"]["rows"] == data["shares"]["columns"] == 80
    filled = np.array(data["shares"]["percent"]).reshape(80, 80)
    assert filled.max() == 100
    assert 80 <= np.count_nonzero(filled) <= 3 * 80  # a band along the diagonal


# -- distributions -----------------------------------------------------------------------------------


def plots(eigenvalues, **collections):
    statistics = {name: statistics_of(collection) for name, collection in collections.items()}
    return distributions(Report("", {}, (), {}, {"eigenvalues": eigenvalues}, collections=statistics))


def test_shares_are_counts():
    real, made = teams(9, seed=1), teams(7, seed=2)
    by_key = {plot["key"]: plot for plot in plots(5, real=real, generated=made, train=teams(2, seed=3))}
    assert list(by_key) == [quantity.key for quantity in QUANTITIES]
    plot = by_key["degree"]
    assert list(plot["series"]) == ["real", "generated"]
    for name, collection in (("real", real), ("generated", made)):
        numbers = np.concatenate([H.degrees for H in collection])
        assert plot["series"][name]["mean"] == pytest.approx(numbers.mean(), abs=1e-4)
        shares = np.bincount(numbers, minlength=len(plot["series"][name]["shares"])) / len(numbers)
        assert plot["series"][name]["shares"] == pytest.approx(shares, abs=1e-3)
    overlaps = np.concatenate([H.overlaps.toarray()[np.triu_indices(H.m, 1)] for H in real])
    shares = by_key["overlap"]["series"]["real"]["shares"]
    assert shares == pytest.approx(np.bincount(overlaps, minlength=len(shares)) / len(overlaps), abs=1e-3)
    for plot in by_key.values():
        real_shares = np.array(plot["series"]["real"]["shares"])
        assert real_shares.sum() == pytest.approx(1, abs=0.01)
        tails = np.cumsum(real_shares[::-1])[::-1]
        for band, values in ((plot["band"], real_shares), (plot["tailBand"], tails)):
            low, high = np.array(band["low"]), np.array(band["high"])
            assert (low <= high).all()
            assert ((low <= values + 0.01) & (values <= high + 0.01)).mean() > 0.9


def test_the_band_holds_most_real_collections_and_shrinks_with_the_count():
    real = teams(200, seed=1)
    widths, inside = [], []
    for count in (25, 100):
        (plot, *_) = plots(5, real=real, generated=teams(count, seed=2))
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
    (degree, *_) = plots(3, real=[star], generated=[star])
    assert degree["width"] == 10
    assert len(degree["series"]["real"]["shares"]) == 40
    lonely = [hh.Hypergraph([[0]])]
    assert [plot["key"] for plot in plots(3, real=lonely, generated=lonely)] == [
        "degree",
        "size",
        "node-spectrum",
        "edge-spectrum",
    ]


# -- animations ----------------------------------------------------------------------------------------


def path(H, steps, seed=0):
    noise = np.random.default_rng(seed).normal(0.5, 1.0, (steps + 1, H.n, H.m))
    share = np.linspace(1, 0, steps + 1)[:, None, None]
    return share * noise + (1 - share) * H.incidence.toarray()


def test_an_animation_is_the_path_in_the_order_of_the_outcome():
    graphs = teams(5, seed=1)
    samples = SimpleNamespace(
        hypergraphs=graphs, paths=[path(H, 100) for H in graphs], times=np.linspace(1, 0, 101).tolist()
    )
    shown, notes = animations(samples)
    assert (len(shown), notes) == (3, [])
    animation, H = shown[0], graphs[0]
    assert animation["frames"] == FRAMES + 1 == len(animation["times"]) + 1
    states = np.frombuffer(base64.b64decode(animation["bytes"]), dtype=np.uint8).reshape(animation["frames"], H.n, H.m)
    picture = Picture.of(H)
    rows, columns = np.ix_(picture.node_order, picture.edge_order)
    for frame, time in enumerate(animation["times"]):
        original = np.clip(samples.paths[0][round((1 - time) * 100)][rows, columns], -0.5, 1.5)
        assert np.abs(states[frame] / 255 * 2 - 0.5 - original).max() <= 1 / 255 + 1e-9
    assert ((states[-1] == quantised(np.array(1.0))) == H.incidence.toarray()[rows, columns]).all()
    assert animation["decided"][-1] == 1
    last = samples.paths[0][50]
    near = (np.minimum(abs(last), abs(last - 1)) <= 0.1).mean()
    assert animation["decided"][animation["times"].index(0.5) if 0.5 in animation["times"] else 30] == pytest.approx(
        near, abs=0.05
    )


def test_what_cannot_be_played_is_said():
    large, empty = hh.Hypergraph([[k, k + 1] for k in range(200)]), hh.Hypergraph(nodes=3)
    samples = SimpleNamespace(
        hypergraphs=[large, empty], paths=[np.zeros((2, 201, 200)), np.zeros((2, 3, 0))], times=[1.0, 0.0]
    )
    shown, notes = animations(samples)
    assert shown == []
    assert notes == ["Sample 1 (201 × 200) is too large to play.", "Sample 2 (3 × 0) is empty."]
    with pytest.raises(hh.errors.HyperhedgeError, match="sample_paths"):
        animations(without_paths(samples))


def without_paths(samples):
    return SimpleNamespace(hypergraphs=samples.hypergraphs, paths=None, times=samples.times)


# -- the table and the recipe ------------------------------------------------------------------------


def test_strips_are_logarithmic():
    axis = RatioAxis(300.0)
    assert axis(0.01) == 0
    assert axis(3000) == axis.width
    assert axis(10) - axis(1) == pytest.approx(axis(100) - axis(10), abs=0.11)
    assert sum(width for _, _, width in axis.zones) == pytest.approx(axis.width, abs=0.2)
    assert [text for text, _ in axis.marks] == ["1", "3", "10", "30", "100", "300"]


def test_baselines_stand_in_the_table(report):
    good, bad = report.baselines["as real"], report.baselines["worse"]
    assert (good.count, bad.count) == (12, 6)
    assert good.score > bad.score
    prepared = table(report)
    assert [column.name for column in prepared.columns] == ["× floor", "as real", "worse"]
    lines = [line for _, _, group in prepared.groups for line in group]
    assert [line.row for line in lines] == list(report.details)
    # At the same count a baseline is judged exactly as generated hypergraphs are.
    alone = evaluate(
        teams(15, seed=1),
        teams(12, seed=4),
        train=teams(20, seed=3),
        bootstrap=0,
        permutations=9,
        seed=0,
    )
    assert good.score == alone.score
    for row in alone.details:
        assert good.values[row.key] == row.value
        assert good.cell(row.key)[1] == row.grade
        assert good.ratios[row.key] == pytest.approx(row.ratio)


@pytest.mark.parametrize("baselines", [{"real": teams(2)}, {" ": teams(2)}, {"train": teams(2)}])
def test_baselines_have_other_names_than_the_roles(baselines):
    with pytest.raises(hh.errors.HyperhedgeError, match="needs names other than real"):
        evaluate(teams(3), teams(3), baselines=baselines)
    with pytest.raises(hh.errors.HyperhedgeError, match="must be a mapping"):
        evaluate(teams(3), teams(3), baselines=[teams(2)])


def test_the_recipe_repeats_the_report(report):
    shown = recipe(report, hh.ErdosRenyi(), "hyperhedge evaluate a b")
    assert shown["model"] == "ErdosRenyi()"
    assert shown["versions"]["hyperhedge"]
    assert [name for name, *_ in shown["data"]] == ["real", "generated", "train", "as real", "worse"]
    call = shown["call"].replace("…", "x")
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


PERFECT = {"fidelity": 1.0, "novelty": 1.0, "validity": 1.0, "diversity": 1.0, "detectability": 1.0}


def verdict_of(scores, train=True):
    """Return the verdict on a report that has these scores and is perfect otherwise."""
    values = {
        "fidelity": {"overlap": 0.9, "spectra": 0.1},
        "novelty": {"copied": 0.5, "closer": 0.1},
        "detectability": {"auc": 1 - (scores.get("detectability", 1.0) or 0) / 2},
    }
    properties = {name: Property(scores.get(name, 1.0), values.get(name, {})) for name in PERFECT}
    counts = {"real": 12, "generated": 12} | ({"train": 12} if train else {})
    return Report("made", properties, (), counts, {}).verdict


GOOD_SENTENCE = "Close to real, and new."
BY_DISTANCE = "Partly close to real (least so in spectra), but new."
FAR = "Far from real (most of all in spectra), but new."
COPIED = "Too close to the training set to count as new, however close to real."


@pytest.mark.parametrize(
    ("name", "bound", "above", "below"),
    [
        ("fidelity", 0, GOOD_SENTENCE, BY_DISTANCE),
        ("fidelity", 1, BY_DISTANCE, FAR),
        ("novelty", 0, GOOD_SENTENCE, "Close to real, but only partly new."),
        ("novelty", 1, "Close to real, but only partly new.", COPIED),
        ("validity", 0, GOOD_SENTENCE, f"{GOOD_SENTENCE} Defects are more frequent than in real ones."),
        (
            "validity",
            1,
            f"{GOOD_SENTENCE} Defects are more frequent than in real ones.",
            "Full of defects that real ones do not have, however close to real.",
        ),
        ("diversity", 0, GOOD_SENTENCE, f"{GOOD_SENTENCE} They vary less than real ones."),
        (
            "diversity",
            1,
            f"{GOOD_SENTENCE} They vary less than real ones.",
            "Too much alike, however close to real.",
        ),
        (
            "detectability",
            0,
            GOOD_SENTENCE,
            "Partly close to real (a classifier picks them out in 65% of cases), but new.",
        ),
        (
            "detectability",
            1,
            "Partly close to real (a classifier picks them out in 80% of cases), but new.",
            "Easily told from real (a classifier picks them out in 80% of cases), but new.",
        ),
    ],
)
def test_every_sentence_begins_and_ends_at_its_bound(name, bound, above, below):
    at = BOUNDS[name][bound]
    upper, lower = ("good", "fair") if bound == 0 else ("fair", "poor")
    for score, grade, sentence in ((at, upper, above), (at - 1e-6, lower, below)):
        result = verdict_of({name: score})
        assert (result.grade, result.sentence) == (grade, sentence)
        (finding,) = [finding for finding in result.findings if finding.name == name]
        assert finding.grade == grade == grade_of_score(name, score)
        assert all(other.grade == "good" for other in result.findings if other is not finding)


@given(st.fixed_dictionaries({name: st.sampled_from([0.0, 0.45, 0.75, 0.9, 1.0, None]) for name in PERFECT}))
def test_the_top_sentence_takes_all_five(scores):
    result = verdict_of(scores)
    grades = [finding.grade for finding in result.findings]
    assert (result.sentence == GOOD_SENTENCE) == (set(grades) == {"good"}) == (result.grade == "good")
    if scores["detectability"] is not None and scores["detectability"] < BOUNDS["detectability"][0]:
        assert "Close to real" not in result.sentence
    if "poor" in grades:
        assert result.grade == "poor"
    assert re.fullmatch(r"[A-Z].*\.", result.sentence)
    assert ".." not in result.sentence


@pytest.mark.parametrize(
    ("scores", "grade", "sentence"),
    [
        (
            {"detectability": 0.08},
            "poor",
            "Easily told from real (a classifier picks them out in 96% of cases), but new.",
        ),
        ({"fidelity": 0.2, "novelty": 0.6}, "poor", "Far from real (most of all in spectra), and only partly new."),
        (
            {"fidelity": 0.2, "novelty": 0.1},
            "poor",
            "Too close to the training set to count as new, and far from real.",
        ),
        (
            {"novelty": 0.1, "detectability": 0.1},
            "poor",
            "Too close to the training set to count as new, and easily told from real.",
        ),
        ({"fidelity": 0.5, "detectability": 0.5}, "fair", BY_DISTANCE),
        ({"novelty": 0.1, "diversity": 0.1}, "poor", COPIED),
        ({"diversity": None}, "fair", f"{GOOD_SENTENCE} Whether they vary enough is not known."),
        ({"detectability": None}, "fair", f"{GOOD_SENTENCE} Whether a classifier tells them apart is not known."),
        ({"novelty": None}, "fair", "Close to real; whether they are new is not known."),
        (
            {"fidelity": None},
            "",
            "How close to real is not known: there is nothing to measure the distances against.",
        ),
        ({"fidelity": None, "diversity": 0.1}, "poor", "Too much alike."),
        (
            {"fidelity": None, "detectability": 0.0},
            "poor",
            "How close to real is not known: there is nothing to measure the distances against. But a classifier picks out the "
            "generated ones in 100% of cases.",
        ),
    ],
)
def test_the_verdict_in_words(scores, grade, sentence):
    result = verdict_of(scores)
    assert (result.grade, result.sentence) == (grade, sentence)
    assert [finding.name for finding in result.findings] == list(PERFECT)
    for finding in result.findings:
        assert (finding.answer == "Not known") == (scores.get(finding.name, 1.0) is None)


def test_without_a_training_set_the_verdict_says_so():
    result = verdict_of({"novelty": None}, train=False)
    assert result.sentence == "Close to real; without the training set, novelty is not known."
    copies = verdict_of({"novelty": 0.1}).findings[1].text
    assert copies.startswith("6 of 12 are copies of training hypergraphs. 10% are closer")


def test_what_a_classifier_sees_is_not_close_to_real():
    """Mimic 33 steps of training: degrees and sizes are those of real hypergraphs, and who meets whom is nearly random."""
    real, made, train = (teams(40, seed=seed) for seed in (1, 2, 3))
    result = evaluate(real, rewired(made, 0.4), train=train, bootstrap=0, permutations=9, seed=0)
    assert result.properties["detectability"].values["auc"] > 0.8
    assert result.verdict.grade == "poor"
    assert "Close to real" not in result.verdict.sentence


# -- what cannot be judged -----------------------------------------------------------------------------


def independent(count, seed, density=0.3, n=10, m=8):
    rng = np.random.default_rng(seed)
    return [hh.Hypergraph.from_incidence(rng.random((n, m)) < density) for _ in range(count)]


QUICK = {"bootstrap": 0, "permutations": 49, "seed": 0}


def test_data_without_structure_cannot_be_judged():
    result = evaluate(independent(40, 1), independent(40, 2), train=independent(80, 3), **QUICK)
    assert result.score is None
    assert result.verdict.sentence == (
        "This comparison cannot judge how close to real they are: independent incidences would pass for real too, since these "
        "metrics find no structure in the real ones."
    )
    assert result.verdict.grade == ""
    assert result.verdict.findings[0].answer == "Cannot judge"
    assert all(row.grade == "" for row in result.details if row.blunt)
    assert sum(row.blunt for row in result.details) > len(result.details) / 2


def test_data_without_structure_still_show_what_is_wrong():
    result = evaluate(independent(40, 1), independent(40, 2, density=0.6), train=independent(80, 3), **QUICK)
    assert result.verdict.grade == "poor"
    assert result.verdict.sentence.startswith("Far from real")


def test_too_few_hypergraphs_cannot_judge():
    real, made, train = (teams(4, seed=seed) for seed in (12, 13, 11))
    result = evaluate(real, made, train=train, **QUICK)
    assert "since there are too few hypergraphs (4 real, 4 generated)" in result.verdict.sentence
    assert "lose to real." not in result.verdict.sentence


def test_splits_of_different_laws_are_noticed():
    real, train = teams(40, seed=1), independent(40, 2, n=24, m=12)
    result = evaluate(real, independent(40, 3, n=24, m=12), train=train, **QUICK)
    assert "the training set and the real hypergraphs follow different laws" in result.verdict.sentence
    assert "two follow different laws" in result.notes[0]
    assert result.properties["novelty"].score == 1.0  # nothing is copied
    alike = evaluate(real, teams(40, seed=2), train=teams(40, seed=3), **QUICK)
    assert not any("different laws" in note for note in alike.notes)


def test_the_page_shows_what_cannot_be_judged():
    result = evaluate(independent(12, 1), independent(12, 2), train=independent(30, 3), **QUICK)
    lines = [line for _, _, group in table(result).groups for line in group]
    for line in lines:
        if line.row.blunt and line.row.ratio is not None and line.row.ratio <= 1.5:
            assert (line.cells[0].text, line.cells[0].grade) == ("cannot judge", "")
    assert "cannot judge" in result.to_html()


# -- defects in words ----------------------------------------------------------------------------------


def test_defects_are_named_with_their_shares():
    real = [hh.Hypergraph([[0, 1], [1, 2]], nodes=3)] * 4
    made = [hh.Hypergraph([[0, 1], []], nodes=3)] * 3 + real[:1]
    finding = evaluate(real, made, bootstrap=0, ceiling=False, permutations=9).verdict.findings[2]
    assert finding.name == "validity"
    assert "edge sizes out of range (2 to 2), 38% of hyperedges (real: 0%)" in finding.text
    assert "empty hyperedges, 38% of hyperedges (real: 0%)" in finding.text
    clean = evaluate(real, real, bootstrap=0, ceiling=False, permutations=9).verdict.findings[2]
    assert clean.text == "No defect is more frequent than in real hypergraphs."


def test_a_report_that_does_not_say_how_much_of_a_defect_there_is_claims_nothing():
    earlier = verdict_of({"validity": 0.7}).findings[2]
    assert (earlier.grade, earlier.text) == ("poor", "")


def test_sizes_that_real_hypergraphs_do_not_have_are_defects():
    real, train = teams(20, seed=1), teams(20, seed=2)
    largest = max(int(H.edge_sizes.max()) for H in real + train)
    rng = np.random.default_rng(0)
    made = [hh.Hypergraph([rng.choice(40, largest + 2, replace=False) for _ in range(12)], nodes=40) for _ in range(20)]
    result = evaluate(real, made, train=train, **QUICK)
    assert result.properties["validity"].score == 0.0
    assert result.verdict.grade == "poor"
    assert f"edge sizes out of range (2 to {largest}), 100% of hyperedges (real: 0%)" in result.verdict.findings[2].text
