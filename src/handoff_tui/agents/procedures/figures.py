"""Runs of procedures, counted by procedure and by rule. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from handoff_tui.agents.procedures.report import (
    ProcedureFigures,
    ProcedureRun,
    ProcedureState,
    RuleFigures,
    TryKind,
    TypeFigures,
)
from handoff_tui.core.work import Severity


def build_figures(runs: Sequence[ProcedureRun]) -> ProcedureFigures:
    """A run whose record cannot be read is counted nowhere: nobody knows what it was."""
    known = [run for run in runs if run.request is not None]
    names = sorted({run.request.procedure for run in known if run.request is not None})
    return ProcedureFigures(
        types=tuple(
            _count_type(name, [run for run in known if run.request is not None and run.request.procedure == name])
            for name in names
        ),
        rules=_count_rules(known),
    )


def _count_type(name: str, runs: Sequence[ProcedureRun]) -> TypeFigures:
    taken = [run.seconds for run in runs if run.seconds is not None]
    return TypeFigures(
        procedure=name,
        runs=len(runs),
        completed=sum(run.state is ProcedureState.COMPLETED for run in runs),
        rolled_back=sum(run.rolled_back for run in runs),
        failed=sum(run.state is ProcedureState.FAILED for run in runs),
        open=sum(not run.finished for run in runs),
        mean_seconds=sum(taken) / len(taken) if taken else None,
    )


def _count_rules(runs: Iterable[ProcedureRun]) -> tuple[RuleFigures, ...]:
    """Every judgement counts, further tries among them: each was a validation."""
    judged: dict[str, list[bool]] = {}
    severities: dict[str, Severity] = {}
    for run in runs:
        for rule in run.plan.rules if run.plan else ():
            severities[rule.id] = rule.severity
        for one in run.tries:
            if one.kind is TryKind.RULE:
                judged.setdefault(one.name, []).append(one.passed)
    return tuple(
        RuleFigures(rule=rule, severity=severities.get(rule), judged=len(found), held=sum(found))
        for rule, found in sorted(judged.items())
    )
