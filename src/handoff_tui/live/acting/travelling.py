"""Time travel: which stop is wanted, what was read of it, and the way back to now.

The past is a state like any other. The live state goes on behind it; what is told in its place is derived from it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.core.classes import NamedTuple, replace
from handoff_tui.core.errors import HandoffError
from handoff_tui.history.travel.values import Stop
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.app import (
    USUAL_RANGE,
    AppState,
    DiffRange,
    Drafts,
    Loaded,
    OpenFile,
    PastView,
    TravelPart,
    Trouble,
    build_trouble,
)
from handoff_tui.live.state_store import StateStore, put_parts
from handoff_tui.status.inbox_item import HandoffKey

if TYPE_CHECKING:
    from handoff_tui.live.acting.past_reader import PastReader
    from handoff_tui.live.parts.visible import VisibleParts

MOST_KEPT = 300
"""How many stops are kept, to be shown again at once."""
_OPEN, _VISIT, _AHEAD, _CLOSE = "open", "visit", "ahead", "close"
_BACK = "Press esc to return to now."
_NOT_THEN: dict[str, Loaded[Any]] = {
    name: Loaded(trouble=Trouble(f"{what} aren't part of the past", _BACK))
    for name, what in (
        ("agent", "Agent runs"),
        ("attempts", "Attempts"),
        ("metrics", "Metrics"),
        ("coverage", "Approvals of files"),
    )
}
"""Parts that are not read in the past. Always the same values, because views compare them."""
_NO_PARENT: Loaded[Any] = Loaded(trouble=Trouble("this clone has no earlier commit to compare with", _BACK))
_SEEN = ("inbox", "chosen", "phase", "shown", "pipeline", "checks", "problems", "log", "open_document", "document")
"""What a stop shows in place of the present."""
_NOTHING: dict[str, Any] = {
    **dict.fromkeys(("gate", "report", "proofs", "comparison", "failure"), Loaded()),
    **dict.fromkeys(("running", "output", "found", "proposal", "decision")),
    "drafts": Drafts(),
}
"""What belongs to the present alone."""


class WantedAtStop(NamedTuple):
    """What is in view at every stop."""

    chosen: HandoffKey | None
    phase: str | None
    document: str | None


class Travelling:
    """Reads stops on a separate worker; a stop that was read before is shown at once, with what its commit changed."""

    def __init__(self, store: StateStore, worker: KeyedWorker, parts: VisibleParts) -> None:
        self._store, self._worker, self._parts = store, worker, parts
        self._diff_now: tuple[DiffRange, OpenFile | None] = (USUAL_RANGE, None)
        """What the diff showed before the journey."""
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, WantedAtStop], PastView] = OrderedDict()
        self._wanted = WantedAtStop(None, None, None)
        self._reader: PastReader | None = None
        self._place: tuple[str, int] | None = None
        """The repository and log version the kept stops belong to."""

    @property
    def is_on(self) -> bool:
        return self._store.state.travel is not None

    def begin(self, at: str | None = None) -> None:
        """Starts at a commit or an entry, or at the newest stop; while travelling, goes there."""
        state = self._store.state
        if state.travel is not None:
            known = [number for number, stop in enumerate(state.travel.stops) if stop.key == at]
            self.go(known[0] if known else state.travel.index)
            return
        self._diff_now = (state.scope, state.open_file)
        self._wanted = WantedAtStop(state.chosen, state.phase, state.open_document)
        self._store.change(lambda state: replace(state, travel=TravelPart()))
        self._worker.submit(_OPEN, lambda cancel: self._open(at, cancel))

    def go(self, index: int) -> None:
        """Goes to a stop by number, clamped to both ends."""
        travel = self._store.state.travel
        if travel is None or not travel.stops:
            return
        index = min(max(index, 0), len(travel.stops) - 1)
        self._worker.cancel(_VISIT)
        self._worker.cancel(_AHEAD)
        known = self._find_kept(travel.stops[index])
        if known is not None:
            self._change(lambda part: replace(part, index=index, loading=False, trouble=None, visited=known))
            self._parts.show_scope(build_past_scope(known.stop))
            self._worker.submit(_AHEAD, self._read_ahead, rank=1)
            return
        self._change(lambda part: replace(part, index=index, loading=True, trouble=None))
        self._worker.submit(_VISIT, self._visit)

    def choose(self, key: HandoffKey | None) -> None:
        """Shows another handoff at every stop. One that is only shown instead of a missing handoff is not a choice."""
        travel = self._store.state.travel
        seen = travel.visited if travel is not None else None
        if seen is None or key != seen.chosen:
            self._want(self._wanted._replace(chosen=key, phase=None, document=None))

    def choose_phase(self, phase: str | None) -> None:
        self._want(self._wanted._replace(phase=phase))

    def open_document(self, path: str) -> None:
        self._want(self._wanted._replace(document=path))

    def end(self) -> None:
        """Returns to now, with the diff as it was before."""
        if not self.is_on:
            return
        self._worker.cancel_all()
        self._store.change(lambda state: replace(state, travel=None))
        self._worker.submit(_CLOSE, lambda _: self.close())
        scope, file = self._diff_now
        self._parts.show_scope(scope, open_file=file)
        self._parts.catch_up()

    def _want(self, wanted: WantedAtStop) -> None:
        if wanted != self._wanted:
            self._wanted = wanted
            travel = self._store.state.travel
            if travel is not None:
                self.go(travel.index)

    def _open(self, at: str | None, cancel: threading.Event) -> None:
        from handoff_tui.live.acting.past_reader import PastReader  # noqa: PLC0415 - not before it is asked for

        snapshot = self._store.find_snapshot()
        if snapshot is None:
            self._fail(Trouble("the repository is still being read", _BACK))
            return
        self.close()
        self._forget_others((str(snapshot.session.repository.root), snapshot.log_version))
        try:
            self._reader = PastReader(snapshot.session, snapshot.reviewer)
            line, index = self._reader.read_line(at)
        except (HandoffError, OSError) as refused:
            self._fail(build_trouble(refused))
            return
        if not line.stops:
            self._fail(Trouble("; ".join(line.notes) or "there are no stops to go to", _BACK))
            return
        self._change(lambda part: replace(part, stops=line.stops, index=index, notes=line.notes))
        if not cancel.is_set():
            self._visit(cancel)

    def _visit(self, cancel: threading.Event) -> None:
        """Shows what is quick first; stops if something else is asked for meanwhile."""
        travel, wanted = self._store.state.travel, self._wanted
        stop = travel.stop if travel is not None else None
        if stop is None or self._reader is None:
            return
        known = self._find_kept(stop)
        try:
            for visited in self._reader.read(stop, wanted) if known is None else (known,):
                if cancel.is_set():
                    return
                self._keep(stop, wanted, visited)
                self._show(stop, wanted, visited)
        except (HandoffError, OSError) as refused:
            if not cancel.is_set():
                self._fail(build_trouble(refused))
        else:
            self._worker.submit(_AHEAD, self._read_ahead, rank=1)

    def _read_ahead(self, cancel: threading.Event) -> None:
        """Reads the neighbouring stops, so that the next step is shown at once."""
        travel, wanted = self._store.state.travel, self._wanted
        if travel is None or self._reader is None:
            return
        for index in (travel.index - 1, travel.index + 1):
            if not 0 <= index < len(travel.stops) or self._find_kept(travel.stops[index]) is not None:
                continue
            try:
                for visited in self._reader.read(travel.stops[index], wanted):
                    self._keep(travel.stops[index], wanted, visited)
                    if cancel.is_set() and not self._is_at(index):
                        return
            except (HandoffError, OSError):
                continue  # going there says so
            if cancel.is_set():
                return

    def _is_at(self, index: int) -> bool:
        travel = self._store.state.travel
        return travel is not None and travel.index == index

    def _show(self, stop: Stop, wanted: WantedAtStop, visited: PastView) -> None:
        def put(part: TravelPart) -> TravelPart:
            if part.stop is None or part.stop.key != stop.key or self._wanted != wanted:
                return part
            return replace(part, loading=visited.checks.loading, trouble=None, visited=visited)

        self._change(put)
        if not visited.checks.loading:
            self._parts.show_scope(build_past_scope(stop))

    def _fail(self, trouble: Trouble) -> None:
        self._change(lambda part: replace(part, loading=False, trouble=trouble))

    def _change(self, change: Callable[[TravelPart], TravelPart]) -> None:
        def put(state: AppState) -> AppState:
            if state.travel is None:
                return state
            changed = change(state.travel)
            return state if changed is state.travel else replace(state, travel=changed)

        self._store.change(put)

    def _find_kept(self, stop: Stop) -> PastView | None:
        with self._lock:
            return self._kept.get((stop.key, self._wanted))

    def _forget_others(self, place: tuple[str, int]) -> None:
        """Drops the kept stops if the log, refs or settings changed."""
        with self._lock:
            if place != self._place:
                self._kept.clear()
        self._place = place

    def _keep(self, stop: Stop, wanted: WantedAtStop, visited: PastView) -> None:
        """Keeps a stop that was read completely."""
        if visited.checks.loading:
            return
        with self._lock:
            self._kept[stop.key, wanted] = visited
            self._kept.move_to_end((stop.key, wanted))
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)

    def close(self) -> None:
        """Closes the reader; called on the worker, or after it has ended."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None


def present_past(state: AppState) -> AppState:
    """Returns the state told during time travel: how it was, and nothing of now beside it."""
    seen = state.travel.visited if state.travel is not None else None
    if seen is None:
        return state
    then = {name: getattr(seen, name) for name in _SEEN}
    past = put_parts(state, {**_NOTHING, **_NOT_THEN, **then, "repositories": (seen.repository,)})
    alone = state.files.trouble is not None and state.scope == build_past_scope(seen.stop)
    return put_parts(past, {"files": _NO_PARENT, "difference": _NO_PARENT}) if alone else past


def build_past_scope(stop: Stop) -> DiffRange:
    """Returns the scope that shows what a stop's commit changed."""
    return DiffRange(DiffScope.BETWEEN, f"{stop.commit}^", stop.commit)
