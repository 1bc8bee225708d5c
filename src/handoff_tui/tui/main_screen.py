"""The main screen: title, tabs, who has to act, one view (with a rail if there is room), status and keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import cast

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input

from handoff_tui.config.keymap import WORDS
from handoff_tui.core.text.page import Cell
from handoff_tui.live.state.app import AppState, Part
from handoff_tui.log.review_record import Comment
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.tui.actions import Hint, Keys, find_refusal, get_scope
from handoff_tui.tui.chrome import VIEWS, build_moved, build_tabs, build_title, build_why
from handoff_tui.tui.dialogs.alert import Alarm, AlertScreen, find_alarm
from handoff_tui.tui.dialogs.comment import NoteScreen
from handoff_tui.tui.dialogs.lists import (
    build_dialog,
    build_leave_dialog,
    build_owner_dialog,
    build_place_dialog,
    has_place,
)
from handoff_tui.tui.dialogs.palette import Answer
from handoff_tui.tui.dialogs.proofs import ProofsScreen
from handoff_tui.tui.dialogs.proposal import ProposalScreen
from handoff_tui.tui.drawing.appearance import Appearance
from handoff_tui.tui.messages import (
    AppActionWanted,
    BisectProposed,
    ChangedFileWanted,
    CorrectionLeft,
    CorrectionWanted,
    DecisionWanted,
    DescriptionChanged,
    EditorWanted,
    HandoffChosen,
    LogPlaceWanted,
    NoteWanted,
    NoteWritten,
    PartsChanged,
    PlacesFound,
    PlaceWanted,
    ProofsWanted,
    ProposalLeft,
    ProposalWanted,
    ScopeWanted,
    StatusChanged,
    TakeInWanted,
    TravelEnded,
    ViewWanted,
)
from handoff_tui.tui.views.rail import Rail
from handoff_tui.tui.views.view import View
from handoff_tui.tui.widgets.bars import Bar, KeyBar
from handoff_tui.tui.widgets.find_line import FindLine
from handoff_tui.tui.widgets.travel_bar import TravelBar, describe_notes

_CLASSES = {
    "inbox": "InboxView",
    "pipeline": "PipelineView",
    "checks": "ChecksView",
    "diff": "DiffView",
    "document": "DocumentView",
    "log": "LogView",
    "agent": "AgentView",
    "claims": "ClaimsView",
    "attempts": "AttemptsView",
    "figures": "MetricsView",
    "coverage": "CoverageView",
}


def _make_view(name: str) -> View:
    view = _CLASSES[name]
    module = import_module(f"handoff_tui.tui.views.{view.removesuffix('View').lower()}.view")
    return cast("Callable[[], View]", getattr(module, view))()


VIEW_MAKERS: dict[str, Callable[[], View]] = {name: partial(_make_view, name) for name in _CLASSES}
"""View factories by name; a view's module is imported when the view is first opened."""

_SHOWN_IN: dict[type[Message], str] = {ScopeWanted: "diff", HandoffChosen: "pipeline"}
LEAST_WIDTH, LEAST_HEIGHT = 60, 16
_ALWAYS = ("find.open", "app.help", "app.palette")
_PINNED = "app.help"
"""This key leads to all the others."""
_OF_THE_APP = frozenset({"app.quit", "app.redraw", "app.rescan", "app.screenshot", "app.suspend", "app.interrupt"})


class MainScreen(Screen[None], inherit_bindings=False):
    """The screen with every view."""

    CSS_PATH = "main_screen.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (140, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (40, "-high")]

    def __init__(self, look: Appearance) -> None:
        super().__init__()
        self._look = look
        self.keys = Keys(look.keymap)
        self._views: dict[str, View] = {}
        self._history: list[str] = []
        self.view_name = next(iter(VIEW_MAKERS))
        self.state = AppState()
        self._said: tuple[Cell, ...] = ()
        self._alarms: set[Alarm] = set()
        """The notes that were already shown."""

    def compose(self) -> ComposeResult:
        yield Bar(id="title", raised=True)
        yield Bar(id="tabs")
        yield Bar(id="why")
        with Horizontal(id="body"):
            yield Rail(id="rail")
            yield self._make(self.view_name)
        yield FindLine(id="find")
        yield TravelBar(self.keys)
        yield Bar(id="status")
        yield KeyBar(id="keys", raised=True)

    def on_mount(self) -> None:
        self.view.focus_first()
        self._draw()

    @property
    def view(self) -> View:
        return self._views[self.view_name]

    @property
    def parts(self) -> frozenset[Part]:
        """The parts on screen, which must be fresh."""
        rail = self.query_one(Rail)
        return self.view.parts | (rail.parts if rail.display else frozenset())

    def show(self, state: AppState) -> None:
        """Draws a new state, as far as it is on screen."""
        self.state = state
        if state.item is None and state.inbox:  # none was chosen yet, or it is gone: take the most urgent one
            self.post_message(HandoffChosen(state.inbox[0].key))
        self.view.show(state)
        rail = self.query_one(Rail)
        if rail.display:
            rail.show(state)
        self.query_one(TravelBar).show_travel(state.travel)
        self._draw()
        alarm = find_alarm(state)
        if alarm and alarm not in self._alarms:
            self._alarms.add(alarm)
            self.app.push_screen(AlertScreen(alarm), self._take)

    @on(ViewWanted)
    async def open_wanted(self, event: ViewWanted) -> None:
        await self.open_view(event.view)

    async def open_view(self, name: str) -> None:
        """Opens a view, and creates it the first time."""
        if name not in VIEW_MAKERS or name == self.view_name:
            return
        self.close_find()
        self._history = [*[one for one in self._history if one != name], self.view_name]
        if name not in self._views:  # complete before it becomes the current view: a state may arrive in between
            made = VIEW_MAKERS[name]()
            made.display = False
            await self.query_one("#body").mount(made)
            self._views[name] = made
        self.view.display = False
        self.view_name = name
        self.view.display = True
        self._said = ()
        self.view.show(self.state)
        self.query_one(Rail).show(self.state)
        self.view.focus_first()
        self.post_message(PartsChanged())
        self._draw()

    async def go_back(self, *, ends_travel: bool = False) -> bool:
        """Ends a search, returns to now, or to the previous view; tells whether there was anything to leave."""
        if self.query_one(FindLine).display:
            self.close_find()
            self.view.focus_first()
            return True
        if self._said:
            self._said = ()
            self._draw()
        if self.state.travel is not None and (ends_travel or not self._history):
            self.post_message(TravelEnded())
            return True
        if not self._history:
            return False
        name = self._history.pop()
        await self.open_view(name)
        self._history.pop()
        return True

    def say(self, *cells: Cell) -> None:
        """Shows a sentence in the status line until the next key."""
        self._said = cells
        self._draw_status()

    def say_text(self, text: str, role: str) -> None:
        self.say(Cell(f" {text}", role))

    def close_find(self) -> None:
        line = self.query_one(FindLine)
        if line.display:
            line.display = False
            self.view.find("")

    def refuse(self, action: str) -> str:
        """Says why an action can't be done here and now; empty if it can."""
        state, selected = self.state, self.view.handoff
        if selected not in {None, state.chosen}:  # a decision is about the selected one, even if it isn't loaded yet
            state = replace(state, chosen=selected)
        return find_refusal(action, state, read_only=self._look.read_only) or self.view.refuse(action)

    def list_hints(self) -> list[Hint]:
        """Lists everything that can be done here, most useful first."""
        return [self._build_hint(action) for action in self._list_actions()]

    def _build_hint(self, action: str) -> Hint:
        return Hint(action, self.keys.show(action), WORDS[action], self.refuse(action))

    def _list_actions(self) -> list[str]:
        first = [*self.view.list_hints(), *_ALWAYS]
        rest = [action for action in self.keys.list_actions(self.view.scope) if action not in first]
        return [*first, *rest]

    async def perform(self, action: str) -> None:
        """Performs an action, or says why it can't be done."""
        self._said = ()
        if refusal := self.refuse(action):
            self.say(Cell(f" {WORDS[action].rstrip('…')}: {refusal}", "warning"))
            return
        if not self._perform_here(action):
            await self._perform_any(action)
        self._draw()

    async def _perform_any(self, action: str) -> None:
        """Performs the actions that every view has."""
        scope, _, name = action.partition(".")
        if scope == "view":
            await self.open_view(name)
        elif scope == "focus":
            self.focus_next() if name == "next" else self.focus_previous()
        elif scope == "find":
            self._find(action)
        elif scope == "travel":
            self.post_message(self.query_one(TravelBar).build_wish(name))
        elif (dialog := build_dialog(action, self.state, self.list_hints(), self.keys)) is not None:
            await self.app.push_screen(dialog, self._take)
        elif action == "app.take-in":
            self.post_message(TakeInWanted())
        elif action == "app.scope":
            await self._correct_scope()
        elif scope == "decide":
            self.post_message(DecisionWanted(name, self.view.handoff))
        elif action == "app.back":
            await self.go_back(ends_travel=True)
        elif not (action == "app.quit" and await self.go_back()) and action in _OF_THE_APP:
            leaving = build_leave_dialog(self.state.activity) if action == "app.quit" else None
            await self.app.push_screen(leaving, self._take) if leaving else self.post_message(AppActionWanted(action))

    async def _correct_scope(self) -> None:
        """Opens the box for the handoff in view; for files of nobody, or of a list, asks for the handoff first."""
        loose = self.view.find_loose()
        key = self.view.handoff or self.state.chosen
        if loose is not None:
            owners = [item for item in self.state.inbox if item.key.root == loose.root]
            await self.app.push_screen(build_owner_dialog(owners, loose.paths), self._take)
        elif key is not None:
            self._open_scope(key, ())

    def _open_scope(self, key: HandoffKey, claimed: tuple[str, ...]) -> None:
        from handoff_tui.tui.dialogs.scope import CorrectScopeScreen  # noqa: PLC0415 - rarely asked for

        self.app.push_screen(CorrectScopeScreen(key.handoff, self.keys), self._leave_scope)
        self.post_message(CorrectionWanted(key, claimed))

    def _leave_scope(self, _: None) -> None:
        self.post_message(CorrectionLeft())

    async def _take(self, answer: Answer | None) -> None:
        """Does what was chosen in a dialog, and opens the view that shows it."""
        if isinstance(answer, Message):
            self.post_message(answer)
            await self.open_view(_SHOWN_IN.get(type(answer), self.view_name))
            return
        kind, _, name = (answer or "").partition(":")
        if kind == "action":
            await self.perform(name)
        elif kind == "owner":
            found = (item.key for item in self.state.inbox if "\0".join(item.key) == name)
            if (owner := next(found, None)) is not None and (loose := self.view.find_loose()) is not None:
                self._open_scope(owner, loose.paths)

    @on(PlaceWanted)
    async def go_to_place(self, event: PlaceWanted) -> None:
        """Opens the diff if the file changed, otherwise the document, otherwise the editor."""
        event.stop()
        for name in ("diff", "document"):
            if has_place(self.state, name, event.path):
                await self.open_view(name)
                self.view.go_to(event.path, event.line)
                return
        self.post_message(EditorWanted(event.path, event.line))

    @on(ChangedFileWanted)
    async def go_to_changed_file(self, event: ChangedFileWanted) -> None:
        """Opens the diff at a file; the app has the handoff and the comparison changed."""
        await self.open_view("diff")
        self.view.go_to(event.path, None)

    @on(LogPlaceWanted)
    async def go_to_entry(self, event: LogPlaceWanted) -> None:
        event.stop()
        await self.open_view("log")
        self.view.go_to(event.entry, None)

    @on(BisectProposed)
    def follow_bisect(self, event: BisectProposed) -> None:
        from handoff_tui.tui.dialogs.bisect import BisectScreen  # noqa: PLC0415 - rarely asked for

        event.stop()
        self.app.push_screen(BisectScreen(event.check, event.command, self.keys), self._take)

    @on(ProposalWanted)
    def show_proposal(self, event: ProposalWanted) -> None:
        """Opens the box for reading and confirming a proposal, one at a time; the app has it prepared."""
        if not self.is_active:
            event.stop()
            return
        self.app.push_screen(ProposalScreen(event.kind, self.keys), self._leave_proposal)

    def _leave_proposal(self, _: None) -> None:
        self.post_message(ProposalLeft())

    @on(PlacesFound)
    def choose_place(self, event: PlacesFound) -> None:
        """Opens the only place at once; asks if there are several."""
        event.stop()
        if len(event.places) == 1:
            self.post_message(PlaceWanted(*event.places[0]))
        elif event.places:
            self.app.push_screen(build_place_dialog(event.places), self._take)

    @on(ProofsWanted)
    def show_proofs(self) -> None:
        self.app.push_screen(ProofsScreen(self.keys, self.state), self._leave_proofs)

    async def _leave_proofs(self, name: str | None) -> None:
        if name is not None:
            self.view.choose(name)

    @on(NoteWanted)
    def ask_for_note(self, event: NoteWanted) -> None:
        event.stop()
        name = self.state.chosen.handoff if self.state.chosen else ""
        self.app.push_screen(NoteScreen(name), self._take_note)

    def _take_note(self, note: Comment | None) -> None:
        if note is not None and note.text:
            self.post_message(NoteWritten(note.text))

    def _perform_here(self, action: str) -> bool:
        rail = self.query_one(Rail)
        if rail.has_focus_within and rail.perform(action):
            return True
        return self.view.perform(action)

    async def on_key(self, event: events.Key) -> None:
        if isinstance(self.focused, Input):
            if event.is_printable and event.character:  # typed before the field had the focus; it keeps what it gets
                event.stop()
                self.focused.insert_text_at_cursor(event.character)
            return
        action = self.keys.find(event, (self.view.scope, "decide", "nav", "view", "focus", "find", "travel", "app"))
        if action is not None:
            event.stop()
            event.prevent_default()
            await self.perform(action)

    @on(Bar.Pressed)
    async def perform_clicked(self, event: Bar.Pressed) -> None:
        event.stop()
        await self.perform(event.action)

    @on(DescriptionChanged)
    def describe_again(self, event: DescriptionChanged) -> None:
        event.stop()
        self._draw()

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def _find(self, action: str) -> None:
        line = self.query_one(FindLine)
        if action == "find.open":
            line.open()
        else:
            self._say_found(self.view.find(line.text, backwards=action == "find.previous", again=True))

    @on(FindLine.Changed)
    def find_text(self, event: FindLine.Changed) -> None:
        event.stop()
        self._say_found(self.view.find(event.text))

    @on(FindLine.Left)
    def leave_find(self, event: FindLine.Left) -> None:
        event.stop()
        if not event.kept:
            self.close_find()
        self.view.focus_first()

    def _say_found(self, words: str) -> None:
        self.say(Cell(f" {words}", "muted")) if words else self._draw_status()

    def _make(self, name: str) -> View:
        self._views[name] = VIEW_MAKERS[name]()
        return self._views[name]

    def _draw(self) -> None:
        width = self.size.width
        tabs = {name: self.keys.show(f"view.{name}") for name in VIEWS}
        self.query_one("#title", Bar).show_parts(build_title(self.state, self.view_name, width))
        self.query_one("#tabs", Bar).show_parts(
            (f"view.{name}", row) for name, row in build_tabs(self.state, self.view_name, tabs, width)
        )
        self.query_one("#why", Bar).show(*self._build_why(width))
        wanted = {*self.view.list_hints(), *_ALWAYS}
        here = (self.view.scope, "decide")
        shown = [one for one in self._list_actions() if one in wanted or get_scope(one) in here]
        hints = [self._build_hint(action) for action in shown]
        self.query_one("#keys", KeyBar).show_hints(hints, width, pinned=_PINNED)
        self._draw_status()

    def _build_why(self, width: int) -> tuple[Cell, ...]:
        if width < LEAST_WIDTH or self.size.height < LEAST_HEIGHT:
            words = f" Needs {LEAST_WIDTH}x{LEAST_HEIGHT}, is {width}x{self.size.height} "
            return (Cell(words, "warning"), *build_why(self.state, width))
        moved = build_moved(self.state, self.view_name, self.keys.show("app.take-in"))
        return (*moved, *(self.view.build_why() or build_why(self.state, width)))

    @on(StatusChanged)
    def _draw_status(self) -> None:
        told = self.state.status
        cells = self._said or self.view.describe()
        if not self._said and told is not None and told.text:
            cells = (Cell(f" {told.text}", told.role),)
        notes = describe_notes(self.state.travel) if self.state.travel is not None and not self._said else ()
        self.query_one("#status", Bar).show(*cells, *notes)
