"""Draw one hypergraph, in a style; or several beside each other.

===============  ===============================================================================================
``hull``         nodes as dots, hyperedges as rounded hulls, the large ones beneath the small ones
``bipartite``    nodes and hyperedges in two columns with few crossings, or by the force layout, joined by lines
``incidence``    the matrix, nodes by hyperedges, ordered so that components and overlaps show; or a relaxed matrix
``compare``      several hypergraphs in a grid, on one scale, each laid out to be like the first
===============  ===============================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from hyperhedge.hypergraph import Hypergraph
from hyperhedge.plot.grid import compare
from hyperhedge.plot.panels import draw_bipartite, draw_hulls, draw_matrix
from hyperhedge.plot.theme import DrawingError

__all__ = ["STYLES", "draw"]

Style = Literal["hull", "bipartite", "incidence", "compare"]
STYLES: tuple[Style, ...] = ("hull", "bipartite", "incidence", "compare")

_PANELS: dict[str, Any] = {
    "hull": draw_hulls,
    "bipartite": draw_bipartite,
    "incidence": draw_matrix,
    "compare": compare,
}


def draw(H: Any, style: Style | None = None, ax: Any = None, **options: Any) -> Any:
    """Draw a hypergraph with matplotlib.

    Parameters
    ----------
    H
        The hypergraph. For ``style="incidence"`` also a relaxed matrix, an array ``(n, m)``; for ``style="compare"`` a list of
        hypergraphs, or a mapping from names to hypergraphs or lists of them.
    style
        ``"hull"``, ``"bipartite"``, ``"incidence"`` or ``"compare"``; if not given, ``"hull"`` for one hypergraph,
        ``"incidence"`` for a matrix, and ``"compare"`` for several.
    ax
        The axes to draw in; new ones if not given. A comparison makes its own figure.
    options
        ``title=``, and

        - ``hull``: ``pos=`` (positions of nodes by label, as XGI's layouts give them, or a
          :class:`~hyperhedge.plot.layout.Layout`), ``labels=``, ``edge_labels=`` (if not given: where there are few, and
          names), ``seed=``;
        - ``bipartite``: the same, and ``layout="columns"`` or ``"force"``;
        - ``incidence``: ``order=`` (``"spectral"``, ``"given"`` or a pair of arrays), ``labels=``;
        - ``compare``: ``panel=`` (the style of each), ``columns=``, ``seed=``.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; for a comparison, an array of them.

    Examples
    --------
    >>> H = Hypergraph({"picnic": ["ann", "bo", "cy"], "chess": ["bo", "di"]})
    >>> ax = draw(H)
    >>> ax.figure.savefig("club.png")                                                            # doctest: +SKIP
    """
    style = _default_style(H) if style is None else style
    if style not in _PANELS:
        raise DrawingError(f"style must be {', '.join(map(repr, STYLES[:-1]))} or {STYLES[-1]!r}, not {style!r}")
    if style == "compare":
        if ax is not None:
            raise DrawingError("a comparison makes a figure of its own: leave out ax=")
        return compare(H, **options)
    if not (isinstance(H, Hypergraph) or (style == "incidence" and isinstance(H, np.ndarray))):
        what = "a Hypergraph or a matrix" if style == "incidence" else "a Hypergraph"
        raise DrawingError(f"style={style!r} draws {what}, not a {type(H).__name__}")
    return _PANELS[style](H, ax, **options)


def _default_style(H: Any) -> Style:
    if isinstance(H, np.ndarray):
        return "incidence"
    return "compare" if isinstance(H, Mapping | Sequence) else "hull"
