"""The hyper dK-series: hypergraphs with the degrees, degree correlations and redundancy of another one."""

from hyperhedge.models.hyper_dk.model import HyperDK

__all__ = ["HyperDK"]
