"""The main screen: title, the tabs of two levels, one view, status and keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import cast

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Input

from handoff_tui.config.keymap import WORDS
from handoff_tui.core.classes import replace
from handoff_tui.core.text.page import Cell
from handoff_tui.live.state.agents import ProposalKind
from handoff_tui.live.state.app import AppState, Part
from handoff_tui.status.inbox_item import HandoffKey, QueueGroup
from handoff_tui.tui.actions import Hint, Keys, find_refusal, get_scope
from handoff_tui.tui.chrome import build_banner, build_tabs, build_title, is_review, list_tabs
from handoff_tui.tui.dialogs.alert import Alarm, AlertScreen, find_alarm
from handoff_tui.tui.dialogs.lists import (
    EverythingScreen,
    build_dialog,
    build_leave_dialog,
)
from handoff_tui.tui.drawing.appearance import Appearance
from handoff_tui.tui.first_paint import REPOSITORY
from handoff_tui.tui.guided import ReviewStopKind, describe_progress, find_next
from handoff_tui.tui.messages import (
    ActionWanted,
    AppActionWanted,
    ChecksWanted,
    DecisionWanted,
    DescriptionChanged,
    FileMarked,
    HandoffChosen,
    HandoffOpened,
    PartsChanged,
    ProposalWanted,
    StatusChanged,
    TakeInWanted,
    TravelEnded,
    ViewWanted,
)
from handoff_tui.tui.openers import Openers, Opening
from handoff_tui.tui.views.view import View
from handoff_tui.tui.widgets.bars import Bar, FindLine, KeyBar
from handoff_tui.tui.widgets.tour import Seen, Tour
from handoff_tui.tui.widgets.travel_bar import TravelBar, describe_notes

_MODULES = (
    *("queue.view", "log.view", "metrics", "coverage"),
    *("overview.view", "changes.view", "evidence.view", "documents.view", "agent.view", "history"),
)


def _make_view(name: str, module: str) -> View:
    views = import_module(f"handoff_tui.tui.views.{module}")
    return cast("Callable[[], View]", getattr(views, f"{name.capitalize()}View"))()


VIEW_MAKERS: dict[str, Callable[[], View]] = {
    name: partial(_make_view, name, module) for module in _MODULES for name in [module.removesuffix(".view")]
}
"""View factories by name; a view's module is imported when the view is first opened."""

_OF_A_REVIEW = frozenset({Part.PROBLEMS, Part.FILES, Part.THREADS})
"""What the title and the tabs of a review count, and the comments that every tab lists."""
_CONFIRM_SECONDS = 1.5
"""A fault of the log that lasts longer than this isn't an entry that is just being written."""
_FOUND_BY_NAME = frozenset({Part.LOG, Part.CHECKS, Part.COVERAGE, Part.FILES})
"""What the list of everything needs, whatever is in view."""
LEAST_WIDTH, LEAST_HEIGHT = 60, 16
_ALWAYS = ("find.open", "app.help", "app.palette")
_PINNED = "app.help"
"""This key leads to all the others."""
_OF_THE_APP = frozenset({"app.quit", "app.redraw", "app.rescan", "app.screenshot", "app.suspend", "app.interrupt"})
_OF_THE_VIEW = frozenset({"review", "changes"})
"""Actions that only some views have."""
_ELSEWHERE = {
    "review.comment": "open 2 Changes or 4 Documents",
    "review.resolve": "open 2 Changes, and go to a comment",
    "review.bisect": "choose a problem in 1 Overview or 3 Evidence",
    "review.filter": "nothing is filtered here",
    "review.compare": "open 2 Changes or 6 History",
    "review.lens": "open 2 Changes",
    "review.mark": "open 2 Changes",
    "review.unmark": "open 2 Changes",
}
_EVERYWHERE = frozenset({
    "review.next", "review.run", "review.consent", "review.take-in", "review.scope", "review.comments",
    "review.explain",
})  # fmt: skip
"""Actions of a review that every tab has."""
_IN_HISTORY = frozenset({"review.explain"})
_MARKED_READ = frozenset({QueueGroup.DONE, QueueGroup.PAST})


class MainScreen(Openers):
    """The screen with every view."""

    CSS_PATH = "main_screen.tcss"

    def __init__(self, look: Appearance, opening: Opening | None = None, *, tour: bool = False) -> None:
        super().__init__()
        self._look = look
        self.tour = Tour()
        if not tour:
            self.tour.end()
        self.keys = Keys(look.keymap, ascii_only=look.ascii_only)
        self._views: dict[str, View] = {}
        self._opening = opening
        self._wanted: HandoffKey | None = None
        """The handoff that was opened last: until it is in view, no other one is taken."""
        self._came_from = ""
        """The tab that led to this one, if a row of it was opened; empty if the tab was chosen."""
        self._last_list = next(iter(REPOSITORY))
        self.view_name = next(iter(VIEW_MAKERS))
        self.state = AppState()
        self._said: tuple[Cell, ...] = ()
        self._passed = 0
        """The number of the sentence that was in the status line at the last key: it has been read."""
        self._suspected: Alarm = ()
        self._alarmed: Alarm = ()
        """What is wrong with a log: as last seen, and as last shown."""
        self._parts: frozenset[Part] = frozenset()
        """What was on screen when the last state arrived."""
        self._looked: dict[HandoffKey, set[str]] = {}
        """The problems that were looked at, by handoff."""

    def compose(self) -> ComposeResult:
        yield Bar(id="title", raised=True)
        yield Bar(id="tabs")
        yield Bar(id="banner")
        with Container(id="body"):
            yield self._make(self.view_name)
        yield FindLine(id="find")
        yield TravelBar(self.keys)
        yield Bar(id="status")
        yield Bar(id="tour", raised=True)
        yield KeyBar(id="keys", raised=True)

    def on_mount(self) -> None:
        self.view.focus_first()
        self._draw()

    @property
    def view(self) -> View:
        return self._views[self.view_name]

    @property
    def in_review(self) -> bool:
        """Whether one handoff is in view, not the repository."""
        return is_review(self.view_name)

    @property
    def parts(self) -> frozenset[Part]:
        """The parts on screen, which must be fresh."""
        asked = _FOUND_BY_NAME if isinstance(self.app.screen, EverythingScreen) else frozenset()
        return self.view.list_parts() | (_OF_A_REVIEW if self.in_review else frozenset()) | asked

    @property
    def looked(self) -> set[str]:
        """What was looked at of the handoff in view."""
        return self._looked.setdefault(self.state.chosen, set()) if self.state.chosen is not None else set()

    def show(self, state: AppState) -> None:
        """Draws a new state, as far as it is on screen."""
        self.state = state
        if state.item is None and state.inbox:  # none was chosen yet, or it is gone: take the most urgent one
            known = self._wanted if any(item.key == self._wanted for item in state.inbox) else None
            self.post_message(HandoffChosen(known or state.inbox[0].key))
        if self._opening is not None and state.repositories and all(one.state.value for one in state.repositories):
            self.post_message(HandoffOpened(*self._find_opening(self._opening)))
            self._opening = None
        self.view.show(state)
        if (parts := self.parts) != self._parts:  # what the view needs can depend on what it shows
            self._parts = parts
            self.post_message(PartsChanged())
        if (key := self.tour.begin(state)) is not None:
            self.view.choose("\0".join(key))
        self.query_one(TravelBar).show_travel(state.travel)
        self._draw()
        self._note_alarm(find_alarm(state))

    def _note_alarm(self, alarm: Alarm) -> None:
        """Has the log read again before it alarms anybody: another program may be writing an entry this very moment."""
        if alarm != self._suspected:
            self._suspected = alarm
            if alarm and alarm != self._alarmed:
                self.post_message(AppActionWanted("app.rescan"))
                self.set_timer(_CONFIRM_SECONDS, partial(self._raise_alarm, alarm))
        if not alarm:
            self._alarmed = ()

    def _raise_alarm(self, alarm: Alarm) -> None:
        """Shows what is wrong with the log if it still is, once."""
        if alarm == find_alarm(self.state) and alarm != self._alarmed:
            self._alarmed = alarm
            self.app.push_screen(AlertScreen(alarm, self.keys), self._take)

    @on(HandoffOpened)
    async def open_handoff(self, event: HandoffOpened) -> None:
        """Opens a handoff in one of its tabs."""
        event.stop()
        if event.key is not None:
            self._wanted = event.key
            if event.key != self.state.chosen:
                self.state = replace(self.state, chosen=event.key)
            await self.open_view(event.view)
            self.app.post_message(HandoffChosen(event.key))  # after what the queue chose while the tab was made

    @on(ActionWanted)
    async def perform_wanted(self, event: ActionWanted) -> None:
        event.stop()
        if event.action != "app.open" or not await self._go_on_with_tour(event.action):
            await self.perform(event.action)

    @on(ViewWanted)
    async def open_wanted(self, event: ViewWanted) -> None:
        await self.jump(event.view)

    async def jump(self, name: str) -> None:
        """Opens the tab that a row leads to; escape leads back."""
        before = self.view_name
        await self.open_view(name)
        if is_review(before) and before != self.view_name:
            self._came_from = before

    async def open_view(self, name: str) -> None:
        """Opens a tab, and creates its view the first time."""
        self._came_from = ""
        if name not in VIEW_MAKERS or name == self.view_name:
            return
        self.close_find()
        if name not in self._views:  # complete before it becomes the current view: a state may arrive in between
            made = VIEW_MAKERS[name]()
            made.display = False
            await self.query_one("#body").mount(made)
            self._views[name] = made
        self.view.display = False
        self.view_name = name
        if not is_review(name):
            self._last_list = name
        self.view.display = True
        self._said = ()
        self.view.show(self.state)
        self.view.focus_first()
        self.post_message(PartsChanged())
        self._draw()

    async def go_back(self) -> None:
        """Ends a search, returns to now, to the tab that led here, or to the level above."""
        if self.query_one(FindLine).display:
            self.close_find()
            self.view.focus_first()
        elif self.state.travel is not None:
            self.post_message(TravelEnded())
        elif self._came_from:
            await self.open_view(self._came_from)
        elif self.in_review:
            await self.open_view(self._last_list)
        else:
            await self.open_view(next(iter(REPOSITORY)))

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
        return (
            find_refusal(action, state, read_only=self._look.read_only)
            or self.view.refuse(action)
            or self._refuse_here(action, state)
        )

    def _refuse_here(self, action: str, state: AppState) -> str:
        """Says why the tab in view has no such action."""
        scope = get_scope(action)
        if scope == "view" and action.removeprefix("view.") in {*list_tabs("overview")} and state.item is None:
            return "no handoff selected"
        if action == "app.undo" and action not in self.view.list_acts():  # then it is about the last decision
            return find_refusal("decide.withdraw", state, read_only=self._look.read_only)
        if scope not in _OF_THE_VIEW or action in _EVERYWHERE or action in self.view.list_acts():
            return ""
        return _ELSEWHERE.get(action, "not in this tab")

    def list_hints(self) -> list[Hint]:
        """Lists everything that can be done here, most useful first."""
        return [self._build_hint(action) for action in self._list_actions()]

    def _build_hint(self, action: str) -> Hint:
        return Hint(action, self.keys.show(action), self.view.words.get(action, WORDS[action]), self.refuse(action))

    def _list_actions(self) -> list[str]:
        first = [*self.view.list_hints(), *_ALWAYS]
        rest = [action for action in self.keys.list_actions() if action not in first]
        return [*dict.fromkeys(first), *rest]

    async def perform(self, action: str) -> None:
        """Performs an action, or says why it can't be done."""
        self._said = ()
        self._passed = self.state.status.number if self.state.status is not None else 0
        if refusal := self.refuse(action):
            self.say(Cell(f" {WORDS[action].rstrip('…').capitalize()}: {refusal}", "warning"))
            return
        if not self.view.perform(action) and not self.open_box(action):
            await self._perform_any(action)
        self._draw()

    async def _perform_any(self, action: str) -> None:
        """Performs the actions that every view has."""
        scope, _, name = action.partition(".")
        if scope == "view":
            await self._open_tab(name)
        elif scope == "focus":
            self._change_pane(name)
        elif scope == "find":
            self._find(action)
        elif scope == "travel":
            self.post_message(self.query_one(TravelBar).build_wish(name))
        elif (
            dialog := build_dialog(
                action, self.state, self.list_hints(), self.keys, self._look.settings, here=self.view.list_hints()
            )
        ) is not None:
            await self.app.push_screen(dialog, self._take)
            self.post_message(PartsChanged())
        elif scope == "decide" or action == "app.undo":
            self._decide("withdraw" if scope == "app" else name)
        elif scope == "agent" or action in _IN_HISTORY:
            await self._perform_in("agent" if scope == "agent" else "history", action)
        elif scope == "nav":
            self._step_handoff(1 if name == "next-handoff" else -1)
        elif scope == "review":
            await self._perform_review(action)
        elif action == "app.back":
            await self.go_back()
        elif action in _OF_THE_APP:
            leaving = build_leave_dialog(self.state.activity) if action == "app.quit" else None
            await self.app.push_screen(leaving, self._take) if leaving else self.post_message(AppActionWanted(action))

    async def _open_tab(self, name: str) -> None:
        """Opens the n-th tab in view, or a tab by name."""
        tabs = [*list_tabs(self.view_name)]
        if name.isdecimal():
            if int(name) > len(tabs):
                self.say_text(f"There are {len(tabs)} tabs here", "muted")
                return
            name = tabs[int(name) - 1]
        await self.open_view(name)

    def _change_pane(self, name: str) -> None:
        if name == "zoom":
            if not self.view.zoom():
                self.say_text("There is only one pane here", "muted")
        else:
            self.focus_next() if name == "next" else self.focus_previous()

    async def _perform_in(self, view: str, action: str) -> None:
        """Opens the tab that has an action, and performs it there."""
        await self.jump(view)
        if refusal := self.view.refuse(action):
            self.say(Cell(f" {WORDS[action].rstrip('…').capitalize()}: {refusal}", "warning"))
        else:
            self.view.perform(action)

    async def _perform_review(self, action: str) -> None:
        if action == "review.next":
            await self.go_on()
        elif action == "review.run":
            waits = self.state.item is not None and self.state.item.waits_for_consent
            self.post_message(ProposalWanted(ProposalKind.TRUST) if waits else ChecksWanted())
        elif action == "review.consent":
            self.post_message(ProposalWanted(ProposalKind.TRUST))
        elif action == "review.take-in":
            self.post_message(TakeInWanted())
        elif action == "review.scope":
            await self._correct_scope()

    # the guided review

    async def go_on(self) -> None:
        """Goes to the next thing worth looking at; at the end the decision opens."""
        if not self.in_review:
            key = self.view.handoff or self.state.chosen
            if key is not None:
                await self.open_handoff(HandoffOpened(key, "overview"))
            return
        if self.view.read_on():
            return
        self._note_looked()
        stop = find_next(self.state, {*self.looked, *self._marking})
        if stop is not None:
            await self.open_view(stop.kind.value)
            self.view.choose(stop.key)
        elif self.state.problems.value is None or self.state.files.value is None:
            self.say_text("Still reading; press again in a moment", "muted")
        else:
            self._finish()

    @property
    def _marking(self) -> set[str]:
        """The file that was marked as read just now; the state follows."""
        return {self.view.get_stop()} if self.view_name == ReviewStopKind.FILE.value else set()

    def _note_looked(self) -> None:
        """Counts what is in view as looked at."""
        stop = self.view.get_stop()
        if not stop:
            return
        if self.view_name == ReviewStopKind.FILE.value:
            if stop not in self.state.drafts.viewed:
                self.post_message(FileMarked(stop, viewed=True))
        else:
            self.looked.add(stop)

    def _finish(self) -> None:
        """Everything was looked at: opens the decision that follows from it."""
        measured = self.state.problems.value
        blocked = measured is not None and any(problem.fails for problem in measured.problems)
        action = "decide.reject" if blocked else "decide.approve"
        if refusal := self.refuse(action):
            self.say(Cell(f" Everything was looked at. {refusal.capitalize()}", "warning"))
        else:
            self._decide(action.partition(".")[2])

    def _decide(self, verb: str) -> None:
        """Asks for a decision on the selected handoff."""
        decided = self.view.handoff or self.state.chosen
        self.tour.note_decision(verb, decided.handoff if decided is not None else "")
        problems = self.state.problems.value.problems if self.state.problems.value is not None else ()
        looked = frozenset(check for one in problems if one.key in self.looked for check in one.checks)
        self.post_message(DecisionWanted(verb, self.view.handoff, looked))

    def _step_handoff(self, by: int) -> None:
        """Shows the next handoff of the queue in the same tab."""
        items = [item for item in self.state.inbox if item.group not in _MARKED_READ or item.key == self.state.chosen]
        keys = [item.key for item in items]
        place = keys.index(self.state.chosen) + by if self.state.chosen in keys else 0
        if 0 <= place < len(keys):
            self.post_message(HandoffChosen(keys[place]))
        else:
            self.say_text("This is the last handoff" if by > 0 else "This is the first handoff", "muted")

    # keys, finding and drawing

    async def on_key(self, event: events.Key) -> None:
        if isinstance(self.focused, Input):
            if event.is_printable and event.character:  # typed before the field had the focus; it keeps what it gets
                event.stop()
                self.focused.insert_text_at_cursor(event.character)
            return
        action = self.keys.find(event)
        if action is not None:
            event.stop()
            event.prevent_default()
            if not await self._go_on_with_tour(action):
                await self.perform(action)

    async def _go_on_with_tour(self, action: str) -> bool:
        """Enter performs the step of the tour, escape ends it; tells whether the key was meant for it."""
        if self.tour.step is None or self.query_one(FindLine).display:
            return False
        if action == "app.back":
            self.tour.end()
            self._draw()
            return True
        actions = self.tour.list_actions(self.view_name) if action == "app.open" else ()
        key = self.tour.find_key(self.state)
        if not actions or key is None:
            return False
        if not self.in_review and actions != ("view.log",):
            await self.open_handoff(HandoffOpened(key, "overview"))
        for one in actions:
            if not self.refuse(one):
                await self.perform(one)
        return True

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

    def on_screen_suspend(self) -> None:
        self.call_after_refresh(self._draw)

    def on_screen_resume(self) -> None:
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
        self.view.leave_find()

    def _say_found(self, words: str) -> None:
        self.say(Cell(f" {words}", "muted")) if words else self._draw_status()

    def _make(self, name: str) -> View:
        self._views[name] = VIEW_MAKERS[name]()
        return self._views[name]

    def _draw(self) -> None:
        width = self.size.width
        self.draw_tour(self.state)
        tabs = {name: self.keys.show(f"view.{n}") for n, name in enumerate(list_tabs(self.view_name), start=1)}
        progress = describe_progress(self.state, self.looked) if self.in_review else ""
        self.query_one("#title", Bar).show(*build_title(self.state, self.view_name, progress, width))
        self.query_one("#tabs", Bar).show_parts(build_tabs(self.state, self.view_name, tabs, width))
        banner = self.query_one("#banner", Bar)
        cells = self._build_banner(width)
        banner.display = bool(cells)
        banner.show(*cells)
        hints = [self._build_hint(action) for action in dict.fromkeys((*self.view.list_hints(), *_ALWAYS))]
        self.query_one("#keys", KeyBar).show_hints(hints, width, pinned=_PINNED)
        self._draw_status()

    def draw_tour(self, state: AppState) -> None:
        """Draws the line of the tour, once what it is about is in the queue."""
        self.tour.follow(Seen(state, self.view_name))
        guide = self.query_one("#tour", Bar)
        guide.display = self.tour.step is not None and self.tour.find_key(state) is not None
        guide.show(*self.tour.build_line(can_end=self.is_active))

    def _build_banner(self, width: int) -> tuple[Cell, ...]:
        cells = build_banner(self.state, self.view_name, self.keys.show("review.take-in"), self.keys.show("app.setup"))
        if width < LEAST_WIDTH or self.size.height < LEAST_HEIGHT:
            words = f" Needs {LEAST_WIDTH}x{LEAST_HEIGHT}, is {width}x{self.size.height} "
            return (Cell(words, "warning"), *cells)
        return cells

    @on(StatusChanged)
    def _draw_status(self) -> None:
        told = self.state.status
        cells = self._said or self.view.describe()
        if not self._said and told is not None and told.text and told.number != self._passed:
            cells = (Cell(f" {told.text}", told.role),)
        if (running := self.state.running) is not None and not self._said:
            cells = (Cell(f" Running the checks: {running.done} of {running.total or '…'} {running.current}", "agent"),)
        notes = describe_notes(self.state.travel) if self.state.travel is not None and not self._said else ()
        self.query_one("#status", Bar).show(*cells, *notes)
