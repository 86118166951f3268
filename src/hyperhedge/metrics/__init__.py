"""Numbers: distances between collections of hypergraphs, validity, novelty, diversity and detectability.

>>> from hyperhedge.metrics import METRICS
>>> METRICS["intersection_wd"].definition
'Wasserstein distance between the pooled intersections of pairs of hyperedges.'
"""

from hyperhedge.metrics.custom import as_metric
from hyperhedge.metrics.metric import Metric, Settings
from hyperhedge.metrics.registry import DEFAULT, GROUPS, METRICS
from hyperhedge.metrics.statistics import Statistics, statistics_of

__all__ = ["DEFAULT", "GROUPS", "METRICS", "Metric", "Settings", "Statistics", "as_metric", "statistics_of"]
