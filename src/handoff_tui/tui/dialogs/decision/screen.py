"""The dialog in which a person reads a decision and confirms it. Only its own key signs, and only what is painted.

Keys count only after the box has been on screen for a moment; the signing key only after the content to sign has
been, and never from a text field. Any change underneath disarms it.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widgets import Input, TextArea

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.core.text.columns import compute_width
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import AppState, DecisionPart, DecisionStage, DiffRange
from handoff_tui.status.inbox_item import HandoffKey, InboxItem, ReviewProblem
from handoff_tui.tui.actions import Hint, Keys
from handoff_tui.tui.chrome import name_work
from handoff_tui.tui.dialogs.box import (
    HUMAN_SECONDS,
    LEAVING,
    PAUSE_SECONDS,
    ArmedBox,
    NameField,
    ReasonField,
    keep_key,
    read_time,
)
from handoff_tui.tui.dialogs.decision.rows import (
    build_dialog_page,
    build_dialog_title,
    describe_dropped,
    describe_key_wait,
    describe_watch,
    find_following,
    find_obstacle,
    name_verb,
)
from handoff_tui.tui.dialogs.palette import Answer, Offer, PaletteScreen
from handoff_tui.tui.messages import (
    CopyWanted,
    DecisionAgainWanted,
    DecisionConfirmed,
    ReasonEditWanted,
    ReasonKept,
    ScopeWanted,
)
from handoff_tui.tui.terminal_input import clean_paste
from handoff_tui.tui.widgets.bars import Bar, Divider, KeyBar
from handoff_tui.tui.widgets.page_view import PageView

_LEAST_PAGE, _BELOW = 3, 2
"""The fewest rows of the page, and the rows that stay in view below the box."""
_SHORT_NAME = 24
"""Longer names would leave the field no room, so the text to type is shown below it."""


def can_show_difference(part: DecisionPart | None) -> bool:
    """Tells whether something changed under it, and what it showed before is known."""
    return part is not None and part.stage is DecisionStage.MOVED and part.shown_tree is not None


class DecisionBox(Vertical):
    """Draws what it is given; the screen around it decides what keys mean."""

    def __init__(self, keys: Keys) -> None:
        super().__init__(id="decision")
        self._keymap = keys
        self._part: DecisionPart | None = None
        self.digests = False
        self.tour = False
        """Whether what is signed leads on with the tour, and not to the next handoff."""
        """Whether every digest is shown."""

    def compose(self) -> ComposeResult:
        yield Divider(id="decision-title")
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
        """Whether typed text goes into a field."""
        return isinstance(self.screen.focused, Input | TextArea)

    @property
    def obstacle(self) -> str:
        """What prevents signing, whatever key is pressed; empty if nothing does."""
        return find_obstacle(self._part, self.reason, self.typed_name)

    def set_reason(self, text: str) -> None:
        field = self.query_one(ReasonField)
        field.text = clean_paste(text)
        field.move_cursor(field.document.end)

    def forget_name(self) -> None:
        self.query_one(NameField).value = ""

    def focus_first(self) -> None:
        """Focuses the first field that must be filled in, otherwise the page."""
        part = self._part
        if part is not None and part.needs_reason:
            self.focus_reason()
        else:
            asks = part is not None and part.stage is DecisionStage.READY and part.asks_name
            (self.query_one(NameField) if asks else self.page).focus(scroll_visible=False)

    def focus_reason(self) -> None:
        self.query_one(ReasonField).focus(scroll_visible=False)

    def on_resize(self) -> None:
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        """Gives the page the rows it needs, as far as the fields, and the keys below the box, stay in view."""
        around = self.outer_size.height - self.page.outer_size.height + self.styles.margin.height + _BELOW
        most = max(_LEAST_PAGE, self.screen.size.height - around)
        self.page.styles.height = max(1, min(self.page.line_count, most))

    def show(
        self, part: DecisionPart, following: InboxItem | None, problems: Sequence[ReviewProblem], title: str
    ) -> None:
        """Shows what is signed, and the fields for it."""
        self._part = part
        is_closed = part.stage in {DecisionStage.STORED, DecisionStage.REFUSED}
        if is_closed and self.in_field:  # the fields disappear, their text is kept
            self.page.focus(scroll_visible=False)
        self.screen.set_class(is_closed, "-closed")
        self.screen.set_class(part.asks_name and not is_closed, "-asks")
        self.screen.set_class(part.stage is DecisionStage.REFUSED, "-small")
        self.query_one(Divider).show_title(*build_dialog_title(part, title))
        lead = self._keymap.show("app.undo")
        page = build_dialog_page(
            part, following, problems=problems, withdraw_key=lead, digests=self.digests, tour=self.tour
        )
        self.page.show(page)
        self.call_after_refresh(self._fit)
        needed = "required" if part.needs_reason else "optional"
        self.query_one("#decision-reason-label", Bar).show(Cell(" Reason ", "heading"), Cell(f"({needed})", "muted"))
        name = render_safe(part.key.handoff)
        label = f" Type {name if compute_width(name) <= _SHORT_NAME else 'its full name'} to continue: "
        bar = self.query_one("#decision-name-label", Bar)
        bar.styles.width = compute_width(label)
        bar.show(Cell(label, "heading"))

    def show_state(self, said: Cell, following: InboxItem | None, *, settled: bool) -> None:
        """Shows whether it is armed, a sentence, and the keys; `settled` once it has been on screen long enough."""
        if self._part is None:
            return
        self.query_one("#decision-note", Bar).show(Cell(f" {render_safe(said.text)}", said.role))
        self.query_one("#decision-state", Bar).show(*self._build_state(self._part, settled=settled))
        self.query_one("#decision-keys", KeyBar).show_hints(self._list_hints(self._part, following), self.size.width)

    def _build_state(self, part: DecisionPart, *, settled: bool) -> tuple[Cell, ...]:
        key = self._keymap.show("decision.confirm")
        if part.stage is DecisionStage.STORED:
            return (Cell(" ✓ Signed and stored", "pass"),)
        if obstacle := self.obstacle:
            return (Cell(" ○ Can't sign yet: ", "warning"), Cell(obstacle))
        if self.in_field:
            return (Cell(" ● Ready: ", "waiting"), Cell(f"press {key} twice to sign"))
        if not settled:
            return (Cell(" ○ Can't sign yet", "warning"),)
        wait = describe_key_wait(part)
        signer = f" as {render_safe(part.view.principal)}" if part.view else ""
        return (Cell(f" ● Ready: {key} signs{signer}", "waiting"), Cell(f" · {wait}" if wait else "", "muted"))

    def _list_hints(self, part: DecisionPart, following: InboxItem | None) -> list[Hint]:
        if part.stage is DecisionStage.STORED:
            wanted = {"decision.cancel": "close", "app.copy": "copy the id"}
            onward = "go on with the tour" if self.tour else "next handoff"
            wanted |= {"app.open": onward} if following else {}
        elif part.stage is DecisionStage.REFUSED:
            wanted = {name: words for name, words in _LEADING_ON.items() if name != f"decide.{part.verb}"}
            wanted |= {"decision.again": "look again", "decision.cancel": "close"}
        else:
            wanted = {"decision.confirm": f"sign and {name_verb(part.verb)}"}
            wanted |= {"decision.again": "look again"} if part.stage is DecisionStage.MOVED else {}
            wanted |= {"decision.difference": "show changes"} if can_show_difference(part) else {}
            wanted |= {"decision.cancel": "cancel"}
        if part.stage not in {DecisionStage.STORED, DecisionStage.REFUSED}:
            wanted |= {"focus.next": "next field", "decision.edit-reason": "editor", "decision.template": "template"}
            wanted |= {"decision.digests": "digests"}
        refused = {"decision.confirm": self.obstacle}
        return [Hint(name, self._keymap.show(name), words, refused.get(name, "")) for name, words in wanted.items()]


_LEADING_ON = {
    "decide.reject": "send it back",
    "decide.retry": "retry",
    "decide.choose": "other decisions",
    "view.3": "evidence",
}
"""What leads on from a refusal."""
_KEEP_SECONDS = 0.5
"""After this long without typing, the reason is stored on disk."""
_SILENT = Cell("")


class DecisionScreen(ArmedBox[HandoffKey | str | None]):
    """One decision, from choosing the verb to the stored entry; returns the handoff or view to go to next."""

    CSS_PATH = "screen.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]

    def __init__(self, verb: str, keys: Keys, templates: Sequence[str] = (), *, tour: bool = False) -> None:
        super().__init__()
        self._verb = verb
        self._keymap = keys
        self._kept_reason = ""
        self._templates = tuple(templates)
        self._box = DecisionBox(keys)
        self._box.tour = tour
        self._dropped = 0
        self._part: DecisionPart | None = None
        self._following: InboxItem | None = None
        self._title = ""
        self._problems: tuple[ReviewProblem, ...] = ()
        self._said = _SILENT
        self._keeping: Timer | None = None
        self._typed_at = 0.0
        """When another key than the signing one was pressed last."""
        self._left_field_at: float | None = None
        """When the signing key left a field, if nothing else was pressed since and nobody pasted it."""

    def compose(self) -> ComposeResult:
        yield self._box

    def on_mount(self) -> None:
        self.call_after_refresh(self._note_painted)

    def on_screen_resume(self) -> None:
        self.arm_again()

    def note_app_focus(self) -> None:
        """Ignores the click that brings the window to the front."""
        self._painted.begin_again(read_time())
        self._readable.begin_again(read_time())

    def show(self, state: AppState) -> None:
        """Draws a new state of the decision. Other changes stay hidden until the dialog closes."""
        part = state.decision
        following = find_following(state.inbox, part.key) if part else None
        if part is None or (part is self._part and following is self._following):
            return
        known = state.problems.value if state.chosen == part.key else None
        self._problems = known.problems if known is not None else self._problems
        earlier, self._part, self._following = self._part, part, following
        handoffs = (item.reviewed.handoff for item in state.inbox if item.key == part.key)
        self._title = next((name_work(handoff) for handoff in handoffs if handoff.title), "")
        self._find_draft(state.drafts.reasons.get(self._verb, ""))
        if not is_same_to_sign(earlier, part):
            self._said = _SILENT
            self._box.page.scroll_to(y=0, animate=False, force=True)
            self.arm_again()
        self._draw()

    def _find_draft(self, draft: str) -> None:
        """Restores what was written earlier, unless something has been written already."""
        if draft and not self._kept_reason and not self._box.reason and not self._is_stored:
            self._kept_reason = draft
            self._box.set_reason(draft)

    def set_reason(self, text: str) -> None:
        """Sets the reason to text written elsewhere."""
        self._box.set_reason(text)

    def say(self, text: str, role: str = "warning") -> None:
        """Shows a sentence at the bottom of the box until the next key."""
        self._said = Cell(text, role)
        self._draw_state()

    def _settle(self) -> None:
        """The box has been on screen long enough: opens the first field for typing."""
        if self.focused is None and self._part is not None and not self._is_stored:
            self._box.focus_first()
        self._draw_state()

    # when a key counts

    def takes(self, event: events.Key | events.Paste) -> bool:
        """Sees every key and paste before the focused field does; tells whether it keeps the event from the field."""
        if self._drops(event):
            return True
        if isinstance(event, events.Paste) or event.is_printable:
            self._note_other(event.time)
            return False
        action = self._keymap.find(event, ("decision", "focus", "app"))
        is_ours = action is not None and (not action.startswith("app.") or action == "app.interrupt")
        if action is not None and is_ours and self._perform(action, event.time):
            return True
        self._note_other(event.time)
        return False

    def on_key(self, event: events.Key) -> None:
        """Handles keys outside the fields."""
        if self._box.in_field:
            return
        keep_key(event)
        if self._drops(event):
            return
        scopes = ("decision", "focus", "nav", "app", *(("decide", "view") if self._is_refused else ()))
        action = self._keymap.find(event, scopes)
        if action is None or not self._perform(action, event.time):
            self._note_other(event.time)

    def on_paste(self, event: events.Paste) -> None:
        """Drops a paste outside the fields, and holds back the signing key."""
        if not self._drops(event):
            self._note_other(event.time)

    @on(Bar.Pressed)
    def perform_clicked(self, event: Bar.Pressed) -> None:
        event.stop()
        if self._drops(event):
            return
        if event.action == "decision.confirm":
            self.say(f"A click never signs; press {self._keymap.show('decision.confirm')}")
        else:
            self._perform(event.action, event.time)

    def _drops(self, event: events.Key | events.Paste | Bar.Pressed) -> bool:
        """Tells whether an event came too early for this box."""
        if self._painted.admits(event.time):
            return False
        self._dropped += 1
        self._draw_state()
        return True

    def _note_other(self, at: float) -> None:
        """Restarts the wait for the signing key, and clears the message."""
        self._readable.begin_again(at)
        self._typed_at, self._left_field_at = at, None
        if self._said.text:
            self._said = _SILENT
        self._draw_state()
        self.set_timer(PAUSE_SECONDS, self._draw_state)

    # what keys do

    def _perform(self, action: str, at: float) -> bool:
        """Performs an action; tells whether it belongs to this box."""
        if action == "decision.confirm":
            self._confirm(at)
            return True
        self._note_other(at)
        if action in LEAVING:
            self._leave()
        elif action in {"decision.template", "decision.edit-reason"}:
            self._help_writing(action)
        elif action == "decision.again":
            self._look_again()
        elif action == "decision.difference":
            self._show_difference()
        elif action == "decision.digests":
            self._box.digests = not self._box.digests
            self._draw()
        elif self._is_refused and action in {*_LEADING_ON, "view.evidence"}:
            self.dismiss(action if action != "view.3" else "view.evidence")
        elif action.startswith("focus."):
            self.focus_next() if action == "focus.next" else self.focus_previous()
        elif action.startswith("nav."):
            self._box.page.navigate(action)
        else:
            return self._perform_after(action)
        return True

    def _perform_after(self, action: str) -> bool:
        """Performs an action on the stored entry; tells whether it did."""
        if self._part is None or not self._is_stored:
            return False
        if action == "app.copy" and self._part.entry:
            self.post_message(CopyWanted(self._part.entry, "the entry's id"))
            self.say("Copied the full id to the terminal's clipboard", "pass")
        elif action == "app.open" and self._following is not None:
            self.dismiss(action if self._box.tour else self._following.key)
        else:
            return False
        return True

    def _confirm(self, at: float) -> None:
        part, key, obstacle = self._part, self._keymap.show("decision.confirm"), self._box.obstacle
        if self._is_stored:  # the second of two presses, where one was enough
            return
        if obstacle or part is None:
            self.say(f"Not signed: {obstacle}")
        elif self._box.in_field:
            is_typed = at - self._typed_at >= HUMAN_SECONDS
            self._note_other(at)
            self._left_field_at = at if is_typed else None
            self._box.page.focus(scroll_visible=False)
            self.say(f"Press {key} again to sign", "waiting")
        elif not self._readable.admits(at) and not self._is_second_press(at):
            self._dropped += 1
            self.say(f"Too fast; press {key} again")
        else:
            self._readable.disarm()
            self._keep_reason()
            self.post_message(DecisionConfirmed(part, self._box.reason))

    def _is_second_press(self, at: float) -> bool:
        """Whether the key that left the field was pressed once more, at the speed of a person, on what was shown."""
        first = self._left_field_at
        return first is not None and at - first >= HUMAN_SECONDS and self._readable.was_shown(at)

    @property
    def _is_refused(self) -> bool:
        return self._part is not None and self._part.stage is DecisionStage.REFUSED

    def _leave(self) -> None:
        if self._part is not None and self._part.stage is DecisionStage.SIGNING:
            self.say("Signing; wait for the key")
            return
        self._keep_reason()
        self.dismiss(None)

    def _look_again(self) -> None:
        stage = self._part.stage if self._part else None
        if stage in {DecisionStage.READY, DecisionStage.MOVED, DecisionStage.REFUSED}:
            self._box.forget_name()
            self._readable.disarm()
            self.post_message(DecisionAgainWanted(self._verb))

    def _show_difference(self) -> None:
        """Closes without deciding, and shows what changed."""
        part = self._part
        if part is not None and can_show_difference(part):
            self._keep_reason()
            self.post_message(ScopeWanted(DiffRange(DiffScope.SINCE_SHOWN, part.shown_tree)))
            self.dismiss("view.changes")

    def _help_writing(self, action: str) -> None:
        """Opens the templates or the editor, unless the reason can no longer change."""
        stage = self._part.stage if self._part else None
        if stage in {DecisionStage.SIGNING, DecisionStage.STORED, DecisionStage.REFUSED}:
            return
        if action == "decision.edit-reason":
            self.post_message(ReasonEditWanted(self._box.reason))
        elif not self._templates:
            self.say(f"No templates for {name_verb(self._verb)}; add them under [reasons] in config.toml")
        else:
            offers = [Offer(str(number), text) for number, text in enumerate(self._templates)]
            self.app.push_screen(PaletteScreen(f"Reasons to {name_verb(self._verb)}", offers), self._take_template)

    def _take_template(self, number: Answer | None) -> None:
        if isinstance(number, str):
            before = self._box.reason.rstrip()
            text = self._templates[int(number)]
            self._box.set_reason(f"{before}\n{text}" if before else text)
            self._box.focus_reason()

    # the reason is stored while it is being written

    @property
    def _is_stored(self) -> bool:
        return self._part is not None and self._part.stage is DecisionStage.STORED

    @on(TextArea.Changed)
    def keep_later(self) -> None:
        if self._keeping is not None:
            self._keeping.stop()
        self._keeping = self.set_timer(_KEEP_SECONDS, self._keep_reason)
        self._draw_state()

    @on(Input.Changed)
    def note_name(self) -> None:
        self._draw_state()

    def _keep_reason(self) -> None:
        text = self._box.reason
        if text != self._kept_reason and not self._is_stored:
            self._kept_reason = text
            self.post_message(ReasonKept(self._verb, text))

    # drawing

    def on_descendant_focus(self) -> None:
        self._draw_state()

    def on_descendant_blur(self) -> None:
        self._draw_state()

    def _draw(self) -> None:
        if self._part is not None and self.is_mounted:
            self._box.show(self._part, self._following, self._problems, self._title)
            self._draw_state()

    def _draw_state(self) -> None:
        if not self.is_mounted:
            return
        note = Cell(describe_dropped(self._dropped) if self._dropped else describe_watch(self._part), "muted")
        said = self._said if self._said.text else note
        self._box.show_state(said, self._following, settled=self._readable.admits(read_time()))


def is_same_to_sign(earlier: DecisionPart | None, part: DecisionPart) -> bool:
    """Tells whether everything a person must read before signing is unchanged; progress doesn't count."""
    if earlier is None:
        return False
    return (earlier.stage, earlier.trouble) == (part.stage, part.trouble) and earlier.view is part.view
