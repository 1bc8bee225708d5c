"""Runs the checks: the rules of all systems, the commands of the configuration, and functions of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import NamedTuple

from handoff_tui.checks.context import Answers
from handoff_tui.checks.contract import Moment, Rule
from handoff_tui.checks.engine import Engine, RuleOverride, is_blocking
from handoff_tui.checks.registry import RULES
from handoff_tui.checks.report import CheckReport, ConsentState, RuleInfo
from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.checks.run.baseline import Baseline, choose_baseline
from handoff_tui.checks.run.command_consent import read_consent
from handoff_tui.checks.run.commands import SESSION_GATE, CommandCheck, list_commands
from handoff_tui.checks.run.functions import load_functions
from handoff_tui.checks.run.memory import ResultCache, load_result_cache
from handoff_tui.checks.run.repository_world import ClaimMeasurer, RepositoryWorld
from handoff_tui.checks.run.rule_overrides import build_rule_overrides, find_declared
from handoff_tui.checks.verdict import build_verdict
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.config.nearest import suggest
from handoff_tui.core.errors import ConfigError, UsageError
from handoff_tui.core.severity import Severity
from handoff_tui.git.repository import open_repository, read_facts
from handoff_tui.handoffs.claims.evidence import hash_file
from handoff_tui.handoffs.read_handoffs import RepositoryReading, read_repository
from handoff_tui.handoffs.reading.read import ReadHandoffs
from handoff_tui.handoffs.session import Desk, reopen_desk
from handoff_tui.system.background import Background
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.reader import FileReader

COMMAND = "command"
_TRIES = 2
_RANK = {severity: number for number, severity in enumerate(Severity)}


class CheckRequest(NamedTuple):
    """What is to be checked, and how."""

    moment: Moment | None = None
    phase: str | None = None
    handoff: str | None = None
    only: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    baseline: str | None = None
    fresh: bool = False
    network: bool = False
    run_commands: bool = True
    """False for who only looks: of a command the earlier result counts, where it had these inputs, or it is unknown."""


@dataclass(slots=True)
class ProgressCallbacks:
    """How the caller follows a run, and ends it."""

    on_result: Callable[[CheckResult, int, int], None] | None = None
    cancel: Event = field(default_factory=Event)


class Prefetched(NamedTuple):
    """What the caller has read and run already, on this very state of the repository."""

    reading: RepositoryReading
    commands: tuple[CheckResult, ...] = ()
    """Results of commands, whatever their outcome; they are taken over where their inputs are the same."""
    kept: RunState | None = None
    book: ClaimMeasurer | None = None
    """Has measured claims, or will."""


class RunState(NamedTuple):
    """What a run leaves for the next one, which needs not ask for it again."""

    world: RepositoryWorld
    answers: Answers
    memory: ResultCache
    baseline: Baseline
    rules: tuple[RuleInfo, ...]


def check(
    desk: Desk, request: CheckRequest, telling: ProgressCallbacks | None = None, before: Prefetched | None = None
) -> CheckReport:
    """All results on one state of the repository. When that state moves meanwhile, once more; then it is said."""
    telling = telling or ProgressCallbacks()
    for attempt in range(_TRIES):
        first = before if attempt == 0 else None
        run = _Run(desk, request, telling, first or Prefetched(read_repository(desk)))
        report = run.run()
        moved = find_movement(desk, run.handoffs_read)
        if moved is None or telling.cancel.is_set():
            run.memory.save()
            return report
        if attempt + 1 < _TRIES:
            desk = reopen_desk(desk)
    return _mark_moved(report, moved)


def check_once(
    desk: Desk, request: CheckRequest, telling: ProgressCallbacks, before: Prefetched
) -> tuple[CheckReport, RunState]:
    """One pass, for who is told of movements anyway; the results stay in memory."""
    run = _Run(desk, request, telling, before)
    report = run.run()
    return report, run.kept


def parse_moment(name: str | None) -> Moment | None:
    return Moment(name) if name else None


def list_rules(desk: Desk, request: CheckRequest, reader: FileReader | None = None) -> tuple[RuleInfo, ...]:
    """Every rule and command that the request would run. `reader` reads files that are not those of the work tree."""
    chosen = _choose_rules(desk, request)
    adjustments = build_rule_overrides(desk.loaded.settings, chosen)
    rules = [_describe_rule(desk, rule, adjustments.get(rule.id, RuleOverride())) for rule in chosen]
    commands = list_commands(desk, request.moment, request.phase, reader)
    return (*rules, *(_describe_command(command) for command in commands))


class _Run:
    """One pass over one state of the repository."""

    def __init__(self, desk: Desk, request: CheckRequest, telling: ProgressCallbacks, before: Prefetched) -> None:
        self.desk = desk
        self.request = request
        self.files, self.handoffs_read = before.reading
        self.known = {result.id: result for result in before.commands}
        self.telling = telling
        self.scope = _find_scope(self.handoffs_read, request)
        self.kept = before.kept or self._begin(before)
        self.memory = self.kept.memory
        self._done = 0
        self._total = 0

    def run(self) -> CheckReport:
        rules = _choose_rules(self.desk, self.request)
        commands = _choose_commands(self.desk, self.request)
        self._total = len(rules) + len(commands)
        trust = read_consent(self.desk)
        results = self._run_rules(rules)
        self.kept.world.close()
        results += self._run_commands(commands, results, trusted=trust is not None and trust.trusted)
        return self._build_report(results, self.kept.baseline, trust)

    def _begin(self, before: Prefetched) -> RunState:
        baseline = choose_baseline(self.desk, self.request.baseline)
        world = build_world(self.desk, self.request, before.reading, baseline, before.book)
        return RunState(
            world,
            Answers(world),
            load_result_cache(self.desk.repository.root, self.scope),
            baseline,
            list_rules(self.desk, self.request),
        )

    def _run_rules(self, rules: list[Rule]) -> list[CheckResult]:
        engine = Engine(
            self.kept.answers,
            self.scope,
            build_rule_overrides(self.desk.loaded.settings, rules),
            self.memory.rules,
            fresh=self.request.fresh,
            heavy=_find_heavy(self.desk),
            moment=read_now(),
        )
        results = engine.run(rules, self._tell)
        self.memory.rules = {**self.memory.rules, **engine.remembered}
        return results

    def _run_commands(
        self, commands: list[CommandCheck], earlier: list[CheckResult], *, trusted: bool
    ) -> list[CheckResult]:
        if not commands:
            return []
        from handoff_tui.checks.run.command_run import CommandRunner  # noqa: PLC0415 - most runs have no commands

        earlier_runs = {**self.memory.commands, **self.known}
        runner = CommandRunner(
            self.desk,
            trusted,
            earlier_runs,
            fresh=self.request.fresh,
            recall_only=not self.request.run_commands,
            cancel=self.telling.cancel,
        )
        done = runner.run(commands, {result.id: result for result in earlier}, self._tell)
        now = read_now()
        stamped = (one if one.from_cache else one.model_copy(update={"ran_at": now}) for one in done)
        return [self.memory.note_outcome(result) for result in stamped]

    def _tell(self, result: CheckResult) -> None:
        self._done += 1
        if self.telling.on_result is not None:
            self.telling.on_result(result, self._done, self._total)

    def _build_report(self, results: list[CheckResult], baseline: Baseline, trust: ConsentState | None) -> CheckReport:
        verdict = build_verdict(results)
        ordered = sorted(results, key=lambda result: (_RANK[result.severity], result.id))
        return CheckReport(
            mode=self.request.moment.value if self.request.moment else "all",
            verdict="blocked" if verdict.blocked else "pass",
            passed=verdict.passed,
            total=verdict.total,
            warnings=verdict.warnings,
            results=tuple(ordered),
            baseline=baseline.commit,
            baseline_reason=baseline.reason,
            head=self.desk.work_tree.facts.head,
            repository=str(self.desk.repository.root),
            handoff=self.scope,
            rules=self.kept.rules,
            trust=trust,
        )


def build_world(
    desk: Desk, request: CheckRequest, reading: RepositoryReading, baseline: Baseline, book: ClaimMeasurer | None = None
) -> RepositoryWorld:
    """The repository as rules see it; `book` has measured claims already."""
    return RepositoryWorld(
        desk,
        reading.result.handoffs,
        reading.result.problems,
        baseline,
        network=request.network or _has_standing_consent(desk),
        history=lambda: reading.files.history,
        book=book,
    )


def _find_scope(handoffs_read: ReadHandoffs, request: CheckRequest) -> str | None:
    """The id of the one handoff that is wanted; nothing when all are."""
    if not request.handoff:
        return None
    from handoff_tui.status.show import find_id  # noqa: PLC0415 - most runs are about all of them

    return find_id(handoffs_read.handoffs, request.handoff)


def _has_standing_consent(desk: Desk) -> bool:
    """Consent to use the network that the user gave in their own file; a repository cannot give it for them."""
    if not desk.loaded.settings.mosaic.health.enabled:
        return False
    return not desk.loaded.origins.get("mosaic.health.enabled", "").startswith(REPOSITORY_FILE)


def _refuse_misnamed(desk: Desk) -> None:
    """A command under the id of a built-in rule would look like it; a name that nothing has would change nothing."""
    built_in = {rule.id for rule in RULES}
    for name, configured in desk.loaded.settings.checks.items():
        if not configured.run and not configured.python and name not in {*built_in, SESSION_GATE}:
            raise ConfigError(
                f"checks.{name} names no command and is no built-in check; {suggest(name, sorted(built_in))}",
                "`handoff-tui check --list` lists the built-in ones.",
            )
        if configured.parameters and not configured.python:
            raise ConfigError(
                f"checks.{name} has parameters, which only a function (`python`) is given",
                "Thresholds and words of built-in checks stand in the sections of their systems.",
            )
        if name in built_in and (configured.run or configured.python):
            raise ConfigError(
                f"checks.{name} names a command, but {name} is a built-in check",
                "Give your own check another id; a built-in one can be adjusted or switched off, not replaced.",
            )


def _choose_rules(desk: Desk, request: CheckRequest) -> list[Rule]:
    _refuse_misnamed(desk)
    rules = (*RULES, *load_functions(desk))
    only, excluded = ({find_declared(name, rules) for name in names} for names in (request.only, request.excluded))
    _refuse_unknown(only | excluded, {rule.id for rule in rules} | {c.id for c in list_commands(desk, None, None)})
    adjustments = build_rule_overrides(desk.loaded.settings, rules)
    return [
        rule
        for rule in rules
        if (request.moment is None or request.moment in rule.moments)
        and (not only or rule.id in only)
        and rule.id not in excluded
        and adjustments.get(rule.id, RuleOverride()).enabled
    ]


def _choose_commands(desk: Desk, request: CheckRequest) -> list[CommandCheck]:
    commands = list_commands(desk, request.moment, request.phase)
    wanted = [command for command in commands if not request.only or command.id in request.only]
    return [command for command in wanted if command.id not in request.excluded]


def _refuse_unknown(wanted: set[str], known: set[str]) -> None:
    for name in sorted(wanted):
        if name not in known:
            raise UsageError(f"no check has the id {name!r}", "`handoff-tui check --list` lists them.")


def _find_heavy(desk: Desk) -> frozenset[Severity]:
    return frozenset(desk.loaded.settings.check_run.blocking_severities)


def _describe_rule(desk: Desk, rule: Rule, adjustment: RuleOverride) -> RuleInfo:
    return RuleInfo(
        id=rule.id,
        system=rule.system.value,
        severity=adjustment.severity or rule.severity,
        blocking=is_blocking(rule, adjustment, _find_heavy(desk)),
        holds=rule.holds,
        reads=rule.reads,
        remedy=rule.remedy,
        moments=tuple(moment.value for moment in rule.moments),
    )


def _describe_command(command: CommandCheck) -> RuleInfo:
    return RuleInfo(
        id=command.id,
        system=COMMAND,
        severity=command.severity,
        blocking=command.blocking,
        holds=f"`{command.shown}` succeeds.",
        reads=", ".join(command.check.inputs) or "the whole work tree",
        remedy=command.check.remedy,
        moments=tuple(moment.value for moment in command.check.moments),
    )


def find_movement(desk: Desk, handoffs_read: ReadHandoffs) -> str | None:
    """What changed in the repository since it was read, the log apart; nothing when it stood still."""
    facts = desk.work_tree.facts
    aside = {"own_uncommitted": ()}
    now = Background(lambda: read_facts(open_repository(desk.repository.root), facts.submodules))
    document = _find_changed_document(desk, handoffs_read)
    is_still = now.finish().model_copy(update=aside) == facts.model_copy(update=aside)
    return document if is_still else "HEAD, the index or the list of changed files"


def _find_changed_document(desk: Desk, handoffs_read: ReadHandoffs) -> str | None:
    reader = FileReader(desk.repository.root, desk.loaded.settings.limits.file_bytes)
    for handoff in handoffs_read.handoffs:
        for document in handoff.documents:
            if document.sha256 is None or ":" in document.path:
                continue
            if hash_file(reader, document.path) != f"sha256:{document.sha256}":
                return document.path
    return None


def _mark_moved(report: CheckReport, moved: str | None) -> CheckReport:
    """Results on a state that is gone are no results: they fail closed, and say why."""
    reason = f"the repository changed while it was checked: {moved}"
    results = tuple(
        result.model_copy(update={"outcome": Outcome.UNKNOWN, "summary": reason, "findings": ()})
        for result in report.results
    )
    verdict = build_verdict(results)
    return report.model_copy(
        update={
            "results": results,
            "verdict": "blocked" if verdict.blocked else "pass",
            "passed": verdict.passed,
            "total": verdict.total,
            "warnings": verdict.warnings,
        }
    )


def list_command_results(report: CheckReport) -> tuple[CheckResult, ...]:
    """The results of commands alone."""
    commands = {rule.id for rule in report.rules if rule.system == COMMAND}
    return tuple(result for result in report.results if result.id in commands)


def can_be_recalled(report: CheckReport) -> bool:
    """A failed command may pass when it is tried again; rules on the same state say the same again."""
    commands = {result.id for result in list_command_results(report)}
    steady = {Outcome.PASS, Outcome.FAIL, Outcome.NOT_APPLICABLE, Outcome.UNKNOWN}
    return all(
        result.outcome is Outcome.PASS if result.id in commands else result.outcome in steady
        for result in report.results
    )


def mark_recalled(report: CheckReport) -> CheckReport:
    """The report as it is shown when nothing has moved since: every result from the cache."""
    update = {"from_cache": True, "rerun_because": None}
    return report.model_copy(update={"results": tuple(result.model_copy(update=update) for result in report.results)})


def rests_on_outside(report: CheckReport) -> bool:
    """Whether any result depends on the clock, the search path, permissions or a remote."""
    return any(result.outside for result in report.results)
