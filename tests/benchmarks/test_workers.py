"""The benchmark of the runner's workers, with a tiny experiment."""

from benchmarks.workers import EXPERIMENT, experiment_in, measure


def test_it_measures_both_numbers_of_workers_on_the_same_cells():
    tiny = """
        seeds = 2
        [protocol]
        train = 10
        test = 6
        generated = 6
        bootstrap = 5
        permutations = 9
        [datasets.committee]
        n = 10
        m = 6
        [methods.er]
        model = "erdos-renyi"
    """
    measured = measure(tiny, rounds=1)
    assert measured["cells"] == 2
    [one], [two] = measured["seconds"]["1"], measured["seconds"]["2"]
    assert measured["ratio"] == one / two > 0


def test_the_real_one_has_cells_that_train(tmp_path):
    cells = list(experiment_in(tmp_path, EXPERIMENT).cells())
    assert [cell.options["iterations"] for cell in cells if cell.model == "hedge"] == [200] * 4
