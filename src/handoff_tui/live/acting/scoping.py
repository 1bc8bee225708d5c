"""Corrects which files are a handoff's own: shows what would change, writes it, and puts it back on request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.core.classes import replace
from handoff_tui.core.errors import HandoffError
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.app import (
    AppState,
    ComparisonPoint,
    CorrectionPart,
    CorrectionStage,
    ScopeRow,
    build_trouble,
)
from handoff_tui.live.state_store import StateStore
from handoff_tui.status.inbox_item import HandoffKey

if TYPE_CHECKING:
    from handoff_tui.decisions.correct_scope import WrittenScope
    from handoff_tui.log.gates.all_gates import LogGates

_KEY = "scope"
_MOST_STARTS = 100


class Scoping:
    """Makes one correction at a time; `worker` runs what is slow."""

    def __init__(self, store: StateStore, worker: KeyedWorker, rescan: Callable[[], None]) -> None:
        """`rescan` reads the repository again after its configuration was written."""
        self._store, self._worker, self._rescan = store, worker, rescan
        self._written: dict[str, list[WrittenScope]] = {}
        """What was written in this session, by repository, oldest first."""

    def begin(self, key: HandoffKey, claimed: tuple[str, ...] = ()) -> None:
        """Lists the handoff's files and those nobody claims; `claimed` are those it is to be given."""
        part = CorrectionPart(key, undoable=self._find_undoable(key.root))
        self._store.change(lambda state: replace(state, correction=part))
        self._worker.submit(_KEY, lambda _: self._do(key, lambda gates: self._list(gates, key, claimed)))

    def preview(self, paths: tuple[str, ...], since: str | None) -> None:
        """Shows what would change if the handoff had these files, since a commit or since it began."""
        part = self._store.state.correction
        if part is None:
            return
        self._change(part.key, lambda part: replace(part, stage=CorrectionStage.READING, wanted=paths, since=since))
        self._worker.submit(_KEY, lambda _: self._do(part.key, lambda gates: self._preview(gates, part.key)))

    def write(self) -> None:
        """Writes what was shown into handoff-tui.toml."""
        part = self._store.state.correction
        if part is None or part.stage is not CorrectionStage.READY or part.preview is None:
            return
        self._change(part.key, lambda part: replace(part, stage=CorrectionStage.WRITING))
        self._worker.submit(_KEY, lambda _: self._do(part.key, lambda gates: self._write(gates, part)))

    def undo(self) -> None:
        """Puts handoff-tui.toml back as it was before the last correction of this session."""
        part = self._store.state.correction
        if part is not None and self._written.get(part.key.root):
            self._change(part.key, lambda part: replace(part, stage=CorrectionStage.WRITING))
            self._worker.submit(_KEY, lambda _: self._do(part.key, lambda _: self._undo(part.key)))

    def leave(self) -> None:
        """Closes it; nothing more is written."""
        self._worker.cancel(_KEY)
        self._store.change(lambda state: state if state.correction is None else replace(state, correction=None))

    def _do(self, key: HandoffKey, act: Callable[[LogGates], None]) -> None:
        from handoff_tui.log.gates.all_gates import LogGates  # noqa: PLC0415 - after the first paint

        snapshot = self._store.snapshots.get(key.root)
        if snapshot is None:
            return
        try:
            act(snapshot.gates or LogGates(snapshot.session, snapshot.reading.result.handoffs))
        except (HandoffError, OSError) as refused:
            trouble = build_trouble(refused)
            self._change(key, lambda part: replace(part, stage=CorrectionStage.REFUSED, trouble=trouble))

    def _list(self, gates: LogGates, key: HandoffKey, claimed: tuple[str, ...]) -> None:
        from handoff_tui.git.history.commits import read_commits  # noqa: PLC0415 - after the first paint

        scopes = gates.work.scopes
        own = {path: source.value for path, source in scopes.of(key.handoff).reasons()}
        owners = {path: name for name, scope in scopes.by_handoff.items() for path in scope.results}
        others = {path: owners.get(path, "") for path in (*scopes.unclaimed_paths, *claimed) if path not in own}
        rows = (
            *(ScopeRow(path, source=source) for path, source in own.items()),
            *(ScopeRow(path, owner=owner) for path, owner in sorted(others.items())),
        )
        commits = read_commits(gates.session.repository.git, _MOST_STARTS)
        starts = tuple(ComparisonPoint(one.id, "commit", one.subject, one.date[:10]) for one in commits)
        wanted = (*own, *(path for path in claimed if path not in own))
        start = scopes.of(key.handoff).start or ""
        self._change(
            key,
            lambda part: replace(
                part,
                stage=CorrectionStage.READING if claimed else CorrectionStage.READY,
                rows=rows,
                starts=starts,
                wanted=wanted,
                start=start,
            ),
        )
        if claimed:
            self._preview(gates, key)

    def _preview(self, gates: LogGates, key: HandoffKey) -> None:
        from handoff_tui.decisions.correct_scope import (  # noqa: PLC0415 - after the first paint
            ScopeRequest,
            find_needed_start,
            list_stated,
            preview_scope,
        )

        part = self._store.state.correction
        if part is None or part.key != key:
            return
        since = part.since or find_needed_start(gates, key.handoff, part.wanted) or gates.session.work_tree.facts.head
        paths = list_stated(gates.work.scopes.of(key.handoff), part.wanted)
        preview = preview_scope(gates, key.handoff, ScopeRequest(since, paths))
        asked = (part.wanted, part.since)

        def put(part: CorrectionPart) -> CorrectionPart:
            if (part.wanted, part.since) != asked:
                return part  # another choice was made meanwhile; its preview follows
            return replace(part, stage=CorrectionStage.READY, preview=preview, trouble=None)

        self._change(key, put)

    def _write(self, gates: LogGates, part: CorrectionPart) -> None:
        if part.preview is None:
            return
        written = part.preview.correction.write(gates.session)
        self._written.setdefault(part.key.root, []).append(written)
        self._finish(part.key, f"{part.key.handoff}: own files written to handoff-tui.toml; commit it for everybody")

    def _undo(self, key: HandoffKey) -> None:
        written = self._written[key.root][-1]
        written.undo(Path(key.root))
        self._written[key.root].pop()
        self._finish(key, f"{written.handoff}: handoff-tui.toml is as it was before")

    def _finish(self, key: HandoffKey, words: str) -> None:
        self._change(key, lambda part: replace(part, stage=CorrectionStage.DONE))
        self._store.say(words, "pass")
        self._rescan()

    def _find_undoable(self, root: str) -> str:
        written = self._written.get(root)
        return written[-1].handoff if written else ""

    def _change(self, key: HandoffKey, change: Callable[[CorrectionPart], CorrectionPart]) -> None:
        def apply(state: AppState) -> AppState:
            part = state.correction
            if part is None or part.key != key:
                return state
            changed = change(part)
            return state if changed is part else replace(state, correction=changed)

        self._store.change(apply)
