"""A page to open in the browser."""

from types import SimpleNamespace

import numpy as np
import pytest

import hyperhedge as hh
from hostile import HOSTILE
from laws import rewired, teams


def hostile(graphs):
    """Give hypergraphs labels that would break out of a page that does not escape them."""
    return [
        H.relabel(
            nodes=[f"{HOSTILE[k % 5]} {k}" for k in range(H.n)], edges=[f"{HOSTILE[k % 5]} e{k}" for k in range(H.m)]
        )
        for H in graphs
    ]


def path_to(H, steps=20):
    """Return states on a straight line from noise to a hypergraph."""
    noise = np.random.default_rng(0).normal(0.3, 0.5, (H.n, H.m))
    return np.array([share * noise + (1 - share) * H.incidence.toarray() for share in np.linspace(1, 0, steps + 1)])


@pytest.fixture(scope="session")
def report():
    """Return a report on hypergraphs with hostile labels, with a baseline and a metric of hostile names."""
    made = hostile(rewired(teams(8, seed=2), 0.3))
    return hh.evaluate(
        hostile(teams(9, seed=1)),
        made,
        train=teams(12, seed=3),
        baselines={"HCM": teams(8, seed=4), HOSTILE[0]: rewired(teams(8, seed=5), 1.0)},
        metrics=["default", {HOSTILE[2]: lambda H: -H.density}],
        bootstrap=30,
        permutations=49,
        seed=0,
        name=f"made {HOSTILE[0]} {HOSTILE[2]}",
    )


@pytest.fixture(scope="session")
def page(report, tmp_path_factory):
    """Return the file of a page with everything on it."""
    made = list(report.collections["generated"].hypergraphs)
    samples = SimpleNamespace(hypergraphs=made, paths=[path_to(H) for H in made], times=np.linspace(1, 0, 21).tolist())
    path = tmp_path_factory.mktemp("page") / "report.html"
    report.save(path, paths=samples, model=hh.ErdosRenyi(), command=f"hyperhedge evaluate {HOSTILE[0]}")
    return path
