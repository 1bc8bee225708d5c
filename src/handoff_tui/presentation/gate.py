"""A gate and a decision: as public JSON shapes, and as pages."""

from __future__ import annotations

from handoff_tui.models.gate_state import Approval, GateReport
from handoff_tui.models.gate_view import DecisionView, GateView
from handoff_tui.models.log_record import NO_BASELINE, Entry
from handoff_tui.presentation.labels import label_gate, plural
from handoff_tui.presentation.page import Cell, Column, Page
from handoff_tui.presentation.safe_text import render_safe

SCHEMA = "handoff-tui/gate/v1"
DECIDE_SCHEMA = "handoff-tui/decide/v1"
_SHORT_ID = 19
_SHORT = 12


def build_gate_json(view: GateView) -> dict[str, object]:
    """The shape promised to scripts."""
    report = view.report
    return {
        "schema": SCHEMA,
        "handoff": report.handoff,
        "phase": report.phase,
        "attempt": report.attempt,
        "state": report.state.value,
        "why": list(report.why),
        "subject": {"digest": view.digest, **view.subject.model_dump()},
        "threshold": report.threshold,
        "requirement": report.requirement,
        "approvals": [approval.model_dump(mode="json") for approval in report.approvals],
        "debts": list(report.debts),
        "policy": report.policy,
        "producers": list(view.producers),
        "checks": {"passed": view.checks_passed, "total": view.checks_total, "failing": list(view.failing)},
        "uncommitted": view.uncommitted,
    }


def build_receipt_json(entry: Entry, view: GateView) -> dict[str, object]:
    """What was stored, and how the gate stands with it."""
    return {
        "schema": DECIDE_SCHEMA,
        "entry": entry.id,
        "decision": entry.decision.verb.value if entry.decision else None,
        "actor": entry.actor,
        "time": entry.time,
        "gate": build_gate_json(view),
    }


def build_gate_page(view: GateView) -> Page:
    """The state, why, who decided what, and the digest that a decision without a terminal spells out."""
    page = Page()
    _add_state(page, view.report)
    _add_subject(page, view)
    if view.report.approvals:
        page.heading("Decisions")
        columns = (Column(""), Column("who"), Column("decision"), Column("when"), Column("why not", fold=True))
        page.grid(columns, [_build_row(approval) for approval in view.report.approvals])
    for debt in view.report.debts:
        page.line(
            Cell("! ", "warning"), Cell(f"the override {debt[:_SHORT_ID]} is not settled yet", "warning"), indent=2
        )
    return page


def build_decision_page(view: DecisionView) -> Page:
    """Exactly what will be signed."""
    page = Page()
    report = view.gate.report
    page.line(Cell(f"{view.verb}  ", "heading"), Cell(render_safe(report.handoff), "heading"))
    _add_subject(page, view.gate)
    _add_fact(page, "policy", f"{view.policy[:_SHORT_ID]}, {_describe_threshold(report)}")
    touch = ", and waits to be touched" if view.touch else ""
    _add_fact(page, "signed by", f"{view.principal} with {view.keyid} ({view.key_source}){touch}")
    if view.reason:
        _add_fact(page, "reason", view.reason)
    if view.comments:
        _add_fact(page, "remarks", plural(view.comments, "remark"))
    for identifier in view.regards:
        _add_fact(page, "regards", identifier[:_SHORT_ID])
    for note in view.notes:
        page.line(Cell("! ", "warning"), Cell(render_safe(note)), indent=2)
    if view.verb == "override":
        page.line(
            Cell("! ", "warning"), Cell(f"goes over {', '.join(view.gate.failing) or 'no failing check'}"), indent=2
        )
    return page


def build_receipt_page(entry: Entry, view: GateView) -> Page:
    page = Page()
    page.line(Cell("stored ", "pass"), Cell(entry.id))
    _add_state(page, view.report)
    page.line(Cell("commit .handoff-tui/ and push it, so that others see the decision", "muted"))
    return page


def _add_state(page: Page, report: GateReport) -> None:
    label = label_gate(report.state)
    place = f"{report.handoff} · {report.phase} · attempt {report.attempt}"
    page.line(Cell(f"{label.glyph} {label.word}  ", label.role), Cell(render_safe(place), "heading"))
    for reason in report.why:
        page.line(Cell("  "), Cell(render_safe(reason)), indent=4)


def _add_subject(page: Page, view: GateView) -> None:
    subject, report = view.subject, view.report
    page.blank()
    _add_fact(page, "phase", f"{report.phase}, attempt {report.attempt}")
    _add_fact(page, "commit", subject.commit)
    dirty = "; uncommitted work is in the snapshot only" if view.uncommitted else ""
    _add_fact(page, "tree", subject.tree + dirty)
    known = "none" if subject.baseline == NO_BASELINE else subject.baseline[:_SHORT]
    _add_fact(page, "baseline", f"{known}: {view.baseline_reason}")
    _add_fact(page, "snapshot", subject.snapshot)
    _add_fact(page, "checks", f"{view.checks_passed} of {view.checks_total} pass, {subject.checks[:_SHORT]}")
    for check in view.failing:
        page.line(Cell("    ✗ ", "fail"), Cell(f"{check} blocks", "fail"), indent=6)
    _add_fact(page, "made by", ", ".join(view.producers) or "nobody is named")
    _add_fact(page, "subject", view.digest)


def _add_fact(page: Page, name: str, value: str) -> None:
    page.line(Cell(f"{name:<10}", "muted"), Cell(render_safe(value)), indent=10)


def _describe_threshold(report: GateReport) -> str:
    needed = f"{report.threshold} needed"
    return needed if report.requirement is None else f"{needed}, among them {report.requirement}"


def _build_row(approval: Approval) -> tuple[Cell, ...]:
    mark = Cell("✓", "pass") if approval.counted else Cell("·", "muted")
    return (
        mark,
        Cell(render_safe(approval.principal)),
        Cell(approval.verb),
        Cell(approval.time, "muted"),
        Cell(render_safe(approval.why), "muted"),
    )
