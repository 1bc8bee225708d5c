"""Follows one repository: reads it, watches it, and reads again what the watcher says may have changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.core.classes import replace
from handoff_tui.core.errors import HandoffError
from handoff_tui.git.watch.noticed import NOTHING, Noticed, Touched, Watching
from handoff_tui.live.feed.background import LogProof, Measuring
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.app import AppState, Loaded, RepositoryPart, build_trouble
from handoff_tui.live.state_store import StateStore
from handoff_tui.status.inbox_item import InboxItem, close_items, mark_running, sort_inbox
from handoff_tui.system.clock import read_now

if TYPE_CHECKING:
    from handoff_tui.git.repository import Repository
    from handoff_tui.git.watch.watcher import Watcher
    from handoff_tui.live.feed.snapshot import RepositorySnapshot


_EVERYTHING = Touched(everything=True)
_FIRST_RETRY_SECONDS = 0.2
_LAST_RETRY_SECONDS = 30.0
_OPEN, _FOLLOW = "open", "follow"


class RepositoryFeed:
    """Reads and watches one repository. `on_snapshot` is called after each new snapshot, on the feed's thread.

    Its argument tells whether the inbox changed.
    """

    def __init__(
        self,
        start: Path,
        store: StateStore,
        slow: KeyedWorker,
        on_snapshot: Callable[[bool], None],
    ) -> None:
        """`slow` reads what can wait."""
        self.root = str(start)
        self._start = start
        self._store = store
        self._on_snapshot = on_snapshot
        self._worker = KeyedWorker("state", store.on_bug)
        self._measuring = Measuring(store, slow)
        self._proof = LogProof(store, slow, self._tell_proof)
        self._lock = threading.Lock()
        self._pending = NOTHING
        """What is to be read again."""
        self._stopped = threading.Event()
        self._watcher: Watcher | None = None
        self._retry_seconds = _FIRST_RETRY_SECONDS
        self._foreign: tuple[str, ...] = ()
        self._begun = False
        """Whether the watcher has reported for the first time."""

    @property
    def snapshot(self) -> RepositorySnapshot | None:
        return self._store.snapshots.get(self.root)

    def build_first_part(self) -> RepositoryPart:
        return RepositoryPart(self.root, self._start.name or self.root, Loaded(loading=True))

    def start(self) -> None:
        self._worker.start()
        self._worker.submit(_OPEN, self._open)

    def stop(self) -> None:
        """Stops the watcher and the worker, and waits for them."""
        self._stopped.set()
        self._worker.stop()
        self._worker.join()
        if self._watcher is not None:
            self._watcher.join()

    def set_focused(self, *, focused: bool) -> None:
        """Reads everything when the reviewer comes back, also what lies outside the repository and is not watched."""
        if self._watcher is not None:
            self._watcher.set_focused(focused=focused)
        if focused and self._watcher is not None:
            self._read_later(_EVERYTHING)

    def rescan(self) -> None:
        """Reads everything again, and has the watcher compare everything too."""
        if self._watcher is None:
            self._worker.submit(_OPEN, self._open)
            return
        self._watcher.request_reconcile()
        self.read_anew()

    def read_anew(self) -> None:
        """Reads everything again; what checks found and counted leaves no trace that is watched."""
        self._read_later(_EVERYTHING)

    @property
    def submitted(self) -> int:
        return self._worker.submitted

    def is_idle(self) -> bool:
        return self._worker.is_idle()

    def _open(self, _: threading.Event) -> None:
        from handoff_tui.git.repository import open_repository  # noqa: PLC0415 - after the first paint

        try:
            repository = open_repository(self._start)
        except (HandoffError, OSError) as refused:
            self._change_part(lambda part: replace(part, watching=Watching.GONE))
            self._tell_trouble(refused)
            return
        if self._take_root(str(repository.root)):
            self._watch(repository)

    def _take_root(self, root: str) -> bool:
        """Tells whether this feed is to follow the repository; of two folders of one repository the first one wins."""
        before, self.root = self.root, root
        taken = True

        def rename(state: AppState) -> AppState:
            nonlocal taken
            taken = all(part.root == before or part.root != root for part in state.repositories)
            parts = (part for part in state.repositories if taken or part.root != before)
            name = Path(root).name or root
            renamed = (replace(part, root=root, name=name) if part.root == before else part for part in parts)
            return replace(state, repositories=tuple(renamed))

        self._store.change(rename)
        return taken

    def _watch(self, repository: Repository) -> None:
        """Starts the watcher. Everything is read at its first notice; from then on it reports each change."""
        from handoff_tui.git.watch.watcher import Watcher  # noqa: PLC0415 - after the first paint

        self._watcher = Watcher(repository, self._hear, self._stopped)
        self._watcher.start()

    def _hear(self, noticed: Noticed) -> None:
        """Takes a notice, on the watcher's thread."""
        self._change_part(
            lambda part: replace(
                part,
                watching=noticed.watching,
                explanation=noticed.explanation,
                hint=noticed.hint,
                confirmed_at=noticed.confirmed_at,
            )
        )
        everything = not self._begun or (noticed.touched.everything and not noticed.repeats)
        self._begun = True
        self._read_later(noticed.touched._replace(everything=everything))
        if noticed.watching is Watching.GONE:
            self._tell_trouble(HandoffError(noticed.explanation, noticed.hint))

    def _read_later(self, touched: Touched, delay: float = 0.0) -> None:
        """Has read again what may have changed; on any thread."""
        with self._lock:
            pending = self._pending = self._pending.merge(touched)
        if pending != NOTHING:
            self._worker.submit(_FOLLOW, self._follow, delay=delay)

    def _follow(self, _: threading.Event) -> None:
        with self._lock:
            touched, self._pending = self._pending, NOTHING
        if touched != NOTHING:
            self._read_again(touched)

    def _read_again(self, touched: Touched) -> None:
        from handoff_tui.live.feed.following import follow  # noqa: PLC0415 - after the first paint

        try:
            snapshot = follow(Path(self.root), self.snapshot, touched)
        except (HandoffError, OSError) as refused:
            self._tell_trouble(refused)
            self._read_later(_EVERYTHING, self._retry_seconds)
            self._retry_seconds = min(2 * self._retry_seconds, _LAST_RETRY_SECONDS)
            return
        self._retry_seconds = _FIRST_RETRY_SECONDS
        if snapshot is not self.snapshot:
            before = self.snapshot
            self._store.snapshots[self.root] = snapshot
            self._tell_snapshot(snapshot, same_inbox=before is not None and before.inbox is snapshot.inbox)

    def _tell_snapshot(self, snapshot: RepositorySnapshot, *, same_inbox: bool) -> None:
        def show(part: RepositoryPart) -> RepositoryPart:
            return replace(
                part,
                state=Loaded(snapshot.state, at=read_now()),
                since=snapshot.since,
                reviewer=snapshot.reviewer.principal,
                reviewer_note=snapshot.reviewer.note,
                fatal=snapshot.fatal or self._proof.fatal,
                foreign=snapshot.foreign,
                refused=snapshot.session.loaded.refused_shortly,
                begun=snapshot.gates is not None,
            )

        self._change_part(show, None if same_inbox else self._list_items)
        self._on_snapshot(not same_inbox)
        if snapshot.foreign and snapshot.foreign == self._foreign:  # seen twice: nobody is just writing it
            self._ring(snapshot)
        self._foreign = snapshot.foreign
        self._measuring.begin(self.root)
        self._proof.begin(self.root)

    def _ring(self, snapshot: RepositorySnapshot) -> None:
        """Notifies the user, once, of entries in their name that were not made on this machine."""
        from handoff_tui.agents.notify import build_foreign_notification, notify  # noqa: PLC0415 - hardly ever needed

        told = notify(snapshot.session, build_foreign_notification(snapshot.foreign))
        if told.sequence:
            self._store.ring(told.sequence)

    def _tell_proof(self) -> None:
        """Shows that the log is broken, or intact again; on the slow worker."""
        snapshot = self.snapshot
        fatal = (snapshot.fatal if snapshot else ()) or self._proof.fatal
        self._change_part(lambda part: replace(part, fatal=fatal), self._list_items)

    def _list_items(self, part: RepositoryPart) -> tuple[InboxItem, ...]:
        """Returns the newest items; behind closed gates nothing needs the reviewer."""
        items = self._measuring.add_known(self.root, self.snapshot.inbox if self.snapshot else ())
        running = {item.key: item.running for item in self._store.state.inbox if item.running}
        items = mark_running(items, running)
        return close_items(items, part.closed) if part.closed else items

    def _tell_trouble(self, refused: HandoffError | OSError) -> None:
        self._change_part(
            lambda part: replace(
                part,
                state=replace(part.state, trouble=build_trouble(refused), loading=False, stale=bool(part.state.value)),
            )
        )

    def _change_part(
        self,
        change: Callable[[RepositoryPart], RepositoryPart],
        list_items: Callable[[RepositoryPart], tuple[InboxItem, ...]] | None = None,
    ) -> None:
        def apply(state: AppState) -> AppState:
            parts = tuple(change(part) if part.root == self.root else part for part in state.repositories)
            if list_items is None:
                return state if parts == state.repositories else replace(state, repositories=parts)
            mine = [item for part in parts if part.root == self.root for item in list_items(part)]
            others = (item for item in state.inbox if item.key.root != self.root)
            return replace(state, repositories=parts, inbox=sort_inbox((*others, *mine)))

        self._store.change(apply)
