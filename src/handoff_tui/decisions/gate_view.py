"""What is examined and prepared, as values that can be shown."""

from __future__ import annotations

from handoff_tui.decisions.decide import Prepared
from handoff_tui.decisions.examine import Examined
from handoff_tui.decisions.values.gate_view import DecisionView, GateView


def build_gate_view(examined: Examined) -> GateView:
    return GateView(
        report=examined.gate,
        digest=examined.digest,
        subject=examined.target.subject,
        baseline_reason=examined.baseline.reason,
        checks_passed=examined.report.passed,
        checks_total=examined.report.total,
        failing=examined.target.failing,
        warnings=examined.report.warnings,
        producers=tuple(sorted(examined.target.producers)),
        uncommitted=examined.uncommitted,
    )


def build_decision_view(prepared: Prepared) -> DecisionView:
    signing = prepared.signing
    return DecisionView(
        gate=build_gate_view(prepared.examined),
        verb=prepared.verb.value,
        reason=prepared.reason or "",
        regards=prepared.regards,
        record=prepared.record,
        review=prepared.review,
        principal=signing.principal,
        keyid=signing.keyid,
        key_source=signing.key.source.value,
        touch=signing.key.needs_touch,
        policy=prepared.examined.index.verdict.policy or "",
        notes=prepared.warnings,
    )
