"""The benchmark of the runner's workers, tiny."""

from benchmarks.workers import EXPERIMENT, experiment_in, measure


def test_it_measures_both_numbers_of_workers_on_the_same_cells():
    tiny = """
        name = "workers"
        kind = "real"
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
    found = measure(tiny, rounds=1)
    assert found["cells"] == 2
    [one], [two] = found["seconds"]["1"], found["seconds"]["2"]
    assert found["ratio"] == one / two > 0


def test_the_real_one_has_cells_that_train(tmp_path):
    cells = list(experiment_in(tmp_path, EXPERIMENT).cells())
    assert [cell.options["iterations"] for cell in cells if cell.model == "hedge"] == [200] * 4
