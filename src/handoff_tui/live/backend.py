"""The only thing the app talks to. Every call returns at once; the result comes as a new state.

Everything slow, imports included, happens on threads, one worker per resource: one for each repository, one for quick
parts and one for slow ones, one for measuring, one each for requested checks, decisions, bisecting and time travel,
and the agents' own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.core.classes import replace
from handoff_tui.git.file_diff import DiffOptions
from handoff_tui.live.acting.agent_follow import AgentFollower
from handoff_tui.live.acting.agents import AgentControl
from handoff_tui.live.acting.deciding import BatchApproving, Deciding
from handoff_tui.live.acting.scoping import Scoping
from handoff_tui.live.acting.setting_up import SettingUp
from handoff_tui.live.acting.travelling import Travelling, present_past
from handoff_tui.live.drafts import DraftKeeper
from handoff_tui.live.feed.repository_feed import RepositoryFeed
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.parts.requested import Bisecting, RequestedChecks, RequestedParts
from handoff_tui.live.parts.visible import VisibleParts
from handoff_tui.live.state.app import USUAL_RANGE, AppState, DiffRange, Loaded, Part
from handoff_tui.live.state_store import StateStore, put_parts, raise_bug
from handoff_tui.status.inbox_item import HandoffKey

_SWITCH_SECONDS = 0.0005
"""How soon a thread that reads for long gives way to one that draws, or that reads what was just saved."""
_OF_THE_HANDOFF = tuple(part for part in Part if part not in {Part.LOG, Part.METRICS, Part.COVERAGE})
_REQUESTED = ("comparison", "failure")
_OF_THE_REPOSITORY = ("log", "entry", "report", "metrics", "coverage")


class LiveBackend:
    """`tell` gets each new state and `on_bug` every unexpected exception, both on any thread."""

    def __init__(
        self,
        starts: Sequence[Path],
        tell: Callable[[AppState], None],
        on_bug: Callable[[BaseException], None] = raise_bug,
    ) -> None:
        self._store = store = StateStore(tell, on_bug, present_past)
        names = ("quick", "slow", "measuring", "checks", "decisions", "bisect", "travel")
        workers = quick, slow, measuring, checks, decisions, bisect, travel = [
            KeyedWorker(name, on_bug) for name in names
        ]
        self.drafts = DraftKeeper(store)
        self.parts = VisibleParts(store, quick, slow, self.drafts)
        self.requests = RequestedParts(store, slow, self.parts)
        self.checks = RequestedChecks(store, checks, self._read_anew)
        self.agents = AgentControl(store, self._read_anew)
        self.deciding = Deciding(store, decisions, self.drafts, self.agents.follow_ups.start_again)
        self.batch = BatchApproving(store, decisions, self.drafts)
        self.bisecting = Bisecting(store, bisect)
        self.scoping = Scoping(store, quick, self.rescan)
        self.setting_up = SettingUp(store, decisions, self.rescan)
        self.travelling = Travelling(store, travel, self.parts)
        self._feeds = [RepositoryFeed(start, store, measuring, self._note_snapshot) for start in dict.fromkeys(starts)]
        self._threads: tuple[KeyedWorker | AgentFollower, ...] = (*workers, *self.agents.threads)
        self._background: tuple[KeyedWorker | AgentFollower | RepositoryFeed, ...] = (*self._threads, *self._feeds)
        first = tuple(feed.build_first_part() for feed in self._feeds)
        store.change(lambda state: replace(state, repositories=first))

    @property
    def state(self) -> AppState:
        """The newest state, as it is told: during time travel, how it was."""
        return self._store.present(self._store.state)

    def start(self) -> None:
        """Opens the repositories and starts watching them."""
        sys.setswitchinterval(_SWITCH_SECONDS)
        for one in self._background:
            one.start()

    def stop(self) -> None:
        """Ends every thread and every process started for a check. Nothing is told any more."""
        self._store.close()
        for one in self._background:
            one.stop()
        for thread in self._threads:
            thread.join()
        self.travelling.close()
        self.drafts.stop()

    def is_idle(self) -> bool:
        """Tells whether nothing is being read and nothing waits to be."""
        before = self._count_submitted()
        idle = self.drafts.is_idle() and all(one.is_idle() for one in self._background)
        return idle and before == self._count_submitted()  # none handed work on to one that was asked before

    def _count_submitted(self) -> int:
        return sum(one.submitted for one in self._background if not isinstance(one, AgentFollower))

    def set_focused(self, *, focused: bool) -> None:
        """Notes whether somebody is looking; on return everything is read in full."""
        for feed in self._feeds:
            feed.set_focused(focused=focused)
        if focused:
            self.drafts.refresh()

    def rescan(self) -> None:
        """Reads everything again, and tries again to open repositories that could not be opened."""
        for feed in self._feeds:
            feed.rescan()

    def need(self, parts: frozenset[Part]) -> None:
        """Takes what is on screen now: it is read if missing or stale, and then kept fresh."""
        self.parts.need(parts)
        self.agents.follower.need(needed=Part.AGENT in parts)

    def choose(self, key: HandoffKey | None) -> None:
        """Shows another handoff; what is being read for the previous one is given up."""
        if self.travelling.is_on:
            self.travelling.choose(key)
            return
        if key == self._store.state.chosen:
            return
        self.parts.forget(*_OF_THE_HANDOFF)
        self.requests.cancel(*_REQUESTED)
        self.checks.cancel()

        def enter(state: AppState) -> AppState:
            same = state.repository is not None and key is not None and state.repository.root == key.root
            names = (*(part.value for part in _OF_THE_HANDOFF), *_REQUESTED, *(() if same else _OF_THE_REPOSITORY))
            left = replace(state, chosen=key, phase=None, running=None, open_file=None, open_document=None)
            scope = USUAL_RANGE if state.scope.scope is DiffScope.SINCE_SHOWN else state.scope
            left = replace(left, output=None, found=None, scope=scope, moved=())
            return put_parts(left, {name: Loaded() for name in names})

        self._store.change(enter)
        self.agents.note_chosen()
        self.drafts.open(key)
        self.parts.catch_up()

    def decide_again(self, verb: str) -> None:
        """Takes in what has changed, and prepares the decision on that."""
        self.parts.take_in()
        self.deciding.begin(verb)

    def choose_phase(self, phase: str | None) -> None:
        if self.travelling.is_on:
            self.travelling.choose_phase(phase)
        else:
            self.parts.show({"phase": phase}, Part.CHECKS, Part.PROBLEMS, Part.GATE, Part.ATTEMPTS, Part.THREADS)

    def open_changed_file(self, key: HandoffKey | None, path: str, scope: DiffRange) -> None:
        """Shows one file of a handoff; with None, of the repository, beside the handoff in view."""
        if key is not None:
            self.choose(key)
        self.parts.show_scope(scope)
        self.parts.open_file(path, DiffOptions(most_lines=None))

    def open_document(self, path: str) -> None:
        """Opens a document of the handoff; `PACKET` is what a rejection would give to the next attempt."""
        if self.travelling.is_on:
            self.travelling.open_document(path)
        else:
            self.parts.show({"open_document": path}, Part.DOCUMENT)

    def _read_anew(self, root: str) -> None:
        for feed in self._feeds:
            if feed.root == root:
                feed.read_anew()

    def _note_snapshot(self, redrawn: bool) -> None:  # noqa: FBT001 - called back with it
        self.parts.catch_up(drawn_first=redrawn)
        self.deciding.note_snapshot()
        self.agents.follower.look()
