"""The last guard before the terminal: no escape code and nothing invisible leaves this program as text.

Everything from disk was made safe when its cells were built. This filter catches what a framework widget, or a
bug in handoff-tui, lets through: one escape sequence in a file name could repaint a failure as a pass.
"""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from handoff_tui.core.text.safe_text import find_hidden, render_safe


class SafeFilter(LineFilter):
    """Shows control characters instead of sending them; a line keeps its width."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - the framework's way to call it
        if all(segment.control or (segment.text.isascii() and segment.text.isprintable()) for segment in segments):
            return segments
        if not any(_is_suspect(segment) for segment in segments):
            return segments
        width = sum(cell_len(segment.text) for segment in segments if not segment.control)
        safe = [
            Segment(render_safe(segment.text), segment.style) if _is_suspect(segment) else segment
            for segment in segments
        ]
        return Segment.adjust_line_length(safe, width)


def _is_suspect(segment: Segment) -> bool:
    if segment.control:
        return False
    return any(character in segment.text for character in "\t\n") or bool(find_hidden(segment.text))
