"""Colours and scales that all pictures share.

The colours are those of Okabe and Ito, which colour-blind people can tell apart. Matrices have one scale, whether binary
or relaxed: white is 0, blue is 1, orange is below 0 and dark blue above 1, so a state on its way from noise and the
hypergraph that it becomes are read alike.

*Sizes are bounded.* A figure that this package makes has at most 16 inches on a side, whatever it shows: matrices are
binned, long rows of panels shrink. So its pixels are at most 16 times the resolution.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hyperhedge._system.optional import require

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
INK = "#222222"
MUTED = "#8A8A8A"
NO_VALUE = "#C8C8C8"  #: of what has no value, and of classes beyond the palette

#: Nine colours for classes that colour-blind people can tell apart too, the "muted" ones of Paul Tol.
CLASS_COLOURS = ("#CC6677", "#332288", "#DDCC77", "#117733", "#88CCEE", "#882255", "#44AA99", "#999933", "#AA4499")

MOST_INCHES = 16.0  #: of a figure, on either side
MOST_PIXELS = 12_000  #: of a picture that the command line writes, on either side
BELOW, ABOVE = -0.5, 1.5  #: the ends of the scale of matrices: as far below 0 as above 1


def mpl(module: str = "pyplot") -> Any:
    """Import a module of matplotlib, or say how to install it."""
    require("matplotlib", "plot")
    return require(f"matplotlib.{module}", "plot")


def new_axes(width: float, height: float) -> Any:
    """Make a figure of a width and a height in inches, within the bound, and axes that fill it."""
    inches = min(width, MOST_INCHES), min(height, MOST_INCHES)
    figure, ax = mpl().subplots(figsize=inches, layout="constrained")
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


def count_scale() -> Any:
    """Return the colours of counts from 1 on, light to dark; none is white."""
    return mpl("colors").LinearSegmentedColormap.from_list("counts", ["#A9D0EA", "#3D94C9", "#0072B2", "#00253B"])


def value_scale() -> Any:
    """Return the colours of values, light to dark: those of viridis that are seen on white."""
    return mpl("colors").ListedColormap(mpl("cm").viridis(np.linspace(0.92, 0.0, 256)), name="values")
