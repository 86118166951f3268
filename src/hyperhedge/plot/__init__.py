r"""Pictures of hypergraphs, and of the way from noise to one.

*One order for all.* Whatever a picture decides by order is decided in one that the structure gives
(:mod:`~hyperhedge.plot.order`): the same hypergraph under other labels, or with its rows and columns shuffled, is the
same picture.

*Positions* (:mod:`~hyperhedge.plot.layout`) minimise the stress of the bipartite graph, in which a node is joined to
the hyperedges that it is in. *Hulls* (:mod:`~hyperhedge.plot.hulls`) are convex hulls of discs about the members.
Matplotlib draws (the ``plot`` extra); positions that XGI computes are taken as they are.
"""

from hyperhedge.plot.layout import Layout, force_layout
from hyperhedge.plot.movie import animate
from hyperhedge.plot.order import incidence_order
from hyperhedge.plot.styles import STYLES, draw
from hyperhedge.plot.theme import DrawingError

__all__ = ["STYLES", "DrawingError", "Layout", "animate", "draw", "force_layout", "incidence_order"]
