"""The verdict on a whole hypergraph in words: how much of the way from the null model it has gone, how new it is, its defects."""

from __future__ import annotations

from hyperhedge.report.grades import FAIR, GOOD, Grade
from hyperhedge.report.report import Property, passes_for_real
from hyperhedge.report.verdict import (
    ANSWERS,
    QUESTIONS,
    Finding,
    Verdict,
    as_sentence,
    overall,
    percent,
    validity_text,
    weakest_group,
)
from hyperhedge.report.whole.report import WholeReport, WholeRow

_GROUPS = {
    "marginals": "degrees and sizes",
    "meetings": "how often nodes meet",
    "overlap": "overlaps",
    "neighbourhoods": "neighbourhoods",
    "spectrum": "singular values",
    "connectivity": "components and distances",
    "motifs": "motifs",
}


def verdict(report: WholeReport) -> Verdict:
    """Put a report into words."""
    findings = tuple(_finding(name, prop, report) for name, prop in report.properties.items())
    grades = {finding.name: finding.grade for finding in findings}
    return Verdict(overall(grades), _sentence(grades, report), findings)


def _sentence(grades: dict[str, Grade], report: WholeReport) -> str:
    """Write the headline."""
    if grades["novelty"] == "poor":
        return "Mostly a copy of the training hypergraph."
    if grades["validity"] == "poor":
        return "Full of defects that the real one does not have."
    if not grades["fidelity"]:
        return f"This comparison cannot judge how close to real it is: {report.properties['fidelity'].note}."
    closeness = {
        "good": "Close to real",
        "fair": f"Partly close to real (least so in {_weakest(report)})",
        "poor": f"Far from real (most of all in {_weakest(report)})",
    }[grades["fidelity"]]
    newness = {"good": ", and new", "fair": ", and only partly new", "": "; whether it is new is not known"}
    if grades["fidelity"] != "good":
        newness["good"] = ", but new"
    end = " Defects are more frequent than in the real one." if grades["validity"] == "fair" else ""
    return f"{closeness}{newness[grades['novelty']]}.{end}"


def _weakest(report: WholeReport) -> str:
    return _subject(weakest_group(report) or "nothing in particular")


def _subject(group: str) -> str:
    return _GROUPS.get(group, group)


def _finding(name: str, prop: Property, report: WholeReport) -> Finding:
    if prop.score is None:
        cannot = name == "fidelity" and any(passes_for_real(row.ceiling_score) for row in report.details)
        answer = "Cannot judge" if cannot else "Not known"
        return Finding(name, QUESTIONS[name], "", answer, as_sentence(prop.note or "there is nothing to compare"))
    texts = {"fidelity": _fidelity_text, "novelty": _novelty_text, "validity": validity_text}
    grade = report.grade_of(name)
    return Finding(name, QUESTIONS[name], grade, ANSWERS[name][grade], texts[name](prop, report))


def _fidelity_text(prop: Property, report: WholeReport) -> str:
    sentences = [
        f"It has gone {percent(prop.score)} of the way from its null model to another sample of the real law, on average."
    ]
    groups = sorted((score, group) for group, score in prop.values.items() if score is not None)
    if len(groups) > 1:
        (low, worst), (high, best) = groups[0], groups[-1]
        sentences.append(f"Best: {_subject(best)} ({high:.2f}); worst: {_subject(worst)} ({low:.2f}).")
    farthest = _least(report.details)
    if farthest is not None and farthest.score is not None and farthest.ratio is not None:
        sentences.append(f"Least: {farthest.title} ({farthest.score:.2f}; {farthest.ratio:.3g} × the floor).")
    copies = [
        f"{name}: {one.fidelity:.2f}"
        for name, one in report.yardsticks.items()
        if one.kind == "copy" and one.fidelity is not None
    ]
    if copies:
        sentences.append(f"To compare with: {'; '.join(copies)}.")
    scores = [f"{name} {other.score:.2f}" for name, other in report.baselines.items() if other.score is not None]
    if scores:
        sentences.append(f"Baselines: {', '.join(scores)}.")
    return " ".join(sentences)


def _least(rows: tuple[WholeRow, ...]) -> WholeRow | None:
    """Return the row with the shortest way gone, of those beyond chance."""
    beyond = [row for row in rows if row.score is not None and row.ratio is not None and row.ratio > GOOD]
    return min(beyond, key=lambda row: row.score if row.score is not None else FAIR, default=None)


def _novelty_text(prop: Property, _: WholeReport) -> str:
    values = prop.values
    return (
        f"{percent(values.get('matched'))} of the hyperedges match training ones under the best alignment that was found "
        f"(by chance: {percent(values.get('matched by chance'))}). {percent(values.get('known surroundings'))} of the "
        f"surroundings that are unique in training occur here (by chance: {percent(values.get('known surroundings by chance'))})."
    )
