"""Runs the checks: the rules of all systems, the commands of the configuration, and the user's own functions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from handoff_tui import __version__
from handoff_tui.checks.context import Answers, WorldQuestion
from handoff_tui.checks.engine import CachedResult, RuleEngine
from handoff_tui.checks.report import CheckReport, CheckResult, ConsentState, Outcome, RuleInfo, sort_results
from handoff_tui.checks.rule import Rule
from handoff_tui.checks.run.baseline import ChosenBaseline, choose_baseline, choose_handoff_baseline
from handoff_tui.checks.run.choose import CheckRequest, build_rule_overrides, choose_commands, choose_rules, list_rules
from handoff_tui.checks.run.commands import CommandCheck, read_consent
from handoff_tui.checks.run.guards import guard, guard_all
from handoff_tui.checks.run.repository_world import RepositoryWorld
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.place import CheckMoment
from handoff_tui.core.restored import restore
from handoff_tui.git.repository import read_facts, reopen_repository
from handoff_tui.git.work_tree.digest import RepositoryDigest
from handoff_tui.handoffs.claim import Verdict
from handoff_tui.handoffs.claims.evidence import hash_file, hash_uncommitted
from handoff_tui.handoffs.claims.test_runs import save_test_runs
from handoff_tui.handoffs.life import Life
from handoff_tui.handoffs.read_handoffs import RepositoryReading, read_repository
from handoff_tui.handoffs.reading.read import ReadHandoffs
from handoff_tui.handoffs.scope.scope import Scopes
from handoff_tui.handoffs.session import Session, reopen_session
from handoff_tui.system.background import Background
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.files.sealed_files import load_json, write_json

if TYPE_CHECKING:
    from handoff_tui.log.gates.all_gates import LogGates
    from handoff_tui.system.web import Network

_SCHEMA = 3
_MOST_DIGESTS = 50


@dataclass(slots=True)
class ResultCache:
    """Earlier results for one repository and one scope."""

    path: Path
    rules: dict[str, CachedResult] = field(default_factory=dict)
    commands: dict[str, CheckResult] = field(default_factory=dict)
    """The last pass of each command."""
    outcomes: dict[str, dict[str, str]] = field(default_factory=dict)
    """By command, the outcome for each digest of its inputs; two outcomes for one digest are flaky."""

    def note_outcome(self, result: CheckResult) -> CheckResult:
        """Remembers an outcome, and marks the result as flaky if the same inputs gave another outcome before."""
        digest = result.inputs_digest
        if digest is None or result.from_cache or result.outcome not in {Outcome.PASS, Outcome.FAIL}:
            return result
        known = self.outcomes.setdefault(result.id, {})
        before = known.get(digest)
        flaky = before is not None and before != result.outcome
        known[digest] = "flaky" if flaky else str(result.outcome)
        while len(known) > _MOST_DIGESTS:
            known.pop(next(iter(known)))
        if result.outcome is Outcome.PASS:
            self.commands[result.id] = result
        return result.model_copy(update={"flaky": flaky})

    def save(self) -> None:
        answers = {answer: 0 for kept in self.rules.values() for answer in kept.manifest.items()}
        answers = {answer: number for number, answer in enumerate(answers)}
        write_json(
            self.path,
            {
                "schema": _SCHEMA,
                "version": __version__,
                "answers": [[*question, digest] for question, digest in answers],
                "rules": {
                    name: {
                        "result": _dump(kept.result),
                        "manifest": [answers[answer] for answer in kept.manifest.items()],
                        "version": kept.version,
                    }
                    for name, kept in self.rules.items()
                },
                "commands": {name: _dump(result) for name, result in self.commands.items()},
                "outcomes": self.outcomes,
            },
        )


def _dump(result: CheckResult) -> dict[str, object]:
    return result.model_dump(mode="json", exclude_defaults=True)


def load_result_cache(root: Path, scope: str | None) -> ResultCache:
    """The results an earlier run of this version saved; none if the file is damaged or foreign."""
    name = "checks.json" if scope is None else f"checks-{_file_name(scope)}.json"
    cache = ResultCache(find_cache_folder(root) / name)
    value = load_json(cache.path)
    if not isinstance(value, dict) or value.get("schema") != _SCHEMA or value.get("version") != __version__:
        return cache
    try:
        answers = [(WorldQuestion(asked, tuple(arguments)), digest) for asked, arguments, digest in value["answers"]]
        cache.rules = {
            name: CachedResult(
                restore(CheckResult, kept["result"]),
                dict([answers[number] for number in kept["manifest"]]),
                int(kept["version"]),
            )
            for name, kept in value["rules"].items()
        }
        cache.commands = {name: restore(CheckResult, kept) for name, kept in value["commands"].items()}
        cache.outcomes = {name: dict(kept) for name, kept in value["outcomes"].items()}
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return ResultCache(cache.path)
    return cache


def _file_name(scope: str) -> str:
    """Differs for every id, even for ids that look alike as file names."""
    return hashlib.sha256(scope.encode("utf-8", "surrogatepass")).hexdigest()[:16]


_ATTEMPTS = 2


@dataclass(slots=True)
class ProgressCallbacks:
    """How the caller follows a run, and ends it."""

    on_result: Callable[[CheckResult, int, int], None] | None = None
    cancel: Event = field(default_factory=Event)


class FinishedChecks(NamedTuple):
    """What a run leaves for the next one, which need not ask for it again."""

    world: RepositoryWorld
    answers: Answers
    cache: ResultCache
    baseline: ChosenBaseline
    rules: tuple[RuleInfo, ...]


class Prefetched(NamedTuple):
    """What the caller has already read and run on this state of the repository."""

    reading: RepositoryReading
    commands: tuple[CheckResult, ...] = ()
    """Results of commands that just ran, whatever their outcome; they count if their inputs are the same."""
    verdicts: Mapping[str, tuple[Verdict, ...]] | None = None
    """On every claim, by handoff."""
    scopes: Scopes | None = None
    gates: LogGates | None = None
    lives: dict[str, Life] | None = None
    before: FinishedChecks | None = None
    """A run before on the same state, whose facts may serve this one."""


def check(
    session: Session,
    request: CheckRequest,
    callbacks: ProgressCallbacks | None = None,
    prefetched: Prefetched | None = None,
    on_change: Callable[[], None] | None = None,
    look: RepositoryDigest | None = None,
) -> CheckReport:
    """All results on one state of the repository. If it changes meanwhile, runs again; if it changes then, says so.

    `on_change` is called when it has changed. `look` knows what this process has looked at, but not what commands have.
    """
    callbacks = callbacks or ProgressCallbacks()
    for attempt in range(_ATTEMPTS):
        known = (prefetched if attempt == 0 else None) or Prefetched(read_repository(session))
        run = _Run(_guard(session, request, known), request, callbacks, known)
        report = run.run()
        is_still = look is not None and attempt == 0 and not run.has_commands and look.is_still()
        change = None if is_still else find_change_since_reading(session, run.handoffs_read)
        if change is None or callbacks.cancel.is_set():
            run.state.cache.save()
            return report
        if on_change is not None:
            on_change()
        if attempt + 1 < _ATTEMPTS:
            session = reopen_session(session)
    return _mark_changed(report, change)


def _guard(session: Session, request: CheckRequest, known: Prefetched) -> Session:
    """The session with the settings that count for what is checked."""
    handoffs = known.reading.result.handoffs
    if request.handoff is None:
        return guard_all(session, handoffs)
    scopes = known.scopes or _find_scopes(session, known.reading.result)
    return guard(session, scopes.of(_find_scope(known.reading.result, request) or "").start).session


def check_once(
    session: Session,
    request: CheckRequest,
    callbacks: ProgressCallbacks,
    prefetched: Prefetched,
    last: FinishedChecks | None = None,
) -> tuple[CheckReport, FinishedChecks]:
    """One pass, for a caller that watches the repository itself; the results stay in memory.

    Those of the `last` pass, in the same session, count as long as what they read is the same.
    """
    run = _Run(session, request, callbacks, prefetched, last)
    report = run.run()
    return report, run.state


def parse_moment(name: str | None) -> CheckMoment | None:
    return CheckMoment(name) if name else None


class _Run:
    """One pass over one state of the repository."""

    def __init__(
        self,
        session: Session,
        request: CheckRequest,
        callbacks: ProgressCallbacks,
        prefetched: Prefetched,
        last: FinishedChecks | None = None,
    ) -> None:
        self.session = session
        self.request = request
        self.handoffs_read = prefetched.reading.result
        self.known = {result.id: result for result in prefetched.commands}
        self.callbacks = callbacks
        self.scope = _find_scope(self.handoffs_read, request)
        self.state = self._begin(prefetched, last)
        self.has_commands = False
        self._done = 0
        self._total = 0

    def run(self) -> CheckReport:
        rules = choose_rules(self.session, self.request)
        commands = choose_commands(self.session, self.request)
        self._total = len(rules) + len(commands)
        self.has_commands = bool(commands)
        consent = read_consent(self.session)
        results = self._run_rules(rules)
        results += self._run_commands(commands, results, consented=consent is not None and consent.trusted)
        return self._build_report(results, consent)

    def _begin(self, prefetched: Prefetched, last: FinishedChecks | None) -> FinishedChecks:
        baseline = self._choose_baseline(prefetched)
        world = build_world(self.session, self.request, prefetched, baseline)
        if prefetched.before is not None:
            world.share(prefetched.before.world)
        if last is not None:
            world.network = last.world.network
        cache = last.cache if last is not None else load_result_cache(self.session.repository.root, self.scope)
        earlier = last or prefetched.before
        answers = Answers(world, earlier.answers if earlier is not None else None)
        rules = list_rules(self.session, self.request)
        return FinishedChecks(world, answers, cache, baseline, rules)

    def _choose_baseline(self, prefetched: Prefetched) -> ChosenBaseline:
        """One handoff is compared with where its own work started, whatever refs and pins say."""
        if self.scope is None or self.request.baseline is not None:
            return choose_baseline(self.session, self.request.baseline)
        scopes = prefetched.scopes or _find_scopes(self.session, self.handoffs_read)
        return choose_handoff_baseline(self.session, scopes.of(self.scope).start)

    def _run_rules(self, rules: list[Rule]) -> list[CheckResult]:
        settings, cache = self.session.loaded.settings, self.state.cache
        engine = RuleEngine(
            self.state.answers,
            self.scope,
            build_rule_overrides(settings, rules),
            cache.rules,
            fresh=self.request.fresh,
            blocking_severities=frozenset(settings.check_run.blocking_severities),
            now=read_now(),
        )
        results = engine.run(rules, self._tell)
        cache.rules = {**cache.rules, **engine.remembered}
        return results

    def _run_commands(
        self, commands: list[CommandCheck], earlier: list[CheckResult], *, consented: bool
    ) -> list[CheckResult]:
        if not commands:
            return []
        from handoff_tui.checks.run.command_run import CommandRunner  # noqa: PLC0415 - most runs have no commands

        cache = self.state.cache
        runner = CommandRunner(
            self.session,
            consented,
            self.known if self.request.fresh else {**cache.commands, **self.known},
            recall_only=not self.request.run_commands,
            cancel=self.callbacks.cancel,
        )
        results = runner.run(commands, {result.id: result for result in earlier}, self._tell)
        head = self.session.work_tree.facts.head
        if runner.counted and head is not None:
            save_test_runs(self.session.repository.root, head, hash_uncommitted(self.session), runner.counted)
        now = read_now()
        stamped = (result if result.from_cache else result.model_copy(update={"ran_at": now}) for result in results)
        return [cache.note_outcome(result) for result in stamped]

    def _tell(self, result: CheckResult) -> None:
        self._done += 1
        if self.callbacks.on_result is not None:
            self.callbacks.on_result(result, self._done, self._total)

    def _build_report(self, results: list[CheckResult], consent: ConsentState | None) -> CheckReport:
        return CheckReport(
            mode=self.request.moment.value if self.request.moment else "all",
            results=sort_results(results),
            baseline=self.state.baseline.commit,
            baseline_reason=self.state.baseline.reason,
            head=self.session.work_tree.facts.head,
            repository=str(self.session.repository.root),
            handoff=self.scope,
            rules=self.state.rules,
            trust=consent,
        )


def build_world(
    session: Session, request: CheckRequest, prefetched: Prefetched, baseline: ChosenBaseline
) -> RepositoryWorld:
    """The repository as rules see it."""
    reading = prefetched.reading
    world = RepositoryWorld(
        session,
        reading.result,
        baseline,
        wanted=_find_scope(reading.result, request),
        network=_open_network(session, request),
        history=lambda: reading.files.history,
        verdicts=prefetched.verdicts,
    )
    given = {"scopes": prefetched.scopes, "gates": prefetched.gates, "lives": prefetched.lives}
    vars(world).update({name: value for name, value in given.items() if value is not None})
    return world


def _find_scopes(session: Session, handoffs_read: ReadHandoffs) -> Scopes:
    from handoff_tui.log.gates.gate_state import without_checks  # noqa: PLC0415
    from handoff_tui.status.refresh import find_all_scopes, open_log_gates  # noqa: PLC0415 - mostly given

    handoffs = handoffs_read.handoffs
    return find_all_scopes(session, handoffs, open_log_gates(session, handoffs, without_checks))


def _find_scope(handoffs_read: ReadHandoffs, request: CheckRequest) -> str | None:
    """The id of the one handoff to check; None if all are."""
    if not request.handoff:
        return None
    from handoff_tui.status.show import find_id  # noqa: PLC0415 - most runs are about all of them

    return find_id(handoffs_read.handoffs, request.handoff)


def _open_network(session: Session, request: CheckRequest) -> Network | None:
    """The network if the user consented to use it; a run without consent doesn't import it."""
    if not request.network and not _has_standing_consent(session):
        return None
    from handoff_tui.system.web import Network  # noqa: PLC0415

    return Network(session.loaded.settings.mosaic.health.timeout_seconds)


def _has_standing_consent(session: Session) -> bool:
    """Whether the user's own file consents to use the network; a repository cannot consent for them."""
    if not session.loaded.settings.mosaic.health.enabled:
        return False
    return not session.loaded.origins.get("mosaic.health.enabled", "").startswith(REPOSITORY_FILE)


def find_change_since_reading(session: Session, handoffs_read: ReadHandoffs) -> str | None:
    """What changed in the repository since it was read, apart from the log; None if nothing did."""
    facts = session.work_tree.facts
    apart = {"own_uncommitted": ()}
    now = Background(lambda: read_facts(reopen_repository(session.repository), facts.submodules))
    document = _find_changed_document(session, handoffs_read)
    is_same = now.finish().model_copy(update=apart) == facts.model_copy(update=apart)
    return document if is_same else "HEAD, the index or the list of changed files"


def _find_changed_document(session: Session, handoffs_read: ReadHandoffs) -> str | None:
    reader = FileReader(session.repository.root, session.loaded.settings.limits.file_bytes)
    for handoff in handoffs_read.handoffs:
        for document in handoff.documents:
            if document.sha256 is None or ":" in document.path:
                continue
            if hash_file(reader, document.path) != f"sha256:{document.sha256}":
                return document.path
    return None


def _mark_changed(report: CheckReport, change: str | None) -> CheckReport:
    """Results on a state that is gone don't count: they fail closed, and say why."""
    reason = f"the repository changed while it was checked: {change}"
    update = {"outcome": Outcome.UNKNOWN, "summary": reason, "findings": ()}
    return report.with_results(result.model_copy(update=update) for result in report.results)
