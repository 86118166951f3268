"""The quality report of generated hypergraphs: what is measured, in which words, and the page it is shown on."""

from hyperhedge.report.comparison import Comparison, compare
from hyperhedge.report.evaluate import evaluate
from hyperhedge.report.report import Baseline, Property, Report, Row
from hyperhedge.report.verdict import Finding, Verdict
from hyperhedge.report.whole.report import WholeReport

__all__ = [
    "Baseline",
    "Comparison",
    "Finding",
    "Property",
    "Report",
    "Row",
    "Verdict",
    "WholeReport",
    "compare",
    "evaluate",
]
