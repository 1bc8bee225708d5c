"""The report for an auditor as Markdown; no text in it from elsewhere is obeyed."""

from __future__ import annotations

from handoff_tui.core.text.markdown_text import render_block, render_code, render_markdown
from handoff_tui.history.metrics.report import MetricsReport
from handoff_tui.history.replay.report import ReplayReport
from handoff_tui.history.replay.report_sections import Code, Items, Part, Section, Table, Text, build_report


def render_report_markdown(replay: ReplayReport, metrics: MetricsReport) -> str:
    """The whole report; it ends with a newline."""
    lines = [line for section in build_report(replay, metrics) for line in _render_section(section)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _render_section(section: Section) -> list[str]:
    lines = [f"{'#' * section.level} {render_markdown(section.title)}", ""]
    for part in section.parts:
        lines += [*_render_part(part), ""]
    return lines


def _render_part(part: Part) -> list[str]:
    if isinstance(part, Text):
        return [render_markdown(part.text)]
    if isinstance(part, Items):
        return [f"- {render_markdown(text)}" for text in part.texts]
    if isinstance(part, Code):
        return render_block(part.lines, "sh")
    return _render_table(part)


def _render_table(table: Table) -> list[str]:
    lines = [_join(table.headings), _join(("---",) * len(table.headings))]
    for row in table.rows:
        cells = (render_code(cell) if place in table.coded else render_markdown(cell) for place, cell in enumerate(row))
        lines.append(_join(tuple(cells)))
    return lines


def _join(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cells) + " |"
