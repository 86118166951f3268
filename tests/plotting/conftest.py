"""Pictures without a screen, and none left open."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def _no_screen():
    mpl.use("Agg")
    with mpl.rc_context({"figure.dpi": 40}):
        yield
    plt.close("all")
