"""Reads the parts of a desk's state for the handoff in view. Each is asked about one scene, and raises what it must."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event

from handoff_tui.changes.diff import DiffRequest, FilesDiff, diff
from handoff_tui.changes.files.shown_file import ShownFile
from handoff_tui.checks.result import CheckResult
from handoff_tui.checks.run.check import Telling
from handoff_tui.core.errors import FileUnreadableError
from handoff_tui.decisions.examine import Examined, look_at_gate
from handoff_tui.decisions.gate_view import build_gate_view
from handoff_tui.decisions.packet import build_packet
from handoff_tui.decisions.values.gate_view import GateView
from handoff_tui.decisions.values.packet import Packet
from handoff_tui.live.comparison_points import list_moments
from handoff_tui.live.feed.snapshot import Scene
from handoff_tui.live.state.desk import DifferenceView, DocumentView, FilesView, OpenFile, Scope
from handoff_tui.log.open_log import open_log
from handoff_tui.log.show.entries import Choice, list_log
from handoff_tui.log.show.entry import show_entry
from handoff_tui.log.show.verify import Demands, verify_whole
from handoff_tui.log.show.view import EntryView, LogReport, LogView
from handoff_tui.status.pipeline import build_pipeline
from handoff_tui.status.pipeline_view import PipelineView
from handoff_tui.status.review_state import ShownHandoff
from handoff_tui.status.show import find_handoff, show
from handoff_tui.system.files.decoding import decode_text
from handoff_tui.system.files.reader import FileReader

_MOST_OPENED = 64 * 1024 * 1024
"""A larger file is not opened at all; of one that is larger than limits.file_bytes the beginning is shown."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is in view."""

    handoff: str
    phase: str | None
    scope: Scope
    commands: tuple[CheckResult, ...] = ()
    """Results of commands that were run at this desk."""


def read_shown(scene: Scene, handoff: str) -> ShownHandoff:
    return show(scene.desk, scene.state, handoff)


def read_pipeline(scene: Scene, handoff: str) -> PipelineView:
    reviewed = find_handoff(scene.state, handoff)
    index = scene.gates.index if scene.gates else None
    return build_pipeline(reviewed, scene.desk.loaded.settings.pipelines, index)


def read_gate(scene: Scene, wanted: Wanted, cancel: Event) -> GateView:
    return build_gate_view(look(scene, wanted, cancel))


def read_packet(scene: Scene, wanted: Wanted, cancel: Event) -> Packet:
    return build_packet(look(scene, wanted, cancel))


def look(scene: Scene, wanted: Wanted, cancel: Event) -> Examined:
    """The gate in view; no command is started for it."""
    log = open_log(scene.desk.repository)
    telling = Telling(cancel=cancel)
    return look_at_gate(scene.desk, log, wanted.handoff, wanted.phase, telling=telling, commands=wanted.commands)


def read_files(scene: Scene, wanted: Wanted) -> tuple[FilesView, FilesDiff | None]:
    """Which files differ; counting their lines is left for later."""
    found = diff(scene.desk, _build_request(wanted, files_only=True))
    if found.files is None:
        note, moments = "; ".join(found.notes) or None, list_moments(scene.desk)
        return FilesView(found.pair, (), counted=True, note=note, moments=moments), None
    files = found.files
    view = FilesView(
        found.pair,
        tuple(files.list_files(counted=False)),
        counted=False,
        note="; ".join(note for note in (*found.notes, files.listed.note) if note) or None,
        trees=(files.old, files.new),
        moments=list_moments(scene.desk),
    )
    return view, files


def count_files(view: FilesView, files: FilesDiff) -> FilesView:
    return view._replace(files=tuple(files.list_files(counted=True)), counted=True)


def read_difference(scene: Scene, wanted: Wanted, cancel: Event) -> DifferenceView:
    found = diff(scene.desk, _build_request(wanted, files_only=False), Telling(cancel=cancel))
    return DifferenceView(found.pair, found.record, found.claims, found.notes)


def read_file(
    files: FilesDiff, wanted: OpenFile, known: ShownFile | None, tell: Callable[[ShownFile], None], cancel: Event
) -> ShownFile | None:
    """The lines of a file; what is known already is not read again while its content is the same."""
    path = wanted.path
    change = next((change for change in files.listed.changes if change.path == path), None)
    if change is None:
        raise FileUnreadableError(f"{path} does not differ between the two sides", "Choose another file, or scope.")
    if known is not None and known.complete and (known.change, known.options) == (change, wanted.options):
        return known
    return files.read_lines(change, wanted.options, tell, cancel.is_set)


def read_document(scene: Scene, handoff: str, path: str) -> DocumentView:
    """A document's text as it is now; one that lies in git notes as it was read."""
    documents = find_handoff(scene.state, handoff).handoff.documents
    document = next((one for one in documents if one.path == path), None)
    if ":" in path and document is not None:
        return DocumentView(path, scene.reading.shelf.source(path).text, document)
    limit = scene.desk.loaded.settings.limits.file_bytes
    content = FileReader(scene.desk.repository.root, max(limit, _MOST_OPENED)).read_bytes(path)
    decoded = decode_text(cut_text(content, limit))
    if decoded.binary:
        raise FileUnreadableError(f"{path} is no text", "Open it with a program of your own.")
    return DocumentView(path, decoded.text, document, truncated=len(content) > limit)


def cut_text(content: bytes, limit: int) -> bytes:
    """The beginning of a text, not longer than that; no character is cut in two."""
    if len(content) <= limit:
        return content
    end = limit
    while end and content[end] & 0xC0 == 0x80:  # noqa: PLR2004 - a byte in the middle of a character
        end -= 1
    return content[:end]


def read_log(scene: Scene) -> LogView:
    return list_log(open_log(scene.desk.repository), Choice())


def read_entry(scene: Scene, entry: str) -> EntryView:
    return show_entry(open_log(scene.desk.repository), entry).view


def read_report(scene: Scene) -> LogReport:
    return verify_whole(scene.desk.repository, Demands())


def _build_request(wanted: Wanted, *, files_only: bool) -> DiffRequest:
    scope = wanted.scope
    return DiffRequest(
        wanted.handoff, scope.scope, scope.against, scope.instead, files_only=files_only, run_commands=False
    )
