"""Reads the visible parts for the handoff in view, each from one snapshot; keeps what one leaves for the next."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING, Any

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.changes.diff import ChangesReport, DiffRequest, FilesDiff, diff, diff_scope, write_own_sides
from handoff_tui.changes.files.shown_file import ChangedText, ShownFile, read_changed_text
from handoff_tui.changes.snapshots.snapshot import list_snapshots
from handoff_tui.checks.problems import measure_gate
from handoff_tui.checks.report import CheckResult
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.core.classes import dataclass, replace
from handoff_tui.core.errors import CaptureError, FileUnreadableError, HandoffError
from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_DIGEST
from handoff_tui.decisions.examine import ExaminedGate, ExamineOptions, build_gate_view, examine
from handoff_tui.decisions.packet import build_packet
from handoff_tui.decisions.pages.packet import render_packet
from handoff_tui.git.history.commits import read_blobs, read_commits
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.handoffs.handoff import Document
from handoff_tui.handoffs.session import Session
from handoff_tui.live.drafts import DraftKeeper
from handoff_tui.live.feed.gate_measurer import CauseFinder
from handoff_tui.live.feed.live_checks import LiveChecks
from handoff_tui.live.feed.snapshot import RepositorySnapshot
from handoff_tui.live.state.app import (
    PACKET,
    AppState,
    AttemptHistories,
    ChangedPaths,
    ComparisonPoint,
    DifferenceView,
    DiffRange,
    FilesView,
    OpenDocument,
    OpenFile,
    Part,
)
from handoff_tui.live.state_store import StateStore
from handoff_tui.log.gates.coverage import list_changed_paths
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.log.open_log import open_log
from handoff_tui.log.show.entries import EntryFilter, list_log, show_entry
from handoff_tui.log.show.verify import VerifyOptions, verify_whole
from handoff_tui.log.show.view import EntryView, LogReport
from handoff_tui.status.inbox_item import MeasuredGate
from handoff_tui.status.pipeline import PipelineView, build_pipeline
from handoff_tui.status.review_state import ShownHandoff
from handoff_tui.status.show import find_handoff, show_known
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.files.reader import FileReader, decode_text

_MOST_OPENED = 64 * 1024 * 1024
"""Larger files are not opened; of files over limits.file_bytes only the beginning is shown."""
_MOST_COMMITS = 50
_MOST_SNAPSHOTS = 50

if TYPE_CHECKING:
    from handoff_tui.decisions.threads import Thread
    from handoff_tui.history.attempts.report import AttemptComparison
    from handoff_tui.history.failure.report import FailureReport
    from handoff_tui.history.metrics.report import MetricsReport

_JUDGED = frozenset({Part.CHECKS, Part.PROBLEMS, Part.GATE, Part.DIFFERENCE})
"""Parts that depend on valid settings."""


def list_comparison_points(session: Session) -> tuple[ComparisonPoint, ...]:
    """Returns stored snapshots, then the latest commits; any other can be typed."""
    snapshots = list_snapshots(session.repository.root)[:_MOST_SNAPSHOTS]
    commits = read_commits(session.repository.git, _MOST_COMMITS)
    return (
        *(ComparisonPoint(digest[:SHORT_DIGEST], "snapshot") for digest in snapshots),
        *(ComparisonPoint(commit.id[:SHORT_COMMIT], "commit", commit.subject, commit.date[:10]) for commit in commits),
    )


@dataclass(frozen=True, slots=True)
class WantedParts:
    """What is in view."""

    handoff: str
    phase: str | None
    scope: DiffRange
    commands: tuple[CheckResult, ...] = ()
    """Results of commands that were run in this app."""


def read_shown(snapshot: RepositorySnapshot, handoff: str) -> ShownHandoff:
    reviewed = find_handoff(snapshot.state, handoff)
    verdicts, scopes = snapshot.verdicts[reviewed.handoff.id], snapshot.handoff_reviewer.scopes
    return show_known(snapshot.session, snapshot.state, reviewed, verdicts, snapshot.gates, scopes)


def read_pipeline(snapshot: RepositorySnapshot, handoff: str) -> PipelineView:
    reviewed = find_handoff(snapshot.state, handoff)
    index = snapshot.gates.index if snapshot.gates else None
    return build_pipeline(reviewed, snapshot.session.loaded.settings.pipelines, index)


def look(snapshot: RepositorySnapshot, wanted: WantedParts, cancel: Event) -> ExaminedGate:
    """Examines the gate in view; starts no command."""
    log = open_log(snapshot.session.repository)
    telling = ProgressCallbacks(cancel=cancel)
    return examine(
        snapshot.session,
        log,
        wanted.handoff,
        wanted.phase,
        options=ExamineOptions(run_commands=False, command_results=wanted.commands),
        telling=telling,
    )


def read_files(snapshot: RepositorySnapshot, wanted: WantedParts) -> tuple[FilesView, FilesDiff | None]:
    """Returns which files differ; counting their lines is left for later."""
    if wanted.scope.scope is DiffScope.OWN:
        found = diff_scope(snapshot.session, snapshot.handoff_reviewer.scopes, wanted.handoff)
    elif wanted.scope.scope is DiffScope.BETWEEN_ATTEMPTS:
        found = _diff_attempts(snapshot, wanted.scope)
    else:
        found = diff(snapshot.session, _build_request(wanted, files_only=True))
    if found.files is None:
        note, points = "; ".join(found.notes) or None, list_comparison_points(snapshot.session)
        return FilesView(found.pair, (), counted=True, note=note, points=points), None
    files = found.files
    view = FilesView(
        found.pair,
        tuple(files.list_files(counted=False)),
        counted=False,
        note="; ".join(note for note in (*found.notes, files.listed.note) if note) or None,
        trees=(files.old, files.new),
        points=list_comparison_points(snapshot.session),
    )
    return view, files


def read_difference(snapshot: RepositorySnapshot, wanted: WantedParts, cancel: Event) -> DifferenceView:
    if wanted.scope.scope is DiffScope.BETWEEN_ATTEMPTS:
        found = _diff_attempts(snapshot, wanted.scope, cancel)
    else:
        found = diff(snapshot.session, _build_request(wanted, files_only=False), ProgressCallbacks(cancel=cancel))
    return DifferenceView(found.pair, found.record, found.claims, found.notes)


def _diff_attempts(snapshot: RepositorySnapshot, scope: DiffRange, cancel: Event | None = None) -> ChangesReport:
    from handoff_tui.history.attempts.attempts import diff_attempts  # noqa: PLC0415 - few look at it

    telling = ProgressCallbacks(cancel=cancel or Event())
    log = open_log(snapshot.session.repository)
    return diff_attempts(snapshot.session, log, scope.against or "", scope.instead or "", telling)


def read_file(
    files: FilesDiff, wanted: OpenFile, known: ShownFile | None, tell: Callable[[ShownFile], None], cancel: Event
) -> ShownFile | None:
    """Returns the lines of a file; what is known is not read again while its content is the same."""
    path = wanted.path
    change = next((change for change in files.listed.changes if change.path == path), None)
    if change is None:
        raise FileUnreadableError(f"{path} is the same on both sides", "Choose another file or another comparison.")
    if known is not None and known.complete and (known.change, known.options) == (change, wanted.options):
        return known
    return files.read_lines(change, wanted.options, tell, cancel.is_set)


def read_document(snapshot: RepositorySnapshot, handoff: str, path: str) -> OpenDocument:
    """Returns a document's text as of the snapshot; one in git notes as it was read."""
    documents = find_handoff(snapshot.state, handoff).handoff.documents
    document = next((one for one in documents if one.path == path), None)
    if ":" in path and document is not None:
        return OpenDocument(path, snapshot.reading.files.file(path).text, document)
    limit = snapshot.session.loaded.settings.limits.file_bytes
    content = _read_captured(snapshot, handoff, path, max(limit, _MOST_OPENED))
    return build_document(path, content, document, limit)


def build_document(path: str, content: bytes, document: Document | None, limit: int) -> OpenDocument:
    """Returns a document as text, at most `limit` bytes of it; refuses one that isn't text."""
    decoded = decode_text(cut_text(content, limit))
    if decoded.binary:
        raise FileUnreadableError(f"{path} isn't text", "Open it in another program.")
    return OpenDocument(path, decoded.text, document, truncated=len(content) > limit)


def _read_captured(snapshot: RepositorySnapshot, handoff: str, path: str, limit: int) -> bytes:
    """Returns a file as it was when the snapshot was taken, if it is the handoff's own; another one as it is now."""
    session, scopes = snapshot.session, snapshot.handoff_reviewer.scopes
    own = scopes.of(handoff).results.get(path)
    if own is not None and not own.deleted:
        with suppress(CaptureError):  # it has changed since, and nobody had captured it: it is read as it is now
            write_own_sides(session, scopes, handoff)
        objects = offer_objects(session.repository, find_cache_folder(session.repository.root))
        content = read_blobs(session.repository.git, [own.blob], limit, objects)[own.blob]
        if content is not None:
            return content
    return FileReader(session.repository.root, limit).read_bytes(path)


def cut_text(content: bytes, limit: int) -> bytes:
    """Returns at most `limit` bytes of a text, without cutting a character in two."""
    if len(content) <= limit:
        return content
    end = limit
    while end and content[end] & 0xC0 == 0x80:  # noqa: PLR2004 - a byte in the middle of a character
        end -= 1
    return content[:end]


def read_entry(snapshot: RepositorySnapshot, entry: str) -> EntryView:
    return show_entry(open_log(snapshot.session.repository), entry).view


def read_report(snapshot: RepositorySnapshot) -> LogReport:
    return verify_whole(snapshot.session.repository, VerifyOptions())


def _build_request(wanted: WantedParts, *, files_only: bool) -> DiffRequest:
    scope = wanted.scope
    return DiffRequest(
        wanted.handoff, scope.scope, scope.against, scope.instead, files_only=files_only, run_commands=False
    )


def read_repository_metrics(snapshot: RepositorySnapshot) -> MetricsReport:
    from handoff_tui.history.metrics.definitions import DayWindow  # noqa: PLC0415 - few look at it
    from handoff_tui.history.metrics.metrics import read_metrics  # noqa: PLC0415 - few look at it

    return read_metrics(snapshot.session, open_log(snapshot.session.repository), DayWindow())


def read_coverage(snapshot: RepositorySnapshot) -> ChangedPaths:
    reviewer = snapshot.handoff_reviewer
    has_policy = snapshot.gates is not None and snapshot.gates.policy is not None
    return ChangedPaths(list_changed_paths(reviewer.scopes, reviewer.reports), has_policy)


def read_threads(snapshot: RepositorySnapshot, wanted: WantedParts, cancel: Event) -> tuple[Thread, ...]:
    """Returns the signed comments on the phase in view, where their lines are now; none without a log."""
    from handoff_tui.decisions.threads import list_threads  # noqa: PLC0415 - most handoffs have no comments

    if snapshot.gates is None or not _list_phases(snapshot.gates.index, wanted.handoff):
        return ()
    found = look(snapshot, wanted, cancel)
    return list_threads(snapshot.session, found.index, found.key.place, found.work_tree)


def read_attempts(snapshot: RepositorySnapshot, wanted: WantedParts, cancel: Event) -> AttemptHistories:
    """Returns the attempts at the phase in view with the current work, then those at every other phase in the log."""
    from handoff_tui.history.attempts.attempts import read_history  # noqa: PLC0415 - few look at it

    log = open_log(snapshot.session.repository)
    try:
        snapshot.session.loaded.refuse_judging()
        now = look(snapshot, wanted, cancel)
    except HandoffError:
        now = None  # what the log and the documents tell can be read all the same
    here = read_history(snapshot.session, log, wanted.handoff, wanted.phase, now=now)
    index = now.index if now is not None else build_log_index(log.verify())
    others = [phase for phase in _list_phases(index, here.handoff) if phase != here.phase]
    return AttemptHistories((here, *(read_history(snapshot.session, log, here.handoff, phase) for phase in others)))


def _list_phases(index: LogIndex, handoff: str) -> list[str]:
    return sorted({phase for name, phase in index.places if name == handoff})


def read_comparison(snapshot: RepositorySnapshot, before: str, after: str, cancel: Event) -> AttemptComparison:
    from handoff_tui.history.attempts.attempts import compare_attempts  # noqa: PLC0415 - few look at it

    return compare_attempts(
        snapshot.session, open_log(snapshot.session.repository), before, after, telling=ProgressCallbacks(cancel=cancel)
    )


def read_why(snapshot: RepositorySnapshot, wanted: WantedParts, cancel: Event) -> FailureReport:
    """Explains why the gate in view is closed, from existing results; starts no command."""
    from handoff_tui.history.failure.failure import FailurePlace, explore_failure  # noqa: PLC0415 - few look at it

    snapshot.session.loaded.refuse_judging()
    found = look(snapshot, wanted, cancel)
    place = FailurePlace(found.handoff.id, found.key.phase, found.key.attempt)
    return explore_failure(snapshot.session, found.report, None if found.index.verdict.fatal else found.index, place)


class PartLoader:
    """Reads one part at a time on each worker."""

    def __init__(self, store: StateStore, drafts: DraftKeeper) -> None:
        self._store, self._drafts = store, drafts
        self._checks = LiveChecks()
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
            Part.SHOWN: lambda: read_shown(snapshot, wanted.handoff),
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

    def build_wanted(self, state: AppState) -> WantedParts:
        """Returns what is in view; raises if no handoff is."""
        if state.chosen is None:
            raise ValueError("no handoff is in view")
        commands = self._store.list_commands(state.chosen.root)
        return WantedParts(state.chosen.handoff, state.phase, state.scope, commands)

    def _find_problems(
        self, snapshot: RepositorySnapshot, wanted: WantedParts, cancel: threading.Event
    ) -> MeasuredGate:
        report = self._checks.run(snapshot, wanted.handoff, wanted.phase, wanted.commands, cancel)
        causes = CauseFinder(snapshot)
        return measure_gate(report, snapshot.verdicts[wanted.handoff], lambda path: causes.find(path, wanted.handoff))

    def _read_files(self, snapshot: RepositorySnapshot, wanted: WantedParts, cancel: threading.Event) -> FilesView:
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

    def _find_files(self, snapshot: RepositorySnapshot, wanted: WantedParts) -> tuple[FilesView, FilesDiff | None]:
        place = self._build_place(snapshot, wanted)
        if self._files is None or self._files[0] != place:
            self._files = (place, *read_files(snapshot, wanted))
        return self._files[1], self._files[2]

    def _build_place(self, snapshot: RepositorySnapshot, wanted: WantedParts) -> tuple[object, ...]:
        return (snapshot.state.repository.root, snapshot.version, wanted.handoff, wanted.scope)

    def _read_file(
        self, state: AppState, snapshot: RepositorySnapshot, wanted: WantedParts, cancel: threading.Event
    ) -> ShownFile | None:
        """Shows the first lines at once; the others follow."""
        _, files = self._find_files(snapshot, wanted)
        if files is None or state.open_file is None:
            return None
        return read_file(files, state.open_file, state.file.value, self._show_some, cancel)

    def _read_changed_text(
        self, snapshot: RepositorySnapshot, wanted: WantedParts, cancel: threading.Event
    ) -> ChangedText:
        _, files = self._find_files(snapshot, wanted)
        return read_changed_text(files, cancel.is_set) if files is not None else ChangedText(())

    def _show_some(self, some: ShownFile) -> None:
        self._store.change(lambda state: _show_incomplete(state, some))

    def _read_document(
        self, state: AppState, snapshot: RepositorySnapshot, wanted: WantedParts, cancel: threading.Event
    ) -> OpenDocument | None:
        path = state.open_document
        if path is None:
            return None
        if path != PACKET:
            return read_document(snapshot, wanted.handoff, path)
        packet = build_packet(look(snapshot, wanted, cancel))
        return OpenDocument(path, render_packet(packet), packet=packet)


def _show_uncounted(state: AppState, wanted: WantedParts, view: FilesView) -> AppState:
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
