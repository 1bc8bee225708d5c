"""What the rules say of a commit: all of them, or one, on its tree and with the clock of its committer."""

from __future__ import annotations

from collections.abc import Callable

from handoff_tui.checks.contract import Rule
from handoff_tui.checks.engine import Engine
from handoff_tui.checks.inputs import Inputs
from handoff_tui.checks.registry import RULES
from handoff_tui.checks.verdict import build_verdict
from handoff_tui.models.check_report import CheckReport, sort_worst_first
from handoff_tui.models.check_result import CheckResult, Outcome
from handoff_tui.review.adjustments import build_adjustments
from handoff_tui.review.approved import list_approved
from handoff_tui.review.baseline import Baseline, choose_usual_baseline
from handoff_tui.review.check import CheckRequest, list_rules
from handoff_tui.review.desk import Desk
from handoff_tui.review.functions import load_functions
from handoff_tui.review.travel_desk import PastDesk
from handoff_tui.review.travel_log import GatesThen
from handoff_tui.review.travel_world import CommitWorld, is_untold, suit_rules

COMMAND = "command"


def list_suited_rules(desk: Desk) -> tuple[Rule, ...]:
    """Every rule, as it judges a commit."""
    return suit_rules((*RULES, *load_functions(desk)))


def run_rules(
    past: PastDesk, rules: tuple[Rule, ...], find_baseline: Callable[[], Baseline], scope: str | None = None
) -> list[CheckResult]:
    """The results of rules on a commit; nothing is remembered between two calls."""
    settings = past.desk.loaded.settings
    world = CommitWorld(past, find_baseline)
    try:
        engine = Engine(
            Inputs(world),
            scope,
            build_adjustments(settings, rules),
            fresh=True,
            heavy=frozenset(settings.check_run.blocking_severities),
            moment=past.commit.moment,
        )
        return engine.run(rules)
    finally:
        world.close()


def build_report(past: PastDesk, baseline: Baseline, request: CheckRequest) -> CheckReport:
    """All rules on a commit. Commands are not run, so a verdict here is one of the rules alone."""
    past.desk.loaded.refuse_judging()
    infos = tuple(info for info in list_rules(past.desk, request) if info.system != COMMAND)
    chosen = {info.id for info in infos}
    rules = tuple(rule for rule in list_suited_rules(past.desk) if rule.id in chosen)
    results = [_build_shown(one) for one in run_rules(past, rules, lambda: baseline, request.handoff)]
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


def _build_shown(result: CheckResult) -> CheckResult:
    """As it is shown of the past: what is in no commit is out of place there, and closes no gate."""
    changes: dict[str, object] = {"rerun_because": None}
    if is_untold(result):
        changes |= {"outcome": Outcome.NOT_APPLICABLE, "remedy": None}
    return result.model_copy(update=changes)


def choose_baseline_then(past: PastDesk, gates: GatesThen | None) -> Baseline:
    """The last approved commit by the log of then; else where this line of work left the main one."""
    if gates is not None and not gates.index.verdict.fatal:
        approved = list_approved(past.desk, gates.index, gates.tree)
        commit = next((one.commit for one in approved if one.is_ancestor), None)
        if commit is not None:
            return Baseline(commit, "the last approved commit of this line of work")
    usual = choose_usual_baseline(past.desk)
    return usual if usual.commit is not None else Baseline(None, "none was approved by then; name one with --baseline")
