"""The box of the decision dialog: what is signed, the two fields, whether it is armed, and the keys."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, TextArea

from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.desk import DecisionPart, DecisionStage
from handoff_tui.status.inbox_item import InboxItem
from handoff_tui.tui.actions import Hint, Keys
from handoff_tui.tui.dialogs.decision.fields import NameField, ReasonField
from handoff_tui.tui.dialogs.decision.rows import (
    build_dialog_page,
    build_dialog_title,
    describe_key_wait,
    find_obstacle,
)
from handoff_tui.tui.widgets.bars import Bar, KeyBar, Rule
from handoff_tui.tui.widgets.page_view import PageView

_SHORT_NAME = 24
"""A longer name would leave its own field no room; what is to be typed stands below it."""


def can_show_difference(part: DecisionPart | None) -> bool:
    """Whether something moved under it, and what it showed is known."""
    return part is not None and part.stage is DecisionStage.MOVED and part.shown_tree is not None


class DecisionBox(Vertical):
    """Draws what it is told; the screen around it decides what keys mean."""

    def __init__(self, keys: Keys) -> None:
        super().__init__(id="decision")
        self._keymap = keys
        self._part: DecisionPart | None = None

    def compose(self) -> ComposeResult:
        yield Rule(id="decision-title")
        yield PageView(id="decision-page")
        yield Bar(id="decision-reason-label")
        yield ReasonField(
            id="decision-reason",
            compact=True,
            soft_wrap=True,
            tab_behavior="focus",
            highlight_cursor_line=False,
        )
        with Horizontal(id="decision-name-line"):
            yield Bar(id="decision-name-label")
            yield NameField(id="decision-name", compact=True, select_on_focus=False)
        yield Bar(id="decision-state")
        yield Bar(id="decision-note")
        yield KeyBar(id="decision-keys", raised=True)

    @property
    def page(self) -> PageView:
        return self.query_one(PageView)

    @property
    def reason(self) -> str:
        return self.query_one(ReasonField).text

    @property
    def typed_name(self) -> str:
        return self.query_one(NameField).value

    @property
    def in_field(self) -> bool:
        """Whether what is typed goes into a field."""
        return isinstance(self.screen.focused, Input | TextArea)

    @property
    def obstacle(self) -> str:
        """What keeps the decision from being signed, whatever is pressed."""
        return find_obstacle(self._part, self.reason, self.typed_name)

    def set_reason(self, text: str) -> None:
        field = self.query_one(ReasonField)
        field.text = text
        field.move_cursor(field.document.end)

    def forget_name(self) -> None:
        self.query_one(NameField).value = ""

    def focus_first(self) -> None:
        """The reason where one is needed, else what is to be read."""
        needs_reason = self._part is not None and self._part.needs_reason
        (self.query_one(ReasonField) if needs_reason else self.page).focus(scroll_visible=False)

    def focus_reason(self) -> None:
        self.query_one(ReasonField).focus(scroll_visible=False)

    def show(self, part: DecisionPart, following: InboxItem | None) -> None:
        """What is signed, and which fields there are."""
        self._part = part
        is_closed = part.stage in {DecisionStage.STORED, DecisionStage.REFUSED}
        if is_closed and self.in_field:  # the fields go, what was written is kept
            self.page.focus(scroll_visible=False)
        self.screen.set_class(is_closed, "-closed")
        self.screen.set_class(bool(part.demands) and not is_closed, "-asks")
        self.query_one(Rule).show_title(*build_dialog_title(part))
        self.page.show(build_dialog_page(part, following, withdraw_key=self._keymap.show("decide.withdraw")))
        needed = "required" if part.needs_reason else "optional"
        self.query_one("#decision-reason-label", Bar).show(Cell(" Reason ", "heading"), Cell(f"({needed})", "muted"))
        name = render_safe(part.key.handoff)
        label = f" Type {name if compute_width(name) <= _SHORT_NAME else 'its whole name'} to go on: "
        bar = self.query_one("#decision-name-label", Bar)
        bar.styles.width = compute_width(label)
        bar.show(Cell(label, "heading"))

    def show_state(self, said: Cell, following: InboxItem | None, *, settled: bool) -> None:
        """Whether it is armed, a sentence, and the keys; `settled` when it was on the screen long enough."""
        if self._part is None:
            return
        self.query_one("#decision-note", Bar).show(Cell(f" {render_safe(said.text)}", said.role))
        self.query_one("#decision-state", Bar).show(*self._build_state(self._part, settled=settled))
        self.query_one("#decision-keys", KeyBar).show_hints(self._list_hints(self._part, following), self.size.width)

    def _build_state(self, part: DecisionPart, *, settled: bool) -> tuple[Cell, ...]:
        key = self._keymap.show("decision.confirm")
        if part.stage is DecisionStage.STORED:
            return (Cell(" ✓ signed and stored", "pass"),)
        if obstacle := self.obstacle:
            return (Cell(" ○ not armed: ", "warning"), Cell(obstacle))
        if self.in_field:
            return (Cell(" ○ not armed: ", "warning"), Cell(f"leave the field with tab, then {key} signs"))
        if not settled:
            return (Cell(" ○ not armed yet", "warning"),)
        wait = describe_key_wait(part)
        signer = f" as {render_safe(part.view.principal)}" if part.view else ""
        return (Cell(f" ● armed: {key} signs{signer}", "waiting"), Cell(f" · {wait}" if wait else "", "muted"))

    def _list_hints(self, part: DecisionPart, following: InboxItem | None) -> list[Hint]:
        if part.stage is DecisionStage.STORED:
            wanted = {"decision.cancel": "close", "app.copy": "copy the id"}
            wanted |= {"app.open": "next handoff"} if following else {}
        else:
            wanted = {"decision.confirm": f"sign and {part.verb}"}
            again = part.stage in {DecisionStage.MOVED, DecisionStage.REFUSED}
            wanted |= {"decision.again": "look again"} if again else {}
            wanted |= {"decision.difference": "show difference"} if can_show_difference(part) else {}
            wanted |= {"decision.cancel": "cancel"}
        if part.stage not in {DecisionStage.STORED, DecisionStage.REFUSED}:
            wanted |= {"focus.next": "next field", "decision.edit-reason": "editor", "decision.template": "template"}
        refused = {"decision.confirm": self.obstacle}
        return [Hint(name, self._keymap.show(name), words, refused.get(name, "")) for name, words in wanted.items()]
