"""Models and hypergraphs that the tests of this folder share."""

import pytest

from small_hedge import MIXED, contacts, quick


@pytest.fixture(scope="session")
def fitted():
    """Return a model fitted to hypergraphs of several sizes; no test changes it."""
    return quick().fit(MIXED)


@pytest.fixture(scope="session")
def pieces():
    """Return hypergraphs of pairs, a few larger hyperedges, and isolated nodes."""
    return contacts(40)
