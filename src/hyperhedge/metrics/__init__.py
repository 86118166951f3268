"""Judging generated hypergraphs: distances with floors and ceilings, validity, novelty, diversity, detectability, and the report.

>>> from hyperhedge.metrics import METRICS, evaluate
>>> METRICS["intersection_wd"].definition
'Wasserstein distance between the pooled intersections of pairs of hyperedges.'
"""

from hyperhedge.metrics.distances import DEFAULT, GROUPS, METRICS, Metric, Settings
from hyperhedge.metrics.evaluate import evaluate
from hyperhedge.metrics.report import NullModel, Property, Report, Row
from hyperhedge.metrics.statistics import Statistics, statistics_of
from hyperhedge.metrics.undefined import UndefinedError
from hyperhedge.metrics.verdict import Finding, Verdict

__all__ = [
    "DEFAULT",
    "GROUPS",
    "METRICS",
    "Finding",
    "Metric",
    "NullModel",
    "Property",
    "Report",
    "Row",
    "Settings",
    "Statistics",
    "UndefinedError",
    "Verdict",
    "evaluate",
    "statistics_of",
]
