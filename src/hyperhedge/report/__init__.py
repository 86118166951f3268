"""The quality report of generated hypergraphs: what is measured, in which words, and the page it is shown on."""

from typing import TYPE_CHECKING

from hyperhedge._system.lazy import lazy_names
from hyperhedge.report.comparison import Comparison, compare
from hyperhedge.report.evaluate import evaluate
from hyperhedge.report.report import Baseline, Property, Report, Row
from hyperhedge.report.verdict import Finding, Verdict

if TYPE_CHECKING:
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

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(globals(), {"WholeReport": "hyperhedge.report.whole.report"})
