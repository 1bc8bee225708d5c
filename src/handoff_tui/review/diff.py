"""What has changed: the snapshots compared, then the files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from handoff_tui.baseline.claims import compare_claims
from handoff_tui.baseline.compare import compare_snapshots
from handoff_tui.baseline.explain import build_explanations
from handoff_tui.errors import FileUnreadableError, UnsafePathError, UsageError
from handoff_tui.models.file_diff import ChangedFile, DiffOptions, FileChange, FileDiff, TreeChanges
from handoff_tui.models.handoff import Handoff
from handoff_tui.models.snapshot import Snapshot
from handoff_tui.models.snapshot_diff import ClaimCheck, ComparedPair, DiffScope, SnapshotDiff
from handoff_tui.repo.file_diff import read_file_diff
from handoff_tui.repo.file_kinds import build_changed_files
from handoff_tui.repo.files import FileReader
from handoff_tui.repo.private_objects import offer_objects
from handoff_tui.repo.state_files import find_cache_folder
from handoff_tui.repo.tree_diff import count_lines, read_patch, read_tree_changes
from handoff_tui.repo.work_tree import write_work_tree
from handoff_tui.review.approved import read_marks
from handoff_tui.review.check import Telling
from handoff_tui.review.compared import Side, find_pair, load_side
from handoff_tui.review.desk import Desk
from handoff_tui.review.refresh import read_harvest
from handoff_tui.review.show import find_id
from handoff_tui.review.snapshots import take


@dataclass(frozen=True, slots=True)
class DiffRequest:
    """What is to be compared. `against` and `instead` are snapshots or commits as a person names them."""

    handoff: str | None = None
    scope: DiffScope = DiffScope.SINCE_BASELINE
    against: str | None = None
    instead: str | None = None
    """Compared in place of the work tree as it is."""
    files_only: bool = False
    """The record (tests, packages, checks …) is not asked for, and the checks need not run."""


@dataclass(frozen=True, slots=True)
class FilesDiff:
    """The files of two trees; hunks are read for one file at a time."""

    desk: Desk
    old: str
    new: str
    listed: TreeChanges
    _objects: dict[str, str] = field(repr=False)

    def list_files(self, *, counted: bool) -> list[ChangedFile]:
        """The list; counting reads every changed content, so it can be left for later."""
        counts = count_lines(self.desk.repository.git, self.old, self.new, extra=self._objects) if counted else {}
        return build_changed_files(self.listed.changes, counts)

    def read_file(self, change: FileChange, options: DiffOptions) -> FileDiff:
        return read_file_diff(self.desk.repository.git, change, options, extra=self._objects)

    def read_patch(self) -> Iterator[bytes]:
        return read_patch(self.desk.repository.git, self.old, self.new, extra=self._objects)


@dataclass(frozen=True, slots=True)
class Difference:
    """All that `diff` says."""

    pair: ComparedPair
    record: SnapshotDiff | None
    """Nothing without a snapshot on both sides."""
    claims: tuple[ClaimCheck, ...]
    files: FilesDiff | None
    notes: tuple[str, ...]


def diff(desk: Desk, request: DiffRequest, telling: Telling | None = None) -> Difference:
    """Compares what is asked for; without anything to compare with, that is said and nothing is called new."""
    if request.files_only:
        return _diff_files(desk, request)
    taken = take(desk, telling)
    handoffs = taken.harvest.handoffs
    handoff = _find(handoffs, request.handoff)
    tree = taken.captured.tree.tree
    pair = _find_pair(desk, request, (handoff, handoffs), tree)
    now = Side(taken.captured.snapshot, tree)
    before, after = _load_sides(desk, pair, now)
    files = _compare_trees(desk, before, after)
    changes = files.listed.changes if files else []
    record: SnapshotDiff | None = None
    claims: tuple[ClaimCheck, ...] = ()
    if before is not None and before.snapshot is not None and after.snapshot is not None:
        chosen = [handoff] if handoff else handoffs
        explanations = build_explanations(chosen, _read_documents(desk, chosen))
        record = compare_snapshots(
            before.snapshot, after.snapshot, explanations, changes, handoff=handoff.id if handoff else None
        )
    elif after.snapshot is not None:
        claims = compare_claims(None, after.snapshot, handoff.id if handoff else None)
    return Difference(pair, record, claims, files, _collect_notes(before, after))


def _diff_files(desk: Desk, request: DiffRequest) -> Difference:
    """Only trees: no checks, no reports."""
    handoffs = read_harvest(desk).handoffs if request.handoff is not None else ()
    handoff = _find(handoffs, request.handoff)
    tree = write_work_tree(desk.repository, find_cache_folder(desk.repository.root)).tree
    pair = _find_pair(desk, request, (handoff, handoffs), tree)
    before, after = _load_sides(desk, pair, Side(None, tree))
    return Difference(pair, None, (), _compare_trees(desk, before, after), _collect_notes(before, after))


def _find(handoffs: tuple[Handoff, ...], wanted: str | None) -> Handoff | None:
    if wanted is None:
        return None
    found = find_id(handoffs, wanted)
    return next(handoff for handoff in handoffs if handoff.id == found)


def _find_pair(
    desk: Desk, request: DiffRequest, reviewed: tuple[Handoff | None, tuple[Handoff, ...]], tree: str
) -> ComparedPair:
    """`reviewed` is the handoff at hand, if one is named, and all there are."""
    handoff, handoffs = reviewed
    if request.instead is not None and request.against is None:
        raise UsageError("what is to be compared with it is missing", "Name both: diff --between ONE OTHER.")
    marks = read_marks(desk, tree, handoff.id if handoff else None)
    return find_pair(desk, marks, request.scope, handoff, handoffs, (request.against, request.instead))


def _load_sides(desk: Desk, pair: ComparedPair, now: Side) -> tuple[Side | None, Side]:
    after = now if pair.after is None else load_side(desk, pair.after)
    is_there = pair.before.snapshot is not None or pair.before.commit is not None
    return (load_side(desk, pair.before) if is_there else None), after


def _compare_trees(desk: Desk, before: Side | None, after: Side) -> FilesDiff | None:
    if before is None or before.tree is None or after.tree is None:
        return None
    objects = offer_objects(desk.repository, find_cache_folder(desk.repository.root))
    listed = read_tree_changes(desk.repository.git, before.tree, after.tree, extra=objects)
    return FilesDiff(desk, before.tree, after.tree, listed, objects)


def _read_documents(desk: Desk, handoffs: tuple[Handoff, ...] | list[Handoff]) -> list[tuple[str, str]]:
    reader = FileReader(Path(desk.repository.root), desk.loaded.settings.limits.file_bytes)
    texts: list[tuple[str, str]] = []
    for path in dict.fromkeys(document.path for handoff in handoffs for document in handoff.documents):
        try:
            texts.append((path, reader.read_bytes(path).decode("utf-8", "replace")))
        except (FileUnreadableError, UnsafePathError):
            continue  # a document from git notes, or one that cannot be read: it explains nothing
    return texts


def _collect_notes(before: Side | None, after: Side) -> tuple[str, ...]:
    """What could not be compared, and what could not be read."""
    unread = _list_unread(after.snapshot)
    return (*(before.notes if before else ()), *after.notes, *unread)


def _list_unread(snapshot: Snapshot | None) -> tuple[str, ...]:
    return tuple(f"{one.path} was not read: {one.reason}" for one in snapshot.unread) if snapshot else ()
