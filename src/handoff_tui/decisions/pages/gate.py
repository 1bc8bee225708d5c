"""A gate: as the public JSON shape, and as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handoff_tui.core.short_id import SHORT_ENTRY
from handoff_tui.core.text.labels import label_gate, plural
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.decisions.views import GateView
from handoff_tui.log.entry import ANCHOR_HINT, NO_BASELINE, NOT_ANCHORED, Entry
from handoff_tui.log.gates.gate_state import Approval, GateReport

if TYPE_CHECKING:  # a page must not load the checks
    from handoff_tui.decisions.correct_scope import ScopeInForce

SCHEMA = "handoff-tui/gate/v1"
_MOST_NAMED = 10
_AGAINST = frozenset({"reject", "retry", "hold"})
_LONGEST_LINE = 200
_NO_BASELINE_WORDS = "no baseline: "
_NO_START = "before the first commit"
SUBMIT_SCHEMA = "handoff-tui/submit/v1"


def build_gate_json(view: GateView) -> dict[str, object]:
    """Builds the JSON promised to scripts."""
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
        "baseline_reason": view.baseline_reason,
        "checks": {
            "passed": view.checks_passed,
            "total": view.checks_total,
            "failing": list(view.failing),
            "warnings": view.warnings,
        },
        "against": list(view.against),
        "uncommitted": view.uncommitted,
        "anchored": view.anchored,
    }


def build_gate_page(view: GateView) -> Page:
    """Builds the state, why, who decided what, and the digest for deciding without a terminal."""
    page = Page()
    add_state(page, view.report)
    add_anchor(page, view)
    page.blank()
    add_subject(page, view)
    page.fact("subject", view.digest)
    add_decisions(page, view.report)
    return page


def add_state(page: Page, report: GateReport) -> None:
    """Adds the state and every reason for it."""
    label = label_gate(report.state)
    page.line(Cell(f"{label.glyph} {label.word}  ", label.role), Cell(describe_place(report), "heading"))
    for reason in report.why:
        page.line(Cell("  "), Cell(render_safe(reason)), indent=4)


def add_anchor(page: Page, view: GateView) -> None:
    """Adds a warning if nothing vouches for the log."""
    if not view.anchored:
        page.warn(f"{NOT_ANCHORED}. {ANCHOR_HINT}", "warning")


def describe_place(report: GateReport) -> str:
    return render_safe(f"{report.handoff} · {report.phase} · attempt {report.attempt}")


def add_subject(page: Page, view: GateView) -> None:
    """Adds what a decision is bound to, and what to know about it."""
    subject = view.subject
    page.fact("commit", subject.commit)
    page.fact("tree", subject.tree)
    page.fact("scope", subject.scope + (", with uncommitted changes" if view.uncommitted else ""))
    page.fact("start", _NO_START if not subject.start.strip("0") else subject.start)
    if subject.baseline != NO_BASELINE:
        page.fact("baseline", subject.baseline)
        page.fact("", view.baseline_reason)
    else:
        page.fact("baseline", f"none: {view.baseline_reason.removeprefix(_NO_BASELINE_WORDS)}")
    if subject.snapshot:
        page.fact("snapshot", subject.snapshot)
    page.fact("handoff", subject.handoff)
    page.fact("checks", subject.checks)
    warned = f", {plural(view.warnings, 'warning')}" if view.warnings else ""
    page.fact("", f"{view.checks_passed} of {view.checks_total} pass{warned}")
    for check in view.failing[:_MOST_NAMED]:
        add_marked(page, Cell("✗ ", "fail"), f"{check} blocks")
    if len(view.failing) > _MOST_NAMED:
        page.fact("", f"and {len(view.failing) - _MOST_NAMED} more")
    for number, reason in enumerate(view.against[:_MOST_NAMED]):
        page.fact("" if number else "against", reason)
    page.fact("made by", ", ".join(view.producers) or "nobody is named")


def add_decisions(page: Page, report: GateReport) -> None:
    """Adds who has decided what here, counted or not, and the open overrides."""
    if report.approvals:
        page.heading("Decisions")
        columns = (Column(""), Column("who"), Column("decided"), Column("on"), Column("why not", fold=True))
        page.grid(columns, [_build_row(approval) for approval in report.approvals])
    for debt in report.debts:
        words = f"the override {debt[:SHORT_ENTRY]}… is open: no approval has settled it"
        page.warn(words, "warning")


def add_marked(page: Page, mark: Cell, text: str) -> None:
    """Adds one of several things below a fact, with its own glyph."""
    page.line(Cell(" " * page.names), mark, Cell(render_safe(text, _LONGEST_LINE)), indent=page.names + len(mark.text))


def _find_mark(approval: Approval) -> Cell:
    """Marks a decision as counted, against it, or without effect."""
    if approval.counted:
        return Cell("✓", "pass")
    return Cell("✗", "fail") if approval.verb in _AGAINST and not approval.why else Cell("·", "muted")


def _build_row(approval: Approval) -> tuple[Cell, ...]:
    return (
        _find_mark(approval),
        Cell(render_safe(approval.principal)),
        Cell(f"{approval.verb}, solo" if approval.solo else approval.verb),
        Cell(approval.time, "muted"),
        Cell(render_safe(approval.why), "muted"),
    )


def build_submit_json(view: GateView, entry: Entry | None, stated: ScopeInForce | None = None) -> dict[str, object]:
    """`scope` is null unless somebody stated it."""
    scope = None
    if stated is not None:
        scope = {**stated.correction.scope.model_dump(mode="json"), "written": stated.written}
    return {
        "schema": SUBMIT_SCHEMA,
        "entry": entry.id if entry else None,
        "gate": build_gate_json(view),
        "scope": scope,
    }


def build_submit_page(view: GateView, entry: Entry | None, stated: ScopeInForce | None = None) -> Page:
    page = build_gate_page(view)
    page.blank()
    if stated is not None:
        _add_stated(page, stated)
    if entry is None:
        words = "handed over without a signature" + ("" if stated and stated.written else "; nothing was written")
        page.line(Cell(words, "muted"))
    else:
        page.line(Cell("handed over ", "pass"), Cell(entry.id))
    page.line(Cell(f"next: handoff-tui wait {view.report.handoff}", "muted"))
    return page


def _add_stated(page: Page, stated: ScopeInForce) -> None:
    only_here = "The scope counts for this run only; --write puts it into handoff-tui.toml:"
    page.line(Cell("The scope is in handoff-tui.toml now; commit it:" if stated.written else only_here))
    for line in stated.correction.table.splitlines():
        page.line(Cell(f"  {render_safe(line)}", "key"))
