"""Reads the visible parts, and keeps what one of them leaves for the next."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from handoff_tui.changes.diff import FilesDiff
from handoff_tui.changes.files.changed_text import ChangedText, read_changed_text
from handoff_tui.changes.files.shown_file import ShownFile
from handoff_tui.checks.problems import measure_gate
from handoff_tui.checks.report import CheckResult
from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.core.classes import replace
from handoff_tui.decisions.examine import build_gate_view
from handoff_tui.decisions.packet import build_packet
from handoff_tui.decisions.pages.packet import render_packet
from handoff_tui.handoffs.agent_comments import read_comments
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.live.drafts import DraftKeeper
from handoff_tui.live.feed.gate_measurer import CauseFinder
from handoff_tui.live.feed.live_checks import LiveChecks
from handoff_tui.live.feed.snapshot import RepositorySnapshot
from handoff_tui.live.feed.verdict_cache import DeepVerdictCache
from handoff_tui.live.parts.readers import (
    Wanted,
    look,
    read_attempts,
    read_coverage,
    read_difference,
    read_document,
    read_file,
    read_files,
    read_pipeline,
    read_repository_metrics,
    read_threads,
)
from handoff_tui.live.state.app import PACKET, AppState, DocumentView, FilesView, Part
from handoff_tui.live.state_store import StateStore
from handoff_tui.log.open_log import open_log
from handoff_tui.log.show.entries import EntryFilter, list_log
from handoff_tui.status.inbox_item import MeasuredGate
from handoff_tui.status.review_state import ShownHandoff
from handoff_tui.status.show import find_handoff, show, show_again

_JUDGED = frozenset({Part.CHECKS, Part.PROBLEMS, Part.GATE, Part.DIFFERENCE})
"""Parts that depend on valid settings."""


class PartLoader:
    """Reads one part at a time on each worker."""

    def __init__(self, store: StateStore, drafts: DraftKeeper) -> None:
        self._store, self._drafts = store, drafts
        self._commands: dict[str, dict[str, CheckResult]] = {}
        """The last results of commands that were run here, by repository and id."""
        self._verdicts = DeepVerdictCache()
        self._checks = LiveChecks(self._verdicts)
        self._shown: tuple[RepositorySnapshot, ShownHandoff] | None = None
        self._files: tuple[tuple[object, ...], FilesView, FilesDiff | None] | None = None

    def read(self, part: Part, state: AppState, snapshot: RepositorySnapshot, cancel: threading.Event) -> Any:  # noqa: ANN401 - of the part's own type
        if part is Part.LOG:
            return list_log(open_log(snapshot.session.repository), EntryFilter())
        if part is Part.METRICS:
            return read_repository_metrics(snapshot)
        if part is Part.COVERAGE:
            return read_coverage(snapshot)
        if part in _JUDGED or (part is Part.DOCUMENT and state.open_document == PACKET):
            snapshot.session.loaded.refuse_judging()
        wanted = self.build_wanted(state)
        readers: dict[Part, Callable[[], Any]] = {
            Part.SHOWN: lambda: self._read_shown(snapshot, wanted.handoff),
            Part.PIPELINE: lambda: read_pipeline(snapshot, wanted.handoff),
            Part.CHECKS: lambda: self._checks.run(snapshot, wanted.handoff, wanted.phase, wanted.commands, cancel),
            Part.PROBLEMS: lambda: self._find_problems(snapshot, wanted, cancel),
            Part.GATE: lambda: build_gate_view(look(snapshot, wanted, cancel)),
            Part.FILES: lambda: self._read_files(snapshot, wanted, cancel),
            Part.DIFFERENCE: lambda: read_difference(snapshot, wanted, cancel),
            Part.FILE: lambda: self._read_file(state, snapshot, wanted, cancel),
            Part.CHANGED_TEXT: lambda: self._read_changed_text(snapshot, wanted, cancel),
            Part.DOCUMENT: lambda: self._read_document(state, snapshot, wanted, cancel),
            Part.THREADS: lambda: read_threads(snapshot, wanted, cancel),
            Part.ATTEMPTS: lambda: read_attempts(snapshot, wanted, cancel),
        }
        return readers[part]()

    def note_checks(self, root: str, commands: tuple[CheckResult, ...]) -> None:
        """Keeps the results of commands; what the other checks said is read from the cache next time. On any thread."""
        self._commands.setdefault(root, {}).update({result.id: result for result in commands})
        self._checks.note_run()

    def list_commands(self, root: str) -> tuple[CheckResult, ...]:
        """Returns the last results of commands that were run here."""
        return tuple(self._commands.get(root, {}).values())

    def build_wanted(self, state: AppState) -> Wanted:
        """Returns what is in view; raises if no handoff is."""
        if state.chosen is None:
            raise ValueError("no handoff is in view")
        commands = self.list_commands(state.chosen.root)
        return Wanted(state.chosen.handoff, state.phase, state.scope, commands)

    def _find_problems(self, snapshot: RepositorySnapshot, wanted: Wanted, cancel: threading.Event) -> MeasuredGate:
        report = self._checks.run(snapshot, wanted.handoff, wanted.phase, wanted.commands, cancel)
        verdicts = self._verdicts.find(snapshot).measure(find_handoff(snapshot.state, wanted.handoff).handoff)
        causes = CauseFinder(snapshot)
        return measure_gate(report, verdicts, lambda path: causes.find(path, wanted.handoff))

    def _read_shown(self, snapshot: RepositorySnapshot, wanted: str) -> ShownHandoff:
        """Reads the handoff; after a mere save only its verdicts are measured again."""
        before = self._shown
        handoff = find_handoff(snapshot.state, wanted).handoff
        if before is None or not _is_same_story(before, snapshot, handoff):
            self._shown = (snapshot, show(snapshot.session, snapshot.state, wanted, CheckAgain()))
        else:
            verdicts = self._verdicts.find(snapshot).measure(handoff)
            scopes = snapshot.incremental.handoff_reviewer.scopes
            again = show_again(before[1], snapshot.state, verdicts, snapshot.gates, scopes)
            comments = read_comments(snapshot.session.repository, handoff.id)
            self._shown = (snapshot, again.model_copy(update={"agent_comments": comments}))
        return self._shown[1]

    def _read_files(self, snapshot: RepositorySnapshot, wanted: Wanted, cancel: threading.Event) -> FilesView:
        """Shows the list at once; counting reads every changed file, so it comes after."""
        view, files = self._find_files(snapshot, wanted)
        if files is None or view.counted:
            return view
        self._store.change(lambda state: _show_uncounted(state, wanted, view))
        if cancel.is_set():
            return view
        counted = view._replace(files=tuple(files.list_files(counted=True)), counted=True)
        self._files = (self._build_place(snapshot, wanted), counted, files)
        return counted

    def _find_files(self, snapshot: RepositorySnapshot, wanted: Wanted) -> tuple[FilesView, FilesDiff | None]:
        place = self._build_place(snapshot, wanted)
        if self._files is None or self._files[0] != place:
            self._files = (place, *read_files(snapshot, wanted))
        return self._files[1], self._files[2]

    def _build_place(self, snapshot: RepositorySnapshot, wanted: Wanted) -> tuple[object, ...]:
        return (snapshot.state.repository.root, snapshot.version, wanted.handoff, wanted.scope)

    def _read_file(
        self, state: AppState, snapshot: RepositorySnapshot, wanted: Wanted, cancel: threading.Event
    ) -> ShownFile | None:
        """Shows the first lines at once; the others follow."""
        _, files = self._find_files(snapshot, wanted)
        if files is None or state.open_file is None:
            return None
        return read_file(files, state.open_file, state.file.value, self._show_some, cancel)

    def _read_changed_text(self, snapshot: RepositorySnapshot, wanted: Wanted, cancel: threading.Event) -> ChangedText:
        _, files = self._find_files(snapshot, wanted)
        return read_changed_text(files, cancel.is_set) if files is not None else ChangedText(())

    def _show_some(self, some: ShownFile) -> None:
        self._store.change(lambda state: _show_incomplete(state, some))

    def _read_document(
        self, state: AppState, snapshot: RepositorySnapshot, wanted: Wanted, cancel: threading.Event
    ) -> DocumentView | None:
        path = state.open_document
        if path is None:
            return None
        if path != PACKET:
            return read_document(snapshot, wanted.handoff, path)
        packet = build_packet(look(snapshot, wanted, cancel))
        return DocumentView(path, render_packet(packet), packet=packet)


def _is_same_story(
    before: tuple[RepositorySnapshot, ShownHandoff], snapshot: RepositorySnapshot, handoff: Handoff
) -> bool:
    """Tells whether only files were saved since, and the handoff has the same documents."""
    last, shown = before[0], before[1].reviewed.handoff
    paths = [document.path for document in handoff.documents]
    same = (last.state.repository.root, shown.id) == (snapshot.state.repository.root, handoff.id)
    same = same and [document.path for document in shown.documents] == paths and shown.producers == handoff.producers
    return same and shown.source_agent == handoff.source_agent and snapshot.find_patch(last.version) is not None


def _show_uncounted(state: AppState, wanted: Wanted, view: FilesView) -> AppState:
    """Shows the list without counts, unless the same list with counts is shown already."""
    if state.chosen is None or (state.chosen.handoff, state.scope) != (wanted.handoff, wanted.scope):
        return state
    shown = state.files.value
    if shown is not None and shown.trees == view.trees:
        return state
    return replace(state, files=replace(state.files, value=view))


def _show_incomplete(state: AppState, some: ShownFile) -> AppState:
    """Shows the first lines, unless the complete file is shown already."""
    shown = state.file.value
    if state.open_file is None or state.open_file != (some.change.path, some.options):
        return state
    if shown is not None and shown.complete and (shown.change.path, shown.options) == state.open_file:
        return state
    return replace(state, file=replace(state.file, value=some))
