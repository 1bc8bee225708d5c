"""Where the parts in view are read, and what one of them leaves for the next."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from handoff_tui.changes.diff import FilesDiff
from handoff_tui.changes.files.shown_file import ShownFile
from handoff_tui.checks.result import CheckResult
from handoff_tui.decisions.pages.packet import render_packet
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.live.feed.deep_verdict_cache import DeepBook
from handoff_tui.live.feed.live_checks import LiveChecks
from handoff_tui.live.feed.snapshot import Scene
from handoff_tui.live.parts.readers import (
    Wanted,
    count_files,
    read_difference,
    read_document,
    read_file,
    read_files,
    read_gate,
    read_log,
    read_packet,
    read_pipeline,
    read_shown,
)
from handoff_tui.live.state.debugging import AttemptsView
from handoff_tui.live.state.desk import PACKET, DeskState, DocumentView, FilesView, Part
from handoff_tui.live.state_store import Board
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.status.review_state import ShownHandoff
from handoff_tui.status.show import find_handoff, show_again

_NOTHING_CHOSEN = "no handoff is in view"
_JUDGED = frozenset({Part.CHECKS, Part.GATE, Part.DIFFERENCE})
"""Parts in which the settings have the last word."""


class ReadingRoom:
    """Reads one part at a time on each lane."""

    def __init__(
        self,
        board: Board,
        list_commands: Callable[[str], tuple[CheckResult, ...]],
    ) -> None:
        self._board = board
        self._list_commands = list_commands
        self._books = DeepBook()
        self._checks = LiveChecks(self._books)
        self._shown: tuple[Scene, ShownHandoff] | None = None
        self._files: tuple[tuple[object, ...], FilesView, FilesDiff | None] | None = None

    def read(self, part: Part, state: DeskState, scene: Scene, cancel: threading.Event) -> Any:  # noqa: ANN401 - of the part's own type
        if part is Part.LOG:
            return read_log(scene)
        if part is Part.FIGURES:
            from handoff_tui.live.parts.debug_readers import read_figures  # noqa: PLC0415 - few look at them

            return read_figures(scene)
        if state.chosen is None:
            raise ValueError(_NOTHING_CHOSEN)
        if part in _JUDGED or (part is Part.DOCUMENT and state.open_document == PACKET):
            scene.desk.loaded.refuse_judging()
        wanted = self.build_wanted(state, state.chosen)
        readers: dict[Part, Callable[[], Any]] = {
            Part.SHOWN: lambda: self._read_shown(scene, wanted.handoff),
            Part.PIPELINE: lambda: read_pipeline(scene, wanted.handoff),
            Part.CHECKS: lambda: self._checks.run(scene, wanted.handoff, wanted.phase, wanted.commands, cancel),
            Part.GATE: lambda: read_gate(scene, wanted, cancel),
            Part.FILES: lambda: self._read_files(scene, wanted, cancel),
            Part.DIFFERENCE: lambda: read_difference(scene, wanted, cancel),
            Part.FILE: lambda: self._read_file(state, scene, wanted, cancel),
            Part.DOCUMENT: lambda: self._read_document(state, scene, wanted, cancel),
            Part.ATTEMPTS: lambda: _read_attempts(scene, wanted, cancel),
        }
        return readers[part]()

    def note_checks(self) -> None:
        """The checks were run elsewhere, on any thread: what they said last is read from the cache next time."""
        self._checks.note_run()

    def build_wanted(self, state: DeskState, key: HandoffKey) -> Wanted:
        return Wanted(key.handoff, state.phase, state.scope, self._list_commands(key.root))

    def _read_shown(self, scene: Scene, wanted: str) -> ShownHandoff:
        """After a save, history and reviewer are as they were; without any other verdict, so is all of it."""
        before = self._shown
        handoff = find_handoff(scene.state, wanted).handoff
        if before is None or not _is_same_story(before, scene, handoff):
            self._shown = (scene, read_shown(scene, wanted))
        else:
            verdicts = self._books.find(scene).measure(handoff)
            self._shown = (scene, show_again(before[1], scene.state, verdicts, scene.gates))
        return self._shown[1]

    def _read_files(self, scene: Scene, wanted: Wanted, cancel: threading.Event) -> FilesView:
        """The list is shown at once; counting reads every changed file, so it comes after."""
        view, files = self._find_files(scene, wanted)
        if files is None or view.counted:
            return view
        self._board.change(lambda state: _show_uncounted(state, wanted, view))
        if cancel.is_set():
            return view
        counted = count_files(view, files)
        self._files = (self._build_place(scene, wanted), counted, files)
        return counted

    def _find_files(self, scene: Scene, wanted: Wanted) -> tuple[FilesView, FilesDiff | None]:
        place = self._build_place(scene, wanted)
        if self._files is None or self._files[0] != place:
            self._files = (place, *read_files(scene, wanted))
        return self._files[1], self._files[2]

    def _build_place(self, scene: Scene, wanted: Wanted) -> tuple[object, ...]:
        return (scene.state.repository.root, scene.version, wanted.handoff, wanted.scope)

    def _read_file(self, state: DeskState, scene: Scene, wanted: Wanted, cancel: threading.Event) -> ShownFile | None:
        """The first lines are shown at once; the others follow."""
        _, files = self._find_files(scene, wanted)
        if files is None or state.open_file is None:
            return None
        return read_file(files, state.open_file, state.file.value, self._show_some, cancel)

    def _show_some(self, some: ShownFile) -> None:
        self._board.change(lambda state: _show_incomplete(state, some))

    def _read_document(
        self, state: DeskState, scene: Scene, wanted: Wanted, cancel: threading.Event
    ) -> DocumentView | None:
        path = state.open_document
        if path is None:
            return None
        if path != PACKET:
            return read_document(scene, wanted.handoff, path)
        packet = read_packet(scene, wanted, cancel)
        return DocumentView(path, render_packet(packet), packet=packet)


def _read_attempts(scene: Scene, wanted: Wanted, cancel: threading.Event) -> AttemptsView:
    from handoff_tui.live.parts.debug_readers import read_attempts  # noqa: PLC0415 - few look at them

    return read_attempts(scene, wanted, cancel)


def _is_same_story(before: tuple[Scene, ShownHandoff], scene: Scene, handoff: Handoff) -> bool:
    """Whether only files were saved since, and the handoff has the same documents."""
    last, shown = before[0], before[1].reviewed.handoff
    paths = [document.path for document in handoff.documents]
    same = (last.state.repository.root, shown.id) == (scene.state.repository.root, handoff.id)
    same = same and [document.path for document in shown.documents] == paths and shown.producers == handoff.producers
    return same and shown.source_agent == handoff.source_agent and scene.find_patch(last.version) is not None


def _show_uncounted(state: DeskState, wanted: Wanted, view: FilesView) -> DeskState:
    """Where a list with counts is shown already, it stays until the new one is counted, unless it differs."""
    if state.chosen is None or (state.chosen.handoff, state.scope) != (wanted.handoff, wanted.scope):
        return state
    shown = state.files.value
    if shown is not None and shown.trees == view.trees:
        return state
    return replace(state, files=replace(state.files, value=view))


def _show_incomplete(state: DeskState, some: ShownFile) -> DeskState:
    """A file that is shown whole stays until its new content was read whole."""
    shown = state.file.value
    if state.open_file is None or state.open_file != (some.change.path, some.options):
        return state
    if shown is not None and shown.complete and (shown.change.path, shown.options) == state.open_file:
        return state
    return replace(state, file=replace(state.file, value=some))
