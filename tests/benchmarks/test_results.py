"""Tables like the paper's from records that are written by hand, and the numbers that the paper prints."""

import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.markdown import wrap
from benchmarks.paper.ablations import ablation_tables
from benchmarks.paper.figures import differences, ratios, save_figure
from benchmarks.paper.real import real_tables
from benchmarks.results import page, results_of
from scipy.stats import ttest_rel

from bench_experiments import METHODS, experiment, gap, results_in
from benchmarks import paper

ROOT = Path(__file__).parents[2]


@pytest.fixture
def results(tmp_path):
    return lambda made, values, **changes: results_in(tmp_path, made, values, **changes)


def rows(table):
    """Return the rows of a table, by their words."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:1] == "|"]
    return {tuple(line[:2]): line[2:] for line in lines[2:]}


def test_best_second_missing_and_the_paper(results):
    made = experiment(["cora", "twitch"], METHODS)
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
    tables = real_tables(results(made, values))
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


def test_what_there_is_in_short(results):
    made = experiment(["cora", "twitch"], METHODS)
    cora = {"floor": -0.1, "hedge": -0.2, "hcm": 0.1, "er": 0.4}
    values = {("cora", name, 0): gap(value) for name, value in cora.items()}
    values |= {("twitch", "hedge", 0): gap(0.3), ("twitch", "hcm", 0): gap(0.3)}  # as good as each other, and no floor
    scores = {"hedge": 0.8, "hcm": 0.79}
    changes = {name: {"properties": {"novelty": 0.5, "detectability": score}} for name, score in scores.items()}
    summary = rows(real_tables(results(made, values, **changes))["In short"])
    shares = {name: [best, *rest] for (name, best), rest in summary.items()}
    assert shares["HEDGE"] == ["2 of 4", "4 of 4", "2 of 2", "2 of 2", "0.50 to 0.50"]
    assert shares["HCM-MCMC"] == ["4 of 4", "4 of 4", "2 of 2", "0 of 2", "0.50 to 0.50"]
    assert shares["ER-HG"] == ["0 of 2", "0 of 2", "0 of 2", "–", "0.50 to 0.50"]
    assert shares["HYGENE"] == ["–"] * 5


def test_what_the_reference_falls_short_of(results):
    made = experiment(["cora", "twitch"], METHODS, reference="hedge")
    cora = {"floor": 0.1, "hedge": -0.3, "hcm": 0.1}
    values = {("cora", name, 0): gap(value, feature_mmd=0.5) for name, value in cora.items()}
    values |= {("twitch", name, 0): gap(0.2) for name in cora}  # all alike
    text = real_tables(results(made, values))["In short"]
    assert "of higher-order structure, HEDGE is not best in: Intersection WD (Cora)." in text
    assert "HEDGE is beyond twice the floor in: Density gap (Cora); Intersection WD (Cora)." in text
    without = experiment(["cora", "twitch"], METHODS)
    assert "HEDGE is" not in real_tables(results(without, values))["In short"]


def test_the_reference_against_the_others_by_pairs(results):
    """HEDGE is nearer than ER-HG by far; against HCM-MCMC, it is farther in intersections alone; HYGENE has one seed."""
    made = experiment(["cora"], METHODS, seeds=3, reference="hedge")
    hedge = [(-0.10, 0.30), (0.12, 0.32), (-0.11, 0.31)]  # of the gap the size counts
    hcm = [(0.11, 0.10), (-0.12, 0.13), (0.10, 0.11)]
    er = [(0.90, 0.9), (-0.91, 0.8), (0.93, 0.7)]
    seeds = {"hedge": hedge, "hcm": hcm, "er": er, "hygene": er[:1]}
    values = {
        ("cora", name, seed): {"density_gap": pair[0], "intersection_wd": pair[1]}
        for name, pairs in seeds.items()
        for seed, pair in enumerate(pairs)
    }
    text = real_tables(results(made, values))["HEDGE against the others, in pairs of seeds"]
    for name, key in (("hcm", 0), ("hcm", 1), ("er", 0), ("er", 1)):
        ours, theirs = ([abs(pair[key]) for pair in seeds[method]] for method in ("hedge", name))
        differs = ttest_rel(theirs, ours).pvalue < 0.05
        assert differs == ((name, key) != ("hcm", 0))
    assert "| HCM-MCMC | 0 / 1 / 1 | 0 / 1 / 1 |" in text
    assert "| ER-HG | 2 / 0 / 0 | 2 / 0 / 0 |" in text
    assert "| HYGENE | – | – |" in text
    assert "HEDGE is farther than HCM-MCMC in Intersection WD (Cora)." in text


def test_the_budget_is_that_of_all_cells(results):
    """Two seeds of two datasets at the mean of what was measured; what HYGENE takes nobody knows yet."""
    made = experiment(["cora", "twitch"], METHODS, seeds=2)
    values = {(dataset, "hedge", 0): gap(0.1) for dataset in ("cora", "twitch")} | {("cora", "hygene", 0): gap(0.1)}
    seconds = {"data": 100.0, "fit": 3600.0, "training": 3000.0, "sample": 500.0}
    cost = real_tables(results(made, values, hedge={"seconds": seconds}))["Cost"]
    assert cost.endswith("with one thread each, in hours of one core: HEDGE 4.7.")


def test_an_experiment_without_a_floor(results):
    made = experiment(["cora"], {"er": {"model": "erdos-renyi"}})
    assert (
        real_tables(results(made, {("cora", "er", 0): gap(0.1)}))["Times the floor"] == "The experiment has no floor."
    )


# -- ablations -------------------------------------------------------------------------------------

ABLATIONS = {
    **{name: {"model": "hedge", "title": name} for name in ("full", "ou", "node")},
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
    made = experiment(["committee", "configuration"], ABLATIONS, seeds=3, reference="full")
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
    made = experiment(["committee"], ABLATIONS)
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
    assert heading == "Differences to full, in pairs of seeds, with 95% intervals"
    expected = ttest_rel(SCORES["committee", "ou"], SCORES["committee", "full"]).confidence_interval(0.95)
    line = next(line for line in text.splitlines() if line.startswith("| committee | ou"))
    assert line.split(" | ")[2] == f"**+0.053 [{expected.low:.3f}, {expected.high:.3f}]**"
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
    made = experiment(["committee"], ABLATIONS, seeds=1, reference="full")
    values = {("committee", name, 0): dict.fromkeys(paper.STRUCTURE, 0.1) for name in ("full", "ou")}
    text = ablation_tables(results(made, values))["Differences to full, in pairs of seeds, with 95% intervals"]
    assert text.startswith("| regime")
    assert "| committee | ou | – |" in text


def test_without_reference_there_are_no_differences(results):
    made = experiment(["committee"], ABLATIONS)
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


# -- figures and pages -----------------------------------------------------------------------------


def test_figures_are_plotted(results, ablations, tmp_path):
    made = experiment(["cora", "twitch"], METHODS)
    values = {
        (name, method, 0): dict.fromkeys(paper.STRUCTURE, 0.1) for name in ("cora", "twitch") for method in METHODS
    }
    values |= {("cora", "er", 0): dict.fromkeys(paper.STRUCTURE, 0.0)}
    real, regimes = tmp_path / "real.png", tmp_path / "regimes.png"
    assert save_figure(results(made, values), ratios, real)
    assert save_figure(ablations, differences, regimes)
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in (real, regimes))
    before = regimes.read_bytes()
    save_figure(ablations, differences, regimes)
    assert regimes.read_bytes() == before


def test_no_figure_of_nothing(results, tmp_path):
    """Differences need two seeds of a method and of the reference; ratios need the floor."""
    one = {("committee", method, 0): dict.fromkeys(paper.STRUCTURE, 0.1) for method in ABLATIONS}
    few = results(experiment(["committee"], ABLATIONS, reference="full"), one)
    assert not save_figure(few, differences, tmp_path / "a.png")
    alone = {("cora", "hedge", 0): dict.fromkeys(paper.STRUCTURE, 0.1)}
    assert not save_figure(results(experiment(["cora"], METHODS), alone), ratios, tmp_path / "b.png")
    assert not list(tmp_path.glob("*.png"))


def test_the_page_has_a_section_per_experiment(results):
    made = experiment(["cora"], METHODS, title="Real data")
    text = page({"real": results(made, {("cora", "hedge", 0): gap(0.1)})})
    assert "## Real data\n\n`experiments/real.toml`\n" in text
    assert "### Higher-order structure\n" in text
    assert text.endswith("Records: `results/real/`, 2026-01-02; commit `abc123`; 2 cores of abacus.\n")
    assert "### " not in page({"real": results(experiment(["twitch"], METHODS), {})})


def test_prose_is_wrapped_and_tables_are_not():
    table = "| " + "cell | " * 40
    wrapped = wrap("word " * 60 + "\n" + table + "\n- " + "item " * 40).splitlines()
    assert table in wrapped
    assert all(len(line) <= 100 for line in wrapped if line != table)
    assert wrapped[-1].startswith("  item")


def test_the_experiments_of_the_project_are_those_of_the_paper():
    real, ablations = (results_of(name).experiment for name in ("real", "ablations"))
    assert {name: spec.title for name, spec in real.datasets.items()} == {
        name: dataset.title for name, dataset in paper.DATASETS.items()
    }
    generators = [spec.title for spec in real.methods.values() if spec.model != "real"]
    assert set(generators) == set(paper.REAL["size_wd"])
    assert (real.seeds, real.folder.resolve()) == (10, ROOT / "results" / "real")
    variants = {key: spec.options["variant"] for key, spec in ablations.methods.items() if spec.model == "hedge"}
    assert variants == {key: key for key in paper.SUMMARY}
    budgets = {str({**spec.options, "variant": ""}) for spec in ablations.methods.values() if spec.model == "hedge"}
    assert len(budgets) == 1  # matched
    assert set(ablations.datasets) == set(paper.GEOMETRY)


def test_records_of_the_project_are_read():
    """A configuration that has changed would make records outdated, and hours of training be done again."""
    for name in ("real", "ablations", "choices"):
        results = results_of(name)
        states = [results.state(cell) for cell in results.cells]
        assert len(results.records) == states.count("done") > 0, name


@pytest.mark.full
def test_smoke_of_every_experiment(tmp_path):
    """Run every kind of cell of the project's experiments, tiny, on synthetic data, and make page and figures of them."""
    folder = shutil.copytree(ROOT / "experiments", tmp_path / "experiments")
    for name in ("real", "ablations", "choices"):
        command = [
            sys.executable,
            "-m",
            "hyperhedge",
            "bench",
            "run",
            folder / f"{name}.toml",
            "--smoke",
            "--jobs",
            "1",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert (
            len(list((folder / f"{name}.smoke").glob("*/*.json"))) == {"real": 20, "ablations": 10, "choices": 9}[name]
        )
    for option in ([], ["--figures"]):
        command = [sys.executable, "-m", "benchmarks.results", "--smoke", "--experiments", folder, "--out", tmp_path]
        subprocess.run([*command, *option], cwd=ROOT, check=True)
    text = (tmp_path / "results.md").read_text()
    headings = ("## Real data", "## Ablations", "### Differences to Full HEDGE", "## Choices")
    assert all(heading in text for heading in headings)
    assert sorted(file.name for file in tmp_path.glob("*.png")) == [
        f"results-{name}.png" for name in ("ablations", "choices", "real")
    ]
