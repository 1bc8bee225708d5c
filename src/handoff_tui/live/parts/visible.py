"""Keeps the parts that are on screen fresh, and marks the others as stale."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from handoff_tui.core.classes import replace
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.app import PACKET, USUAL_RANGE, AppState, DiffRange, Loaded, OpenFile, Part, load
from handoff_tui.live.state_store import StateStore, put_parts
from handoff_tui.system.clock import read_monotonic, read_now

if TYPE_CHECKING:
    from handoff_tui.git.file_diff import DiffOptions
    from handoff_tui.live.drafts import DraftKeeper
    from handoff_tui.live.feed.snapshot import RepositorySnapshot
    from handoff_tui.live.parts.loader import PartLoader

Token = tuple[Hashable, ...]
"""What a part was read for; the last element is the version of the snapshot."""

QUICK = frozenset({Part.SHOWN, Part.PIPELINE, Part.CHECKS, Part.PROBLEMS, Part.DOCUMENT, Part.COVERAGE})
"""Read on a separate worker, so that they never wait for slow ones."""
_ORDER = (
    *(Part.CHECKS, Part.PROBLEMS, Part.SHOWN, Part.DOCUMENT, Part.PIPELINE, Part.COVERAGE),
    *(
        Part.LOG,
        Part.FILES,
        Part.FILE,
        Part.CHANGED_TEXT,
        Part.THREADS,
        Part.GATE,
        Part.DIFFERENCE,
        Part.ATTEMPTS,
        Part.METRICS,
    ),
)
_OF_THE_SCOPE = (Part.FILES, Part.DIFFERENCE, Part.FILE, Part.CHANGED_TEXT)
_FROZEN = frozenset({Part.FILES, Part.FILE, Part.DOCUMENT})
"""Opening one of these opens the handoff."""
_FIRST = -1
"""The rank of what a handoff says: quickly read after a save, and the checks depend on it."""
_HEAD_START = 0.01
"""Seconds that drawing has the processor to itself."""
_SHORTEST_PAUSE = 0.1
_LONGEST_PAUSE = 2.0


class VisibleParts:
    """Knows which parts are needed, what each was read for, and what is being read."""

    def __init__(
        self,
        store: StateStore,
        quick: KeyedWorker,
        slow: KeyedWorker,
        drafts: DraftKeeper,
    ) -> None:
        self._store, self._quick, self._slow, self._drafts = store, quick, slow, drafts
        self._lock = threading.Lock()
        self._loader_lock = threading.Lock()
        self._loader: PartLoader | None = None
        self._needed: frozenset[Part] = frozenset()
        self._read: dict[Part, Token] = {}
        self._asked: dict[Part, Token] = {}
        self._seconds: dict[Part, float] = {}

    def take_in(self) -> None:
        """Shows the handoff as it is now."""
        with self._lock:
            self._store.opened = None
        self.catch_up()

    def _freeze(self, state: AppState, newest: RepositorySnapshot) -> None:
        """Captures a handoff when it is opened, and says which of its files have changed since."""
        with self._lock:
            opened = self._store.opened
            if opened is not None and opened[0] != state.chosen:
                opened = None
            if opened is None and state.chosen is not None and not _FROZEN.isdisjoint(self._needed):
                opened = (state.chosen, newest)
            self._store.opened = opened
        moved: tuple[str, ...] = ()
        if opened is not None and opened[1] is not newest:
            before, now = (one.handoff_reviewer.scopes.of(opened[0].handoff) for one in (opened[1], newest))
            moved = before.compare_bound(now)
        if moved != state.moved:
            self._store.change(lambda state: replace(state, moved=moved))

    def _find_source(self, part: Part, state: AppState) -> RepositorySnapshot | None:
        """Returns what a part is read from: the newest state, or the one in which the handoff was opened."""
        frozen = self._store.find_opened(state.chosen) if _is_frozen(part, state) else None
        return frozen or self._store.find_snapshot(state)

    def _build_token(self, part: Part, state: AppState) -> Token | None:
        source = self._find_source(part, state)
        return build_token(part, state, source) if source is not None else None

    @property
    def loader(self) -> PartLoader:
        """Reads the parts; its imports wait until something is needed."""
        from handoff_tui.live.parts.loader import PartLoader  # noqa: PLC0415 - after the first paint

        with self._loader_lock:
            if self._loader is None:
                self._loader = PartLoader(self._store, self._drafts)
            return self._loader

    def need(self, parts: frozenset[Part]) -> None:
        """Takes what is on screen now. During time travel only the diff is read here."""
        self._needed = parts
        self.catch_up()

    def show(self, changes: dict[str, Any], *parts: Part) -> None:
        """Shows something else: the parts that depend on it are empty until they are read."""
        if all(getattr(self._store.state, name) == value for name, value in changes.items()):
            return
        self.forget(*parts)
        self._store.change(lambda state: put_parts(replace(state, **changes), {part.value: Loaded() for part in parts}))
        self.catch_up()

    def open_file(self, path: str, options: DiffOptions) -> None:
        self.show({"open_file": OpenFile(path, options)}, Part.FILE)

    def show_scope(self, scope: DiffRange, **changes: Any) -> None:  # noqa: ANN401 - each of its field's own type
        """Shows changes since another point."""
        self.show({"scope": scope, **changes}, *_OF_THE_SCOPE)

    def forget(self, *parts: Part) -> None:
        """Drops what was read, and gives up what is being read."""
        for part in parts:
            self._quick.cancel(part)
            self._slow.cancel(part)
        with self._lock:
            for part in parts:
                self._read.pop(part, None)
                self._asked.pop(part, None)

    def catch_up(self, *, drawn_first: bool = False) -> None:
        """Starts reading what is needed and not up to date; returns at once.

        With `drawn_first` much is being redrawn: checks, which take a while, must not slow that down.
        """
        state = self._store.state
        snapshot = self._store.find_snapshot(state)
        if snapshot is not None and state.travel is None:
            self._freeze(state, snapshot)
        needed = self._needed if state.travel is None else self._needed.intersection(_OF_THE_SCOPE)
        wanted: list[Part] = []
        with self._lock:
            tokens = {part: self._build_token(part, state) for part in _ORDER} if snapshot is not None else {}
            old = {part: token for part, token in tokens.items() if token != self._read.get(part)}
            for part, token in old.items():
                if token is not None and part in needed and self._asked.get(part) != token:
                    self._asked[part] = token
                    wanted.append(part)
        if old:
            self._store.change(lambda state: self._mark(state, old))
        for part in wanted:
            self._submit(part, _HEAD_START if drawn_first and part is Part.CHECKS else 0.0)

    def _submit(self, part: Part, least: float) -> None:
        """Waits for a quiet moment before slow parts are read again, so that they do not slow down the quick ones."""
        pause = min(max(2 * self._seconds.get(part, 0.0), _SHORTEST_PAUSE), _LONGEST_PAUSE)
        is_quick = part in QUICK and not (part is Part.DOCUMENT and self._store.state.open_document == PACKET)
        delay = pause if part in self._read and not is_quick else least
        worker = self._quick if is_quick else self._slow
        rank = _FIRST if part is Part.SHOWN and part in self._read else _ORDER.index(part)
        worker.submit(part, lambda cancel: self._read_part(part, cancel), rank=rank, delay=delay)

    def _mark(self, state: AppState, old: Mapping[Part, Token | None]) -> AppState:
        changes: dict[str, Loaded[Any]] = {}
        for part, token in old.items():
            if token == self._read.get(part):
                continue  # it has been read since
            loaded: Loaded[Any] = getattr(state, part.value)
            loading, stale = part in self._asked, loaded.value is not None
            if (loading, stale) != (loaded.loading, loaded.stale):
                changes[part.value] = replace(loaded, loading=loading, stale=stale)
        return put_parts(state, changes) if changes else state

    def _read_part(self, part: Part, cancel: threading.Event) -> None:
        state = self._store.state
        snapshot = self._find_source(part, state)
        token = build_token(part, state, snapshot) if snapshot is not None else None
        if snapshot is None or token is None:
            return
        began = read_monotonic()
        loaded: Loaded[Any] = load(lambda: self.loader.read(part, state, snapshot, cancel))
        self._seconds[part] = read_monotonic() - began
        with self._lock:
            is_newest = token == self._build_token(part, self._store.state)  # it may be newer than what was asked for
            if is_newest or self._asked.get(part) == token:
                self._asked.pop(part, None)
            if not cancel.is_set():
                self._read[part] = token
        if not cancel.is_set():
            self._store.change(lambda state: self._apply(state, part, token, loaded))
        self.catch_up()

    def _apply(self, state: AppState, part: Part, token: Token, loaded: Loaded[Any]) -> AppState:
        now = self._build_token(part, state)
        if now is None or now[:-1] != token[:-1]:
            return state  # something else is in view by now
        before: Loaded[Any] = getattr(state, part.value)
        value = before.value if loaded.value is None or loaded.value == before.value else loaded.value
        stale = value is not None and (now != token or loaded.trouble is not None)
        fresh = Loaded(value, loaded.trouble, loading=part in self._asked, stale=stale, at=read_now())
        return put_parts(state, {part.value: fresh})


def build_token(part: Part, state: AppState, snapshot: RepositorySnapshot) -> Token | None:
    """Returns what a part must be read for now; None if there is nothing to read."""
    if part in {Part.LOG, Part.METRICS}:
        return (snapshot.state.repository.root, snapshot.log_version)
    if part is Part.COVERAGE:
        return (snapshot.state.repository.root, snapshot.version)
    subject = _find_subject(part, state)
    return None if state.chosen is None or None in subject else (state.chosen, *subject, snapshot.version)


def _is_frozen(part: Part, state: AppState) -> bool:
    """Whether a part is shown as of the moment the handoff was opened: its own diff, and its documents."""
    if part is Part.DOCUMENT:
        return state.open_document != PACKET
    return part in {Part.FILES, Part.FILE, Part.CHANGED_TEXT} and state.scope == USUAL_RANGE


def _find_subject(part: Part, state: AppState) -> Token:
    """Returns what is in view besides the handoff; a None among it means there is nothing to read."""
    if part is Part.FILE:
        return (state.scope, state.open_file)
    if part in {Part.FILES, Part.DIFFERENCE, Part.CHANGED_TEXT}:
        return (state.scope,)
    if part in {Part.CHECKS, Part.PROBLEMS, Part.GATE, Part.ATTEMPTS, Part.THREADS}:
        return (state.phase or "",)
    return (state.open_document,) if part is Part.DOCUMENT else ()
