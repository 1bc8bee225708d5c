"""The proofs of work of a handoff: by task across runs, the one under the cursor open below."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.agents import ProofShown
from handoff_tui.live.state.desk import DeskState
from handoff_tui.tui.actions import Keys
from handoff_tui.tui.dialogs.box import Box
from handoff_tui.tui.dialogs.proofs.lines import ProofLines, describe_picture
from handoff_tui.tui.dialogs.proofs.rows import ProofRows, build_proof_name, describe_proof
from handoff_tui.tui.messages import ProofWanted
from handoff_tui.tui.views.agent.rows import build_run_name
from handoff_tui.tui.widgets.bars import Bar, Rule
from handoff_tui.tui.widgets.line_view import LineView
from handoff_tui.tui.widgets.row_list import EmptyRows, RowList

_LEAVING = frozenset({"app.back", "app.quit", "app.interrupt"})


class ProofsScreen(Box[str | None], inherit_bindings=False):
    """Gives back the name of a try, where somebody wants all of its output."""

    CSS_PATH = "screen.tcss"
    BINDINGS: ClassVar[list[BindingType]] = []
    AUTO_FOCUS = ""

    def __init__(self, keys: Keys, state: DeskState) -> None:
        super().__init__()
        self._keymap = keys
        self._rows: ProofRows | None = None
        self._state = state

    def compose(self) -> ComposeResult:
        with Vertical(id="proofs"):
            yield Rule(id="proofs-title")
            yield RowList(id="proof-rows")
            yield Rule(id="proof-title")
            yield ProofLines(id="proof")
            yield Bar(id="proof-keys", raised=True)

    def on_mount(self) -> None:
        self.query_one(RowList).focus(scroll_visible=False)
        self.query_one("#proof-keys", Bar).show(
            *(Cell(" ↵", "key"), Cell(" read on  "), Cell("tab", "key"), Cell(" list or proof  ")),
            *(Cell("h l", "key"), Cell(" sideways  "), Cell("esc", "key"), Cell(" leave")),
        )
        self.call_after_refresh(self._draw)

    def show(self, state: DeskState) -> None:
        """What is known of them by now; the cursor stays on its proof."""
        before, self._state = self._state, state
        if self.is_mounted and state.proofs is not before.proofs:
            self._draw()

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        part, rows = self._state.proofs, self.query_one(RowList)
        number = sum(len(task.proofs) for task in part.value.tasks) if part.value else 0
        name = render_safe(self._state.chosen.handoff) if self._state.chosen else ""
        title = self.query_one("#proofs-title", Rule)
        title.show_title(Cell("Proofs of work of ", "heading"), Cell(name, "path"), right=str(number) if number else "")
        self._rows = ProofRows(part.value.tasks) if part.value is not None and number else None
        rows.show(self._rows if self._rows is not None else EmptyRows(self._explain_empty()))
        rows.styles.height = max(2, rows.line_count)
        self._show_proof()

    def _explain_empty(self) -> Cell:
        part = self._state.proofs
        if part.trouble is not None:
            return Cell(f"✗ {render_safe(part.trouble.message)}. {render_safe(part.trouble.hint)}", "fail")
        if part.value is None:
            return Cell("reading them, and their digests…", "muted")
        return Cell("none is offered, and no agent was stepped here", "muted")

    @property
    def _shown(self) -> ProofShown | None:
        """What is open, if it is the one under the cursor."""
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
        title = self.query_one("#proof-title", Rule)
        title.display = proof is not None
        title.show_title(Cell(words, "path"), right=render_safe(note))

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        proof = self._rows.find(event.key) if self._rows is not None else None
        if proof is not None:
            self.post_message(ProofWanted(proof))
        self._show_proof()

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        """The whole output of a try is in the agent's view; any other proof is read here."""
        event.stop()
        shown = self._shown
        if shown is not None and shown.run is not None:
            self.dismiss(build_run_name(shown.run))
        else:
            self.query_one(ProofLines).focus(scroll_visible=False)

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        action = self._keymap.find(event, ("focus", "nav", "app")) or ""
        panel = self.focused if isinstance(self.focused, LineView) else self.query_one(RowList)
        if action in _LEAVING:
            self.dismiss(None)
        elif action.startswith("focus."):
            self.focus_next()
        elif action.startswith("nav.") or action == "app.open":
            panel.navigate(action)
