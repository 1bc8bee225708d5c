"""Watches a repository and tells what may have changed. It writes nothing, and it does not trust the events it gets.

The system loses events: in folders that were just made, in storms, after names that are not UTF-8. So new folders are
walked once more after they are watched, and where something may have been lost, git is asked about everything.
"""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from handoff_tui.errors import HandoffError, WatchRefusedError
from handoff_tui.repo.clock import read_monotonic, read_now
from handoff_tui.repo.known_state import Difference, KnownState, compare_states
from handoff_tui.repo.listener import (
    STEP_MILLISECONDS,
    UNFOCUSED_STEP_MILLISECONDS,
    Listener,
    OpenNotify,
    Pace,
    open_notify,
    open_rust_notify,
)
from handoff_tui.repo.noticed import Noticed, Watching
from handoff_tui.repo.own_place import OWN_FOLDER
from handoff_tui.repo.probe import OFTEN_IGNORED
from handoff_tui.repo.reconcile import FailedLook, FolderReader, FullLook, read_full_look, reopen
from handoff_tui.repo.repository import Repository
from handoff_tui.repo.state_files import find_cache_folder
from handoff_tui.repo.watch_events import Event, Places, Sorted, sort_events
from handoff_tui.repo.watch_schedule import IDLE_SECONDS, Schedule
from handoff_tui.repo.watch_set import WatchSet
from handoff_tui.repo.watched_folders import is_folder, read_git_folders, read_named_folders, walk_folders

BURST_EVENTS = 500
"""So many at once are not followed one by one."""
MANY_EVENTS = 2_000
"""After so many, whenever they came, a full look makes sure that none was lost."""
_MOST_NEW_FOLDERS = 16
_MOST_FOLDERS_BELOW = 500
_ROUNDS = 3


class _Heard(NamedTuple):
    events: set[Event]


class _Broken(NamedTuple):
    reason: str


class _Asked(NamedTuple):
    ticket: int


class _Stopped(NamedTuple):
    pass


_Item = _Heard | _Broken | _Asked | _Stopped | FullLook | FailedLook | None


class _Tally:
    """What was lost or asked for, by the time a full look begins."""

    def __init__(self) -> None:
        self.everything = False
        """Single changes are not known."""
        self.ticket = 0
        self.heard = 0


class Watcher(threading.Thread):
    """Calls `tell` on its own thread until `stop` is set. `tell` must return soon and raise nothing.

    `named` are paths that are watched even when git ignores them.
    """

    def __init__(
        self,
        repository: Repository,
        tell: Callable[[Noticed], None],
        stop: threading.Event,
        *,
        named: Iterable[str] = OFTEN_IGNORED,
        idle_seconds: float = IDLE_SECONDS,
        open_one: OpenNotify = open_rust_notify,
    ) -> None:
        super().__init__(name="watcher", daemon=True)
        self._repository = repository
        self._tell = tell
        self._stop_event = stop
        self._named = tuple(named)
        self._open_one = open_one
        self._queue: queue.SimpleQueue[_Item] = queue.SimpleQueue()
        self._pace = Pace()
        self._places = _build_places(repository)
        self._reader = FolderReader(repository, self._named)
        self._set = WatchSet(self._listen)
        self._schedule = Schedule(read_monotonic(), idle_seconds)
        self._tickets = itertools.count(1)
        self._owed, self._running = _Tally(), _Tally()
        self._known: KnownState | None = None
        self._settling = False
        self._rebuild = False
        self._refused: WatchRefusedError | None = None
        self._failed: FailedLook | None = None
        self._last = Noticed(0, Watching.RESCANNING)

    def request_reconcile(self) -> int:
        """Asks for a full look, at once or after the one that runs. `Noticed.answered` reaches this number."""
        ticket = next(self._tickets)
        self._queue.put(_Asked(ticket))
        return ticket

    def set_focused(self, focused: bool) -> None:  # noqa: FBT001 - it is the only thing said
        """While nobody looks, changes may be told a little later; who comes back gets a full look."""
        self._pace.step = STEP_MILLISECONDS if focused else UNFOCUSED_STEP_MILLISECONDS
        if focused:
            self.request_reconcile()

    def run(self) -> None:
        threading.Thread(target=self._wait_for_stop, name="watch-stop", daemon=True).start()
        try:
            self._begin()
            while not isinstance(item := self._take(), _Stopped):
                self._handle(item)
                self._act()
        finally:
            self._set.clear()

    def _wait_for_stop(self) -> None:
        self._stop_event.wait()
        self._queue.put(_Stopped())

    def _begin(self) -> None:
        """Listens first and looks then, so that what happens in between is told."""
        self._owed.everything = True
        self._say(force=True)
        try:
            folders, _ = self._reader.read(reopen(self._repository))
        except (HandoffError, OSError):
            self._rebuild = True  # the first full look says what is wrong
        else:
            self._watch(folders)
        self._schedule.ask()
        self._act()

    def _take(self) -> _Item:
        try:
            return self._queue.get(timeout=self._schedule.find_pause(read_monotonic()))
        except queue.Empty:
            return None

    def _handle(self, item: _Item) -> None:
        match item:
            case _Heard(events):
                self._hear(events)
            case _Broken():
                self._rebuild = True
                self._lose()
            case _Asked(ticket):
                self._owed.ticket = ticket
                self._schedule.ask()
            case FullLook():
                self._finish(item)
            case FailedLook():
                self._fail(item)

    def _act(self) -> None:
        """Does what is due."""
        now = read_monotonic()
        self._schedule.merge_wanted = self._set.scattered
        merge, look = self._schedule.find_merge(), self._schedule.find_look()
        if merge is not None and merge <= now:
            self._watch(set(self._set.folders))
            self._schedule.merge_wanted = False
        if look is not None and look <= now:
            self._schedule.begin()
            self._running, self._owed = self._owed, _Tally()
            self._owed.ticket = self._running.ticket
            threading.Thread(target=self._look, name="watch-look", daemon=True).start()

    def _look(self) -> None:
        began = read_monotonic()
        try:
            self._queue.put(read_full_look(self._repository, self._reader, self._named))
        except (HandoffError, OSError) as fault:
            gone = not is_folder(self._places.root) or not self._repository.git_dir.exists()
            hint = fault.hint if isinstance(fault, HandoffError) else ""
            self._queue.put(FailedLook(str(fault), hint, gone, began, read_monotonic() - began))

    def _hear(self, events: set[Event]) -> None:
        found = sort_events(events, self._places)
        if not (found.paths or found.refs or found.root_gone):
            return
        self._schedule.note_event(read_monotonic())
        self._owed.heard += len(events)
        self._rebuild |= found.root_gone
        if found.root_gone or len(events) >= BURST_EVENTS or self._owed.heard >= MANY_EVENTS:
            self._lose()
        elif not self._owed.everything and not self._follow(found):
            self._lose()
        if found.reconcile:
            self._schedule.want(read_monotonic())
        if not self._owed.everything:
            self._say(Difference(found.paths, found.refs))

    def _lose(self) -> None:
        """Single changes are not known any more."""
        self._owed.everything = True
        self._schedule.want(read_monotonic())
        self._say()

    def _follow(self, found: Sorted) -> bool:
        """Forgets folders that are gone, and watches new ones; false when that is better left to a full look.

        Only then is it told of them: what is written to them from then on is an event again.
        """
        appeared = [path for path in found.appeared if is_folder(path)]
        for folder in (*found.deleted, *appeared):
            self._set.forget(folder)
        if self._refused or not appeared:
            return True
        if len(appeared) > _MOST_NEW_FOLDERS:
            return False
        try:
            return self._extend(appeared)
        except WatchRefusedError as refused:
            self._refuse(refused)
        except HandoffError:
            return False
        return True

    def _extend(self, appeared: list[str]) -> bool:
        """Walks again after each round of watching, until nothing new is found."""
        root = self._places.root
        tops = [path[len(root) + 1 :] for path in appeared if path.startswith(f"{root}/")]
        git = reopen(self._repository)
        for _ in range(_ROUNDS):
            walk = walk_folders(self._repository.root, git, tops, _MOST_FOLDERS_BELOW)
            named = read_named_folders(self._repository.root, (*self._named, OWN_FOLDER))
            found = {f"{root}/{folder}" for folder in walk.folders | named} | read_git_folders(self._repository)
            found -= self._set.folders | self._set.unwatchable
            if not walk.complete or not found:
                return walk.complete
            self._set.add(found)
        return False

    def _finish(self, look: FullLook) -> None:
        self._schedule.finish(read_monotonic(), look.seconds)
        asked = self._running.ticket > self._last.answered
        self._failed = None
        self._settling = self._adjust(look, asked=asked)
        if self._settling:
            self._schedule.want(read_monotonic())
        self._schedule.polling = bool(self._refused or self._set.unwatchable or not look.complete)
        everything = self._running.everything or self._known is None
        difference = _NOTHING if self._known is None else compare_states(self._known, look.state)
        self._known = look.state
        self._running.everything = False
        self._last = self._last._replace(reconciled=self._last.reconciled + 1, answered=self._running.ticket)
        self._say(difference, everything=everything, force=asked, confirmed_at=read_now())

    def _adjust(self, look: FullLook, *, asked: bool) -> bool:
        """Watches what the look found; true when folders came to it, where something may have happened before."""
        if self._rebuild or (self._refused and asked):
            self._rebuild = False
            self._watch(look.folders)
            return not self._refused
        if self._refused:
            return False
        missing = look.folders - self._set.folders - self._set.unwatchable
        if missing:
            try:
                self._set.add(missing)
            except WatchRefusedError as refused:
                self._refuse(refused)
            return True
        if look.complete and self._set.folders > look.folders and self._schedule.has_been_quiet_since(look.began):
            self._watch(look.folders)
        return self._settling and bool(self._owed.everything)

    def _fail(self, look: FailedLook) -> None:
        """Git gives no answer. It is asked again, and what is owed stays owed."""
        self._schedule.finish(read_monotonic(), look.seconds)
        self._schedule.polling = True
        self._failed = look
        self._owed.everything |= self._running.everything or look.gone
        if look.gone:
            self._rebuild = True
            self._set.clear()
        asked = self._running.ticket > self._last.answered
        self._last = self._last._replace(answered=self._running.ticket)
        self._say(force=asked)

    def _listen(self, folders: Iterable[str]) -> Listener:
        return Listener(
            open_notify(folders, self._open_one),
            self._pace,
            self._stop_event,
            lambda events: self._queue.put(_Heard(events)),
            lambda reason: self._queue.put(_Broken(reason)),
        )

    def _watch(self, folders: Iterable[str]) -> None:
        """Watches these folders and no others."""
        folders = set(folders)
        self._refused = None
        try:
            self._set.replace(folders)
        except WatchRefusedError:
            self._set.clear()  # old and new together may have been too many
            self._settling = True
            self._schedule.want(read_monotonic())
            try:
                self._set.replace(folders)
            except WatchRefusedError as refused:
                self._refuse(refused)

    def _refuse(self, refused: WatchRefusedError) -> None:
        """Watches the few folders that matter most, and polls for the rest."""
        self._refused = refused
        self._schedule.polling = True
        self._set.clear()
        root = self._repository.root
        named = {f"{root}/{folder}" for folder in read_named_folders(root, (*self._named, OWN_FOLDER))}
        try:
            self._set.replace({str(root)} | named | read_git_folders(self._repository))
        except WatchRefusedError:
            self._set.clear()

    def _say(
        self,
        difference: Difference | None = None,
        *,
        everything: bool = False,
        force: bool = False,
        confirmed_at: datetime | None = None,
    ) -> None:
        """Tells what is new, if anything is."""
        watching, explanation, hint = self._describe()
        difference = difference or _NOTHING
        same = (watching, explanation) == (self._last.watching, self._last.explanation)
        if confirmed_at is not None:
            self._last = self._last._replace(confirmed_at=confirmed_at)
        if same and not (force or everything or difference.paths or difference.refs):
            return
        self._last = self._last._replace(
            generation=self._last.generation + 1,
            watching=watching,
            paths=difference.paths,
            refs=difference.refs,
            everything=everything,
            explanation=explanation,
            hint=hint,
        )
        self._tell(self._last)

    def _describe(self) -> tuple[Watching, str, str]:
        if self._failed is not None:
            return (Watching.GONE if self._failed.gone else Watching.POLLING), self._failed.message, self._failed.hint
        if self._refused is not None:
            return Watching.POLLING, self._refused.message, self._refused.hint
        if self._owed.everything or self._running.everything or self._settling:
            return Watching.RESCANNING, "", ""
        if self._schedule.polling:
            return Watching.POLLING, "some folders cannot be watched: too many, or names that are not UTF-8", ""
        return Watching.LIVE, "", ""


_NOTHING = Difference(frozenset(), refs=False)


def _build_places(repository: Repository) -> Places:
    git = sorted({str(repository.git_dir), str(repository.common_dir)}, key=len, reverse=True)
    return Places(str(repository.root), tuple(git), str(find_cache_folder(repository.root)))
