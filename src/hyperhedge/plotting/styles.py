"""Plot one hypergraph in a style, or several side by side.

===============  ===============================================================================================
``hull``         nodes as dots, hyperedges as rounded hulls, the large ones beneath the small ones
``bipartite``    nodes and hyperedges in two columns with few crossings, or by the force layout, joined by lines
``incidence``    the matrix, nodes by hyperedges, in an order that shows components and overlaps; or a relaxed matrix
``overview``     a large hypergraph in one figure: its matrix, pieces of it with hulls, and distributions
``compare``      several hypergraphs in a grid, on one scale, each laid out to resemble the first
===============  ===============================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from hyperhedge.convert import as_hypergraph
from hyperhedge.core.hypergraph import Hypergraph
from hyperhedge.errors import PlotError
from hyperhedge.plotting.grid import compare
from hyperhedge.plotting.incidence import plot_incidence
from hyperhedge.plotting.overview import MOST_VERTICES, plot_overview
from hyperhedge.plotting.panels import plot_bipartite, plot_hulls

Style = Literal["hull", "bipartite", "incidence", "overview", "compare"]
STYLES: tuple[Style, ...] = ("hull", "bipartite", "incidence", "overview", "compare")

_PANELS: dict[str, Callable[..., Any]] = {
    "hull": plot_hulls,
    "bipartite": plot_bipartite,
    "incidence": plot_incidence,
    "overview": plot_overview,
    "compare": compare,
}

_OWN_FIGURE = {"overview": "an overview", "compare": "a comparison"}


def plot(H: Any, style: Style | None = None, ax: Any = None, **options: Any) -> Any:
    """Plot a hypergraph with matplotlib.

    Parameters
    ----------
    H
        The hypergraph, of any type that :func:`~hyperhedge.convert.as_hypergraph` takes. For ``style="incidence"`` also
        a relaxed matrix, an array ``(n, m)``; for ``style="compare"`` a list of hypergraphs, or a mapping from titles to
        hypergraphs or lists of them.
    style
        ``"hull"``, ``"bipartite"``, ``"incidence"``, ``"overview"`` or ``"compare"``. By default ``"hull"`` for one
        hypergraph of up to 250 nodes and hyperedges together, ``"overview"`` for a larger one (``"incidence"`` if axes are
        given), ``"incidence"`` for an array, and ``"compare"`` for several hypergraphs.
    ax
        The axes to plot in; new ones by default. An overview and a comparison make their own figures.
    options
        ``title=``, and

        - ``hull``: ``pos=`` (positions of nodes by label, as XGI's layouts give them, or a
          :class:`~hyperhedge.plotting.layout.Layout`), ``labels=``, ``edge_labels=`` (by default shown if they are names
          and few), ``seed=`` (of the layout), ``node_color=``, ``edge_color=``, ``node_size=``;
        - ``bipartite``: the same, and ``layout="columns"`` or ``"force"``;
        - ``incidence``: ``order=`` (``"spectral"``, ``"original"`` or a pair of arrays), ``labels=``, ``node_color=``,
          ``edge_color=`` (strips beside the matrix);
        - ``overview``: ``labels=`` (of the pieces; not shown by default), ``node_color=``, ``edge_color=``, ``seed=`` (of
          what is sampled);
        - ``compare``: ``panel=`` (the style of each), ``columns=``, ``seed=``.

        ``node_color=`` and ``edge_color=`` are a mapping from labels to values or classes, a sequence of them in order, one
        colour, or ``"degree"`` and ``"size"``; ``node_size=`` is a mapping or sequence of numbers, one number (times the
        usual size), or ``"degree"``. Numbers have a scale and a colour bar, everything else is a class with a legend.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; for an overview those of its matrix, and for a comparison an array of them.

    Examples
    --------
    >>> import hyperhedge as hh
    >>> H = hh.Hypergraph({"picnic": ["ann", "bo", "cy"], "chess": ["bo", "di"]})
    >>> ax = hh.plot(H)
    >>> ax.figure.savefig("club.png")                                                            # doctest: +SKIP
    """
    is_matrix = isinstance(H, np.ndarray) and style in (None, "incidence")
    several = not is_matrix and style in (None, "compare") and isinstance(H, Mapping | Sequence)
    H = H if is_matrix or several or style == "compare" else as_hypergraph(H)
    style = _default_style(H, ax) if style is None else style
    if style not in _PANELS:
        raise PlotError(f"style must be {', '.join(map(repr, STYLES[:-1]))} or {STYLES[-1]!r}, not {style!r}")
    if options.get("node_size") is not None and style in ("incidence", "overview"):
        raise PlotError(f"node_size= is for hulls and bipartite graphs; leave it out of style={style!r}")
    if style not in _OWN_FIGURE:
        return _PANELS[style](H, ax, **options)
    if ax is not None:
        raise PlotError(f"{_OWN_FIGURE[style]} makes its own figure: leave out ax=")
    coloured = [name for name in ("node_color", "edge_color", "node_size") if options.get(name) is not None]
    if style == "compare" and coloured:
        raise PlotError(f"{coloured[0]}= is for one hypergraph: plot it by itself")
    return _PANELS[style](H, **options)


def _default_style(H: Any, ax: Any) -> Style:
    if isinstance(H, np.ndarray):
        return "incidence"
    if not isinstance(H, Hypergraph):
        return "compare"
    if H.n + H.m <= MOST_VERTICES:
        return "hull"
    return "overview" if ax is None else "incidence"
