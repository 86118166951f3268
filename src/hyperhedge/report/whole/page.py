"""The page on a whole hypergraph: the frame, styles and scripts of every report's page, with what one hypergraph has to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hyperhedge.models.base import BaseGenerator
from hyperhedge.report.animation import animations
from hyperhedge.report.content import baseline_kind, gallery, recipe, table
from hyperhedge.report.grades import WAY, grade_of_score
from hyperhedge.report.page import rendered
from hyperhedge.report.whole.content import matrices, neighbourhoods, plots, seam_tables
from hyperhedge.report.whole.report import WholeReport

if TYPE_CHECKING:
    from hyperhedge.models.hedge.sampling import SamplePaths


def page(
    report: WholeReport,
    *,
    paths: SamplePaths | None = None,
    model: BaseGenerator | None = None,
    command: str | None = None,
) -> str:
    """Return the report as a page; :meth:`Report.to_html` says what the arguments are."""
    played, animation_notes = animations(paths) if paths is not None else ([], [])
    kinds = {"real": "real", "generated": "generated"} | {
        name: baseline_kind(k) for k, name in enumerate(report.baselines)
    }
    for name in report.graphs:
        kinds.setdefault(name, baseline_kind(len(report.baselines)))
    content = {
        "series": [{"name": name, "kind": kinds[name]} for name in report.statistics],
        "plots": plots(report) if report.statistics else [],
        "matrices": matrices(report.graphs),
        "gallery": gallery({name: neighbourhoods(H) for name, H in report.graphs.items()}),
        "animations": played,
    }
    return rendered(
        "whole.html",
        report,
        content,
        tails_first=True,
        verdict=report.verdict,
        table=table(report),
        recipe=recipe(report, model, command),
        notes=report.notes,
        animation_notes=animation_notes,
        yardsticks=[
            (name, one, grade_of_score("way", one.fidelity), grade_of_score("novelty", one.novelty))
            for name, one in report.yardsticks.items()
        ],
        seams=seam_tables(report),
        way=WAY,
    )
