"""Asks whether somebody approved every change: of all files, or line by line of one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from handoff_tui.core.classes import dataclass, replace
from handoff_tui.core.errors import UsageError
from handoff_tui.core.pause_collection import without_collection
from handoff_tui.git.history.commits import resolve_commits
from handoff_tui.git.history.last_changes import blame_lines
from handoff_tui.git.objects.private_objects import OwnObjects, WrittenEntry
from handoff_tui.git.objects.tree_files import read_path_blobs
from handoff_tui.git.work_tree.content import WorkContent, read_work_content
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.scope.scope import Scopes
from handoff_tui.handoffs.session import Session
from handoff_tui.log.gates.all_gates import LogGates, Recheck
from handoff_tui.log.gates.coverage import (
    COVERED,
    LineCoverage,
    LineOrigin,
    PathCoverage,
    RepositoryCoverage,
    build_coverage,
    build_line_coverage,
)
from handoff_tui.log.gates.gate_state import GateReport
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.files.own_folder import is_own


@dataclass(frozen=True)
class CoverageReport:
    """All changed files."""

    since: str | None
    """The commit after which changes count; None if all of history does."""
    coverage: RepositoryCoverage
    fatal: tuple[str, ...] = ()
    """What is wrong with the log; empty if it is intact."""
    notes: tuple[str, ...] = ()
    """Why nobody can tell what changed."""
    has_policy: bool = True
    anchored: bool = True
    """Whether anything vouches for the log."""


@dataclass(frozen=True)
class FileCoverageReport:
    """One file, line by line."""

    file: str
    path: PathCoverage | None
    """The file as one of all changed ones; None if it has not changed since the start line."""
    regions: tuple[LineCoverage, ...]
    fatal: tuple[str, ...] = ()
    anchored: bool = True

    @property
    def complete(self) -> bool:
        is_path_covered = self.path is None or self.path.state in COVERED
        return is_path_covered and all(region.state is None or region.state in COVERED for region in self.regions)


@without_collection()
def read_coverage(session: Session, recheck: Recheck, since: str | None = None) -> CoverageReport:
    """How each file stands that changed since the start line, or since a commit named by a person."""
    judged = _RepositoryGates(session, recheck)
    start = judged.start_line if since is None else _find_commit(session, since)
    scopes, only = judged.scopes, None
    if since is not None:
        after = judged.list_commits_since(start or "")
        only = judged.list_paths_changed(after)
        scopes = replace(scopes, cut_off=scopes.cut_off & after)
    coverage = build_coverage(scopes, judged.reports, only)
    return CoverageReport(
        start,
        coverage,
        judged.fatal,
        scopes.problems[:1] if coverage.cut_off else (),
        has_policy=judged.gates.policy is not None,
        anchored=judged.anchored,
    )


@without_collection()
def read_file_coverage(session: Session, recheck: Recheck, file: str) -> FileCoverageReport:
    """Who approved which lines of a file; a path seen from the root of the repository."""
    origins = _blame(session, file)
    judged = _RepositoryGates(session, recheck)
    regions = build_line_coverage(origins, judged.scopes, judged.reports)
    only = [file] if file in judged.scopes.changed else []
    path = next(iter(build_coverage(judged.scopes, judged.reports, only).paths), None)
    return FileCoverageReport(file, path, regions, judged.fatal, judged.anchored)


class _RepositoryGates:
    """All handoffs with their scopes and gates."""

    def __init__(self, session: Session, recheck: Recheck) -> None:
        self.session = session
        self.gates = LogGates(session, read_repository(session).result.handoffs, recheck)

    @property
    def scopes(self) -> Scopes:
        return self.gates.work.scopes

    @property
    def fatal(self) -> tuple[str, ...]:
        return self.gates.index.fatal_texts

    @property
    def anchored(self) -> bool:
        return self.gates.index.verdict.anchored

    @cached_property
    def reports(self) -> Mapping[str, GateReport]:
        return self.gates.judge_all()

    @property
    def start_line(self) -> str | None:
        return (self.gates.policy.start_line or None) if self.gates.policy is not None else None

    def list_commits_since(self, commit: str) -> frozenset[str]:
        """Every commit that the given one does not contain."""
        head = self.session.work_tree.facts.head
        listed = self.session.repository.git.read("rev-list", f"^{commit}", head, "--") if head else b""
        return frozenset(listed.decode("ascii").split())

    def list_paths_changed(self, after: frozenset[str]) -> frozenset[str]:
        """Every path that one of these commits changed, or that is changed and not committed."""
        commits = (one for one in self.gates.work.found.history if one.id in after)
        own = (change for scope in self.scopes.by_handoff.values() for change in scope.changes)
        uncommitted = (change.path for change in (*own, *self.scopes.unclaimed) if change.commit is None)
        changed = frozenset(change.path for one in commits for change in one.changes).union(uncommitted)
        return changed - self.scopes.restored


def _find_commit(session: Session, name: str) -> str:
    commit = resolve_commits(session.repository.git, [name])[name]
    if commit is None:
        raise UsageError(f"{name!r} is not a commit here", "Name one as git does: a branch, a tag, an id or HEAD~3.")
    return commit


def _blame(session: Session, file: str) -> list[LineOrigin]:
    """Where the lines of a file come from, as it lies in the work tree."""
    head, facts = session.work_tree.facts.head, session.work_tree.facts
    root, git = session.repository.root, session.repository.git
    is_committed = head is not None and bool(read_path_blobs(git, head, [file], {}))
    content = read_work_content(root, file, session.repository.object_format)
    if is_own(file) or not (is_committed or file in facts.untracked or file in facts.changed):
        hint = "Name a file that git tracks or would add; `handoff-tui coverage` lists what changed."
        raise UsageError(f"{file} is not a file in this repository", hint)
    if content is None:
        return []  # deleted: there is nothing left to ask about
    if is_committed and head is not None and file not in facts.changed:
        return [LineOrigin(*line) for line in blame_lines(git, head, file)]
    return _blame_work(session, file, content, head if is_committed else None)


def _blame_work(session: Session, file: str, content: WorkContent, head: str | None) -> list[LineOrigin]:
    """The same for a file with changes that are not committed: they are put in a commit of ours on top of HEAD."""
    objects = OwnObjects(session.repository, find_cache_folder(session.repository.root))
    entry = WrittenEntry(content.mode, content.blob)
    objects.write_contents([(file, entry)])
    ours = objects.write_commit(objects.write_tree({file: entry}).id, head)
    lines = blame_lines(session.repository.git, ours, file, objects.variables)
    return [LineOrigin(None if line.commit == ours else line.commit, line.path) for line in lines]
