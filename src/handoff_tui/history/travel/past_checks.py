"""What the rules say of a commit: all of them, or one, on its tree and with the clock of its committer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from handoff_tui.checks.context import Answers, Question
from handoff_tui.checks.contract import Rule
from handoff_tui.checks.engine import Engine
from handoff_tui.checks.registry import RULES
from handoff_tui.checks.report import CheckReport, RuleInfo, sort_worst_first
from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.checks.run.baseline import Baseline, choose_usual_baseline
from handoff_tui.checks.run.check import CheckRequest, list_rules
from handoff_tui.checks.run.functions import load_functions
from handoff_tui.checks.run.rule_overrides import build_adjustments
from handoff_tui.checks.verdict import build_verdict
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.core.errors import ConfigError, ObjectMissingError
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.handoffs.session import Desk
from handoff_tui.history.travel.past_log import PastGates
from handoff_tui.history.travel.past_session import PastRepository
from handoff_tui.history.travel.past_world import CommitWorld, is_undecidable, adapt_rules
from handoff_tui.log.gates.approved import list_approved

COMMAND = "command"


def list_past_rules(desk: Desk) -> tuple[Rule, ...]:
    """Every rule, as it judges a commit."""
    return adapt_rules((*RULES, *load_functions(desk)))


def run_rules(
    past: PastRepository,
    rules: tuple[Rule, ...],
    find_baseline: Callable[[], Baseline],
    scope: str | None = None,
    moment: datetime | None = None,
) -> list[CheckResult]:
    """The results of rules on a commit, by its clock or at a moment; nothing is remembered between two calls."""
    settings = past.desk.loaded.settings
    world = CommitWorld(past, find_baseline, moment)
    answers = _CompleteAnswers(world)
    try:
        engine = Engine(
            answers,
            scope,
            build_adjustments(settings, rules),
            fresh=True,
            heavy=frozenset(settings.check_run.blocking_severities),
            moment=moment or past.commit.moment,
        )
        results = engine.run(rules)
    finally:
        world.close()
    if answers.missing is not None:
        raise answers.missing
    return results


class _CompleteAnswers(Answers):
    """Answers from a commit that is here as a whole: what is missing is remembered, since no rule can judge by it."""

    missing: ObjectMissingError | None = None

    def ask(self, question: Question) -> object:
        try:
            return super().ask(question)
        except ObjectMissingError as missing:
            self.missing = self.missing or missing
            raise


def build_past_report(past: PastRepository, baseline: Baseline, request: CheckRequest) -> CheckReport:
    """All rules on a commit. Commands are not run there: each is listed as unknown, which is no pass."""
    _refuse_settings(past)
    infos = list_rules(past.desk, request, past.open_reader(0))
    chosen = {info.id for info in infos}
    rules = tuple(rule for rule in list_past_rules(past.desk) if rule.id in chosen)
    results = [_build_shown(one) for one in run_rules(past, rules, lambda: baseline, request.handoff)]
    results += [_build_not_run(info) for info in infos if info.system == COMMAND and _is_wanted(info, request)]
    verdict = build_verdict(results)
    return CheckReport(
        mode=request.moment.value if request.moment else "all",
        verdict="blocked" if verdict.blocked else "pass",
        passed=verdict.passed,
        total=verdict.total,
        warnings=verdict.warnings,
        results=sort_worst_first(sorted(results, key=lambda result: result.id)),
        baseline=baseline.commit,
        baseline_reason=baseline.reason,
        head=past.commit.id,
        repository=str(past.desk.repository.root),
        handoff=request.handoff,
        rules=infos,
    )


def _is_wanted(command: RuleInfo, request: CheckRequest) -> bool:
    return (not request.only or command.id in request.only) and command.id not in request.excluded


def _refuse_settings(past: PastRepository) -> None:
    """Nothing is checked by other settings than those of then, and it is said whose they are."""
    refused = past.desk.loaded.refused
    if refused is not None:
        at = past.commit.id[:SHORT_COMMIT]
        hint = f"They are in the commit, and not in the file of now: git show {at}:{REPOSITORY_FILE}"
        raise ConfigError(f"the settings of then, at {at}, cannot be used\n{refused.message}", hint)


def _build_not_run(command: RuleInfo) -> CheckResult:
    return CheckResult(
        id=command.id,
        outcome=Outcome.UNKNOWN,
        severity=command.severity,
        blocking=command.blocking,
        summary=f"it was not run: commands are not run on the past; `handoff-tui bisect {command.id}` runs it there",
    )


def _build_shown(result: CheckResult) -> CheckResult:
    """As it is shown of the past: what is in no commit is out of place there, and closes no gate."""
    changes: dict[str, object] = {"rerun_because": None}
    if is_undecidable(result):
        changes |= {"outcome": Outcome.NOT_APPLICABLE, "remedy": None}
    return result.model_copy(update=changes)


def choose_past_baseline(past: PastRepository, gates: PastGates | None) -> Baseline:
    """The last approved commit by the log of then; else where this line of work left the main one."""
    if gates is not None and not gates.index.verdict.fatal:
        approved = list_approved(past.desk, gates.index, gates.tree)
        commit = next((one.commit for one in approved if one.is_ancestor), None)
        if commit is not None:
            return Baseline(commit, "the last approved commit of this line of work")
    usual = choose_usual_baseline(past.desk)
    return usual if usual.commit is not None else Baseline(None, "none was approved by then; name one with --baseline")
