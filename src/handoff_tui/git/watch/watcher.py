"""Watches a repository and reports what may have changed. It writes nothing, and doesn't rely on the events it gets.

The system loses events: in new folders, in storms, after names that aren't UTF-8. So new folders are
walked once more after they are watched, and if something may be lost, git is asked about everything.
"""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable, Iterable

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import HandoffError
from handoff_tui.git.repository import Repository
from handoff_tui.git.watch import reconcile
from handoff_tui.git.watch.keeper import (
    STEP_MILLISECONDS,
    UNFOCUSED_STEP_MILLISECONDS,
    Event,
    OpenNotify,
    WatchedPlaces,
    WatchKeeper,
    open_rust_notify,
    sort_events,
)
from handoff_tui.git.watch.noticed import NOTHING, Noticed, Touched, Watching
from handoff_tui.git.watch.reconcile import is_folder
from handoff_tui.system.clock import read_monotonic, read_now
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.files.probe import OFTEN_IGNORED

QUIET_SECONDS = 0.1
"""How long it must be quiet before a full scan caused by events …"""
LATEST_SECONDS = 2.0
"""… unless it has waited this long already."""
IDLE_SECONDS = 30.0
_LONGEST_IDLE_SECONDS = 480.0
_POLL_SECONDS = 2.0
_POLL_TIMES = 10
"""Polling then leaves git alone for this many times as long as it took."""
_MERGE_SECONDS = 2.0


class Schedule:
    """At most one full scan runs and one waits. All times are seconds on one monotonic clock."""

    def __init__(self, now: float, idle: float = IDLE_SECONDS) -> None:
        self.polling = False
        self.running = False
        self.merge_wanted = False
        self._idle = idle
        self._idle_now = idle
        self._last_event = now
        self._last_end = now
        self._last_seconds = 0.0
        self._wanted_since: float | None = None
        self._asked = False

    def note_event(self, now: float) -> None:
        self._last_event = now
        self._idle_now = self._idle

    def want(self, now: float) -> None:
        """Notes that events require a full scan."""
        if self._wanted_since is None:
            self._wanted_since = now

    def ask(self) -> None:
        """Asks for a full scan at once."""
        self._asked = True

    def begin(self) -> None:
        """Starts a full scan; later requests need another one."""
        if not self._asked and self._wanted_since is None:
            self._idle_now = min(self._idle_now * 2, _LONGEST_IDLE_SECONDS)
        self.running = True
        self._asked = False
        self._wanted_since = None

    def finish(self, now: float, seconds: float) -> None:
        self.running = False
        self._last_end = now
        self._last_seconds = seconds

    def has_been_quiet_since(self, moment: float) -> bool:
        return self._last_event < moment

    def find_look(self) -> float | None:
        """Returns when the next full scan is due; None while one runs."""
        if self.running:
            return None
        if self._asked:
            return self._last_end
        due = max(self._last_event, self._last_end) + self._idle_now
        if self.polling:
            due = min(due, self._last_end + max(_POLL_SECONDS, _POLL_TIMES * self._last_seconds))
        if self._wanted_since is not None:
            quiet = max(self._last_event, self._wanted_since) + QUIET_SECONDS
            rested = self._last_end + self._last_seconds  # git has at most half of the time
            due = min(due, max(min(quiet, self._wanted_since + LATEST_SECONDS), rested))
        return due

    def find_merge(self) -> float | None:
        """Returns when small listeners are merged into one."""
        return self._last_event + _MERGE_SECONDS if self.merge_wanted else None

    def find_pause(self, now: float) -> float | None:
        """Returns the seconds until something is due; None if only events can change that."""
        moments = [moment for moment in (self.find_look(), self.find_merge()) if moment is not None]
        return max(0.0, min(moments) - now) if moments else None


BURST_EVENTS = 500
"""More changes at once aren't followed one by one."""
MANY_EVENTS = 2_000
"""After this many, whenever they came, a full scan makes sure that none was lost."""
_PARTLY = "some folders cannot be watched: there are too many, or their names are not UTF-8"


class _Heard(NamedTuple):
    events: set[Event]


class _Broken(NamedTuple):
    reason: str


class _Asked(NamedTuple):
    ticket: int


class _Stopped(NamedTuple):
    pass


_Item = _Heard | _Broken | _Asked | _Stopped | reconcile.FullScan | reconcile.FailedScan | None


class _Debt:
    """What the next full scan has to make up for."""

    def __init__(self, ticket: int = 0) -> None:
        self.ticket = ticket
        self.everything = False
        """Single changes aren't known."""
        self.rebuild = False
        """The listeners may have stopped reporting."""
        self.heard = 0

    def lose(self, *, rebuild: bool) -> None:
        self.everything = True
        self.rebuild |= rebuild


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
        self._queue: queue.SimpleQueue[_Item] = queue.SimpleQueue()
        self._places = _build_places(repository)
        self._reader = reconcile.FolderReader(repository, self._named)
        self._keeper = WatchKeeper(
            repository,
            self._named,
            stop,
            lambda events: self._queue.put(_Heard(events)),
            lambda reason: self._queue.put(_Broken(reason)),
            open_one,
        )
        self._schedule = Schedule(read_monotonic(), idle_seconds)
        self._tickets = itertools.count(1)
        self._owed, self._running = _Debt(), _Debt()
        self._known: reconcile.StatusSnapshot | None = None
        self._listened = False
        """Whether every folder was watched before the first report."""
        self._settling = False
        self._failed: reconcile.FailedScan | None = None
        self._last = Noticed(0, Watching.RESCANNING)

    def request_reconcile(self) -> int:
        """Asks for a full scan, at once or after the running one. `Noticed.answered` reaches this number."""
        ticket = next(self._tickets)
        self._queue.put(_Asked(ticket))
        return ticket

    def set_focused(self, *, focused: bool) -> None:
        """Without focus, changes may be reported a little later; on return, a full scan follows."""
        self._keeper.pace.step = STEP_MILLISECONDS if focused else UNFOCUSED_STEP_MILLISECONDS
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
            self._keeper.clear()

    def _wait_for_stop(self) -> None:
        self._stop_event.wait()
        self._queue.put(_Stopped())

    def _begin(self) -> None:
        """Listens first and scans then, so that nothing in between is lost."""
        self._owed.everything = True
        try:
            folders, _ = self._reader.read(reconcile.reopen(self._repository))
        except (HandoffError, OSError):
            self._owed.rebuild = True  # the first full scan says what is wrong
        else:
            self._listened = self._keeper.watch(folders) and self._keeper.complete
        self._say(force=True)
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
                self._lose(rebuild=True)
            case _Asked(ticket):
                self._owed.ticket = ticket
                self._schedule.ask()
            case reconcile.FullScan():
                self._finish(item)
            case reconcile.FailedScan():
                self._fail(item)

    def _act(self) -> None:
        """Does what is due."""
        now = read_monotonic()
        self._schedule.merge_wanted = self._keeper.scattered
        merge, look = self._schedule.find_merge(), self._schedule.find_look()
        if merge is not None and merge <= now:
            self._schedule.merge_wanted = False
            if not self._keeper.merge():
                self._schedule.want(now)
        if look is not None and look <= now:
            self._schedule.begin()
            self._running, self._owed = self._owed, _Debt(self._owed.ticket)
            threading.Thread(target=self._look, name="watch-look", daemon=True).start()

    def _look(self) -> None:
        began = read_monotonic()
        try:
            self._queue.put(reconcile.scan_repository(self._repository, self._reader, self._named))
        except (HandoffError, OSError) as fault:
            gone = not is_folder(self._places.root) or not self._repository.git_dir.exists()
            hint = fault.hint if isinstance(fault, HandoffError) else ""
            self._queue.put(reconcile.FailedScan(str(fault), hint, gone, began, read_monotonic() - began))

    def _hear(self, events: set[Event]) -> None:
        found = sort_events(events, self._places)
        if not (found.paths or found.refs or found.root_gone):
            return
        now = read_monotonic()
        self._schedule.note_event(now)
        self._owed.heard += len(events)
        if found.reconcile:
            self._schedule.want(now)
        if found.root_gone or len(events) >= BURST_EVENTS or self._owed.heard >= MANY_EVENTS:
            self._lose(rebuild=True)
        elif not self._keeper.follow(found):
            self._lose(rebuild=False)
        elif not self._owed.everything:  # new folders are watched by now: later events in them are reported
            self._say(Touched(found.paths, found.refs))

    def _lose(self, *, rebuild: bool) -> None:
        """Notes that single changes aren't known any more."""
        self._owed.lose(rebuild=rebuild)
        self._schedule.want(read_monotonic())
        self._say()

    def _finish(self, look: reconcile.FullScan) -> None:
        self._schedule.finish(read_monotonic(), look.seconds)
        self._failed = None
        asked = self._running.ticket > self._last.answered
        if self._running.rebuild or (self._keeper.refused and asked) or self._keeper.refused_for_now:
            self._keeper.watch(look.folders)
            self._settling = self._keeper.refused is None
        else:
            self._settling = not self._keeper.adjust(look, quiet=self._schedule.has_been_quiet_since(look.began))
        if self._settling:
            self._schedule.want(read_monotonic())
        self._schedule.polling = not (self._keeper.complete and look.complete)
        everything = self._running.everything
        repeats = self._known is None and self._listened and not (self._settling or self._running.rebuild)
        difference = reconcile.compare_states(self._known, look.state) if self._known else NOTHING
        self._known = look.state
        self._last = self._last._replace(
            reconciled=self._last.reconciled + 1, answered=self._running.ticket, confirmed_at=read_now()
        )
        self._running = _Debt()
        self._say(difference._replace(everything=everything), repeats=repeats, force=asked)

    def _fail(self, look: reconcile.FailedScan) -> None:
        """Git gives no answer. It is asked again later, and nothing owed is forgotten."""
        self._schedule.finish(read_monotonic(), look.seconds)
        self._schedule.polling = True
        self._failed = look
        self._listened = False  # what is owed now is not told change by change
        if look.gone:
            self._keeper.clear()
        if self._running.everything or look.gone:
            self._owed.lose(rebuild=self._running.rebuild or look.gone)
        asked = self._running.ticket > self._last.answered
        self._last = self._last._replace(answered=self._running.ticket)
        self._running = _Debt()
        self._say(force=asked)

    def _say(self, touched: Touched = NOTHING, *, repeats: bool = False, force: bool = False) -> None:
        """Reports what is new, if anything."""
        watching, explanation, hint = self._describe()
        same = (watching, explanation) == (self._last.watching, self._last.explanation)
        if same and touched == NOTHING and not force:
            return
        self._last = self._last._replace(
            generation=self._last.generation + 1,
            watching=watching,
            touched=touched,
            repeats=repeats,
            explanation=explanation,
            hint=hint,
        )
        self._tell(self._last)

    def _describe(self) -> tuple[Watching, str, str]:
        if self._failed is not None:
            return (Watching.GONE if self._failed.gone else Watching.POLLING), self._failed.message, self._failed.hint
        if self._keeper.refused is not None:
            return Watching.POLLING, self._keeper.refused.message, self._keeper.refused.hint
        if self._owed.everything or self._running.everything or self._settling:
            return Watching.RESCANNING, "", ""
        if self._schedule.polling:
            return Watching.POLLING, _PARTLY, ""
        return Watching.LIVE, "", ""


def _build_places(repository: Repository) -> WatchedPlaces:
    git = sorted({str(repository.git_dir), str(repository.common_dir)}, key=len, reverse=True)
    return WatchedPlaces(str(repository.root), tuple(git), str(find_cache_folder(repository.root)))
