"""The peer libraries in tests: what they do on import, and their warnings."""

import importlib
import warnings
from contextlib import suppress

import pytest

# HyperNetX raises Python's recursion limit when it is imported: let it do so before a test begins.
with warnings.catch_warnings(), suppress(ImportError):
    warnings.simplefilter("ignore")
    importlib.import_module("hypernetx")


@pytest.fixture(autouse=True)
def _quiet_peers():
    """Let the peers use what they deprecate: warnings are errors in these tests, but not theirs."""
    with warnings.catch_warnings():
        for category in (DeprecationWarning, FutureWarning, ResourceWarning):
            warnings.simplefilter("ignore", category)
        yield
