"""HyperLap: hyperedges that overlap because they gather in groups of nodes, at several levels."""

from hyperhedge.models.hyperlap.model import HyperLap

__all__ = ["HyperLap"]
