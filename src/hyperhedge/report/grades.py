"""The grades: one yardstick for headline, findings, colours and tables, in Python, JSON, the page and the terminal.

*Ratios* to the floor. Real hypergraphs reach 1.5 by chance, too. Above 3, they reach a gap of means in one case of sixty, and a
Wasserstein distance never.

*Scores* of properties, from 0 to 1. The bounds of the fidelity are those of the ratios, 1/1.5 and 1/3, since its score is typically
floor over distance. The others are round numbers; ``docs/report.md`` shows them next to the scores of real hypergraphs and of
baselines. Validity is poor where a fifth more of all nodes or hyperedges have a defect than in real ones; detectability is poor
where a classifier picks the generated one out of a real and a generated one in more than 80% of cases (an AUC of 0.8).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

Grade: TypeAlias = Literal["good", "fair", "poor", ""]

#: Ratios to the floor up to which a metric is good and fair.
GOOD, FAIR = 1.5, 3.0

#: The fidelity of independent incidences from which a comparison cannot judge: they are typically at most twice as far from real
#: hypergraphs as these are from each other, and 1.5 times is good, which leaves no room for what is in between.
PASSING = 0.5

#: The least scores at which a property is good and fair.
BOUNDS: dict[str, tuple[float, float]] = {
    "fidelity": (1 / GOOD, 1 / FAIR),
    "novelty": (0.8, 0.5),
    "validity": (0.95, 0.8),
    "diversity": (0.8, 0.5),
    "detectability": (0.7, 0.4),
}

#: The least shares of the way from the null model to the floor at which a whole hypergraph is good and fair.
WAY: tuple[float, float] = (0.9, 0.6)

#: The colours of the grades in a terminal.
COLOURS: dict[Grade, str] = {"good": "green", "fair": "yellow", "poor": "red", "": ""}

_ROUNDING = 1e-9  # a score of exactly a bound, computed in another way, has the better grade
_WORST_FIRST: tuple[Grade, ...] = ("poor", "fair", "good")


def grade_of_ratio(ratio: float | None) -> Grade:
    """Grade a ratio to the floor; the empty grade if there is none.

    Examples
    --------
    >>> [grade_of_ratio(ratio) for ratio in (1.5, 1.6, 3.0, 3.1, None)]
    ['good', 'fair', 'fair', 'poor', '']
    """
    if ratio is None:
        return ""
    return "good" if ratio <= GOOD else "fair" if ratio <= FAIR else "poor"


def grade_of_score(name: str, score: float | None) -> Grade:
    """Grade the score of a property; the empty grade if it is not known.

    Examples
    --------
    >>> [grade_of_score("novelty", score) for score in (0.8, 0.79, 0.5, 0.49, None)]
    ['good', 'fair', 'fair', 'poor', '']
    """
    bounds = BOUNDS | {"way": WAY}
    if score is None or name not in bounds:
        return ""
    good, fair = bounds[name]
    return "good" if score >= good - _ROUNDING else "fair" if score >= fair - _ROUNDING else "poor"


def lowest(grades: Iterable[Grade]) -> Grade:
    """Return the lowest of the grades that are known.

    Examples
    --------
    >>> lowest(["good", "", "fair"]), lowest([""])
    ('fair', '')
    """
    known = set(grades)
    return next((grade for grade in _WORST_FIRST if grade in known), "")


def as_data() -> dict[str, Any]:
    """Return all bounds as data, for files and scripts."""
    return {
        "ratio": {"good": GOOD, "fair": FAIR},
        "scores": {name: {"good": good, "fair": fair} for name, (good, fair) in BOUNDS.items()},
        "independent": PASSING,
    }
