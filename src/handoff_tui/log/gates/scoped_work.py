"""The work of every handoff as the log binds it: scope, digests, attempt, producers. The one source for all gates."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property, partial
from typing import Any

from handoff_tui.core.classes import dataclass
from handoff_tui.core.text.labels import name_some
from handoff_tui.git.history.commit_changes import ChangedCommit, PathChange
from handoff_tui.git.history.commit_graph import list_co_authors
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.placed_by_runs import ROLLBACK
from handoff_tui.handoffs.scope.digests import ScopeDigests, read_path
from handoff_tui.handoffs.scope.find import FoundScopes, LogTraces, find_behind, find_scopes, list_stated
from handoff_tui.handoffs.scope.run_commits import find_run_commits, read_run_commits
from handoff_tui.handoffs.scope.scope import Scopes
from handoff_tui.handoffs.scope.traces import find_paperwork, find_records, find_shared_documents
from handoff_tui.handoffs.session import Session
from handoff_tui.log.entry import GateKey, Work
from handoff_tui.log.gates.gate import bound_files
from handoff_tui.log.gates.position import build_principals, build_value_digest
from handoff_tui.log.index import LogIndex
from handoff_tui.log.policy.policy import Policy
from handoff_tui.log.storage.evidence import find_review

CONFIGURATION = "handoff-tui.toml"
_DERIVED = frozenset(
    {"asked", "registry", "blocked_by", "attempt", "documents", "ended", "stated_phase", "ran", "branch"}
)
"""Fields of a handoff that files of others decide on, or that are bound on their own."""
_NAMED = 3


@dataclass
class ScopedWork:
    """All handoffs of a repository and their scopes, as of now and by one log."""

    session: Session
    handoffs: tuple[Handoff, ...]
    index: LogIndex
    policy: Policy | None

    @cached_property
    def found(self) -> FoundScopes:
        known = LogTraces(
            start_line=self.policy.start_line if self.policy else None,
            decided=frozenset(made.work.handoff for made in self.index.decisions.values()),
            stated=list_stated(self.session),
            find_run_commits=partial(find_run_commits, read_run_commits(self.session.repository.root)),
        )
        return find_scopes(self.session, self.handoffs, known)

    @property
    def scopes(self) -> Scopes:
        return self.found.scopes

    @cached_property
    def digests(self) -> ScopeDigests:
        return ScopeDigests(self.session, self.found)

    def find_attempt(self, handoff: Handoff, phase: str) -> int:
        """The current attempt: one more than the last decided one if the agent has committed other work since."""
        decided = [
            made.work for made in self.index.list_decisions(handoff.id, phase) if not self.index.is_void(made.entry.id)
        ]
        submitted = [made.work for made in self.index.find_submissions(handoff.id, phase)]
        known = max((work.attempt for work in (*decided, *submitted)), default=handoff.attempt)
        last = [work for work in decided if work.attempt == known]
        return known + 1 if last and self._is_new(handoff, last) else known

    def find_producers(self, handoff: Handoff, key: GateKey) -> frozenset[str]:
        """The authors of the handoff's own commits, the agents it names, and who submitted it."""
        names = set(handoff.producers)
        for commit in self.scopes.of(handoff.id).commits:
            if commit in self._work:
                names |= self._list_authors(self._work[commit])
        return build_principals({*names, *self.index.find_submitters(key)}, self.policy)

    def name_changes(self, handoff: str, work: Work) -> str:
        """Names the files that differ from those an entry binds."""
        record = None
        for made in self.index.list_decisions(work.handoff, work.phase):
            if made.work is work:
                record = find_review(self.session.repository.root, made.decision.review)
        if record is None or record.scope is None:
            return "its files"
        then = {read_path(file): file for file in record.scope.files}
        now = {read_path(file): file for file in self.digests.build_files(self.scopes.of(handoff))}
        changed = sorted(path for path in then.keys() | now.keys() if then.get(path) != now.get(path))
        cut_off = " (this clone is shallow; git fetch --unshallow)" if self.session.repository.shallow else ""
        return name_some(changed, _NAMED) + cut_off

    def _is_new(self, handoff: Handoff, decided: list[Work]) -> bool:
        """Whether own work was committed after these decisions and left other content than any of them binds."""
        scope = self.scopes.of(handoff.id)
        own = [commit for commit in scope.commits if commit in self._work]
        new = [commit for commit in own if not any(self._contains(work, commit) for work in decided)]
        if not new:
            return False
        committed = self.digests.digest(scope, committed=True)
        return all(bound_files(work) != committed for work in decided)

    def _contains(self, work: Work, commit: str) -> bool:
        return commit in self._find_behind(work.subject.commit)

    @cached_property
    def _behind(self) -> dict[str, frozenset[str]]:
        return {}

    def _find_behind(self, commit: str) -> frozenset[str]:
        """A commit and all before it, in this history; none if it is not part of it any more."""
        if commit not in self._behind:
            self._behind[commit] = find_behind(self.found.history, commit)
        return self._behind[commit]

    @cached_property
    def _work(self) -> dict[str, ChangedCommit]:
        """All commits without those that only configure us, order or review work, or are a rollback of ours."""
        rollbacks = self._rollbacks
        return {
            commit.id: commit
            for commit in self.found.history
            if commit.id not in rollbacks and not all(self._is_paperwork(change) for change in commit.changes)
        }

    @cached_property
    def _rollbacks(self) -> frozenset[str]:
        """Rollbacks of ours: every file gets content that it had before."""
        history = self.found.history
        if not any(commit.body.startswith(ROLLBACK) for commit in history):
            return frozenset()
        seen: set[tuple[str, str]] = set()
        rollbacks = set()
        for commit in history:
            contents = {(change.path, change.blob) for change in commit.changes}
            if commit.body.startswith(ROLLBACK) and contents <= seen:
                rollbacks.add(commit.id)
            seen |= contents | {(change.path, change.before) for change in commit.changes}
        return frozenset(rollbacks)

    def _is_paperwork(self, change: PathChange) -> bool:
        """Also under another name: a review may be filed away once the next attempt begins."""
        return change.path in self._paperwork or (_find_folder(change.path), change.blob) in self._paperwork_contents

    @cached_property
    def _paperwork_contents(self) -> frozenset[tuple[str, str]]:
        """What documents around the work have said, each with its folder."""
        return frozenset(
            (_find_folder(change.path), change.blob)
            for commit in self.found.history
            for change in commit.changes
            if change.path in self._paperwork and not change.removed
        )

    @cached_property
    def _paperwork(self) -> frozenset[str]:
        """Our own configuration, documents that order or review work, and those that several handoffs share."""
        return frozenset({CONFIGURATION, *find_paperwork(self.handoffs), *find_shared_documents(self.handoffs)})

    def _list_authors(self, commit: ChangedCommit) -> set[str]:
        """Its author, committer and co-authors; without the person under whose name an agent committed."""
        names = {name.casefold() for name in (commit.author_email, commit.committer_email)}
        by_agents = self.policy.commits_by_agents if self.policy is not None else frozenset()
        return (names - by_agents) | list_co_authors(commit.body)


def build_scoped_handoff_digest(handoff: Handoff, own: Collection[str]) -> str:
    """SHA-256 of what the handoff says outside its own files, such as git notes and lists that several handoffs share.

    Its own files are bound as bytes, in the scope: a version of this program that reads them better changes nothing.
    """
    records = find_records([handoff])
    if handoff.documents and all(document.path in own or document.path in records for document in handoff.documents):
        return build_value_digest({"id": handoff.id})
    said = handoff.model_dump(mode="json", exclude_defaults=True, exclude=set(_DERIVED))
    if records:
        kept = {name: _leave_out(value, records) for name, value in said.items()}
        said = {name: value for name, value in kept.items() if value != []}
    return build_value_digest({**said, "id": handoff.id})


def _leave_out(value: object, records: frozenset[str]) -> object:
    """A field without what was read in a review or a registry."""
    if not isinstance(value, list):
        return value
    return [item for item in value if not isinstance(item, dict) or _find_source(item) not in records]


def _find_source(item: dict[str, Any]) -> str:
    where = item.get("where")
    return str(where.get("path", "")) if isinstance(where, dict) else ""


def _find_folder(path: str) -> str:
    return path.rpartition("/")[0]
