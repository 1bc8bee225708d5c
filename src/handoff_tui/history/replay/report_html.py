"""The report for an auditor as one HTML file: no scripts, nothing from elsewhere, every text escaped.

Its own rule for the browser (CSP) allows nothing but the one style below, which is named by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from html import escape
from typing import Final

from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.metrics.report import MetricsReport
from handoff_tui.history.replay.report import ReplayReport
from handoff_tui.history.replay.report_sections import Code, Items, Part, Section, Table, Text, build_report

STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; margin: 2rem 0 0.5rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9em; }
th, td { border: 1px solid #999; padding: 0.25rem 0.5rem; text-align: left; vertical-align: top; }
td { overflow-wrap: anywhere; }
pre { border: 1px solid #999; padding: 0.5rem; overflow-x: auto; font-size: 0.85em; }
code { font-family: ui-monospace, monospace; }
"""
_HASH: Final = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY: Final = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"


def render_report_html(replay: ReplayReport, metrics: MetricsReport) -> str:
    """The whole file."""
    sections = build_report(replay, metrics)
    head = (
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY, quote=False)}">',
        '<meta name="referrer" content="no-referrer">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_show(sections[0].title)}</title>",
        f"<style>{STYLE}</style>",
        "</head>",
        "<body>",
    )
    body = [line for section in sections for line in _render_section(section)]
    return "\n".join((*head, *body, "</body>", "</html>", ""))


def _render_section(section: Section) -> list[str]:
    lines = [f"<h{section.level}>{_show(section.title)}</h{section.level}>"]
    for part in section.parts:
        lines += _render_part(part)
    return lines


def _render_part(part: Part) -> list[str]:
    if isinstance(part, Text):
        return [f"<p>{_show(part.text)}</p>"]
    if isinstance(part, Items):
        return ["<ul>", *(f"<li>{_show(text)}</li>" for text in part.texts), "</ul>"]
    if isinstance(part, Code):
        return ["<pre><code>" + "\n".join(_show(line) for line in part.lines) + "</code></pre>"]
    return _render_table(part)


def _render_table(table: Table) -> list[str]:
    lines = ["<table>", "<thead>", "<tr>" + "".join(f"<th>{_show(one)}</th>" for one in table.headings) + "</tr>"]
    lines += ["</thead>", "<tbody>"]
    for row in table.rows:
        cells = (
            f"<td><code>{_show(cell)}</code></td>" if place in table.coded else f"<td>{_show(cell)}</td>"
            for place, cell in enumerate(row)
        )
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return [*lines, "</tbody>", "</table>"]


def _show(text: str) -> str:
    """Escaped, and with every character visible that would not show."""
    return escape(render_safe(text))
