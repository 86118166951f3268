"""The report as one page that needs nothing else: text and tables as HTML, plots, drawings and the player by its own small script.

What can be said without a script is in the HTML: the verdict, the table with its strips, the definitions, how to repeat it. The
rest is drawn in the browser from one block of JSON, in which ``<``, ``>`` and ``&`` are escaped, by the scripts in ``assets``; they
put labels into the page as text and never as markup. Everything in the templates is escaped by Jinja.

A content security policy forbids every request and admits exactly these scripts and this style, by their hashes: even a mistake in
escaping could neither run a script nor reach a network.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hyperhedge.generator import Generator
from hyperhedge.metrics.page.content import gallery, recipe, table
from hyperhedge.metrics.page.distributions import distributions
from hyperhedge.metrics.page.film import Path, films
from hyperhedge.metrics.report import Report

__all__ = ["notebook", "page"]

SCRIPTS = ("base.js", "table.js", "plots.js", "drawing.js", "gallery.js", "player.js")
STYLE = "report.css"


def page(
    report: Report, *, drawn: Path | None = None, model: Generator | None = None, command: str | None = None
) -> str:
    """Return a whole page."""
    found, film_notes = films(drawn) if drawn is not None else ([], [])
    data = {
        "series": [name for name in report.batches if name != "train"],
        "generated": report.name,
        "plots": distributions(report.batches, report.settings.get("eigenvalues", 16)) if report.batches else [],
        "gallery": gallery(report.batches),
        "films": found,
    }
    scripts = [_asset(name) for name in SCRIPTS]
    return (
        _environment()
        .get_template("page.html")
        .render(
            report=report,
            verdict=report.verdict,
            table=table(report),
            recipe=recipe(report, model, command),
            has=data,
            film_notes=film_notes,
            data=_embedded(data),
            style=Markup(_asset(STYLE)),  # noqa: S704  # our own file
            scripts=[Markup(script) for script in scripts],  # noqa: S704
            policy=_policy(scripts, _asset(STYLE)),
        )
    )


def notebook(report: Report) -> str:
    """Return what a notebook shows: verdict and table, without a script."""
    template = _environment().get_template("notebook.html")
    return template.render(report=report, verdict=report.verdict, table=table(report))


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("hyperhedge.metrics.page", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _asset(name: str) -> str:
    return files("hyperhedge.metrics.page").joinpath("assets", name).read_text(encoding="utf-8")


def _policy(scripts: list[str], style: str) -> str:
    """Forbid everything but our own scripts and style."""
    own = " ".join(_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {own}; style-src {_hash(style)}; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _embedded(data: dict[str, Any]) -> Markup:
    """Write JSON that no HTML parser takes for markup."""
    text = msgspec.json.encode(data).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704  # nothing in it is markup any more
