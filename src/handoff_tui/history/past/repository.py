"""The repository as of a commit, and the log as of an entry.

The files are read from git, the settings and HEAD are those of the commit. The log is an entry with everything it
follows, and what was stored with each.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import cached_property

from handoff_tui.changes.snapshots.snapshot import Snapshot, read_snapshot
from handoff_tui.checks.report import CLOSED, Outcome
from handoff_tui.config.load import MAX_BYTES, REPOSITORY_FILE, LoadedSettings, load_settings_with
from handoff_tui.core.classes import dataclass, replace
from handoff_tui.core.errors import (
    ConfigError,
    EntryNotFoundError,
    FileUnreadableError,
    HandoffError,
    UnsafePathError,
    UsageError,
)
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.git.history.commit_graph import GraphCommit, find_ancestors, read_graph
from handoff_tui.git.history.commits import Ref, resolve_commits
from handoff_tui.git.objects.tree_reader import TreeReader, TreeStore
from handoff_tui.git.repository import WorkTree
from handoff_tui.git.work_tree.listing import Tracked, leave_out_own, sort_paths
from handoff_tui.git.work_tree.trial_tree import offer_commit_view
from handoff_tui.handoffs.claims.evidence import RepositoryEvidence
from handoff_tui.handoffs.claims.measure import prepare
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.read_handoffs import RepositoryReading
from handoff_tui.handoffs.reading.format import SourceFile
from handoff_tui.handoffs.reading.read import read_handoffs
from handoff_tui.handoffs.reading.source_files import RepositoryFiles
from handoff_tui.handoffs.session import Session, has_log
from handoff_tui.log.chain import Candidate, Chain, Known
from handoff_tui.log.entry import Entry, LogProblemLevel, LogVerdict
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.index import DecisionEntry, LogIndex, SubmissionEntry, build_log_index
from handoff_tui.log.open_log import OpenLog, open_log
from handoff_tui.log.review_record import ReviewRecord, ShownCheck
from handoff_tui.log.show.entries import build_log_view
from handoff_tui.log.show.view import ShownLog
from handoff_tui.log.storage.evidence import find_review

_NOTES = "refs/notes/"
_MOST_FILES = 5_000
_MOST_OPEN = 8


class PastRepositories:
    """Opens a repository as of any commit. What commits share is read once, and the last few stay open.

    With `loaded`, those settings apply to every commit instead of its own. Not thread-safe.
    """

    def __init__(self, session: Session, loaded: LoadedSettings | None = None) -> None:
        self.session = session
        self.store = TreeStore(session.repository.git, session.repository.object_format)
        self._loaded = loaded
        self._open: OrderedDict[str, PastRepository] = OrderedDict()
        self._settings: dict[str | None, LoadedSettings] = {}
        self._files_by_content: OrderedDict[tuple[object, ...], SourceFile] = OrderedDict()

    def close(self) -> None:
        """Ends the git process that reads objects; it is started again when needed."""
        self.store.close()

    def open(self, commit: str | GraphCommit) -> PastRepository:
        """The repository as of a commit, named in any way git knows."""
        name = commit if isinstance(commit, str) else commit.id
        known = self._open.get(name)
        if known is None:
            found = find_commit(self.session, commit) if isinstance(commit, str) else commit
            known = self._open[found.id] = self._build(found)
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
        return known

    def read_configuration(self, commit: str) -> bytes | None:
        """The repository's settings file as of a commit; None if there was none."""
        reader = self._open_reader(find_commit(self.session, commit).tree)
        return reader.read_bytes(REPOSITORY_FILE) if reader.exists(REPOSITORY_FILE) else None

    def find_file(self, key: tuple[object, ...], read: Callable[[], SourceFile]) -> SourceFile:
        """A file of this content, with everything that was parsed of it before."""
        file = self._files_by_content.get(key)
        if file is None:
            file = self._files_by_content[key] = read()
        self._files_by_content.move_to_end(key)
        while len(self._files_by_content) > _MOST_FILES:
            self._files_by_content.popitem(last=False)
        return file

    def _build(self, commit: GraphCommit) -> PastRepository:
        repository = self.session.repository
        reader = self._open_reader(commit.tree)
        listing = self.store.list_files(commit.tree)
        facts = RepositoryFacts(
            root=str(repository.root),
            head=commit.id,
            detached=True,
            shallow=repository.shallow,
            linked_worktree=repository.linked_worktree,
            object_format=repository.object_format,
            submodules=listing.submodules,
        )
        tracked = _TreePaths(listing.files, reader.find_blob)
        session = Session(
            offer_commit_view(repository, commit.id),
            self._loaded or self._load_settings(reader),
            WorkTree(facts, tracked, (), sort_paths(listing.files)),
        )
        return PastRepository(session, commit, self)

    def _open_reader(self, tree: str) -> TreeReader:
        return TreeReader.open(self.session.repository.root, MAX_BYTES, self.store, tree)

    def _load_settings(self, reader: TreeReader) -> LoadedSettings:
        """The settings as of the commit. If they can't be used: the defaults, for looking only, and why."""
        key = reader.find_content(REPOSITORY_FILE)
        if key not in self._settings:
            try:
                content = reader.read_bytes(REPOSITORY_FILE) if reader.exists(REPOSITORY_FILE) else None
                self._settings[key] = load_settings_with(content)
            except (ConfigError, FileUnreadableError, UnsafePathError) as wrong:
                refused = ConfigError(wrong.message, wrong.hint)
                self._settings[key] = replace(load_settings_with(None), refused=refused)
        return self._settings[key]


@dataclass(frozen=True)
class PastRepository:
    """A repository whose work tree is the tree of a commit, clean. Nothing is written or checked out."""

    session: Session
    """As every use case takes it. Read its files through `open_reader`: the work tree on disk has later ones."""
    commit: GraphCommit
    shared: PastRepositories

    @property
    def store(self) -> TreeStore:
        return self.shared.store

    def open_reader(self, max_bytes: int) -> TreeReader:
        return TreeReader.open(self.session.repository.root, max_bytes, self.store, self.commit.tree)

    def read_document(self, path: str) -> bytes:
        """A file as it was; the error says why it can't be read."""
        return self.open_reader(self.session.loaded.settings.limits.file_bytes).read_bytes(path)

    @cached_property
    def reading(self) -> RepositoryReading:
        """Every handoff as of the commit."""
        files = CommitFiles(self)
        return RepositoryReading(files, read_handoffs(files, FORMATS))

    @cached_property
    def evidence(self) -> RepositoryEvidence:
        """What the claims of its handoffs are measured by."""
        evidence = RepositoryEvidence(self.session, self.open_reader(self.session.loaded.settings.limits.hash_bytes))
        prepare(evidence, self.reading.result.handoffs, self.reading.result.handoffs)
        return evidence


class CommitFiles(RepositoryFiles):
    """What formats may read of a commit: its files, its history, and the refs that could have existed."""

    def __init__(self, past: PastRepository) -> None:
        settings = past.session.loaded.settings
        super().__init__(past.session.repository, past.session.work_tree, settings)
        self._tree_reader = past.open_reader(settings.limits.file_bytes)
        self._reader = self._tree_reader
        self._shared = past.shared

    @cached_property
    def paths(self) -> tuple[str, ...]:
        return leave_out_own(self._work_tree.paths)

    def size(self, path: str) -> int | None:
        if path not in self._sizes:
            try:
                self._sizes[path] = len(self._reader.read_bytes(path))
            except (FileUnreadableError, UnsafePathError):
                self._sizes[path] = None
        return self._sizes[path]

    def _read(self, path: str) -> SourceFile:
        content = self._tree_reader.find_content(path)
        if content is None:
            return super()._read(path)
        limits = self.settings.limits
        key = (path, content, limits.file_bytes, limits.markdown_bytes)
        return self._shared.find_file(key, lambda: super(CommitFiles, self)._read(path))

    def refs(self) -> tuple[Ref, ...]:
        return self._possible_refs

    @cached_property
    def _possible_refs(self) -> tuple[Ref, ...]:
        """No commit holds refs. Of the refs there are now, those that point to a later commit are left out."""
        known = super().refs()
        behind = find_ancestors(self._repository.git, (ref.commit for ref in known))
        return tuple(ref for ref in known if ref.commit in behind or ref.name.startswith(_NOTES))


class _TreePaths(Tracked):
    """The paths of a tree, each with the id of its content."""

    def __init__(self, paths: tuple[str, ...], find_blob: Callable[[str], str | None]) -> None:
        super().__init__(list(paths), "", {})
        self._find_blob = find_blob

    def __getitem__(self, path: str) -> str:
        found = self._find_blob(path)
        if found is None:
            raise KeyError(path)
        return found

    def find_line(self, path: str) -> tuple[str, str] | None:  # noqa: ARG002 - a past commit has no index
        return None


def find_commit(session: Session, name: str) -> GraphCommit:
    """The commit a person named."""
    git = session.repository.git
    identifier = resolve_commits(git, [name]).get(name)
    if identifier is None:
        raise UsageError(f"{name!r} is not a commit here", build_commit_hint(session))
    return read_graph(git, identifier, "--max-count=1")[0]


def build_commit_hint(session: Session) -> str:
    if session.repository.shallow:
        return (
            "This clone is shallow and may lack it: run `git fetch --unshallow`, or name another commit, branch or tag."
        )
    return "Name a commit, branch or tag. A commit removed by a rewrite may be gone for good."


ENTRY_PREFIX = "sha256:"
_SHORTEST = len(ENTRY_PREFIX) + 6
"""A shorter prefix is more likely something else."""


@dataclass(frozen=True)
class CurrentLog:
    """The log as it is now; every earlier state follows from it."""

    verdict: LogVerdict
    candidates: dict[str, Candidate]

    @cached_property
    def entries(self) -> dict[str, Entry]:
        return {entry.id: entry for entry in self.verdict.entries}

    def find_entry(self, name: str) -> Entry | None:
        """The entry with this id, or the only one whose id starts with it."""
        wanted = name if name.startswith(ENTRY_PREFIX) else ENTRY_PREFIX + name
        found = [entry for entry in self.verdict.entries if entry.id.startswith(wanted)]
        return found[0] if len(found) == 1 and len(wanted) >= _SHORTEST else None

    @cached_property
    def _chain(self) -> Chain:
        """Kept between calls: moving to a later entry only costs the entries in between."""
        return Chain()

    def _find_followed(self, entry: str) -> set[str]:
        """An entry and everything it follows: by its own parents, and by those that count instead of them."""
        seen = {entry}
        waiting = [entry]
        while waiting:
            one = waiting.pop()
            counted = self.entries[one].parents if one in self.entries else ()
            for parent in (*self.candidates[one].entry.parents, *counted):
                if parent not in seen and parent in self.candidates:
                    seen.add(parent)
                    waiting.append(parent)
        return seen

    def build_at(self, entry: str) -> PastLog:
        """The log as of an entry. What is fatal now was fatal then, as far as anyone can tell."""
        if entry not in self.entries:
            raise EntryNotFoundError(f"no valid entry of the log has the id {entry}", "`handoff-tui log` lists them.")
        candidates = {one: self.candidates[one] for one in self._find_followed(entry)}
        moment = self.entries[entry].time
        verdict = self._chain.judge(candidates, Known(now=moment, pin=self.verdict.log))
        fatal = tuple(problem for problem in self.verdict.problems if problem.level is LogProblemLevel.FATAL)
        verdict = verdict.model_copy(update={"problems": (*verdict.problems, *fatal)})
        return PastLog(entry, moment, verdict, candidates)


@dataclass(frozen=True)
class PastLog:
    """The log up to one entry."""

    entry: str
    moment: str
    verdict: LogVerdict
    candidates: dict[str, Candidate]

    @cached_property
    def index(self) -> LogIndex:
        return build_log_index(self.verdict)

    def build_view(self) -> ShownLog:
        return build_log_view(self.verdict, self.candidates)


class PastGates(LogGates):
    """The state of the gates, by the log and files of the past."""

    def __init__(self, past: PastRepository, log: PastLog) -> None:
        super().__init__(past.session, past.reading.result.handoffs)
        self._past = past
        self._log = log

    @cached_property
    def index(self) -> LogIndex:
        return self._log.index

    @cached_property
    def tree(self) -> str:
        return self._past.store.build_work_tree(self._past.commit.tree)

    @cached_property
    def _now(self) -> str:
        return self._log.moment


def read_current_log(session: Session) -> CurrentLog | None:
    """The log as it is now; None if there is none."""
    if not has_log(session):
        return None
    log: OpenLog = open_log(session.repository)
    verdict = log.verify()
    return CurrentLog(verdict, dict(log.find_candidates()))


def list_limits(session: Session, verdict: LogVerdict, broken: str, shallow: str) -> Iterator[str]:
    """What limits everything that is read from a log; `broken` and `shallow` say what that means for the reader."""
    if verdict.log is None and not verdict.fatal:
        yield "no signed log here yet; `handoff-tui init` creates one"
    for problem in verdict.problems:
        if problem.level is LogProblemLevel.FATAL:
            yield f"the log is not intact{broken}: {problem.text}"
    if session.repository.shallow:
        yield f"this clone is shallow: {shallow} (git fetch --unshallow)"


MOST_ENTRIES = 300
"""Of a longer log only the newest entries are searched."""


@dataclass(frozen=True)
class EntryEvidence:
    """A decision or submission, and what was stored with it."""

    session: Session
    logged: DecisionEntry | SubmissionEntry

    @cached_property
    def record(self) -> ReviewRecord | None:
        """What the reviewer was shown: the checks of one handoff's gate."""
        if not isinstance(self.logged, DecisionEntry):
            return None
        return find_review(self.session.repository.root, self.logged.decision.review)

    @cached_property
    def snapshot(self) -> Snapshot | None:
        """The stored snapshot, with the checks of the whole repository; None if it isn't here or can't be read."""
        try:
            return read_snapshot(self.session.repository.root, self.logged.work.subject.snapshot)
        except HandoffError:
            return None

    def find_shown(self, check: str) -> ShownCheck | None:
        if self.record is None:
            return None
        return next((shown for shown in self.record.checks if shown.id == check), None)

    def find_outcome(self, check: str) -> str | None:
        """The outcome at the gate; without a review record, the outcome for the whole repository."""
        shown = self.find_shown(check)
        if shown is not None:
            return shown.outcome
        return None if self.snapshot is None else self.snapshot.checks.get(check)

    def has_passed(self, check: str, handoff: str | None, *, is_command: bool) -> bool:
        """Whether this is evidence that the check passed, for this handoff or for the whole repository.

        A rule's result for one handoff says nothing about another; a command is about the whole repository.
        """
        shown = self.find_shown(check)
        if shown is not None and (is_command or self.logged.work.handoff == handoff):
            return shown.outcome == Outcome.PASS.value
        return self.snapshot is not None and self.snapshot.checks.get(check) == Outcome.PASS.value

    def has_failed(self, check: str) -> bool:
        outcome = self.find_outcome(check)
        return outcome is not None and outcome not in CLOSED

    def find_findings(self, check: str) -> dict[str, str]:
        """Fingerprint to message of what the check found."""
        shown = self.find_shown(check)
        if shown is not None:
            return {finding.fingerprint: finding.message for finding in shown.findings}
        if self.snapshot is None:
            return {}
        return {key: finding.message for key, finding in self.snapshot.findings.items() if finding.check == check}


def list_evidence(session: Session, index: LogIndex) -> tuple[EntryEvidence, ...]:
    """The newest entries that count, newest first."""
    entries: list[DecisionEntry | SubmissionEntry] = [*index.decisions.values()]
    entries += [submission for submissions in index.submissions_at.values() for submission in submissions]
    counting = [logged for logged in entries if not index.is_void(logged.entry.id)]
    counting.sort(key=lambda logged: (logged.entry.seq, logged.entry.id), reverse=True)
    return tuple(EntryEvidence(session, logged) for logged in counting[:MOST_ENTRIES])
