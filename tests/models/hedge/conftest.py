"""Models that the tests of this folder share."""

import pytest

from small_hedge import MIXED, quick


@pytest.fixture(scope="session")
def fitted():
    """Return a model fitted to hypergraphs of several sizes; no test changes it."""
    return quick().fit(MIXED)
