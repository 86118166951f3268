"""Tables from records that are written by hand: who is best, what is missing, and what the paper has."""

import statistics

import msgspec
import pytest
from scipy.stats import ttest_rel

from hyperhedge.bench import paper
from hyperhedge.bench.experiment import Experiment
from hyperhedge.bench.figures import draw_figure
from hyperhedge.bench.page import page
from hyperhedge.bench.record import Measured, Provenance, Record, write_record
from hyperhedge.bench.results import difference, load_results
from hyperhedge.bench.tables import ablation_tables, real_tables

PROTOCOL = {"train": 20, "test": 10, "generated": 10}


def experiment(kind, datasets, methods, seeds=2, **more):
    document = {"name": "made", "kind": kind, "seeds": seeds, "protocol": PROTOCOL, "datasets": {}, "methods": methods}
    document["datasets"] = {name: {} for name in datasets}
    return msgspec.convert({**document, **more}, Experiment)


@pytest.fixture
def results(tmp_path):
    """Write records with given values, by dataset, method and seed, and read them back."""

    def make(made, values, **changes):
        for cell in made.cells():
            found = values.get((cell.dataset, cell.method, cell.seed))
            if found is None:
                continue
            record = Record(
                cell=cell,
                fingerprint=cell.fingerprint,
                status="failed" if isinstance(found, str) else "done",
                error=found if isinstance(found, str) else None,
                metrics={} if isinstance(found, str) else {key: Measured(value) for key, value in found.items()},
                properties={"novelty": 0.5},
                seconds={"fit": 1.5, "sample": 0.25},
                machine={"cores": 2, "cpu": "abacus"},
                provenance=Provenance("abc123", "0.1", "2026-01-02"),
            )
            write_record(tmp_path, msgspec.structs.replace(record, **changes.get(cell.method, {})))
        return load_results(made, tmp_path)

    return make


def rows(table, first=None):
    """Return the rows of a table, by their words."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:1] == "|"]
    return {tuple(line[:2]): line[2:] for line in lines[2:] if first is None or line[0] == first}


REAL = {
    "floor": {"model": "real", "title": "real"},
    "hedge": {"model": "hedge", "title": "HEDGE", "paper": "HEDGE"},
    "hcm": {"model": "configuration", "title": "HCM-MCMC", "paper": "HCM-MCMC"},
    "er": {"model": "erdos-renyi", "title": "ER-HG", "paper": "ER-HG"},
    "hygene": {"model": "hygene", "title": "HYGENE", "paper": "HYGENE"},
}


def gap(value, **more):
    return {"density_gap": value, "intersection_wd": abs(value), **more}


def test_best_second_missing_and_the_paper(results):
    made = experiment("real", ["cora", "twitch"], REAL)
    values = {
        ("cora", "floor", 0): gap(0.01),
        ("cora", "floor", 1): gap(-0.05),
        ("cora", "hedge", 0): gap(-0.2),
        ("cora", "hedge", 1): gap(-0.4),
        ("cora", "hcm", 0): gap(0.2),  # one seed is missing
        ("cora", "er", 0): gap(0.5),
        ("cora", "er", 1): gap(0.7),
        ("cora", "hygene", 0): "no such model",
        ("twitch", "hedge", 0): gap(0.0),
        ("twitch", "hcm", 0): gap(0.0),
        ("twitch", "er", 0): gap(0.25),
        ("twitch", "floor", 0): gap(0.0),
    }
    found = results(made, values)
    tables = real_tables(found)
    density = rows(tables["Calibration and marginals, mean ± standard deviation"])
    assert density["Density gap", "real"] == ["-0.020 ± 0.042", "0.000 (1)"]
    assert density["", "HEDGE"][0] == "–"  # the last metric of the table, which nobody has
    text = tables["Calibration and marginals, mean ± standard deviation"].splitlines()
    assert text[3:11] == [
        "|  | HEDGE | *-0.300 ± 0.141* | **0.000** (1) |",
        "|  | HEDGE, the paper | 0.001 ± 0.000 | 0.000 ± 0.001 |",
        "|  | HCM-MCMC | **0.200** (1) | **0.000** (1) |",
        "|  | HCM-MCMC, the paper | 0.000 ± 0.001 | -0.001 ± 0.002 |",
        "|  | ER-HG | 0.600 ± 0.141 | *0.250* (1) |",
        "|  | ER-HG, the paper | 0.017 ± 0.001 | 0.022 ± 0.002 |",
        "|  | HYGENE | – | – |",
        "|  | HYGENE, the paper | 0.053 ± 0.026 | 0.910 ± 0.004 |",
    ]
    main = tables["Higher-order structure"]
    assert "| Intersection WD | real | 0.030 | 0.000 (1) |" in main
    assert "|  | HYGENE, the paper | 4.390 | 62.615 |" in main
    ratios = tables["Times the floor"].splitlines()
    assert ratios[2:6] == [
        "| Density gap | HEDGE | 10.0 | 1.0 |",
        "|  | HCM-MCMC | 6.7 | 1.0 |",
        "|  | ER-HG | 20.0 | ∞ |",
        "|  | HYGENE | – | – |",
    ]
    assert "| novelty | real | 0.50 | 0.50 |" in tables["Properties"]
    assert "| fit, seconds | HEDGE | 1.5 | 1.5 |" in tables["Cost"]


def test_the_page_says_which_cells_are_there(results):
    made = experiment("real", ["cora", "twitch"], REAL)
    assert "No cell of 20 has been run yet." in page([results(made, {})])
    values = {("cora", "hedge", 0): gap(0.1), ("cora", "er", 1): gap(0.2), ("cora", "hygene", 0): "no such model"}
    text = page([results(made, values, er={"fingerprint": "of old"})])
    assert "1 of 20 cells are done. Seeds, done of wanted:" in text
    assert "| cora | 0/2 | 1/2 | 0/2 | 0/2 | 0/2 |" in text
    assert "Failed (cora hygene 0): no such model" in text
    assert "made with another configuration than the experiment has now: cora er 1." in text
    assert "|  | ER-HG | 0.200 (1) | – |" in text  # it is in the tables all the same
    assert "Records: `results/made/`, 2026-01-02; commit `abc123`; 2 cores of abacus." in text
    bare = page([results(made, values, hedge={"provenance": Provenance(None, "0.1", "2026-01-03")})])
    assert "2026-01-02 to 2026-01-03; commit `abc123`, version 0.1;" in bare


def test_cells_on_other_banks_are_named(results):
    made = experiment("real", ["cora"], REAL, seeds=1)
    floors = {"floor": 0.1, "hcm": 0.1, "hedge": 0.1 + 1e-12, "er": 0.101}  # the third: added up in another order
    values = {("cora", name, 0): {} for name in floors}
    changes = {name: {"metrics": {"degree_wd": Measured(0.2, floor=floor)}} for name, floor in floors.items()}
    text = page([results(made, values, **changes)])
    assert "than most cells of their dataset and seed, by the floors in the records: cora er 0." in text
    changes["er"] = {"metrics": {"degree_wd": Measured(0.2), "size_wd": Measured(0.2, floor=0.5)}}  # nothing to compare
    assert "other banks" not in page([results(made, values, **changes)])


def test_what_there_is_in_short(results):
    made = experiment("real", ["cora", "twitch"], REAL)
    cora = {"floor": -0.1, "hedge": -0.2, "hcm": 0.1, "er": 0.4}
    values = {("cora", name, 0): gap(value) for name, value in cora.items()}
    values |= {("twitch", "hedge", 0): gap(0.3), ("twitch", "hcm", 0): gap(0.3)}  # as good as each other, and no floor
    scores = {"hedge": 0.8, "hcm": 0.79}
    changes = {name: {"properties": {"novelty": 0.5, "detectability": score}} for name, score in scores.items()}
    found = rows(real_tables(results(made, values, **changes))["In short"])
    own = {name: [best, *rest] for (name, best), rest in found.items()}
    assert own["HEDGE"] == ["2 of 4", "4 of 4", "2 of 2", "2 of 2", "0.50 to 0.50"]
    assert own["HCM-MCMC"] == ["4 of 4", "4 of 4", "2 of 2", "0 of 2", "0.50 to 0.50"]
    assert own["ER-HG"] == ["0 of 2", "0 of 2", "0 of 2", "–", "0.50 to 0.50"]
    assert own["HYGENE"] == ["–"] * 5


def test_what_the_reference_falls_short_of(results):
    made = experiment("real", ["cora", "twitch"], REAL, reference="hedge")
    cora = {"floor": 0.1, "hedge": -0.3, "hcm": 0.1}
    values = {("cora", name, 0): gap(value, feature_mmd=0.5) for name, value in cora.items()}
    values |= {("twitch", name, 0): gap(0.2) for name in cora}  # all alike
    text = real_tables(results(made, values))["In short"]
    assert "of higher-order structure, HEDGE is not best in: Intersection WD (Cora)." in text
    assert "HEDGE is beyond twice the floor in: Density gap (Cora); Intersection WD (Cora)." in text
    without = experiment("real", ["cora", "twitch"], REAL)
    assert "HEDGE is" not in real_tables(results(without, values))["In short"]


def test_the_reference_against_the_others_by_pairs(results):
    """HEDGE is nearer than ER-HG by far; against HCM-MCMC, it is farther in intersections alone; HYGENE has one seed."""
    made = experiment("real", ["cora"], REAL, seeds=3, reference="hedge")
    hedge = [(-0.10, 0.30), (0.12, 0.32), (-0.11, 0.31)]  # of the gap the size counts
    hcm = [(0.11, 0.10), (-0.12, 0.13), (0.10, 0.11)]
    er = [(0.90, 0.9), (-0.91, 0.8), (0.93, 0.7)]
    seeds = {"hedge": hedge, "hcm": hcm, "er": er, "hygene": er[:1]}
    values = {
        ("cora", name, seed): {"density_gap": pair[0], "intersection_wd": pair[1]}
        for name, found in seeds.items()
        for seed, pair in enumerate(found)
    }
    text = real_tables(results(made, values))["HEDGE against the others, by pairs of seeds"]
    for name, key in (("hcm", 0), ("hcm", 1), ("er", 0), ("er", 1)):
        ours, theirs = ([abs(pair[key]) for pair in seeds[method]] for method in ("hedge", name))
        told = ttest_rel(theirs, ours).pvalue < 0.05
        assert told == ((name, key) != ("hcm", 0))
    assert "| HCM-MCMC | 0 / 1 / 1 | 0 / 1 / 1 |" in text
    assert "| ER-HG | 2 / 0 / 0 | 2 / 0 / 0 |" in text
    assert "| HYGENE | – | – |" in text
    assert "HEDGE is farther than HCM-MCMC in Intersection WD (Cora)." in text


def test_the_budget_is_that_of_all_cells(results):
    """Two seeds of two datasets at the mean of what was measured; what HYGENE takes nobody knows yet."""
    made = experiment("real", ["cora", "twitch"], REAL, seeds=2)
    values = {(dataset, "hedge", 0): gap(0.1) for dataset in ("cora", "twitch")} | {("cora", "hygene", 0): gap(0.1)}
    seconds = {"data": 100.0, "fit": 3600.0, "training": 3000.0, "sample": 500.0}
    cost = real_tables(results(made, values, hedge={"seconds": seconds}))["Cost"]
    assert cost.endswith("with one thread each, in hours of one core: HEDGE 4.7.")


def test_an_experiment_without_a_floor(results):
    made = experiment("real", ["cora"], {"er": {"model": "erdos-renyi"}})
    assert (
        real_tables(results(made, {("cora", "er", 0): gap(0.1)}))["Times the floor"] == "The experiment has no floor."
    )


# -- ablations -------------------------------------------------------------------------------------

ABLATIONS = {
    **{name: {"model": "hedge", "title": name, "paper": name} for name in ("full", "ou", "node")},
    "floor": {"model": "real", "title": "real"},
}
SCORES = {
    ("committee", "full"): [0.10, 0.12, 0.14],
    ("committee", "ou"): [0.15, 0.18, 0.19],
    ("committee", "node"): [0.09, 0.13, 0.14],
    ("committee", "floor"): [0.01, 0.01, 0.01],
    ("configuration", "full"): [0.30, 0.31, 0.35],
    ("configuration", "ou"): [0.20, 0.22, 0.24],
    ("configuration", "node"): [0.40, 0.43],
    ("configuration", "floor"): [0.02, 0.02, 0.02],
}


@pytest.fixture
def ablations(results):
    made = experiment("ablations", ["committee", "configuration"], ABLATIONS, seeds=3, reference="full")
    values = {
        (*key, seed): dict.fromkeys(paper.STRUCTURE, value)
        for key, row in SCORES.items()
        for seed, value in enumerate(row)
    }
    return results(made, values)


def test_the_summary_has_errors_over_regimes(ablations):
    table = ablation_tables(ablations)["Averages over the regimes, mean ± standard error over regimes"]
    means = [statistics.mean(SCORES[name, "full"]) for name in ("committee", "configuration")]
    mean, error = statistics.mean(means), statistics.stdev(means) / 2**0.5
    lines = {line.split(" | ")[0]: line for line in table.splitlines()}
    assert lines["| full"].split(" | ")[1] == f"*{mean:.3f} ± {error:.3f}*"
    assert lines["| ou"].split(" | ")[1].startswith("**")
    assert lines["| full, the paper"].split(" | ")[1] == "0.105 ± 0.076"


def test_tables_by_regime(ablations):
    tables = ablation_tables(ablations)
    forward = tables["Forward process, mean ± standard error over seeds"].splitlines()
    full, ou = SCORES["committee", "full"], SCORES["committee", "ou"]
    errors = [statistics.stdev(values) / 3**0.5 for values in (full, ou)]
    assert forward[2].startswith("| committee | real | 0.010 ± 0.000 |")
    assert forward[3].startswith(f"|  | full | **0.120 ± {errors[0]:.3f}** |")
    assert forward[4].startswith("|  | full, the paper | 0.243 ± 0.033 |")
    assert forward[5].startswith(f"|  | ou | 0.173 ± {errors[1]:.3f} |")  # of two, the second is not marked
    geometry = tables["Two-sided geometry, mean ± standard error over seeds"]
    assert "|  | node | 0.415 ± 0.015 (2) |" in geometry
    assert "|  | full, the paper | 0.194 ± 0.009 |" in geometry


def test_size_gaps_keep_their_sign(results):
    made = experiment("ablations", ["committee"], ABLATIONS)
    values = {("committee", "full", 0): {"size_gap": 0.5}, ("committee", "full", 1): {"size_gap": 0.3}}
    values |= {("committee", "ou", seed): {"size_gap": gap} for seed, gap in enumerate((-0.2, -0.1))}
    [text] = [
        text for head, text in ablation_tables(results(made, values)).items() if head.startswith("Mean hyperedge")
    ]
    assert "| full | 0.400 ± 0.100 |" in text
    assert "| ou | **-0.150 ± 0.050** |" in text
    assert "| node | – |" in text


def test_differences_are_by_pairs(ablations):
    [(heading, text)] = [(h, t) for h, t in ablation_tables(ablations).items() if h.startswith("Differences")]
    assert heading == "Differences to full, by pairs of seeds, with 95% intervals"
    expected = ttest_rel(SCORES["committee", "ou"], SCORES["committee", "full"]).confidence_interval(0.95)
    line = next(line for line in text.splitlines() if line.startswith("| committee | ou"))
    assert line.split(" | ")[2] == f"**+0.053 [{expected.low:.3f}, {expected.high:.3f}]**"
    found = difference(
        dict(enumerate(SCORES["configuration", "node"])), dict(enumerate(SCORES["configuration", "full"]))
    )
    both = ttest_rel(SCORES["configuration", "node"], SCORES["configuration", "full"][:2]).confidence_interval(0.95)
    assert (found.low, found.high, found.count) == pytest.approx((both.low, both.high, 2))
    everywhere = next(line for line in text.splitlines() if line.startswith("| all regimes | ou"))
    pairs = [
        [sum(SCORES[name, variant][seed] for name in ("committee", "configuration")) / 2 for seed in range(3)]
        for variant in ("ou", "full")
    ]
    over_all = ttest_rel(*pairs).confidence_interval(0.95)
    assert f"[{over_all.low:.3f}, {over_all.high:.3f}]" in everywhere
    appear = (
        text.count("**+")
        + text.count("**-")
        - sum(line.count("**") // 2 for line in text.splitlines()[text.splitlines().index(everywhere) :])
    )
    assert f"Of the 28 intervals of single regimes {appear} do" in text


def test_one_seed_has_no_differences(results):
    made = experiment("ablations", ["committee"], ABLATIONS, seeds=1, reference="full")
    values = {("committee", name, 0): dict.fromkeys(paper.STRUCTURE, 0.1) for name in ("full", "ou")}
    text = ablation_tables(results(made, values))["Differences to full, by pairs of seeds, with 95% intervals"]
    assert text.startswith("| regime")
    assert "| committee | ou | – |" in text


def test_without_reference_there_are_no_differences(results):
    made = experiment("ablations", ["committee"], ABLATIONS)
    values = {("committee", "full", 0): {"size_wd": 0.1}}
    assert not [heading for heading in ablation_tables(results(made, values)) if heading.startswith("Differences")]


# -- the paper -------------------------------------------------------------------------------------


def test_the_papers_tables_agree_with_each_other():
    """Its summary is the average of its tables by regime, so both are copied right."""
    for variant, table in (
        ("full", paper.FORWARD),
        ("ou", paper.FORWARD),
        ("node", paper.GEOMETRY),
        ("edge", paper.GEOMETRY),
    ):
        for k, metric in enumerate(paper.SUMMARY_METRICS):
            column = paper.STRUCTURE.index(metric)
            numbers = [float(table[regime][variant][column].split()[0]) for regime in table]
            mean, error = (float(part) for part in paper.SUMMARY[variant][k].split(" ± "))
            assert mean == pytest.approx(statistics.mean(numbers), abs=1.01e-3), (variant, metric)
            if (variant, metric) != (
                "full",
                "edge_spectral_wd",
            ):  # where the paper prints 0.027 and 0.029 would be right
                assert error == pytest.approx(statistics.stdev(numbers) / 2, abs=1.1e-3), (variant, metric)
    sizes = {"cora": (64, 25), "house-committees": (64, 16), "dblp": (64, 18)}
    for dataset, (n, m) in sizes.items():  # gaps of one size are multiples of each other
        gaps = [
            float(paper.paper_cell(key, "HYGENE", dataset).split()[0])
            for key in ("density_gap", "size_gap", "degree_gap")
        ]
        assert gaps[1] / gaps[0] == pytest.approx(n, rel=0.02)
        assert gaps[2] / gaps[0] == pytest.approx(m, rel=0.02)


# -- figures ---------------------------------------------------------------------------------------


def test_figures_are_drawn(results, ablations, tmp_path):
    made = experiment("real", ["cora", "twitch"], REAL)
    values = {(name, method, 0): dict.fromkeys(paper.STRUCTURE, 0.1) for name in ("cora", "twitch") for method in REAL}
    values |= {("cora", "er", 0): dict.fromkeys(paper.STRUCTURE, 0.0)}
    (tmp_path / "other").mkdir()
    files = [draw_figure(results(made, values), tmp_path), draw_figure(ablations, tmp_path / "other")]
    assert [file.name for file in files] == ["results-made.png"] * 2  # after the experiment
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in files)
    before = files[1].read_bytes()
    draw_figure(ablations, tmp_path / "other")
    assert files[1].read_bytes() == before


def test_no_figure_is_drawn_of_nothing(results, tmp_path):
    """Differences need two seeds of a method and of the reference; ratios need the floor."""
    out = tmp_path / "figures"
    out.mkdir()
    one = {("committee", method, 0): dict.fromkeys(paper.STRUCTURE, 0.1) for method in ABLATIONS}
    assert draw_figure(results(experiment("ablations", ["committee"], ABLATIONS, reference="full"), one), out) is None
    alone = {("cora", "hedge", 0): dict.fromkeys(paper.STRUCTURE, 0.1)}
    assert draw_figure(results(experiment("real", ["cora"], REAL), alone), out) is None
    assert not list(out.iterdir())
