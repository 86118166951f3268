"""Hy-MMSBM: hyperedges inside overlapping communities."""

from hyperhedge.models.hy_mmsbm.model import HyMMSBM

__all__ = ["HyMMSBM"]
