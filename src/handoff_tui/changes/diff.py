"""Compares the work with a baseline, or a handoff's own files before and after it: first the snapshots, then files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from handoff_tui.changes.comparison import snapshot_diff
from handoff_tui.changes.comparison.compare import compare_claims, compare_snapshots
from handoff_tui.changes.comparison.explain import build_explanations
from handoff_tui.changes.comparison.sides import Side, find_pair, load_side
from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice, ComparedPair, DiffScope
from handoff_tui.changes.files.file_diff import read_file_diff
from handoff_tui.changes.files.file_kinds import build_changed_file
from handoff_tui.changes.files.file_lines import Tell, read_file_lines
from handoff_tui.changes.files.shown_file import ShownFile
from handoff_tui.changes.snapshots.capture import capture_snapshot
from handoff_tui.changes.snapshots.stored_snapshots import take_still
from handoff_tui.checks.run.check import Prefetched, ProgressCallbacks
from handoff_tui.core.classes import NamedTuple, dataclass, field, replace
from handoff_tui.core.errors import FileUnreadableError, HandoffNotFoundError, UnsafePathError, UsageError
from handoff_tui.core.text.labels import name_some, plural
from handoff_tui.git.file_diff import ChangedFile, DiffOptions, FileChange, FileDiff, TreeChanges, Whitespace
from handoff_tui.git.objects.private_objects import (
    OwnObjects,
    WrittenEntry,
    WrittenTree,
    build_commit_tree,
    offer_objects,
)
from handoff_tui.git.objects.tree_diff import count_lines, read_patch, read_tree_changes, refuse_altered_trees
from handoff_tui.git.signing.signing_key import read_identity
from handoff_tui.git.work_tree.capture import write_work_tree
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.read_handoffs import RepositoryReading, read_repository
from handoff_tui.handoffs.scope.find import find_behind
from handoff_tui.handoffs.scope.scope import Content, OwnChange, Scope, Scopes
from handoff_tui.handoffs.session import Session
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.gates.approved import ComparisonPoints, describe_decision, read_comparison_points
from handoff_tui.log.gates.position import find_phase
from handoff_tui.log.gates.scoped_work import ScopedWork
from handoff_tui.log.index import DecisionEntry
from handoff_tui.log.storage.evidence import find_review
from handoff_tui.status.show import find_id
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.files.reader import FileReader

Others = Mapping[str, tuple[str, ...]]
"""Paths with the other handoffs that changed them."""
_MOST_NAMED = 3
_BY_DECISION = frozenset({snapshot_diff.DiffScope.SINCE_MY_REVIEW, snapshot_diff.DiffScope.SINCE_PREVIOUS_ATTEMPT})


@dataclass(frozen=True)
class OwnSides:
    """A handoff's own changes as two trees that hold its own paths alone."""

    scope: Scope
    before: str
    after: str
    shared: Others = field(default_factory=dict)
    """The last change belongs to others, too."""
    between: Others = field(default_factory=dict)
    """Others changed the path between two changes of this handoff, so the diff has their changes in it."""
    taken_over: Others = field(default_factory=dict)
    """Others changed the path afterwards; the diff does not have that."""
    left_out: tuple[str, ...] = ()
    since: ComparedPair | None = None
    """Where it begins, if not at the handoff's start."""

    @property
    def pair(self) -> ComparedPair:
        if self.since is not None:
            return self.since
        scope = self.scope
        if not scope.changes:
            start = "it has no changes of its own"
        elif not scope.commits:
            start = "HEAD: none of its changes is committed"
        else:
            start = "the parent of its first own commit"
        return ComparedPair(
            scope=DiffScope.OWN,
            before=BaselineChoice(commit=scope.start, tree=self.before, reason=start),
            after=BaselineChoice(tree=self.after, reason=_describe_end(scope)),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Where the diff and the work of others meet, one sentence each."""
        return (
            *(f"{who} also changed {what} in between; that is part of this diff" for who, what in _group(self.between)),
            *(
                f"{who} changed {what} afterwards; that is not part of this diff"
                for who, what in _group(self.taken_over)
            ),
            *(f"shared with {who}: {what}" for who, what in _group(self.shared)),
            *(f"{path} is not compared: a folder above it was a file" for path in self.left_out),
        )


def write_own_sides(
    session: Session, scopes: Scopes, handoff: str, befores: Mapping[str, Content] | None = None
) -> OwnSides:
    """Writes both sides among our own objects, uncommitted contents included.

    `befores` is what own paths held at a later point than the handoff's start.
    """
    scope = scopes.of(handoff)
    objects = OwnObjects(session.repository, find_cache_folder(session.repository.root))
    uncommitted = (change for change in scope.changes if change.commit is None and not change.after.deleted)
    objects.write_contents((change.path, WrittenEntry(change.after.mode, change.after.blob)) for change in uncommitted)
    before, after = _write(objects, scope.befores if befores is None else befores), _write(objects, scope.results)
    return OwnSides(
        scope=scope,
        before=before.id,
        after=after.id,
        shared=_find_sharing(scopes, scope),
        between=_find_between(scopes, scope),
        taken_over={path: tuple(others.split(", ")) for path, others in scope.taken_over.items()},
        left_out=tuple(sorted({*before.left_out, *after.left_out})),
    )


def build_own_json(own: OwnSides) -> dict[str, object]:
    """Whose diff it is, and where the work of others meets it."""
    scope = own.scope
    met = {"shared": own.shared, "between": own.between, "taken_over": own.taken_over}
    return {
        "handoff": scope.handoff,
        "start": scope.start,
        "commits": list(scope.commits),
        "uncommitted": sorted({change.path for change in scope.changes if change.commit is None}),
        **{name: {path: list(who) for path, who in others.items()} for name, others in met.items()},
        "notes": list(own.notes),
    }


def _write(objects: OwnObjects, contents: Mapping[str, Content]) -> WrittenTree:
    files = {path: content for path, content in contents.items() if not content.deleted}
    return objects.write_tree({path: WrittenEntry(content.mode, content.blob) for path, content in files.items()})


def _find_sharing(scopes: Scopes, scope: Scope) -> Others:
    found: dict[str, list[str]] = defaultdict(list)
    for other in scopes.by_handoff.values():
        for path in other.shared & scope.shared if other is not scope else ():
            found[path].append(other.handoff)
    return {path: tuple(sorted(others)) for path, others in sorted(found.items())}


def _find_between(scopes: Scopes, scope: Scope) -> Others:
    """Paths of which one own change does not begin where the one before it ended, and who changed them there."""
    gaps: dict[str, set[Content]] = defaultdict(set)
    last: dict[str, OwnChange] = {}
    for change in scope.changes:
        former = last.get(change.path)
        if former is not None and former.after != change.before:
            gaps[change.path].add(change.before)
        last[change.path] = change
    found: dict[str, set[str]] = {path: set() for path in gaps}
    for other in scopes.by_handoff.values():
        for change in other.changes if other is not scope else ():
            if change.after in gaps.get(change.path, ()):
                found[change.path].add(other.handoff)
    return {path: tuple(sorted(others)) for path, others in sorted(found.items()) if others}


def _describe_end(scope: Scope) -> str:
    files = plural(len(scope.results), "own file")
    words = [plural(len(scope.commits), "commit")] if scope.commits else []
    uncommitted = len({change.path for change in scope.changes if change.commit is None})
    words += [f"{plural(uncommitted, 'uncommitted file')}"] if uncommitted else []
    return f"{files} after its last change" + (f" ({', '.join(words)})" if words else "")


def _group(others: Others) -> Iterator[tuple[str, str]]:
    """The other handoffs, each group with the paths that it is about."""
    paths: dict[str, list[str]] = defaultdict(list)
    for path, handoffs in others.items():
        paths[", ".join(handoffs)].append(path)
    for names, about in sorted(paths.items()):
        yield names, name_some(about, _MOST_NAMED)


def find_decision(gates: LogGates, handoff: Handoff, scope: DiffScope) -> DecisionEntry | BaselineChoice:
    """The newest decision that is asked for; if there is none, the reason why."""
    if gates.index.verdict.fatal:
        reason = "the log is not intact, so nothing in it counts (`handoff-tui log verify`)"
        return BaselineChoice(reason=reason)
    decided = [
        made
        for made in sorted(gates.index.decisions.values(), key=lambda made: -made.entry.seq)
        if made.work.handoff == handoff.id and not gates.index.is_void(made.entry.id)
    ]
    if scope is DiffScope.SINCE_PREVIOUS_ATTEMPT:
        now = gates.work.find_attempt(handoff, find_phase(handoff))
        earlier = (made for made in decided if made.work.attempt < now)
        return next(earlier, BaselineChoice(reason="this is the first attempt in the log"))
    reviewer = read_identity(gates.session.repository.git).email
    if reviewer is None:
        return BaselineChoice(reason="git has no user.email here, so your reviews can't be found")
    mine = (made for made in decided if made.entry.actor == reviewer)
    return next(mine, BaselineChoice(reason=f"the log has no earlier review of yours of {handoff.id}"))


def write_own_sides_since(work: ScopedWork, handoff: str, decided: DecisionEntry, scope: DiffScope) -> OwnSides:
    """The own files as they were decided on, and as they are now."""
    own = write_own_sides(work.session, work.scopes, handoff, _find_decided(work, work.scopes.of(handoff), decided))
    subject = decided.work.subject
    before = BaselineChoice(
        snapshot=subject.snapshot or None, commit=subject.commit, tree=own.before, reason=describe_decision(decided)
    )
    return replace(own, since=ComparedPair(scope=scope, before=before, after=own.pair.after))


def _find_decided(work: ScopedWork, scope: Scope, decided: DecisionEntry) -> dict[str, Content]:
    """Each own path with what the decision was about: by its record if that has the content of now, else by history.

    Work that was not committed at the time is recognised by its hash once it is.
    """
    behind = find_behind(work.found.history, decided.work.subject.commit)
    contents = dict(scope.befores)
    contents.update({change.path: change.after for change in scope.changes if change.commit in behind})
    record = find_review(work.session.repository.root, decided.decision.review)
    if record is None or record.scope is None:
        return contents
    shown = {file.get("path"): file for file in record.scope.files}
    same = {
        file["path"] for file in work.digests.build_files(scope) if "path" in file and shown.get(file["path"]) == file
    }
    return contents | {path: scope.results[path] for path in same}


@dataclass(frozen=True, slots=True)
class DiffRequest:
    """What to compare. `against` and `instead` are snapshots or commits as a person names them."""

    handoff: str | None = None
    scope: snapshot_diff.DiffScope = snapshot_diff.DiffScope.SINCE_BASELINE
    against: str | None = None
    instead: str | None = None
    """Compared instead of the work tree."""
    whole: bool = False
    """All files, also if a handoff is named: since a review or an attempt, only its own are compared otherwise."""
    files_only: bool = False
    """Compare files only; checks needn't run."""
    run_commands: bool = True
    """False if the caller is only looking, see `CheckRequest`."""


@dataclass(frozen=True, slots=True)
class FilesDiff:
    """The differences between two trees; hunks are read one file at a time."""

    session: Session
    old: str
    new: str
    listed: TreeChanges
    _objects: dict[str, str] = field(repr=False)

    def keep_only(self, paths: Collection[str]) -> FilesDiff:
        """The same without the changes of all other files."""
        kept = [one for one in self.listed.changes if one.path in paths or one.old_path in paths]
        return replace(self, listed=self.listed._replace(changes=kept))

    def list_files(self, *, counted: bool, whitespace: Whitespace = Whitespace.ALL) -> list[ChangedFile]:
        """The changed files. Counting lines reads every changed file, so it can be left for later."""
        git = self.session.repository.git
        counts = count_lines(git, self.old, self.new, whitespace, extra=self._objects) if counted else {}
        return [build_changed_file(change, counts.get(change.path)) for change in self.listed.changes]

    def read_file(self, change: FileChange, options: DiffOptions) -> FileDiff:
        return read_file_diff(self.session.repository.git, change, options, extra=self._objects)

    def read_lines(
        self, change: FileChange, options: DiffOptions, tell: Tell, is_unwanted: Callable[[], bool]
    ) -> ShownFile | None:
        """All lines of a file, passed on in parts as they come; None if no longer wanted."""
        git = self.session.repository.git
        return read_file_lines(git, change, options, extra=self._objects, tell=tell, is_unwanted=is_unwanted)

    def read_patch(self, only: Sequence[FileChange] | None = None, context: int = 3) -> Iterator[bytes]:
        """Everything as a patch, or only some changes."""
        git = self.session.repository.git
        return read_patch(git, self.old, self.new, extra=self._objects, only=only, context=context)


@dataclass(frozen=True, slots=True)
class ChangesReport:
    """Everything `diff` reports."""

    pair: snapshot_diff.ComparedPair
    record: snapshot_diff.SnapshotDiff | None
    """None without a snapshot on both sides."""
    claims: tuple[snapshot_diff.ClaimCheck, ...]
    files: FilesDiff | None
    notes: tuple[str, ...]
    """What couldn't be compared, and why."""
    own: OwnSides | None = None
    """For a handoff's own diff: its scope, and where the work of others meets it."""


class _HandoffUnderReview(NamedTuple):
    """The handoff under review, if one is named, and all handoffs."""

    handoff: Handoff | None
    handoffs: tuple[Handoff, ...]

    @property
    def handoff_id(self) -> str | None:
        return None if self.handoff is None else self.handoff.id


def diff(session: Session, request: DiffRequest, telling: ProgressCallbacks | None = None) -> ChangesReport:
    """Compares what was asked for; without a baseline it says so, and nothing counts as new."""
    if request.scope is snapshot_diff.DiffScope.SINCE_SHOWN:
        return _diff_shown(session, request)
    if request.scope is snapshot_diff.DiffScope.OWN:
        return _diff_own(session, request)
    if request.scope in _BY_DECISION and request.handoff is not None and not request.whole and not request.against:
        return _diff_own_since(session, request, telling)
    if request.files_only:
        return _diff_files(session, request)
    reading = read_repository(session)
    reviewed = _build_reviewed(reading.result.handoffs, request.handoff)
    pair = _find_pair(session, request, reviewed)
    before = _load_before(session, pair)
    after = load_side(session, pair.after) if pair.after else _load_now(session, request, reading, before, telling)
    record, files = compare_sides(session, reviewed, before, after)
    claims: tuple[snapshot_diff.ClaimCheck, ...] = ()
    if record is None and after.snapshot is not None:
        claims = compare_claims(None, after.snapshot, reviewed.handoff_id)
    unread = after.snapshot.unread if record is None and after.snapshot else ()
    notes = (*_list_notes(before, after), *(f"{one.path} was not read: {one.reason}" for one in unread))
    return ChangesReport(pair, record, claims, files, notes)


def compare_sides(
    session: Session, reviewed: tuple[Handoff | None, tuple[Handoff, ...]], before: Side | None, after: Side
) -> tuple[snapshot_diff.SnapshotDiff | None, FilesDiff | None]:
    """Compares snapshots and files of two sides, if both have them. The handoff, or all, may explain drops."""
    files = compare_trees(session, before, after)
    if before is None or before.snapshot is None or after.snapshot is None:
        return None, files
    handoff, handoffs = reviewed
    chosen = [handoff] if handoff else list(handoffs)
    explanations = build_explanations(chosen, _read_documents(session, chosen))
    changes = files.listed.changes if files else []
    record = compare_snapshots(
        before.snapshot, after.snapshot, explanations, changes, handoff=handoff.id if handoff else None
    )
    return record, files


def _diff_files(session: Session, request: DiffRequest) -> ChangesReport:
    """Compares trees only: no checks, no reports."""
    handoffs = read_repository(session).result.handoffs if request.handoff is not None else ()
    pair = _find_pair(session, request, _build_reviewed(handoffs, request.handoff))
    before = _load_before(session, pair)
    after = load_side(session, pair.after) if pair.after else Side(None, _write_tree(session))
    return ChangesReport(pair, None, (), compare_trees(session, before, after), _list_notes(before, after))


def _diff_shown(session: Session, request: DiffRequest) -> ChangesReport:
    """The files since a decision was shown; `against` is the tree it showed. There is no snapshot of that."""
    tree = request.against
    before = snapshot_diff.BaselineChoice(tree=tree, reason="what you were shown when you were about to decide")
    pair = snapshot_diff.ComparedPair(scope=snapshot_diff.DiffScope.SINCE_SHOWN, before=before)
    return ChangesReport(pair, None, (), compare_trees(session, Side(None, tree), Side(None, _write_tree(session))), ())


def _diff_own(session: Session, request: DiffRequest) -> ChangesReport:
    """The files of one handoff, from where it began to its result: no checks, no reports, no work of others."""
    handoffs = read_repository(session).result.handoffs
    handoff = _build_reviewed(handoffs, request.handoff).handoff
    if handoff is None:
        raise UsageError("its own changes need a handoff", "Name it: --handoff ID.")
    return diff_scope(session, LogGates(session, handoffs).work.scopes, handoff.id)


def diff_scope(session: Session, scopes: Scopes, handoff: str) -> ChangesReport:
    """The same by scopes that are known already: what was captured once is shown, whatever was saved since."""
    own = write_own_sides(session, scopes, handoff)
    files = compare_trees(session, Side(None, own.before), Side(None, own.after))
    return ChangesReport(own.pair, None, (), files, (), own)


def _diff_own_since(session: Session, request: DiffRequest, telling: ProgressCallbacks | None) -> ChangesReport:
    """The handoff's own files since a decision on it; what was measured is compared with the decision's snapshot."""
    reading = read_repository(session)
    reviewed = _build_reviewed(reading.result.handoffs, request.handoff)
    handoff = reviewed.handoff
    if handoff is None:
        raise HandoffNotFoundError(f"no handoff has the id {request.handoff!r}")
    gates = LogGates(session, reading.result.handoffs)
    decided = find_decision(gates, handoff, request.scope)
    if not isinstance(decided, DecisionEntry):
        return ChangesReport(snapshot_diff.ComparedPair(scope=request.scope, before=decided), None, (), None, ())
    own = write_own_sides_since(gates.work, handoff.id, decided, request.scope)
    files = compare_trees(session, Side(None, own.before), Side(None, own.after))
    before = None if request.files_only else _load_before(session, own.pair)
    if before is None:
        return ChangesReport(own.pair, None, (), files, (), own)
    after = _load_now(session, request, reading, before, telling)
    record = compare_sides(session, reviewed, before, after)[0]
    return ChangesReport(own.pair, record, (), files, _list_notes(before, after), own)


def _build_reviewed(handoffs: tuple[Handoff, ...], wanted: str | None) -> _HandoffUnderReview:
    found = None if wanted is None else find_id(handoffs, wanted)
    return _HandoffUnderReview(next((handoff for handoff in handoffs if handoff.id == found), None), handoffs)


def _find_pair(session: Session, request: DiffRequest, reviewed: _HandoffUnderReview) -> snapshot_diff.ComparedPair:
    if request.instead is not None and request.against is None:
        raise UsageError("nothing to compare it with", "Name both: diff --between ONE OTHER.")
    if request.scope is snapshot_diff.DiffScope.SINCE_PREVIOUS_ATTEMPT and reviewed.handoff is None:
        raise UsageError("the previous attempt needs a handoff", "Name it: --handoff ID.")
    # with a named side, the log isn't needed
    marks = (
        ComparisonPoints()
        if request.against
        else read_comparison_points(session, _find_subject_tree(session), reviewed.handoff_id)
    )
    named = request.against, request.instead
    pair = find_pair(session, marks, request.scope, reviewed.handoff, reviewed.handoffs, named)
    if marks.is_intact or pair.comparable:
        return pair
    reason = f"the log is not intact, so nothing in it counts (`handoff-tui log verify`); {pair.before.reason}"
    return pair.model_copy(update={"before": pair.before.model_copy(update={"reason": reason})})


def _find_subject_tree(session: Session) -> str:
    """The files a decision here would be bound to: approving them doesn't make them their own baseline."""
    head = session.work_tree.facts.head
    if head is None:
        return _write_tree(session)
    return build_commit_tree(session.repository, head, find_cache_folder(session.repository.root))


def _write_tree(session: Session) -> str:
    return write_work_tree(session.repository, find_cache_folder(session.repository.root)).tree


def _load_before(session: Session, pair: snapshot_diff.ComparedPair) -> Side | None:
    is_there = pair.before.snapshot is not None or pair.before.commit is not None
    return load_side(session, pair.before) if is_there else None


def _load_now(
    session: Session,
    request: DiffRequest,
    reading: RepositoryReading,
    before: Side | None,
    telling: ProgressCallbacks | None,
) -> Side:
    """The work tree; without a snapshot to compare with, checks needn't run."""
    if before is not None and before.snapshot is not None:
        captured = take_still(session, telling, Prefetched(reading), run_commands=request.run_commands).captured
    else:
        captured = capture_snapshot(session, reading.result, None)
    return Side(captured.snapshot, captured.tree.tree)


def compare_trees(session: Session, before: Side | None, after: Side) -> FilesDiff | None:
    """The files of two trees; None if one of them is not here."""
    if before is None or before.tree is None or after.tree is None:
        return None
    objects = offer_objects(session.repository, find_cache_folder(session.repository.root))
    refuse_altered_trees(session.repository.git, before.tree, after.tree, extra=objects)
    listed = read_tree_changes(session.repository.git, before.tree, after.tree, extra=objects)
    return FilesDiff(session, before.tree, after.tree, listed, objects)


def _read_documents(session: Session, handoffs: list[Handoff]) -> list[tuple[str, str]]:
    reader = FileReader(Path(session.repository.root), session.loaded.settings.limits.file_bytes)
    texts: list[tuple[str, str]] = []
    for path in dict.fromkeys(document.path for handoff in handoffs for document in handoff.documents):
        try:
            texts.append((path, reader.read_bytes(path).decode("utf-8", "replace")))
        except (FileUnreadableError, UnsafePathError):
            continue  # from git notes, or unreadable: it explains nothing
    return texts


def _list_notes(before: Side | None, after: Side) -> tuple[str, ...]:
    return (*(before.notes if before else ()), *after.notes)
