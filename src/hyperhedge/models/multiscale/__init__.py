"""The multiscale shuffle: a null model that keeps structure down to a chosen scale."""

from hyperhedge.models.multiscale.model import MultiscaleShuffle
from hyperhedge.models.multiscale.tree import Tree

__all__ = ["MultiscaleShuffle", "Tree"]
