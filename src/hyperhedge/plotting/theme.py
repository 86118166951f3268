"""Colours and scales that all pictures share.

The colours are those of Okabe and Ito, which colour-blind people can tell apart. Matrices have one scale, whether binary
or relaxed: white is 0, blue is 1, orange is below 0 and dark blue above 1, so a state on its way from noise and the
hypergraph that it becomes are read alike.
"""

from __future__ import annotations

from typing import Any

from hyperhedge._system.optional import require

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
INK = "#222222"
MUTED = "#8A8A8A"
BELOW, ABOVE = -0.5, 1.5  #: the ends of the scale of matrices: as far below 0 as above 1


def mpl(module: str = "pyplot") -> Any:
    """Import a module of matplotlib, or say how to install it."""
    require("matplotlib", "plot")
    return require(f"matplotlib.{module}", "plot")


def new_axes(width: float, height: float) -> Any:
    """Make a figure of a width and a height in inches, and axes that fill it."""
    figure, ax = mpl().subplots(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)
    return ax


def matrix_scale() -> dict[str, Any]:
    """Return the colours of matrices, as options of ``imshow`` and ``pcolormesh``."""
    span = ABOVE - BELOW
    # Just below 0 the orange is pale, so the noise of entries that should be 0 stays in the background.
    stops = {BELOW: "#D98000", -0.1: "#FBE3BC", 0.0: "#FFFFFF", 1.0: "#0072B2", ABOVE: "#00253B"}
    colours = mpl("colors").LinearSegmentedColormap.from_list(
        "hyperhedge", [((value - BELOW) / span, colour) for value, colour in stops.items()]
    )
    return {"cmap": colours, "vmin": BELOW, "vmax": ABOVE}
