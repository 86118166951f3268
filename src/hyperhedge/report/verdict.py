"""The verdict: what the numbers of a report mean, in words that need no statistics.

Each property becomes a *finding*: a question, a short answer, a grade (:mod:`hyperhedge.report.grades`) and a sentence with the
numbers behind it.

The headline is about all five, since none is worth anything alone. *Close* takes two: distances as between real hypergraphs, and a
classifier that cannot tell generated from real ones; the lower grade decides. Copies, defects and repetition spoil closeness: a
sample that is poor in novelty, validity or diversity is called that first. The grade of the headline is the lowest of the five,
and at most fair if one of them is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

from hyperhedge.metrics.custom import CUSTOM
from hyperhedge.report.grades import GOOD, Grade, grade_of_score, lowest
from hyperhedge.report.report import Property, Report, Row, independent_fidelity, passes_for_real


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


QUESTIONS = {
    "fidelity": "How close to real?",
    "novelty": "How new?",
    "validity": "How valid?",
    "diversity": "How varied?",
    "detectability": "Can a classifier tell them apart?",
}

ANSWERS: dict[str, dict[Grade, str]] = {
    "fidelity": {"good": "Close to real", "fair": "Partly close", "poor": "Far from real"},
    "novelty": {"good": "New", "fair": "Partly new", "poor": "Not new"},
    "validity": {"good": "Valid", "fair": "Some defects", "poor": "Many defects"},
    "diversity": {"good": "As varied as real", "fair": "Less varied", "poor": "Too much alike"},
    "detectability": {"good": "Hardly", "fair": "Often", "poor": "In most cases"},
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
    >>> properties = {"fidelity": Property(0.9, {"marginals": 0.9}), "novelty": Property(1.0, {"copied": 0.0, "closer": 0.04}),
    ...               "validity": Property(1.0), "diversity": Property(1.0), "detectability": Property(0.9, {"auc": 0.55})}
    >>> result = verdict(Report("made", properties, rows, {"real": 50, "generated": 100}, {}))
    >>> result.grade, result.sentence
    ('good', 'Close to real, and new.')
    >>> result.findings[1].text
    'No copies of training hypergraphs. 4% are closer to the training set than 95% of held-out real ones.'
    """
    findings = tuple(_finding(name, prop, report) for name, prop in report.properties.items() if name in QUESTIONS)
    grades: dict[str, Grade] = {name: "" for name in QUESTIONS}  # noqa: C420  # of the type of grades
    grades |= {finding.name: finding.grade for finding in findings}
    return Verdict(overall(grades), _sentence_of(grades, report), findings)


def overall(grades: dict[str, Grade]) -> Grade:
    """Return the lowest grade; at most fair if one is not known, and none if closeness is not known and nothing is poor."""
    known = lowest(grades.values())
    if known == "poor":
        return "poor"
    if not grades["fidelity"]:
        return ""
    return lowest([known, "fair"]) if "" in grades.values() else known


#: What is wrong with a sample that is poor in a property, whatever its distances.
_SPOILT = {
    "novelty": "Too close to the training set to count as new",
    "validity": "Full of defects that real ones do not have",
    "diversity": "Too much alike",
}


def _sentence_of(grades: dict[str, Grade], report: Report) -> str:
    """Write the headline."""
    close = lowest([grades["fidelity"], grades["detectability"]])
    spoilt = next((words for name, words in _SPOILT.items() if grades[name] == "poor"), None)
    if spoilt:
        return f"{spoilt}{_besides(grades)}."
    if not grades["fidelity"]:
        return _no_closeness(grades, report)
    return " ".join(
        [f"{_closeness(grades, report)}{_newness(close, grades['novelty'], report)}.", *_reservations(grades)]
    )


def _is_blunt(report: Report) -> bool:
    """Say whether closeness is not known because independent incidences are as close."""
    return report.score is None and passes_for_real(independent_fidelity(report.details))


def _besides(grades: dict[str, Grade]) -> str:
    """Say how close a spoilt sample is."""
    if grades["fidelity"] == "poor":
        return ", and far from real"
    if grades["detectability"] == "poor":
        return ", and easily told from real"
    return ", however close to real" if grades["fidelity"] else ""


def _no_closeness(grades: dict[str, Grade], report: Report) -> str:
    """Say that closeness is not known, why, and what a classifier says all the same."""
    prop = report.properties["fidelity"]
    said = "How close to real is not known: there is nothing to measure the distances against."
    if _is_blunt(report):
        said = f"This comparison cannot judge how close to real they are: {prop.note}."
    if grades["detectability"] == "poor":
        said += f" But a classifier picks out the generated ones in {_auc(report)} of cases."
    return said


def _closeness(grades: dict[str, Grade], report: Report) -> str:
    """Say how close they are; what is worse, distances or the classifier, is named."""
    by_distance, by_classifier = grades["fidelity"], grades["detectability"]
    if by_distance == "poor":
        return f"Far from real (most of all in {_weakest(report)})"
    if by_classifier == "poor":
        return f"Easily told from real (a classifier picks them out in {_auc(report)} of cases)"
    if by_distance == "fair":
        return f"Partly close to real (least so in {_weakest(report)})"
    if by_classifier == "fair":
        return f"Partly close to real (a classifier picks them out in {_auc(report)} of cases)"
    return "Close to real"


def _newness(close: Grade, new: Grade, report: Report) -> str:
    unknown = "whether they are new" if "train" in report.counts else "without the training set, novelty"
    words: dict[Grade, str] = {
        "good": ", and new" if close == "good" else ", but new",
        "fair": ", but only partly new" if close == "good" else ", and only partly new",
        "": f"; {unknown} is not known",
    }
    return words[new]


def _reservations(grades: dict[str, Grade]) -> list[str]:
    """Name what is less than good beside closeness and novelty, and what is not known."""
    texts: dict[tuple[str, Grade], str] = {
        ("validity", "fair"): "Defects are more frequent than in real ones.",
        ("validity", ""): "Whether they have defects is not known.",
        ("diversity", "fair"): "They vary less than real ones.",
        ("diversity", ""): "Whether they vary enough is not known.",
        ("detectability", ""): "Whether a classifier tells them apart is not known.",
    }
    return [text for (name, grade), text in texts.items() if grades[name] == grade]


def _auc(report: Report) -> str:
    return percent(report.properties["detectability"].values.get("auc"))


def weakest_group(report: Report) -> str | None:
    """Return the group of metrics with the lowest score."""
    groups = {group: score for group, score in report.properties["fidelity"].values.items() if score is not None}
    return min(groups, key=groups.__getitem__) if groups else None


def _weakest(report: Report) -> str:
    """Name the group of metrics with the lowest score."""
    return _subject(weakest_group(report) or "")


def _subject(group: str) -> str:
    return _SUBJECTS.get(group, group)


def _finding(name: str, prop: Property, report: Report) -> Finding:
    if prop.score is None:
        answer = "Cannot judge" if name == "fidelity" and _is_blunt(report) else "Not known"
        return Finding(name, QUESTIONS[name], "", answer, as_sentence(prop.note or "there is nothing to compare"))
    grade = grade_of_score(name, prop.score)
    texts = {
        "fidelity": _fidelity_text,
        "novelty": _novelty_text,
        "validity": validity_text,
        "diversity": _diversity_text,
        "detectability": _detectability_text,
    }
    return Finding(name, QUESTIONS[name], grade, ANSWERS[name][grade], texts[name](prop, report))


def as_sentence(text: str) -> str:
    """Turn a note into a sentence."""
    return text[:1].upper() + text[1:].rstrip(".") + "."


def percent(share: float | None) -> str:
    """Write a share in percent."""
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
    independent = independent_fidelity(report.details)
    if independent is not None:
        sentences.append(f"Independent incidences: {independent:.2f}.")
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
        f"{percent(closer)} are closer to the training set than 95% of held-out real ones."
    )


def validity_text(prop: Property, _: Report) -> str:
    """Name the defects that are more frequent among generated hypergraphs, the worst first."""
    worse = []
    for key, excess in prop.values.items():
        name, separator, _rest = key.partition(", excess")
        if separator and excess is not None and excess >= 0.005:  # shows in percent
            worse.append((excess, _defect_text(name, prop)))
    if not any(", excess" in key for key in prop.values):
        return ""  # an earlier file, which does not say
    if not worse:
        return "No defect is more frequent than in real hypergraphs."
    return f"More frequent than in real ones: {'; '.join(text for _gap, text in sorted(worse, reverse=True)[:2])}."


def _defect_text(name: str, prop: Property) -> str:
    """Write a defect and its shares."""
    for of in ("nodes", "hyperedges"):
        generated, real = (prop.values.get(f"{name}, share of {of} ({whose})") for whose in ("generated", "real"))
        if generated is not None:
            return f"{name}{_range_text(name, prop)}, {percent(generated)} of {of} (real: {percent(real)})"
    return name


def _range_text(defect: str, prop: Property) -> str:
    """Write the range of real numbers that a defect is outside of."""
    what = defect.removesuffix(" out of range")
    low, high = prop.values.get(f"{what} from (real)"), prop.values.get(f"{what} to (real)")
    return "" if low is None or high is None else f" ({low:.0f} to {high:.0f})"


def _diversity_text(prop: Property, _: Report) -> str:
    unique, generated, real = prop.values.get("unique"), prop.values.get("vendi"), prop.values.get("vendi_real")
    sentences = []
    if unique is not None:
        sentences.append(f"{percent(unique)} are distinct.")
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
