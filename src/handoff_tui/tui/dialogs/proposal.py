"""The box in which a person reads what is about to be done about agents. Only its own key does it, never Enter."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.agents import Proposal, ProposalKind, ProposalStage
from handoff_tui.live.state.desk import DeskState
from handoff_tui.tui.actions import Keys
from handoff_tui.tui.arming import PAUSE_SECONDS, Arming, read_time
from handoff_tui.tui.dialogs.box import Box
from handoff_tui.tui.dialogs.decision.fields import NameField
from handoff_tui.tui.dialogs.proposal_page import TITLES, VERBS, build_proposal_page, describe_obstacle
from handoff_tui.tui.messages import ProposalConfirmed
from handoff_tui.tui.widgets.bars import Bar, Rule
from handoff_tui.tui.widgets.page_view import PageView

_LEAVING = frozenset({"decision.cancel", "app.back", "app.quit", "app.interrupt"})


class ProposalScreen(Box[None], inherit_bindings=False):
    """From the wish to the deed. Keys count only when what they mean has been on the screen for a while."""

    CSS_PATH = "proposal.tcss"
    BINDINGS: ClassVar[list[BindingType]] = []
    AUTO_FOCUS = ""

    def __init__(self, kind: ProposalKind, keys: Keys) -> None:
        super().__init__()
        self._kind = kind
        self._keymap = keys
        self._proposal: Proposal | None = None
        self._painted, self._readable = Arming(), Arming()
        """What is shown, and what would be done: other keys hold back the one that does it."""
        self._said = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="proposal"):
            yield Rule(id="proposal-title")
            yield PageView(id="proposal-page")
            yield NameField(id="proposal-name", compact=True, select_on_focus=False, placeholder="type it here")
            yield Bar(id="proposal-state")
            yield Bar(id="proposal-keys", raised=True)

    def on_mount(self) -> None:
        self.call_after_refresh(self._draw)

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def show(self, state: DeskState) -> None:
        """What is known of it by now."""
        proposal = state.proposal
        if proposal is None or proposal is self._proposal or proposal.kind is not self._kind or not self.is_mounted:
            return
        self._proposal = proposal
        self._said = ""
        if proposal.stage is ProposalStage.DONE:
            self.dismiss(None)
            return
        self._painted.disarm()
        self._readable.disarm()
        field = self.query_one(NameField)
        field.display = bool(proposal.typed)
        self.query_one(PageView).show(build_proposal_page(proposal), from_top=True)
        self.call_after_refresh(self._note_painted)
        self._draw()

    def _note_painted(self) -> None:
        now = read_time()
        self._painted.note_painted(now)
        self._readable.note_painted(now)
        self.set_timer(PAUSE_SECONDS, self._settle)

    def _settle(self) -> None:
        """Long enough on the screen: what must be typed can be."""
        field = self.query_one(NameField)
        if field.display and self.focused is None:
            field.focus(scroll_visible=False)
        self._draw()

    def takes(self, event: events.Key | events.Paste) -> bool:
        """Every key before the field that has the focus; whether it is not for the field."""
        if not self._painted.admits(event.time):
            return True
        if isinstance(event, events.Paste) or event.is_printable:
            self._readable.begin_again(event.time)
            self.set_timer(PAUSE_SECONDS, self._draw)
            return False
        return self._perform(self._keymap.find(event, ("decision", "focus")), event.time)

    def on_key(self, event: events.Key) -> None:
        if isinstance(self.focused, NameField):
            return
        event.stop()
        event.prevent_default()
        self._perform(self._keymap.find(event, ("decision", "focus", "nav", "app")), event.time)

    def _perform(self, action: str | None, at: float) -> bool:
        """Whether the action is one of this box."""
        if action == "decision.confirm":
            self._confirm(at)
        elif action in _LEAVING:
            self.dismiss(None)
        elif action in {"focus.next", "focus.previous"}:
            self.focus_next()
        elif action is not None and action.startswith("nav."):
            self.query_one(PageView).navigate(action)
        else:
            return False
        return True

    def _confirm(self, at: float) -> None:
        proposal, typed = self._proposal, self.query_one(NameField).value
        obstacle = "it is being put together" if proposal is None else describe_obstacle(proposal, typed)
        if proposal is None or obstacle:
            self._said = f"not done: {obstacle}"
        elif not self._readable.admits(at):
            self._said = f"{self._keymap.show('decision.confirm')} came too soon; press it again"
        else:
            self._readable.disarm()
            self.post_message(ProposalConfirmed(proposal.number, typed))
        self._draw()

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        proposal = self._proposal
        self.query_one("#proposal-title", Rule).show_title(Cell(TITLES[self._kind], "heading"))
        typed = self.query_one(NameField).value
        obstacle = "" if proposal is None else describe_obstacle(proposal, typed)
        words = self._said or (obstacle and f"{obstacle}") or "nothing is done yet"
        self.query_one("#proposal-state", Bar).show(Cell(f" {render_safe(words)}", "warning" if obstacle else "muted"))
        armed = proposal is not None and not obstacle and self._readable.admits(read_time())
        roles = ("key", "text") if armed else ("muted", "muted")
        self.query_one("#proposal-keys", Bar).show(
            Cell(f" {self._keymap.show('decision.confirm')}", roles[0]),
            Cell(f" {VERBS[self._kind]}  ", roles[1]),
            Cell(self._keymap.show("decision.cancel"), "key"),
            Cell(" leave it  "),
            Cell("j k", "key"),
            Cell(" read"),
        )
