"""The proofs of work of a handoff, by task across runs; the selected one is open below."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.strip import Strip

from handoff_tui.agents.proofs import MeasuredProof, TaskProofs
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.tasks import ProofKind
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.pictures import HalfBlock, Picture, render_half_blocks, render_shades
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.agents import ProofShown
from handoff_tui.live.state.app import AppState
from handoff_tui.tui.actions import Keys
from handoff_tui.tui.dialogs.box import Box, keep_key
from handoff_tui.tui.drawing.cells import find_ink
from handoff_tui.tui.messages import ProofWanted
from handoff_tui.tui.views.agent.rows import build_run_name
from handoff_tui.tui.widgets.bars import Bar, Divider
from handoff_tui.tui.widgets.line_view import LineView
from handoff_tui.tui.widgets.row_list import EmptyRows, RowList

_WHOLE = "the whole handoff"
_LONGEST_RAW = 4_000
_MARKS = {
    True: Cell("✓ as recorded   ", "pass"),
    False: Cell("✗ changed since ", "fail"),
    None: Cell("? not recorded  ", "unverified"),
}


def build_proof_name(proof: MeasuredProof) -> str:
    """Returns a proof's key in the list; it stays the same across refreshes."""
    return f"{proof.task or ''}\0{proof.run or ''}\0{proof.path}"


class ProofRows:
    """Each task with its proofs below it; the cursor stops on proofs only."""

    def __init__(self, tasks: Sequence[TaskProofs]) -> None:
        self._rows: list[MeasuredProof | str] = []
        for task in tasks:
            self._rows += [task.task or _WHOLE, *task.proofs]
        self.keys: Sequence[str] = tuple("" if isinstance(row, str) else build_proof_name(row) for row in self._rows)

    def find(self, name: str) -> MeasuredProof | None:
        row = self._rows[self.keys.index(name)] if name and name in self.keys else None
        return None if isinstance(row, str) else row

    def build_row(self, index: int, width: int) -> tuple[Cell, ...]:  # noqa: ARG002 - the widget cuts it
        row = self._rows[index]
        if isinstance(row, str):
            return (Cell(render_safe(row), "heading"),)
        size = f"  {row.size:,} bytes" if row.size is not None else ""
        digest = f"  sha256 {row.sha256[:SHORT_DIGEST]}" if row.sha256 else "  can't be read"
        return (
            _MARKS[row.holds] if row.sha256 else Cell("✗ unreadable    ", "fail"),
            Cell(f"{row.kind.value:<12}"),
            Cell(describe_proof(row), "path"),
            Cell(
                size + (f"  run {render_safe(row.run)}" if row.run and row.recorded is None else "") + digest, "muted"
            ),
        )


def describe_proof(proof: MeasuredProof) -> str:
    """Names a proof: the path of a file, or the run whose output it is."""
    return render_safe(f"output of {proof.run}" if proof.recorded is not None and proof.run else proof.path)


def build_proof_line(shown: ProofShown, index: int, shift: int) -> tuple[Cell, ...]:
    """Draws a line of a proof from a column on; lines of a diff are coloured."""
    line = shown.lines[index][:_LONGEST_RAW]
    return (Cell(render_safe(line)[shift:], _find_role(shown.proof.kind, line)),)


def _find_role(kind: ProofKind, line: str) -> str:
    if kind is not ProofKind.DIFF:
        return "text"
    roles = {"+": "added", "-": "removed", "@": "muted"}
    return roles.get(line[:1], "text")


class ProofLines(LineView):
    """Shows one proof from its beginning. A picture takes the room there is."""

    sideways = 16
    furthest = _LONGEST_RAW

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - as in the framework
        super().__init__(id=id)
        self._shown: ProofShown | None = None
        self._blocks: list[list[HalfBlock]] = []
        self._shades: list[str] = []

    @property
    def line_count(self) -> int:
        if self._shown is None:
            return 0
        return len(self._blocks) or len(self._shades) or len(self._shown.lines)

    def show(self, shown: ProofShown | None) -> None:
        if shown is self._shown:
            return
        self._shown, self._offset = shown, 0
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

    def build_line(self, index: int, width: int) -> tuple[Cell, ...]:  # noqa: ARG002 - the widget cuts it
        if self._shades:
            return (Cell(self._shades[index]),)
        return build_proof_line(self._shown, index, self._offset) if self._shown is not None else ()

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
    """Says how large the picture really is."""
    return f"{picture.width} × {picture.height} pixels"


_LEAVING = frozenset({"app.back", "app.quit", "app.interrupt"})


class ProofsScreen(Box[str | None]):
    """Returns the name of a run if the user wants all of its output."""

    DEFAULT_CSS = """
    ProofsScreen { align: center middle; background: $background 60%; }
    #proofs { width: 94%; height: 94%; background: $surface; border: heavy $border; }
    #proof-rows { height: auto; max-height: 40%; }
    #proof { height: 1fr; }
    ProofsScreen.-empty #proofs { height: 8; }
    """
    AUTO_FOCUS = ""

    def __init__(self, keys: Keys, state: AppState) -> None:
        super().__init__()
        self._keymap = keys
        self._rows: ProofRows | None = None
        self._state = state

    def compose(self) -> ComposeResult:
        with Vertical(id="proofs"):
            yield Divider(id="proofs-title")
            yield RowList(id="proof-rows")
            yield Divider(id="proof-title")
            yield ProofLines(id="proof")
            yield Bar(id="proof-keys", raised=True)

    def on_mount(self) -> None:
        self.query_one(RowList).focus(scroll_visible=False)
        self.query_one("#proof-keys", Bar).show(
            *(Cell(" ↵", "key"), Cell(" read  "), Cell("tab", "key"), Cell(" list or proof  ")),
            *(Cell("h l", "key"), Cell(" sideways  "), Cell("esc", "key"), Cell(" leave")),
        )
        self.call_after_refresh(self._draw)

    def show(self, state: AppState) -> None:
        """Shows the proofs known so far; the cursor stays on its proof."""
        before, self._state = self._state, state
        if self.is_mounted and state.proofs is not before.proofs:
            self._draw()

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        part, rows = self._state.proofs, self.query_one(RowList)
        number = sum(len(task.proofs) for task in part.value.tasks) if part.value else 0
        name = render_safe(self._state.chosen.handoff) if self._state.chosen else ""
        title = self.query_one("#proofs-title", Divider)
        title.show_title(Cell("Proofs of work of ", "heading"), Cell(name, "path"), right=str(number) if number else "")
        self._rows = ProofRows(part.value.tasks) if part.value is not None and number else None
        rows.show(self._rows if self._rows is not None else EmptyRows(self._explain_empty()))
        rows.styles.height = max(2, rows.line_count)
        self.set_class(self._rows is None, "-empty")
        self._show_proof()

    def _explain_empty(self) -> Cell:
        part = self._state.proofs
        if part.trouble is not None:
            return Cell(f"✗ {render_safe(part.trouble.message)}. {render_safe(part.trouble.hint)}", "fail")
        if part.value is None:
            return Cell("Reading the proofs and their digests…", "muted")
        return Cell("No proofs offered, and no agent has run here", "muted")

    @property
    def _shown(self) -> ProofShown | None:
        """The open proof, if it is the selected one."""
        view = self._state.proofs.value
        shown = view.shown if view is not None else None
        here = self.query_one(RowList).key
        return shown if shown is not None and build_proof_name(shown.proof) == here else None

    def _show_proof(self) -> None:
        shown = self._shown
        self.query_one(ProofLines).show(shown)
        proof = self._rows.find(self.query_one(RowList).key) if self._rows is not None else None
        words = describe_proof(proof) if proof is not None else ""
        note = "" if proof is None else "reading…" if shown is None else shown.note
        if shown is not None and shown.picture is not None:
            note = describe_picture(shown.picture)
        title = self.query_one("#proof-title", Divider)
        title.display = proof is not None
        title.show_title(Cell(words, "path"), right=render_safe(note))

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        proof = self._rows.find(event.key) if self._rows is not None else None
        if proof is not None:
            self.post_message(ProofWanted(proof))
        self._show_proof()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """Opens a run's output in the agent view; every other proof is read here."""
        event.stop()
        shown = self._shown
        if shown is not None and shown.run is not None:
            self.dismiss(build_run_name(shown.run))
        else:
            self.query_one(ProofLines).focus(scroll_visible=False)

    def on_key(self, event: events.Key) -> None:
        keep_key(event)
        action = self._keymap.find(event, ("focus", "nav", "app")) or ""
        panel = self.focused if isinstance(self.focused, LineView) else self.query_one(RowList)
        if action in _LEAVING:
            self.dismiss(None)
        elif action.startswith("focus."):
            self.focus_next()
        elif action.startswith("nav.") or action == "app.open":
            panel.navigate(action)
