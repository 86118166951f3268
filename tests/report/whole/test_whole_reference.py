"""What a whole hypergraph is compared with: which halves, null models and copies are made, and that passes keep to themselves."""

from math import comb

import numpy as np
import pytest

import hyperhedge as hh
from hyperhedge.metrics.whole.copies import copied, copied_by_number, known_surroundings
from hyperhedge.models.configuration import shuffle
from hyperhedge.report.whole import reference
from hyperhedge.report.whole.reference import (
    REWIRED,
    HalfTask,
    Task,
    halves,
    independent,
    run,
    tasks_of_copies,
    tasks_of_real,
    whole_bytes,
)
from strategies import random_hypergraphs

REAL, OTHER = random_hypergraphs(2, 40, 31, density=0.08, seed=1)


def rng(seed=0):
    return np.random.default_rng(seed)


def edges_of(H):
    return sorted(tuple(edge) for edge in H.hyperedges)


def hidden(H, seed=0):
    order = np.random.default_rng(seed)
    return H.permute(nodes=order.permutation(H.n), edges=order.permutation(H.m))


# -- halves and null models --------------------------------------------------------------------------


def test_every_repeat_compares_the_two_halves_of_a_split_of_its_own():
    tasks = tasks_of_real(REAL, 0, (REAL,), 3, 2, 7)
    splits = []
    for k in range(3):
        first, second = tasks["first half", 0, k], tasks["second half", 0, k]
        assert (first.second, second.second) == (False, True)
        assert first.split == second.split
        splits.append(first.split)
    assert len(set(splits)) == 3
    # Other seeds, other splits.
    assert tasks_of_real(REAL, 0, (REAL,), 3, 2, 8)["first half", 0, 0].split not in splits[:1]


@pytest.mark.parametrize("split", range(3))
def test_halves_are_measured_apart_and_the_second_against_the_first(split):
    one, other = halves(REAL, split)
    first, second = (HalfTask(REAL, split, second=which).run(rng()) for which in (False, True))
    assert (first.statistics.m, second.statistics.m) == (15, 15)
    for found, half in ((first, one), (second, other)):
        degrees = found.statistics.distributions["degrees"]
        assert np.repeat(degrees.value, degrees.count.astype(int)).tolist() == sorted(half.degrees)
    assert np.isnan(first.surroundings)
    assert second.surroundings == known_surroundings(one, other)


def test_halves_of_an_odd_number_leave_one_hyperedge_out():
    one, other = halves(REAL, 0)
    left = edges_of(REAL)
    for edge in edges_of(one) + edges_of(other):
        left.remove(edge)
    assert len(left) == 1


def test_null_models_have_the_degrees_and_sizes_of_what_they_stand_for():
    tasks = tasks_of_real(REAL, 0, (REAL,), 2, 2, 7)
    for k in range(2):
        null = tasks["null", 0, k].make(rng())
        assert null.degrees.tolist() == REAL.degrees.tolist()
        assert null.edge_sizes.tolist() == REAL.edge_sizes.tolist()
        assert edges_of(null) != edges_of(REAL)
    half, null = halves(REAL, 7)[0], tasks["null of half", 0].make(rng())
    assert null.degrees.tolist() == half.degrees.tolist()
    assert null.edge_sizes.tolist() == half.edge_sizes.tolist()
    assert edges_of(null) != edges_of(half)
    assert tasks["real", 0].make(rng()) == REAL


def test_matches_by_chance_are_looked_for_in_one_null_model():
    tasks = tasks_of_real(REAL, 0, (REAL, OTHER), 2, 3, 7)
    assert [tasks["null", 0, k].copy_of for k in range(3)] == [(REAL, OTHER), (), ()]


def test_a_single_hyperedge_has_no_halves():
    one = hh.Hypergraph([[0, 1]])
    assert list(tasks_of_real(one, 0, (one,), 5, 1, 0)) == [("real", 0), ("null", 0, 0), ("independent", 0)]


def test_independent_incidences_keep_the_shape_and_the_mean_number():
    sparse = hh.Hypergraph([[k, k + 1] for k in range(0, 60, 2)], nodes=90)
    made = [independent(sparse, rng(seed)) for seed in range(300)]
    assert {(H.n, H.m) for H in made} == {(90, 30)}
    p = sparse.num_incidences / (90 * 30)
    mean, deviation = np.mean([H.num_incidences for H in made]), np.sqrt(90 * 30 * p * (1 - p) / 300)
    assert abs(mean - sparse.num_incidences) < 4.5 * deviation


# -- copies ------------------------------------------------------------------------------------------


def test_copies_are_of_the_first_training_hypergraph_and_as_much_rewired_as_they_say():
    H = random_hypergraphs(1, 300, 200, density=0.02, seed=3)[0]
    tasks = tasks_of_copies((H, OTHER))
    assert tasks["train"].make(rng()) == H
    for share in REWIRED:
        task = tasks["rewired", share]
        moved = (task.make(rng()).incidence != H.incidence).sum() / 2 / H.num_incidences
        assert 0.8 * share < moved <= share + 1 / H.num_incidences
        assert task.copy_of == (H,)
        assert task.by_number


def test_a_pass_measures_what_was_copied_of_training_hypergraphs():
    found = Task(lambda _: hidden(REAL), (OTHER,)).run(rng()).copied
    assert found == copied(OTHER, hidden(REAL))
    kept = Task(lambda _: hidden(REAL), (REAL,), by_number=True).run(rng()).copied
    assert kept == copied_by_number(REAL, hidden(REAL))
    assert kept.matched < 0.5 < Task(lambda _: hidden(REAL), (REAL,)).run(rng()).copied.matched
    # Shares are those of the generated hyperedges: all of a half are copies.
    assert Task(lambda _: halves(REAL, 0)[0], (REAL,)).run(rng()).copied.by_number == 1
    assert Task(lambda _: REAL).run(rng()).copied is None


@pytest.mark.parametrize("train", [(REAL, OTHER), (OTHER, REAL)])
def test_of_several_training_hypergraphs_the_one_that_was_copied_most_counts(train):
    made = hidden(REAL)
    found = Task(lambda _: made, train).run(rng()).copied
    each = [copied(H, made) for H in train]
    for name in ("surroundings", "matched", "by_number"):
        assert getattr(found, name) == max(getattr(one, name) for one in each), name


# -- passes ------------------------------------------------------------------------------------------


def shuffled():
    return Task(lambda source: shuffle(REAL, seed=source))


def pairs(one):
    return one.statistics.distributions["pair degrees"].count.tolist(), one.statistics.motifs.counts.tolist()


@pytest.mark.parametrize("threads", [1, 2])
def test_the_randomness_of_a_pass_depends_on_seed_and_name_alone(threads):
    passes = run({"one": shuffled(), ("two", 3): shuffled()}, 5, threads=threads)
    assert pairs(passes["one"]) != pairs(passes["two", 3])
    assert pairs(run({("two", 3): shuffled()}, 5, threads=threads)["two", 3]) == pairs(passes["two", 3])
    assert pairs(run({"one": shuffled()}, 6, threads=threads)["one"]) != pairs(passes["one"])


@pytest.mark.parametrize("threads", [1, 2])
def test_a_pass_that_fails_ends_all(threads):
    def fail(_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run({"one": Task(fail), "two": shuffled()}, 0, threads=threads)


# -- memory ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "counted"),
    [
        ("_MOST_PAIRS", lambda H: sum(comb(d, 2) for d in H.degrees.tolist())),
        ("_MOST_LINKS", lambda H: sum(k * (k - 1) for k in H.edge_sizes.tolist())),
        ("_MOST_TRIPLES", lambda H: sum(comb(k, 3) for k in H.edge_sizes.tolist())),
    ],
)
def test_memory_grows_with_what_is_listed_up_to_a_limit(monkeypatch, limit, counted):
    monkeypatch.setattr(reference, "usable_cores", lambda: 1)

    large = random_hypergraphs(1, 60, 60, density=0.2)[0]

    def part(H, most):
        monkeypatch.setattr(reference, limit, most)
        every = whole_bytes([H])
        monkeypatch.setattr(reference, limit, 0)
        return every - whole_bytes([H])

    assert part(REAL, 10**9) > 0
    assert part(large, 10**9) / part(REAL, 10**9) == pytest.approx(counted(large) / counted(REAL), rel=1e-6)
    assert part(large, counted(REAL)) == part(REAL, 10**9)


def test_as_many_passes_as_run_at_a_time_are_in_memory(monkeypatch):
    needs = []
    for cores in (1, 2, 4, 64):
        monkeypatch.setattr(reference, "usable_cores", lambda cores=cores: cores)
        needs.append(whole_bytes([REAL, OTHER]))
    assert needs == [needs[0], 2 * needs[0], 4 * needs[0], 4 * needs[0]]
    monkeypatch.setattr(reference, "usable_cores", lambda: 1)
    assert whole_bytes([REAL, OTHER]) == max(
        whole_bytes([REAL]), whole_bytes([OTHER])
    )  # one is dropped before the next
    assert whole_bytes([]) == 0
