"""A proof of work that is open: its text line by line, or a picture as half blocks."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from handoff_tui.core.picture import Picture
from handoff_tui.core.text.half_blocks import HalfBlock, render_half_blocks, render_shades
from handoff_tui.core.text.page import Cell
from handoff_tui.live.state.agents import ProofShown
from handoff_tui.tui.dialogs.proofs.rows import build_proof_line
from handoff_tui.tui.drawing.cells import find_ink
from handoff_tui.tui.widgets.line_view import LineView

_SIDEWAYS = 16


class ProofLines(LineView):
    """One proof at a time, from its beginning on. A picture is as large as there is room for."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as in the framework
        super().__init__(id=id)
        self._shown: ProofShown | None = None
        self._blocks: list[list[HalfBlock]] = []
        self._shades: list[str] = []
        self._shift = 0

    @property
    def line_count(self) -> int:
        if self._shown is None:
            return 0
        return len(self._blocks) or len(self._shades) or len(self._shown.lines)

    def show(self, shown: ProofShown | None) -> None:
        if shown is self._shown:
            return
        self._shown, self._shift = shown, 0
        self.scroll_to(y=0, animate=False, force=True)
        self._draw_picture()
        self.lines_changed()

    def on_resize(self) -> None:
        self._draw_picture()
        super().on_resize()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self.is_attached:
            self._draw_picture()

    def build_line(self, index: int, width: int) -> tuple[Cell, ...]:  # noqa: ARG002 - whoever draws cuts it
        if self._shades:
            return (Cell(self._shades[index]),)
        return build_proof_line(self._shown, index, self._shift) if self._shown is not None else ()

    def navigate(self, action: str) -> None:
        if action in {"nav.left", "nav.right"}:
            self._shift = max(0, self._shift + (_SIDEWAYS if action == "nav.right" else -_SIDEWAYS))
            self.lines_changed()
            return
        super().navigate(action)

    def _draw_picture(self) -> None:
        picture = self._shown.picture if self._shown is not None else None
        self._blocks, self._shades = [], []
        if picture is None:
            return
        size = (max(1, self.size.width), max(1, self.size.height))
        if self._is_colourless:
            self._shades = render_shades(picture, *size)
        else:
            self._blocks = render_half_blocks(picture, *size)

    @property
    def _is_colourless(self) -> bool:
        ink = find_ink(self)
        return ink.ascii_only or ink.theme.style("pass").colour == ink.theme.style("text").colour

    def _draw(self, index: int, width: int, ground: Style | None) -> Strip:
        if not self._blocks:
            return super()._draw(index, width, ground)
        row = self._blocks[index]
        segments = [Segment(one.text, Style(color=one.foreground, bgcolor=one.background)) for one in row]
        return Strip(segments).extend_cell_length(width, find_ink(self).background).simplify()


def describe_picture(picture: Picture) -> str:
    """How large it is in truth."""
    return f"{picture.width} × {picture.height} pixels"
