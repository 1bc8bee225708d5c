"""The desk of the app: the only thing it talks to. Every call returns at once; what comes of it is told as a new state.

What takes long, imports included, happens on threads: one lane for the state of each repository, one for parts in view
that are quick, one for those that are not, one for checks that were asked for, one for decisions.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.git.file_diff import DiffOptions
from handoff_tui.live.acting.agents import AgentDesk
from handoff_tui.live.acting.bisecting import Bisecting
from handoff_tui.live.acting.debugging import PLACES, Debugging
from handoff_tui.live.acting.deciding import Deciding
from handoff_tui.live.acting.travelling import Travelling, build_past_scope, present_past
from handoff_tui.live.asked_checks import AskedChecks
from handoff_tui.live.drafts import DraftKeeper
from handoff_tui.live.feed.repository_feed import RepositoryFeed
from handoff_tui.live.keyed_worker import Lane
from handoff_tui.live.log_requests import LogLooks
from handoff_tui.live.parts.visible import PartsInView
from handoff_tui.live.state.desk import USUAL_SCOPE, DeskState, DocumentView, Loaded, OpenFile, Part, Scope
from handoff_tui.live.state_store import Board, put_parts
from handoff_tui.log.review_record import Comment
from handoff_tui.status.inbox_item import HandoffKey

if TYPE_CHECKING:
    from handoff_tui.history.travel.values import Stop
    from handoff_tui.live.feed.snapshot import Scene
    from handoff_tui.live.parts.loader import ReadingRoom

_SWITCH_SECONDS = 0.0005
"""A thread that reads for long gives way to one that draws, or that reads what was just saved, after so long."""
_OF_THE_HANDOFF = tuple(part for part in Part if part not in {Part.LOG, Part.FIGURES})
_OF_THE_REPOSITORY = ("log", "entry", "report", "figures")
_OF_THE_SCOPE = (Part.FILES, Part.DIFFERENCE, Part.FILE)


def raise_bug(bug: BaseException) -> None:
    """Where nobody else reports bugs, the thread's own hook does."""
    raise bug


class LiveDesk:
    """`tell` gets each new state and `on_bug` whatever nobody expected, both on any thread."""

    def __init__(
        self,
        starts: Sequence[Path],
        tell: Callable[[DeskState], None],
        on_bug: Callable[[BaseException], None] = raise_bug,
    ) -> None:
        self._board = Board(tell)
        self._lanes = [Lane(name, on_bug) for name in ("quick", "slow", "checks", "decisions")]
        quick, slow, checks, decisions = self._lanes
        self._feeds = [
            RepositoryFeed(start, self._board, slow, self._note_scene, on_bug) for start in dict.fromkeys(starts)
        ]
        self._asked = AskedChecks(self._board, checks, self._find_scene, self._note_checks)
        self._looks = LogLooks(self._board, slow, self._find_scene)
        self._parts = PartsInView(self._board, quick, slow, self._find_scene)
        self._parts.reader = self._read_part
        self._drafts = DraftKeeper(self._board, on_bug)
        self._board.settle = self._drafts.settle
        self._deciding = Deciding(self._board, decisions, self._find_scene, self._drafts.get_stored, self._note_stored)
        self.agents = AgentDesk(self._board, self._find_scene, lambda: self._note_checks(False), on_bug)  # noqa: FBT003 - nothing of it is shown
        """Agents are followed, started and stopped through this."""
        self.debugging = Debugging(self._board, slow, self._find_scene, lambda *at: self._find_room().build_wanted(*at))
        """Attempts are compared, and failures looked into, through this."""
        self.bisecting = Bisecting(self._board, self._find_scene, on_bug)
        self.travelling = Travelling(self._board, self._find_scene, self._show_changes, on_bug)
        """The desk as it was."""
        self._board.present = present_past
        self._lanes += [self.bisecting.lane, self.travelling.lane]
        self._needed: frozenset[Part] = frozenset()
        self._diff_now: tuple[Scope, OpenFile | None] = (USUAL_SCOPE, None)
        self._room_lock = threading.Lock()
        self._room: ReadingRoom | None = None
        first = tuple(feed.build_first_part() for feed in self._feeds)
        self._board.change(lambda state: replace(state, repositories=first))

    @property
    def state(self) -> DeskState:
        """The newest one, as it is told: while somebody travels, how it was."""
        return self._board.present(self._board.state)

    def start(self) -> None:
        """Opens the repositories and begins to watch them."""
        sys.setswitchinterval(_SWITCH_SECONDS)
        for lane in self._lanes:
            lane.start()
        for feed in self._feeds:
            feed.start()
        self.agents.start()

    def stop(self) -> None:
        """Ends every thread and what was started for a check; nothing is told any more."""
        self._board.close()
        self.agents.stop()
        for lane in self._lanes:
            lane.stop()
        for feed in self._feeds:
            feed.stop()
        for lane in self._lanes:
            lane.join()
        self.travelling.close()
        self.agents.join()
        self._drafts.stop()

    def set_focused(self, *, focused: bool) -> None:
        """Whether somebody looks: who comes back gets a full look at everything."""
        for feed in self._feeds:
            feed.set_focused(focused=focused)
        if focused:
            self._drafts.refresh()

    def rescan(self) -> None:
        """Reads everything anew; a repository that could not be opened is tried again."""
        for feed in self._feeds:
            feed.rescan()

    def need(self, parts: frozenset[Part]) -> None:
        """What is on screen now: it is read if it is missing or stale, and then kept fresh."""
        self._needed = parts
        past = self.travelling.is_on
        self._parts.need(parts & frozenset(_OF_THE_SCOPE) if past else parts)
        self.agents.need(needed=Part.AGENT in parts and not past)

    def choose(self, key: HandoffKey | None) -> None:
        """The handoff in view; what is being read for another one is given up."""
        if self.travelling.is_on:
            self.travelling.choose(key)
            return
        if key == self._board.state.chosen:
            return
        self._parts.forget(*_OF_THE_HANDOFF)
        self.debugging.forget()
        self._asked.cancel()

        def enter(state: DeskState) -> DeskState:
            same = state.repository is not None and key is not None and state.repository.root == key.root
            names = (*(part.value for part in _OF_THE_HANDOFF), *PLACES, *(() if same else _OF_THE_REPOSITORY))
            left = replace(state, chosen=key, phase=None, running=None, open_file=None, open_document=None)
            scope = USUAL_SCOPE if state.scope.scope is DiffScope.SINCE_SHOWN else state.scope
            left = replace(left, output=None, found=None, scope=scope)
            return put_parts(left, {name: Loaded() for name in names})

        self._board.change(enter)
        self.agents.note_chosen()
        self._drafts.open(key)
        self._parts.catch_up()

    def choose_phase(self, phase: str | None) -> None:
        if self.travelling.is_on:
            self.travelling.choose_phase(phase)
        else:
            self._enter({"phase": phase}, Part.CHECKS, Part.GATE, Part.ATTEMPTS)

    def choose_scope(self, scope: Scope) -> None:
        """From where on changes are shown."""
        self._enter({"scope": scope}, *_OF_THE_SCOPE)

    def open_file(self, path: str, options: DiffOptions) -> None:
        self._enter({"open_file": OpenFile(path, options)}, Part.FILE)

    def open_document(self, path: str) -> None:
        """A document of the handoff in view; `PACKET` is what a rejection would give to the next attempt."""
        if self.travelling.is_on:
            self.travelling.open_document(path)
        else:
            self._enter({"open_document": path}, Part.DOCUMENT)

    def run_checks(self, only: tuple[str, ...] = (), *, fresh: bool = True) -> None:
        """All checks of the gate in view or some of them, commands included."""
        self._asked.run(only, fresh=fresh)

    def cancel_checks(self) -> None:
        self._asked.cancel()

    def open_entry(self, entry: str) -> None:
        self._looks.open_entry(entry)

    def verify_log(self) -> None:
        """Every byte of the log anew."""
        self._looks.verify()

    def add_comment(self, comment: Comment) -> None:
        self._drafts.add_comment(comment)

    def remove_comment(self, comment: Comment) -> None:
        self._drafts.remove_comment(comment)

    def mark_viewed(self, path: str, *, viewed: bool) -> None:
        self._drafts.mark_viewed(path, viewed=viewed)

    def keep_reason(self, verb: str, text: str) -> None:
        self._drafts.keep_reason(verb, text)

    def begin_decision(self, verb: str) -> None:
        self._deciding.begin(verb)

    def leave_decision(self) -> None:
        self._deciding.leave()

    def sign(self, reason: str) -> None:
        self._deciding.sign(reason)

    def sign_here(self, reason: str) -> None:
        """The same on the calling thread, which has given the screen back: a passphrase can be typed."""
        self._deciding.sign_here(reason)

    def begin_travel(self, at: str | None = None) -> None:
        """Shows the desk as it was; nothing can be changed until it ends."""
        if not self.travelling.is_on:
            self._diff_now = (self._board.state.scope, self._board.state.open_file)
        self.travelling.begin(at)
        self.need(self._needed)

    def end_travel(self) -> None:
        if self.travelling.is_on:
            self.travelling.end()
            scope, file = self._diff_now
            self._enter({"scope": scope, "open_file": file}, *_OF_THE_SCOPE)
            self.need(self._needed)

    def _show_changes(self, stop: Stop) -> None:
        """In the diff of then, what the commit changed."""
        self.choose_scope(build_past_scope(stop))

    def is_idle(self) -> bool:
        """Whether nothing is being read and nothing waits to be."""
        lanes, feeds = (all(room.is_idle() for room in rooms) for rooms in (self._lanes, self._feeds))
        return lanes and feeds and self._drafts.is_idle() and self.agents.is_idle()

    def _enter(self, changes: dict[str, Any], *parts: Part) -> None:
        """Something else is in view: the parts that show it are empty until they are read."""
        if all(getattr(self._board.state, name) == value for name, value in changes.items()):
            return
        self._parts.forget(*parts)
        self._board.change(lambda state: put_parts(replace(state, **changes), {part.value: Loaded() for part in parts}))
        self._parts.catch_up()

    def _find_scene(self, state: DeskState) -> Scene | None:
        part = state.repository
        return next((feed.scene for feed in self._feeds if part is not None and feed.root == part.root), None)

    def _note_scene(self, redrawn: bool) -> None:  # noqa: FBT001 - called back with it
        self._parts.catch_up(drawn_first=redrawn)
        self._deciding.note_scene()
        self.agents.note_scene()

    def _note_stored(self, verb: str, comments: tuple[Comment, ...]) -> None:
        """The reason and the remarks are in the log now."""
        self._drafts.keep_reason(verb, "")
        for comment in comments:
            self._drafts.remove_comment(comment)

    def _note_checks(self, shown: bool) -> None:  # noqa: FBT001 - called back with it
        """Commands have run: the gate may stand elsewhere, and what is kept of the checks is older than that."""
        self._find_room().note_checks()
        self._parts.forget(Part.GATE, *(() if shown else (Part.CHECKS,)))
        self._parts.catch_up()

    def _read_part(self, part: Part, state: DeskState, scene: Scene, cancel: threading.Event) -> Any:  # noqa: ANN401 - of the part's own type
        value = self._find_room().read(part, state, scene, cancel)
        if isinstance(value, DocumentView):
            self._drafts.note_opened(value)
        return value

    def _find_room(self) -> ReadingRoom:
        from handoff_tui.live.parts.loader import ReadingRoom  # noqa: PLC0415 - after the first paint

        with self._room_lock:
            if self._room is None:
                self._room = ReadingRoom(self._board, self._asked.list_commands)
            return self._room
