"""Plot one hypergraph in a style, or several side by side.

===============  ===============================================================================================
``hull``         nodes as dots, hyperedges as rounded hulls, the large ones beneath the small ones
``bipartite``    nodes and hyperedges in two columns with few crossings, or by the force layout, joined by lines
``incidence``    the matrix, nodes by hyperedges, in an order that shows components and overlaps; or a relaxed matrix
``compare``      several hypergraphs in a grid, on one scale, each laid out to resemble the first
===============  ===============================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from hyperhedge.convert import as_hypergraph
from hyperhedge.errors import PlotError
from hyperhedge.plotting.grid import compare
from hyperhedge.plotting.panels import plot_bipartite, plot_hulls, plot_incidence

Style = Literal["hull", "bipartite", "incidence", "compare"]
STYLES: tuple[Style, ...] = ("hull", "bipartite", "incidence", "compare")

_PANELS: dict[str, Callable[..., Any]] = {
    "hull": plot_hulls,
    "bipartite": plot_bipartite,
    "incidence": plot_incidence,
    "compare": compare,
}


def plot(H: Any, style: Style | None = None, ax: Any = None, **options: Any) -> Any:
    """Plot a hypergraph with matplotlib.

    Parameters
    ----------
    H
        The hypergraph, of any type that :func:`~hyperhedge.convert.as_hypergraph` takes. For ``style="incidence"`` also
        a relaxed matrix, an array ``(n, m)``; for ``style="compare"`` a list of hypergraphs, or a mapping from titles to
        hypergraphs or lists of them.
    style
        ``"hull"``, ``"bipartite"``, ``"incidence"`` or ``"compare"``; by default ``"hull"`` for one hypergraph,
        ``"incidence"`` for an array, and ``"compare"`` for several hypergraphs.
    ax
        The axes to plot in; new ones by default. A comparison makes its own figure.
    options
        ``title=``, and

        - ``hull``: ``pos=`` (positions of nodes by label, as XGI's layouts give them, or a
          :class:`~hyperhedge.plotting.layout.Layout`), ``labels=``, ``edge_labels=`` (by default shown if they are names
          and few), ``seed=`` (of the layout);
        - ``bipartite``: the same, and ``layout="columns"`` or ``"force"``;
        - ``incidence``: ``order=`` (``"spectral"``, ``"original"`` or a pair of arrays), ``labels=``;
        - ``compare``: ``panel=`` (the style of each), ``columns=``, ``seed=``.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; for a comparison, an array of them.

    Examples
    --------
    >>> import hyperhedge as hh
    >>> H = hh.Hypergraph({"picnic": ["ann", "bo", "cy"], "chess": ["bo", "di"]})
    >>> ax = hh.plot(H)
    >>> ax.figure.savefig("club.png")                                                            # doctest: +SKIP
    """
    style = _default_style(H) if style is None else style
    if style not in _PANELS:
        raise PlotError(f"style must be {', '.join(map(repr, STYLES[:-1]))} or {STYLES[-1]!r}, not {style!r}")
    if style == "compare":
        if ax is not None:
            raise PlotError("a comparison makes its own figure: leave out ax=")
        return compare(H, **options)
    is_matrix = style == "incidence" and isinstance(H, np.ndarray)
    return _PANELS[style](H if is_matrix else as_hypergraph(H), ax, **options)


def _default_style(H: Any) -> Style:
    if isinstance(H, np.ndarray):
        return "incidence"
    return "compare" if isinstance(H, Mapping | Sequence) else "hull"
