"""What training and sampling of Hygene take is estimated, roughly, and refused if it is too much."""

import numpy as np
import pytest

import hyperhedge as hh
from hyperhedge._system.memory import memory_limit
from hyperhedge.errors import MemoryLimitError
from hyperhedge.models.hygene.batch import candidates
from hyperhedge.models.hygene.memory import parameters, positions
from peak_memory import peak
from small_hygene import QUICK
from strategies import random_hypergraphs

SETUP = """
hh.Hygene(iterations=2, hidden=16, width=8, layers=1, seed=0, workers=1).fit(hh.load_dataset("committee").bank(5, 4, 3, seed=0))
bank = hh.load_dataset("{name}").bank({n}, {m}, 20, seed=0)
model = hh.Hygene(iterations=6, seed=0, workers=1, **{options})
"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "n", "m", "options"),
    [
        ("committee", 64, 25, {}),
        ("committee", 64, 25, {"layers": 8}),
        ("committee", 64, 25, {"hidden": 128, "width": 64}),
        ("configuration", 128, 64, {}),
    ],
)
def test_a_training_takes_about_what_is_estimated(name, n, m, options):
    measured = peak(SETUP.format(name=name, n=n, m=m, options=options), "model.fit(bank)")
    estimated = hh.Hygene(workers=1, **options).memory_for(hh.load_dataset(name).bank(n, m, 20, seed=0))
    assert measured / 2 < estimated < 3 * measured


@pytest.mark.parametrize("radius", [1, 2])
def test_positions_are_nodes_hyperedges_and_candidates(radius):
    for H in random_hypergraphs(20, 12, 7, density=0.2, seed=3):
        dense = H.incidence.toarray().astype(np.bool_)
        assert positions(H, radius) == H.n + H.m + candidates(dense, radius).sum()


@pytest.mark.parametrize(
    "options", [{}, {"hidden": 200, "width": 100}, {"layers": 9}, {"sign_hidden": 128, "sign_layers": 5}]
)
def test_the_number_of_parameters_is_about_right(options):
    model = hh.Hygene(**options)
    actual = sum(p.numel() for p in model._new_network().parameters())
    assert actual / 2 < parameters(model) < 2 * actual


def test_what_does_not_fit_is_refused():
    graphs = random_hypergraphs(4, 12, 7, density=0.3, seed=1)
    with memory_limit("100K"), pytest.raises(MemoryLimitError, match=r"^training needs about .* the limit is 100 KiB"):
        hh.Hygene(**QUICK).fit(graphs)
    model = hh.Hygene(**QUICK).fit(graphs)
    with memory_limit("100K"), pytest.raises(MemoryLimitError, match=r"^sampling needs about .* the limit is 100 KiB"):
        model.sample(5)
