"""The report as one self-contained page: text and tables in HTML; plots, pictures and the player by a small script.

Everything that needs no script is in the HTML: the verdict, the table with its strips, the definitions, how to repeat the report.
The scripts in ``assets`` render the rest in the browser from one block of JSON, in which ``<``, ``>`` and ``&`` are escaped. They
put labels into the page as text, never as markup. Everything in the templates is escaped by Jinja.

A content security policy forbids every request and admits exactly these scripts and this style, by their hashes: even an error in
escaping could neither run a script nor reach a network.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hyperhedge.models.base import BaseGenerator
from hyperhedge.report.animation import animations
from hyperhedge.report.content import (
    baseline_kind,
    call_of_several,
    gallery,
    generator_kind,
    merged,
    recipe,
    table,
    table_of_several,
)
from hyperhedge.report.distributions import distributions
from hyperhedge.report.grades import as_data
from hyperhedge.report.report import Report

if TYPE_CHECKING:
    from hyperhedge.models.hedge.sampling import SamplePaths

SCRIPTS = ("base.js", "table.js", "plots.js", "pictures.js", "rasters.js", "gallery.js", "player.js")
STYLE = "report.css"


def page(
    report: Report, *, paths: SamplePaths | None = None, model: BaseGenerator | None = None, command: str | None = None
) -> str:
    """Return the report as a page; :meth:`Report.to_html` says what the arguments are."""
    shown, animation_notes = animations(paths) if paths is not None else ([], [])
    kinds = {name: baseline_kind(k) for k, name in enumerate(report.baselines)}
    return rendered(
        "page.html",
        report,
        _content(report, {"real": "real", "generated": "generated"} | kinds, ("real", "generated"), shown),
        verdict=report.verdict,
        table=table(report),
        recipe=recipe(report, model, command),
        notes=report.notes,
        animation_notes=animation_notes,
    )


def page_of_several(
    reports: Mapping[str, Report], notes: Sequence[str], seconds: Mapping[str, float], command: str | None
) -> str:
    """Return reports on several generators, which share floor and ceiling, as one page."""
    first = next(iter(reports.values()))
    kinds = {name: generator_kind(k) for k, name in enumerate(reports)}
    together = merged(reports)
    return rendered(
        "compare.html",
        together,
        _content(together, {"real": "real"} | kinds, ("real", *reports), []),
        reports=reports,
        verdicts={name: report.verdict for name, report in reports.items()},
        seconds=seconds,
        shared=first.counts,
        table=table_of_several(reports),
        recipe=recipe(together, None, command) | {"call": call_of_several(reports)},
        notes=notes,
        animation_notes=[],
    )


def _content(
    report: Report, kinds: Mapping[str, str], in_gallery: Sequence[str], animations: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return what the scripts of a page on collections show."""
    collections = report.collections
    return {
        "series": [{"name": name, "kind": kinds[name]} for name in collections if name in kinds],
        "plots": distributions(report) if collections else [],
        "gallery": gallery({name: collections[name].hypergraphs for name in in_gallery if name in collections}),
        "animations": animations,
    }


def rendered(template: str, report: Report, content: dict[str, Any], **shown: Any) -> str:
    """Fill a template; scripts read their ``content`` from one block of JSON."""
    data = content | {"bounds": as_data()}
    scripts = [_asset(name) for name in SCRIPTS]
    return (
        _environment()
        .get_template(template)
        .render(
            report=report,
            has=data,
            data=_embedded(data),
            bounds=as_data(),
            style=Markup(_asset(STYLE)),  # noqa: S704  # our own file
            scripts=[Markup(script) for script in scripts],  # noqa: S704
            policy=_policy(scripts, _asset(STYLE)),
            **({"tails_first": False} | shown),
        )
    )


def notebook(report: Report) -> str:
    """Return the report as a notebook shows it: verdict and table, without a script."""
    template = _environment().get_template("notebook.html")
    return template.render(report=report, verdict=report.verdict, table=table(report))


def notebook_of_several(reports: Mapping[str, Report], notes: Sequence[str], seconds: Mapping[str, float]) -> str:
    """Return reports on several generators as a notebook shows them."""
    return (
        _environment()
        .get_template("notebook_compare.html")
        .render(
            reports=reports,
            verdicts={name: report.verdict for name, report in reports.items()},
            seconds=seconds,
            bounds=as_data(),
            table=table_of_several(reports),
            notes=notes,
        )
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("hyperhedge.report", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _asset(name: str) -> str:
    return files("hyperhedge.report").joinpath("assets", name).read_text(encoding="utf-8")


def _policy(scripts: list[str], style: str) -> str:
    """Forbid everything but the scripts and the style of the page itself."""
    hashes = " ".join(_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src {_hash(style)}; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _embedded(data: dict[str, Any]) -> Markup:
    """Write JSON that an HTML parser cannot take for markup."""
    text = msgspec.json.encode(data).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704  # nothing in it is markup any more
