"""The verdict: what the numbers of a report come to, in words that need no statistics.

Each property becomes a *finding*: a question, a short answer, a grade and a sentence with the numbers behind it. Fidelity is
graded as ratios to the floor are: a score is typically floor over distance, so that 1/1.5 and 1/3 are its bounds. The bounds of
the others are round numbers; docs/report.md shows them beside the scores that real hypergraphs and null models have.

The sentence on top is about closeness and novelty together, since neither is worth anything alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from hyperhedge.metrics.report import FAIR, GOOD, Grade, Property, Report, Row

__all__ = ["BOUNDS", "Finding", "Verdict", "verdict"]


@dataclass(frozen=True)
class Finding:
    """What is to be said of one property.

    Attributes
    ----------
    name
        The property.
    question
        What it answers.
    grade
        How good that is: good, fair, poor, or nothing if it is not known.
    answer
        A few words.
    text
        The numbers behind them.
    """

    name: str
    question: str
    grade: Grade
    answer: str
    text: str


@dataclass(frozen=True)
class Verdict:
    """A sentence with its grade, and a finding per property."""

    grade: Grade
    sentence: str
    findings: tuple[Finding, ...]


_QUESTIONS = {
    "fidelity": "How close to real?",
    "novelty": "How new?",
    "validity": "How valid?",
    "diversity": "How varied?",
    "detectability": "Can a classifier tell them apart?",
}

#: From which score on a property is good, and from which it is fair.
BOUNDS = {
    "fidelity": (1 / GOOD, 1 / FAIR),
    "novelty": (0.8, 0.5),
    "validity": (0.95, 0.8),
    "diversity": (0.8, 0.5),
    "detectability": (0.7, 0.4),
}

_ANSWERS: dict[str, dict[Grade, str]] = {
    "fidelity": {"good": "Close to real", "fair": "Partly close", "poor": "Far from real"},
    "novelty": {"good": "New", "fair": "Partly new", "poor": "Not new"},
    "validity": {"good": "Valid", "fair": "Some defects", "poor": "Many defects"},
    "diversity": {"good": "As varied as real", "fair": "Less varied", "poor": "Much alike"},
    "detectability": {"good": "Hardly", "fair": "Often", "poor": "Nearly always"},
}

_SUBJECTS = {
    "calibration": "average numbers",
    "marginals": "degrees and sizes",
    "overlap": "overlaps",
    "spectra": "spectra",
    "features": "features taken together",
    "centrality": "centralities",
}


def verdict(report: Report) -> Verdict:
    """Put a report into words.

    Examples
    --------
    >>> rows = (Row("size_wd", "Size WD", "", "marginals", "", False, value=1.0, floor=0.9, ceiling=9.0),)
    >>> parts = {"fidelity": Property(0.9, {"marginals": 0.9}), "novelty": Property(1.0, {"copied": 0.0, "closer": 0.04})}
    >>> found = verdict(Report("made", parts, rows, {"real": 50, "generated": 100}, {}))
    >>> found.grade, found.sentence
    ('good', 'Close to real, and new.')
    >>> found.findings[1].text
    'No copy of a training hypergraph. 4% are nearer to the training set than 95% of held-out real ones are.'
    """
    findings = tuple(_finding(name, part, report) for name, part in report.properties.items() if name in _QUESTIONS)
    grades = {finding.name: finding.grade for finding in findings}
    return Verdict(*_headline(grades, _weakest(report)), findings)


def _headline(grades: dict[str, Grade], weakest: str) -> tuple[Grade, str]:
    """Say how close and how new at once; the grade is the lower of the two."""
    close, new = grades.get("fidelity", ""), grades.get("novelty", "")
    if not close:
        return "", "There is nothing real to measure the distances by."
    if new == "poor":
        return "poor", "Too near to the training set to count as new, however close to real."
    first = {
        "good": "Close to real",
        "fair": f"Partly close to real ({weakest} least)",
        "poor": f"Far from real ({weakest} most)",
    }[close]
    joint = "and" if close == "good" else "but"
    second = {
        "good": f", {joint} new",
        "fair": ", and only partly new" if close != "good" else ", but only partly new",
        "": "; whether new is not known without the training set",
    }[new]
    spoilt = "" if grades.get("validity") in ("good", "", None) else " More of them have defects than real ones."
    worst: Grade = "fair" if close == "good" and new == "fair" else close
    return worst, f"{first}{second}.{spoilt}"


def _weakest(report: Report) -> str:
    """Name the group of metrics with the lowest score."""
    groups = {group: score for group, score in report.properties["fidelity"].values.items() if score is not None}
    return _subject(min(groups, key=groups.__getitem__)) if groups else ""


def _subject(group: str) -> str:
    return _SUBJECTS.get(group, group)


def _finding(name: str, part: Property, report: Report) -> Finding:
    if part.score is None:
        return Finding(name, _QUESTIONS[name], "", "Not known", _sentence(part.note or "there is nothing to compare"))
    good, fair = BOUNDS[name]
    found: Grade = "good" if part.score >= good else "fair" if part.score >= fair else "poor"
    texts = {
        "fidelity": _fidelity_text,
        "novelty": _novelty_text,
        "validity": _validity_text,
        "diversity": _diversity_text,
        "detectability": _detectability_text,
    }
    return Finding(name, _QUESTIONS[name], found, _ANSWERS[name][found], texts[name](part, report))


def _sentence(text: str) -> str:
    """Make a note a sentence."""
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _fidelity_text(part: Property, report: Report) -> str:
    times = 1 / part.score if part.score else float("inf")
    far = "as near as real ones are to each other" if times < 1.15 else _times(times)
    groups = sorted((score, group) for group, score in part.values.items() if score is not None)
    sentences = [f"Typically {far}."]
    if len(groups) > 1:
        (low, worst), (high, best) = groups[0], groups[-1]
        sentences.append(f"Best: {_subject(best)} ({high:.2f}); worst: {_subject(worst)} ({low:.2f}).")
    farthest = _farthest(report.details)
    if farthest is not None:
        sentences.append(f"Farthest: {farthest.title}, {farthest.ratio:.3g} × the floor.")
    beside = [f"{name} {null.score:.2f}" for name, null in report.nulls.items() if null.score is not None]
    if beside:
        sentences.append(f"Null models reach: {', '.join(beside)}.")
    return " ".join(sentences)


def _times(times: float) -> str:
    return f"{times:.2g} times as far from real hypergraphs as real ones are from each other"


def _farthest(rows: tuple[Row, ...]) -> Row | None:
    """Return the row with the largest ratio, if that is above what chance gives."""
    judged = [row for row in rows if row.ratio is not None and row.ratio > GOOD]
    return max(judged, key=lambda row: row.ratio or 0.0, default=None)


def _novelty_text(part: Property, report: Report) -> str:
    copied, closer = part.values.get("copied") or 0.0, part.values.get("closer")
    count = round(copied * report.counts.get("generated", 0))
    first = f"{count:,} of {report.counts['generated']:,} are copies of a training hypergraph." if count else ""
    return (
        f"{first or 'No copy of a training hypergraph.'} "
        f"{_percent(closer)} are nearer to the training set than 95% of held-out real ones are."
    )


def _validity_text(part: Property, _: Report) -> str:
    """Name the defects that are more frequent among generated hypergraphs, the worst first."""
    worse = []
    for key, ours in part.values.items():
        name, separator, _rest = key.partition(", share without (generated)")
        theirs = part.values.get(f"{name}, share without (real)")
        if separator and ours is not None and theirs is not None and theirs - ours >= 0.005:
            worse.append((theirs - ours, f"{name} in {1 - ours:.0%} (real: {1 - theirs:.0%})"))
    if not worse:
        return "No defect is more frequent than in real hypergraphs."
    return f"More frequent than in real ones: {'; '.join(text for _gap, text in sorted(worse, reverse=True)[:2])}."


def _diversity_text(part: Property, _: Report) -> str:
    unique, ours, theirs = (part.values.get(key) for key in ("unique", "vendi", "vendi_real"))
    sentences = []
    if unique is not None:
        sentences.append(f"{_percent(unique)} are distinct.")
    if ours is not None and theirs is not None:
        sentences.append(
            f"By their features they count for {ours:.3g} different ones, as many real ones for {theirs:.3g}."
        )
    return " ".join(sentences)


def _detectability_text(part: Property, _: Report) -> str:
    auc, p_value = part.values.get("auc"), part.values.get("p_value")
    sentences = []
    if auc is not None:
        sentences.append(
            f"Of a real and a generated one it picks the generated one in {auc:.0%} of cases (a coin: 50%)."
        )
    if p_value is not None:
        sentences.append(f"Permutation test: p = {p_value:.2g}.")
    return " ".join(sentences)
