"""The repository as rules see it: every answer read once, nothing written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from handoff_tui.checks.run.baseline import ChosenBaseline
from handoff_tui.checks.run.choose import find_usual_severity
from handoff_tui.checks.world import Change, CommitInfo, Disagreements, HandoffName
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.errors import FileUnreadableError, UnsafePathError
from handoff_tui.core.place import Problem
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.history.commit_graph import read_commit_paths
from handoff_tui.git.history.commits import Commit, is_cut_off, read_commits
from handoff_tui.git.objects.tree_reader import find_last_change
from handoff_tui.git.repository import reaches_locally, read_remotes
from handoff_tui.git.session import session_of
from handoff_tui.git.work_tree.changes_since import list_changes_since
from handoff_tui.git.work_tree.listing import leave_out_own
from handoff_tui.handoffs.claim import Verdict
from handoff_tui.handoffs.claims.evidence import RepositoryEvidence
from handoff_tui.handoffs.claims.measure import measure_claims, prepare
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.life import Life, leave_out_past_problems
from handoff_tui.handoffs.reading.read import ReadHandoffs
from handoff_tui.handoffs.scope.scope import Scopes
from handoff_tui.handoffs.session import Session
from handoff_tui.log.entry import PASSING
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.noted import note
from handoff_tui.system.files.own_folder import is_own
from handoff_tui.system.files.probe import can_execute, can_write, find_program
from handoff_tui.system.files.reader import FileReader

if TYPE_CHECKING:
    from handoff_tui.log.gates.all_gates import LogGates
    from handoff_tui.system.web import Network

_HOOKS = ".git/hooks/"


class RepositoryWorld:
    """Answers from the work tree and git, and with the user's consent from the network."""

    def __init__(
        self,
        session: Session,
        result: ReadHandoffs,
        baseline: ChosenBaseline,
        *,
        wanted: str | None = None,
        network: Network | None = None,
        history: Callable[[], list[Commit]] | None = None,
        verdicts: Mapping[str, tuple[Verdict, ...]] | None = None,
    ) -> None:
        """`wanted` is the one handoff to check, which may be past.

        `history` gives the newest commits if the caller has read them; `verdicts` are those it has measured.
        """
        self._session = session
        self._git = session.repository.git
        self._result = result
        self._wanted = wanted
        self._baseline = baseline
        self.network = network
        self._reader = FileReader(session.repository.root, session.loaded.settings.limits.file_bytes)
        self._history = history
        self._verdicts = dict(verdicts or {})

    def share(self, other: RepositoryWorld) -> None:
        """Takes over what another world has found out, if both see the same handoffs by the same settings."""
        if other.handoffs() is self.handoffs() and other.settings == self.settings:
            self._verdicts = other._verdicts
            for name in ("evidence", "gates", "lives"):
                if name in other.__dict__:
                    self.__dict__[name] = other.__dict__[name]

    @cached_property
    def evidence(self) -> RepositoryEvidence:
        """What claims are measured by; a caller that has it sets it."""
        evidence = RepositoryEvidence(self._session)
        prepare(evidence, self.handoffs(), self.handoffs())
        return evidence

    @property
    def settings(self) -> Settings:
        return self._session.loaded.settings

    def read_handoffs(self) -> ReadHandoffs:
        return self._result

    def handoffs(self) -> tuple[Handoff, ...]:
        return self.read_handoffs().handoffs

    @cached_property
    def lives(self) -> dict[str, Life]:
        from handoff_tui.status.refresh import find_all_lives  # noqa: PLC0415 - a rule about files asks for no handoff

        return find_all_lives(self.read_handoffs(), self.scopes, self.gates)

    @cached_property
    def _by_id(self) -> dict[str, Handoff]:
        return {handoff.id: handoff for handoff in reversed(self.handoffs())}

    def handoff_names(self) -> tuple[HandoffName, ...]:
        lives = self.lives
        return tuple(HandoffName(one.id, one.dialect, lives[one.id].is_past) for one in self.handoffs())

    def handoff(self, handoff: str) -> Handoff | None:
        return self._by_id.get(handoff)

    def problems(self) -> tuple[Problem, ...]:
        """Without those of documents that only past handoffs have."""
        return self._problems

    @cached_property
    def _problems(self) -> tuple[Problem, ...]:
        return leave_out_past_problems(self.read_handoffs().problems, self.handoffs(), self.lives, self._wanted)

    def facts(self) -> RepositoryFacts:
        return self._session.work_tree.facts

    def verdicts(self, handoff: str) -> tuple[Verdict, ...]:
        found = self.handoff(handoff)
        if found is None:
            return ()
        if handoff not in self._verdicts:
            self._verdicts[handoff] = measure_claims(found, self.evidence)
        return self._verdicts[handoff]

    def own_paths(self, handoff: str) -> tuple[str, ...]:
        return tuple(sorted(self.scopes.of(handoff).results))

    def deleted_paths(self, word: str) -> tuple[str, ...]:
        owned = (change for scope in self.scopes.by_handoff.values() for change in scope.changes)
        changes = (*owned, *self.scopes.unclaimed)
        deleted = {one.path for one in changes if one.after.deleted} | self.scopes.restored
        return tuple(sorted(path for path in deleted if word in path.casefold() and not self.exists(path)))

    def disagreements(self, handoff: str) -> Disagreements:
        scope = self.scopes.of(handoff)
        return Disagreements(scope.undeclared, scope.never_changed, tuple(scope.changed_by_others.items()))

    def signers(self, handoff: str) -> tuple[str, ...] | None:
        gates = self.gates
        policy = gates.policy if gates is not None else None
        if gates is None or policy is None or gates.index.verdict.fatal_problems:
            return None
        passing = (one for one in gates.index.list_living(handoff) if one.decision.verb in PASSING)
        return tuple(sorted({one.entry.actor for one in passing if policy.may_decide(one.entry.actor)}))

    def phase_signers(self, handoff: str, phase: str) -> tuple[str, ...]:
        known, gates = self.signers(handoff), self.gates
        made = gates.index.list_living(handoff) if known and gates is not None else ()
        own = [one for one in made if one.work.phase.casefold() == phase.casefold()]
        passing = {one.entry.actor for one in own if one.decision.verb in PASSING}
        return tuple(name for name in known or () if name in passing)

    @cached_property
    def gates(self) -> LogGates | None:
        """The signed log's view of the handoffs; a caller that has it sets it."""
        from handoff_tui.log.gates.gate_state import without_checks  # noqa: PLC0415 - few documents mention approvals
        from handoff_tui.status.refresh import open_log_gates  # noqa: PLC0415

        return open_log_gates(self._session, self.handoffs(), without_checks)

    @cached_property
    def scopes(self) -> Scopes:
        """The scopes of all handoffs; a caller that has them sets them."""
        from handoff_tui.status.refresh import find_all_scopes  # noqa: PLC0415 - mostly given

        return find_all_scopes(self._session, self.handoffs(), self.gates)

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        return leave_out_own(self._session.work_tree.paths)

    def paths(self) -> tuple[str, ...]:
        return self._paths

    def read(self, path: str) -> bytes | None:
        reader, inner = self._find_reader(path)
        try:
            return reader.read_bytes(inner)
        except (FileUnreadableError, UnsafePathError):
            return None

    def exists(self, path: str) -> bool:
        reader, inner = self._find_reader(path)
        return reader.exists(inner)

    def _find_reader(self, path: str) -> tuple[FileReader, str]:
        """In the git folder, only hooks can be asked about: some rules look for them."""
        if path.startswith(_HOOKS):
            return FileReader(self._session.repository.common_dir, self._reader.max_bytes), path.removeprefix(".git/")
        return self._reader, path

    def find(self, wanted: str, document: str) -> str | None:
        return self.evidence.find(wanted, document).path

    def is_executable(self, path: str) -> bool:
        reader, inner = self._find_reader(path)
        return reader.exists(inner) and can_execute(reader.resolve(inner))

    def is_writable(self, path: str) -> bool:
        return self._reader.exists(path) and can_write(self._reader.resolve(path))

    def find_program(self, name: str) -> str | None:
        return find_program(name)

    def commits(self) -> tuple[CommitInfo, ...]:
        limit = self._session.loaded.settings.limits.commits
        return session_of(self._git).once(("commits", limit), lambda: self._list_commits(limit))

    def _list_commits(self, limit: int) -> tuple[CommitInfo, ...]:
        found = self._history() if self._history is not None else read_commits(self._git, limit)
        return tuple(CommitInfo(*commit[:4], *commit[6:]) for commit in found)  # who committed it is nobody's question

    def commit(self, name: str) -> str | None:
        return self.evidence.find_commit(name)

    def lag(self, commit: str) -> int | None:
        return self.evidence.lag_of(commit)

    def commit_paths(self, commit: str) -> tuple[str, ...]:
        return session_of(self._git).once(("commit paths", commit), lambda: tuple(read_commit_paths(self._git, commit)))

    def document_commit(self, path: str) -> str | None:
        return find_last_change(self._git, path)

    def is_cut_off(self, commit: str) -> bool:
        return self._session.repository.shallow and is_cut_off(self._git, commit)

    def read_at(self, commit: str, path: str) -> bytes | None:
        return self._read_object(f"{commit}:{path}")

    def _read_object(self, name: str) -> bytes | None:
        return session_of(self._git).read_objects().read(name, self.settings.limits.file_bytes)

    def baseline(self) -> str | None:
        return self._baseline.commit

    def changes(self) -> tuple[Change, ...]:
        if self._baseline.commit is None:
            return ()
        tracked = (Change(one.status, one.path, one.old_path) for one in self._read_changes(self._baseline.commit))
        untracked = (Change("A", path) for path in self._session.work_tree.facts.untracked)
        return tuple(change for change in (*tracked, *untracked) if not is_own(change.path))

    def _read_changes(self, commit: str) -> list[FileChange]:
        changes = list_changes_since(self._session.repository, self._session.work_tree, commit)
        for change in changes:  # git has looked at these files
            note(f"{self._session.repository.root}/{change.path}")
        return changes

    def remotes(self) -> tuple[tuple[str, str], ...]:
        return tuple(read_remotes(self._git))

    def reaches(self, remote: str) -> bool | None:
        url = dict(self.remotes()).get(remote)
        if url is None:
            return None
        near = reaches_locally(self._session.repository.root, url)
        return near if near is not None or self.network is None else self.network.reach(url)

    def answers(self, address: str) -> int | str | None:
        return None if self.network is None else self.network.ask(address)

    def now(self) -> datetime:
        return read_now()

    def parameters(self, check: str) -> Mapping[str, object]:
        configured = self._session.loaded.settings.checks.get(check)
        return configured.parameters if configured is not None else {}

    def usual_severity(self, name: str) -> str | None:
        return find_usual_severity(self._session.loaded.usual, name)
