"""The checks of one gate on what every clone has: the same commit and log give the same results on every machine."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator
from functools import cached_property

from handoff_tui.checks.context import Answers, Manifest, WorldQuestion
from handoff_tui.checks.engine import RuleEngine
from handoff_tui.checks.report import CheckResult, Outcome, is_open
from handoff_tui.checks.run.baseline import choose_handoff_baseline
from handoff_tui.checks.run.choose import CheckRequest, build_rule_overrides, choose_rules
from handoff_tui.checks.run.guards import guard_portably
from handoff_tui.checks.run.repository_world import RepositoryWorld
from handoff_tui.core.place import CheckMoment
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.handoffs.claims.evidence import RepositoryEvidence
from handoff_tui.handoffs.claims.measure import prepare
from handoff_tui.handoffs.life import Life
from handoff_tui.handoffs.read_handoffs import RepositoryReading, read_repository
from handoff_tui.handoffs.scope.scope import Content, Scope
from handoff_tui.log.entry import GateKey
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.gates.position import find_phase
from handoff_tui.status.refresh import find_all_lives
from handoff_tui.system.files.own_folder import is_below_own_folder

_ABOUT_A_PATH = frozenset({"read", "exists", "is_executable", "document_commit"})
_ALL_FILES = WorldQuestion("paths")
_LEADS_OUT = ("/", "..")


class SharedReading:
    """What the checks of all handoffs of one repository share."""

    def __init__(self, gates: LogGates, reading: RepositoryReading | None = None) -> None:
        self.gates = gates.ask_without_checks()  # no check waits for another
        self.reading = reading or read_repository(gates.session)

    @cached_property
    def lives(self) -> dict[str, Life]:
        return find_all_lives(self.reading.result, self.gates.work.scopes, self.gates)

    @cached_property
    def evidence(self) -> RepositoryEvidence:
        evidence = RepositoryEvidence(self.gates.session, counts_runs=False)
        prepare(evidence, self.reading.result.handoffs, self.reading.result.handoffs)
        return evidence


class PortableRun:
    """The checks of one gate, without commands and without what only this machine knows.

    The handoff's own files are as it left them: what the next one made of them is the next one's work.
    """

    def __init__(self, shared: SharedReading, key: GateKey) -> None:
        self._shared, self._key = shared, key
        self._gates = shared.gates
        self._scope = shared.gates.work.scopes.of(key.handoff)
        self._session = guard_portably(shared.gates.session, self._scope.start)

    def find_failing(self, checks: Collection[str]) -> dict[str, str]:
        """Returns those of these checks that block and do not pass, each with what it found about this handoff."""
        failing = {one.id: self._describe_failure(one) for one in self._run(checks) if one.blocking and is_open(one)}
        return {check: found for check, found in failing.items() if found}

    def _describe_failure(self, result: CheckResult) -> str:
        """The first finding in the handoff's own files or documents, or in no file; empty if all are about others."""
        if not result.findings:
            return result.summary
        handoff = self._world.handoff(self._key.handoff)
        documents = {document.path for document in handoff.documents} if handoff is not None else set()
        about = {*self._scope.results, *documents}
        places = ((one.message, {item.path for item in one.evidence if item.path}) for one in result.findings)
        return next((message for message, paths in places if not paths or not paths.isdisjoint(about)), "")

    def list_read_elsewhere(self) -> dict[str, tuple[str, ...]]:
        """Returns each file of others that blocking checks read which pass, with these checks.

        A check that depends on this machine is left out (its clock, its programs, files that git does not know), and so
        is one that looked through all files: it is about the repository, and closes the gates that bind the tree.
        """
        readers: dict[str, list[str]] = {}
        for result in self._run():
            if result.blocking and result.outcome is Outcome.PASS and not result.outside:
                for path in self._find_read_elsewhere(self._engine.remembered[result.id].manifest):
                    readers.setdefault(path, []).append(result.id)
        return {path: tuple(sorted(checks)) for path, checks in sorted(readers.items())}

    def _run(self, checks: Collection[str] | None = None) -> list[CheckResult]:
        rules = choose_rules(self._session, self._request)
        return self._engine.run(rule for rule in rules if checks is None or rule.id in checks)

    @property
    def _request(self) -> CheckRequest:
        return CheckRequest(CheckMoment.GATE, self._key.phase, self._key.handoff, baseline=self._scope.start)

    @cached_property
    def _engine(self) -> RuleEngine:
        settings = self._session.loaded.settings
        return RuleEngine(
            Answers(self._world),
            self._key.handoff,
            build_rule_overrides(settings, choose_rules(self._session, self._request)),
            blocking_severities=frozenset(settings.check_run.blocking_severities),
        )

    @cached_property
    def _world(self) -> _PortableWorld:
        reading = place_at(self._shared.reading, self._key)
        baseline = choose_handoff_baseline(self._session, self._scope.start)
        world = _PortableWorld(
            self._session,
            reading.result,
            baseline,
            wanted=self._key.handoff,
            history=lambda: reading.files.history,
        )
        world.evidence = self._shared.evidence
        world.own, world.scopes = self._scope, self._gates.work.scopes
        world.gates, world.lives = self._gates, self._shared.lives
        return world

    def _find_read_elsewhere(self, manifest: Manifest) -> list[str]:
        """The files of others in a manifest; none if one of them is nothing that git knows."""
        if _ALL_FILES in manifest:
            return []
        read = {posixpath.normpath(path) for question in manifest for path in self._list_paths(question)}
        foreign = {path for path in read - self._scope.results.keys() if not is_below_own_folder(path)}
        if any(not self._gates.find_content(path) and self._world.exists(path) for path in foreign):
            return []
        return [path for path in foreign if not path.startswith(_LEADS_OUT)]

    def _list_paths(self, question: WorldQuestion) -> Iterator[str]:
        """The paths that an answer is about."""
        name, arguments = question
        if name in _ABOUT_A_PATH:
            yield arguments[0]
        elif name == "find":
            yield self._world.find(*arguments) or arguments[0]
        elif name == "handoff" and arguments[0] == self._key.handoff:
            found = self._world.handoff(arguments[0])
            yield from (one.path for one in found.documents if ":" not in one.path) if found is not None else ()
        elif name == "verdicts" and arguments[0] == self._key.handoff:
            yield from self._world.list_claimed_files(arguments[0])


class _PortableWorld(RepositoryWorld):
    """The repository without what differs from clone to clone, with the handoff's own files as it left them."""

    own: Scope

    def facts(self) -> RepositoryFacts:
        elsewhere = {"branch": None, "detached": False, "upstream": None, "ahead": None, "behind": None}
        return super().facts().model_copy(update=elsewhere)

    def remotes(self) -> tuple[tuple[str, str], ...]:
        return ()

    def read(self, path: str) -> bytes | None:
        left = self._find_left(path)
        if left is None:
            return super().read(path)
        return None if left.deleted else self._read_object(left.blob)

    def exists(self, path: str) -> bool:
        left = self._find_left(path)
        return super().exists(path) if left is None else not left.deleted

    def list_claimed_files(self, handoff: str) -> Iterator[str]:
        """The files that the claims of a handoff are about."""
        for verdict in self.verdicts(handoff):
            claim = verdict.claim
            found = self.evidence.find(claim.subject, claim.where.path) if claim.subject else None
            if found is not None and found.path is not None:
                yield found.path

    def _find_left(self, path: str) -> Content | None:
        """An own file as the handoff left it, if another one has changed it since."""
        return self.own.results[path] if path in self.own.taken_over else None


def place_at(reading: RepositoryReading, key: GateKey) -> RepositoryReading:
    """What was read, with the handoff in the phase whose gate is asked about: rules judge it there."""
    handoff = next((one for one in reading.result.handoffs if one.id == key.handoff), None)
    if handoff is None or find_phase(handoff).casefold() == key.phase.casefold():
        return reading
    said = handoff.said_phase or None
    update = {"source_phase": key.phase, "target_phase": None, "stated_phase": said, "ran": True}
    placed = handoff.model_copy(update=update)
    handoffs = tuple(placed if one is handoff else one for one in reading.result.handoffs)
    return reading._replace(result=reading.result._replace(handoffs=handoffs))
