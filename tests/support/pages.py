"""Pages as plain text, without a terminal."""

from __future__ import annotations

from handoff_tui.core.text.page import Grid, Page


def render_page(page: Page) -> str:
    """Each line as its cells, each row of a grid as its cells between bars."""
    lines: list[str] = []
    for part in page.parts:
        if isinstance(part, Grid):
            lines.extend(" | ".join(cell.text for cell in row) for row in part.rows)
        else:
            lead = "  " if part.indent == 2 else ""
            lines.append((lead + "".join(cell.text for cell in part.cells)).rstrip())
    return "\n".join(lines)
