"""The verdict: what the numbers of a report mean, in words that need no statistics.

Each property becomes a *finding*: a question, a short answer, a grade and a sentence with the numbers behind it. Fidelity is
graded as ratios to the floor are: its score is typically floor over distance, so its bounds are 1/1.5 and 1/3. The bounds of
the others are round numbers; docs/report.md shows them next to the scores of real hypergraphs and of baselines.

The headline is about closeness and novelty together, since neither is worth anything alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from hyperhedge.metrics.custom import CUSTOM
from hyperhedge.report.report import FAIR, GOOD, Grade, Property, Report, Row


@dataclass(frozen=True)
class Finding:
    """One property in words.

    Attributes
    ----------
    name
        The property.
    question
        The question that it answers.
    grade
        Good, fair or poor; empty if it is not known.
    answer
        The answer in a few words.
    text
        The numbers behind the answer.
    """

    name: str
    question: str
    grade: Grade
    answer: str
    text: str


@dataclass(frozen=True)
class Verdict:
    """The headline with its grade, and one finding per property."""

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

#: The least scores at which a property is good and fair.
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
    "diversity": {"good": "As varied as real", "fair": "Less varied", "poor": "Too much alike"},
    "detectability": {"good": "Hardly", "fair": "Often", "poor": "Nearly always"},
}

_SUBJECTS = {
    "calibration": "averages",
    "marginals": "degrees and edge sizes",
    "overlap": "overlaps",
    "spectra": "spectra",
    "features": "features taken together",
    "centrality": "centralities",
    CUSTOM: "custom metrics",
}


def verdict(report: Report) -> Verdict:
    """Put a report into words.

    Examples
    --------
    >>> rows = (Row("size_wd", "Size WD", "", "marginals", "", False, value=1.0, floor=0.9, ceiling=9.0),)
    >>> properties = {"fidelity": Property(0.9, {"marginals": 0.9}), "novelty": Property(1.0, {"copied": 0.0, "closer": 0.04})}
    >>> result = verdict(Report("made", properties, rows, {"real": 50, "generated": 100}, {}))
    >>> result.grade, result.sentence
    ('good', 'Close to real, and new.')
    >>> result.findings[1].text
    'No copies of training hypergraphs. 4% are closer to the training set than 95% of held-out real ones.'
    """
    findings = tuple(_finding(name, prop, report) for name, prop in report.properties.items() if name in _QUESTIONS)
    grades = {finding.name: finding.grade for finding in findings}
    return Verdict(*_headline(grades, _weakest(report)), findings)


def _headline(grades: dict[str, Grade], weakest: str) -> tuple[Grade, str]:
    """Say how close and how new they are in one sentence; the grade is the lower of the two."""
    close, new = grades.get("fidelity", ""), grades.get("novelty", "")
    if not close:
        return "", "How close to real is not known: there is nothing to measure the distances against."
    if new == "poor":
        return "poor", "Too close to the training set to count as new, however close to real."
    first = {
        "good": "Close to real",
        "fair": f"Partly close to real (least so in {weakest})",
        "poor": f"Far from real (most of all in {weakest})",
    }[close]
    second = {
        "good": ", and new" if close == "good" else ", but new",
        "fair": ", but only partly new" if close == "good" else ", and only partly new",
        "": "; without the training set, novelty is not known",
    }[new]
    defects = "" if grades.get("validity") in ("good", "", None) else " Defects are more frequent than in real ones."
    lower: Grade = "fair" if close == "good" and new == "fair" else close
    return lower, f"{first}{second}.{defects}"


def _weakest(report: Report) -> str:
    """Name the group of metrics with the lowest score."""
    groups = {group: score for group, score in report.properties["fidelity"].values.items() if score is not None}
    return _subject(min(groups, key=groups.__getitem__)) if groups else ""


def _subject(group: str) -> str:
    return _SUBJECTS.get(group, group)


def _finding(name: str, prop: Property, report: Report) -> Finding:
    if prop.score is None:
        return Finding(name, _QUESTIONS[name], "", "Not known", _sentence(prop.note or "there is nothing to compare"))
    good, fair = BOUNDS[name]
    grade: Grade = "good" if prop.score >= good else "fair" if prop.score >= fair else "poor"
    texts = {
        "fidelity": _fidelity_text,
        "novelty": _novelty_text,
        "validity": _validity_text,
        "diversity": _diversity_text,
        "detectability": _detectability_text,
    }
    return Finding(name, _QUESTIONS[name], grade, _ANSWERS[name][grade], texts[name](prop, report))


def _sentence(text: str) -> str:
    """Turn a note into a sentence."""
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _fidelity_text(prop: Property, report: Report) -> str:
    times = 1 / prop.score if prop.score else float("inf")
    far = "as close as real ones are to each other"
    if times >= 1.15:  # below, two digits would read as one time as far
        far = f"{times:.2g} times as far from real hypergraphs as real ones are from each other"
    groups = sorted((score, group) for group, score in prop.values.items() if score is not None)
    sentences = [f"Typically {far}."]
    if len(groups) > 1:
        (low, worst), (high, best) = groups[0], groups[-1]
        sentences.append(f"Best: {_subject(best)} ({high:.2f}); worst: {_subject(worst)} ({low:.2f}).")
    farthest = _farthest(report.details)
    if farthest is not None:
        sentences.append(f"Farthest: {farthest.title}, {farthest.ratio:.3g} × the floor.")
    scores = [f"{name} {other.score:.2f}" for name, other in report.baselines.items() if other.score is not None]
    if scores:
        sentences.append(f"Baselines: {', '.join(scores)}.")
    return " ".join(sentences)


def _farthest(rows: tuple[Row, ...]) -> Row | None:
    """Return the row with the largest ratio, if it is above what chance alone gives."""
    beyond_chance = [row for row in rows if row.ratio is not None and row.ratio > GOOD]
    return max(beyond_chance, key=lambda row: row.ratio or 0.0, default=None)


def _novelty_text(prop: Property, report: Report) -> str:
    copied, closer = prop.values.get("copied") or 0.0, prop.values.get("closer")
    count = round(copied * report.counts.get("generated", 0))
    copies = f"{count:,} of {report.counts['generated']:,} are copies" if count else "No copies"
    return (
        f"{copies} of training hypergraphs. "
        f"{_percent(closer)} are closer to the training set than 95% of held-out real ones."
    )


def _validity_text(prop: Property, _: Report) -> str:
    """Name the defects that are more frequent among generated hypergraphs, the worst first."""
    worse = []
    for key, generated in prop.values.items():
        name, separator, _rest = key.partition(", share without (generated)")
        real = prop.values.get(f"{name}, share without (real)")
        if separator and generated is not None and real is not None and real - generated >= 0.005:  # shows in percent
            worse.append((real - generated, f"{name} in {1 - generated:.0%} (real: {1 - real:.0%})"))
    if not worse:
        return "No defect is more frequent than in real hypergraphs."
    return f"More frequent than in real ones: {'; '.join(text for _gap, text in sorted(worse, reverse=True)[:2])}."


def _diversity_text(prop: Property, _: Report) -> str:
    unique, generated, real = prop.values.get("unique"), prop.values.get("vendi"), prop.values.get("vendi_real")
    sentences = []
    if unique is not None:
        sentences.append(f"{_percent(unique)} are distinct.")
    if generated is not None and real is not None:
        sentences.append(
            f"By their features they amount to {generated:.3g} different hypergraphs, as many real ones to {real:.3g}."
        )
    return " ".join(sentences)


def _detectability_text(prop: Property, _: Report) -> str:
    auc, p_value = prop.values.get("auc"), prop.values.get("p_value")
    sentences = []
    if auc is not None:
        sentences.append(
            f"Shown a real and a generated one, it picks the generated one in {auc:.0%} of cases (a coin toss: 50%)."
        )
    if p_value is not None:
        sentences.append(f"Permutation test: p = {p_value:.2g}.")
    return " ".join(sentences)
