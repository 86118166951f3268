r"""Pictures of hypergraphs, and of the path from noise to one.

*One order for all.* Whatever depends on an order in a picture uses one that follows from the structure
(:mod:`~hyperhedge.plotting.order`): the same hypergraph with other labels, or with its rows and columns shuffled, is the
same picture.

*Positions* (:mod:`~hyperhedge.plotting.layout`) minimise the stress of the bipartite graph, in which a node is joined to
the hyperedges that it is in. *Hulls* (:mod:`~hyperhedge.plotting.hulls`) are convex hulls of discs about the members.
Pictures need matplotlib (the ``plot`` extra); positions computed by XGI or NetworkX can be passed in.
"""

from hyperhedge.errors import PlotError
from hyperhedge.plotting.animation import animate
from hyperhedge.plotting.layout import Layout, force_layout
from hyperhedge.plotting.order import incidence_order
from hyperhedge.plotting.styles import STYLES, plot

__all__ = ["STYLES", "Layout", "PlotError", "animate", "force_layout", "incidence_order", "plot"]
