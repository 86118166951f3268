"""The report as one page of HTML: tables, no script, nothing to load, colours for light and dark."""

from __future__ import annotations

from html import escape

from hyperhedge.metrics.report import PROPERTIES, Report, Row, between, grade, shown, shown_ratio

__all__ = ["body", "page"]

_STYLE = """
.hyperhedge { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; }
.hyperhedge table { border-collapse: collapse; margin: 1rem 0; }
.hyperhedge th, .hyperhedge td { padding: .25rem .7rem; border-bottom: 1px solid #8885; text-align: right; }
.hyperhedge th:first-child, .hyperhedge td:first-child, .hyperhedge td.text { text-align: left; }
.hyperhedge .good { background: #2a92; } .hyperhedge .fair { background: #da03; } .hyperhedge .poor { background: #d333; }
.hyperhedge .group td { font-weight: 600; border-bottom: none; padding-top: .8rem; }
.hyperhedge small { opacity: .7; }
"""


def page(report: Report) -> str:
    """Return a whole page."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
        f"<title>{escape(report.name)}: quality report</title></head><body>{body(report)}</body></html>\n"
    )


def body(report: Report) -> str:
    """Return what a page or a notebook shows."""
    counts = ", ".join(f"{count:,} {escape(name)}" for name, count in report.counts.items())
    parts = [
        f'<style>{_STYLE}</style><div class="hyperhedge"><h1>{escape(report.name)}</h1><p>{counts}</p>',
        _properties(report),
        _details(report),
        *(f"<p>{escape(note)}</p>" for note in report.notes),
        *(_values(name, part.values) for name, part in report.properties.items() if part.values),
        _definitions(report),
        "</div>",
    ]
    return "\n".join(parts)


def _properties(report: Report) -> str:
    rows = [
        f"<tr><td>{escape(name)}</td><td><b>{shown(part.score, 2)}</b></td>"
        f'<td class="text">{escape(part.note or PROPERTIES.get(name, ""))}</td></tr>'
        for name, part in report.properties.items()
    ]
    return f"<table>{''.join(rows)}</table>"


def _details(report: Report) -> str:
    head = "<tr><th>metric</th><th>value</th><th>interval</th><th>floor</th><th>ceiling</th><th>× floor</th></tr>"
    lines, group = [head], ""
    for row in report.details:
        if row.group != group:
            group = row.group
            lines.append(f'<tr class="group"><td colspan="6">{escape(group)}</td></tr>')
        lines.append(_row(row))
    return f"<table>{''.join(lines)}</table>"


def _row(row: Row) -> str:
    title = f"{escape(row.title)} <small>{escape(row.symbol)}</small>"
    if row.value is None:
        return f'<tr><td>{title}</td><td class="text" colspan="5">{escape(row.note or "not defined")}</td></tr>'
    kind = grade(row.ratio) or ("poor" if row.score == 0 else "")
    return (
        f"<tr><td>{title}</td><td>{shown(row.value, signed=row.signed)}</td><td>{between(row)}</td>"
        f'<td>{shown(row.floor)}</td><td>{shown(row.ceiling)}</td><td class="{kind}">{shown_ratio(row)}</td></tr>'
    )


def _values(name: str, values: dict[str, float | None]) -> str:
    rows = [f"<tr><td>{escape(key)}</td><td>{shown(value)}</td></tr>" for key, value in values.items()]
    return f"<h2>{escape(name)}</h2><table>{''.join(rows)}</table>"


def _definitions(report: Report) -> str:
    rows = [
        f'<tr><td>{escape(row.title)}</td><td class="text">{escape(row.definition)}</td></tr>' for row in report.details
    ]
    settings = ", ".join(f"{escape(key)} = {escape(str(value))}" for key, value in report.settings.items())
    return f"<h2>definitions</h2><table>{''.join(rows)}</table><p><small>{settings}</small></p>"
