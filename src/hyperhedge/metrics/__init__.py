"""Numbers: distances between collections of hypergraphs, validity, novelty, diversity, detectability, and significance tests.

>>> from hyperhedge.metrics import METRICS
>>> METRICS["intersection_wd"].definition
'Wasserstein distance between the pooled intersections of pairs of hyperedges.'
"""

from hyperhedge.metrics.custom import as_metric
from hyperhedge.metrics.metric import Metric, Settings
from hyperhedge.metrics.named_statistics import STATISTICS
from hyperhedge.metrics.null_result import NullRow, NullTest
from hyperhedge.metrics.registry import DEFAULT, GROUPS, METRICS
from hyperhedge.metrics.significance import null_test
from hyperhedge.metrics.statistics import Statistics, statistics_of

__all__ = [
    "DEFAULT",
    "GROUPS",
    "METRICS",
    "STATISTICS",
    "Metric",
    "NullRow",
    "NullTest",
    "Settings",
    "Statistics",
    "as_metric",
    "null_test",
    "statistics_of",
]
