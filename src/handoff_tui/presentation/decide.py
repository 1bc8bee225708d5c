"""A decision before and after it is signed: the page that is confirmed, the receipt as a page and as JSON."""

from __future__ import annotations

from handoff_tui.models.gate_state import GateReport
from handoff_tui.models.gate_view import DecisionView, GateView
from handoff_tui.models.log_record import Entry
from handoff_tui.models.review_record import ReviewRecord
from handoff_tui.presentation.gate import (
    SHORT_ID,
    add_decisions,
    add_fact,
    add_state,
    add_subject,
    build_gate_json,
    describe_place,
)
from handoff_tui.presentation.labels import plural
from handoff_tui.presentation.page import Cell, Page
from handoff_tui.presentation.safe_text import render_safe, render_safe_lines

SCHEMA = "handoff-tui/decide/v1"
_MOST_CLAIMS = 3
_MOST_WARNED = 5
_DIFFERENCES = {
    "files": "changed files",
    "unexplained": "unexplained drops",
    "newly_failing": "newly failing",
    "vanished_tests": "vanished tests",
    "newly_skipped": "newly skipped tests",
}


def build_receipt_json(entry: Entry, view: GateView) -> dict[str, object]:
    """What was stored, and how the gate stands with it."""
    return {
        "schema": SCHEMA,
        "entry": entry.id,
        "decision": entry.decision.verb.value if entry.decision else None,
        "actor": entry.actor,
        "time": entry.time,
        "gate": build_gate_json(view),
    }


def build_receipt_page(entry: Entry, view: GateView) -> Page:
    page = Page()
    page.line(Cell("✓ stored  ", "pass"), Cell(entry.id))
    add_state(page, view.report)
    page.line(Cell("commit .handoff-tui/ and push it, so that others see the decision", "muted"))
    return page


def build_decision_page(view: DecisionView) -> Page:
    """Exactly what will be signed; what matters most stands last, next to the question."""
    page = Page()
    report = view.gate.report
    page.line(Cell(f"{view.verb}  ", "heading"), Cell(describe_place(report), "heading"))
    add_subject(page, view.gate)
    _add_evidence(page, view.record)
    add_fact(page, "handoff", view.gate.subject.handoff)
    add_fact(page, "review", view.review)
    add_fact(page, "policy", f"{view.policy[:SHORT_ID]}…, {_describe_threshold(report)}")
    add_fact(page, "subject", view.gate.digest)
    add_decisions(page, report)
    page.blank()
    _add_own_words(page, view)
    touch = "; it waits to be touched" if view.touch else ""
    add_fact(page, "signed by", f"{view.principal} with {view.keyid} ({view.key_source}){touch}")
    for note in view.notes:
        page.line(Cell("! ", "warning"), Cell(render_safe(note), "warning"), indent=2)
    if view.verb == "override":
        over = ", ".join(view.gate.failing) or "no failing check"
        page.line(
            Cell("! ", "warning"), Cell(f"goes over {render_safe(over)}; a debt until settled", "warning"), indent=2
        )
    return page


def build_question(view: DecisionView) -> str:
    """One word, written out: nobody answers this by accident."""
    place = describe_place(view.gate.report)
    return f"Type {view.verb} to sign this ({place}), anything else to leave it: "


def _add_evidence(page: Page, record: ReviewRecord) -> None:
    """The summary that goes into the review record: warnings, claims, differences."""
    warned = [one for one in record.checks if not one.blocking and one.outcome not in {"pass", "not-applicable"}]
    for check in warned[:_MOST_WARNED]:
        page.line(
            Cell(" " * 10), Cell("! ", "warning"), Cell(render_safe(f"{check.id}: {check.summary}", 200)), indent=12
        )
    if len(warned) > _MOST_WARNED:
        page.line(Cell(f"{'':10}and {plural(len(warned) - _MOST_WARNED, 'more warning')}", "muted"), indent=12)
    counts = [f"{number:,} {state}" for state, number in record.claims.items() if number]
    add_fact(page, "claims", ", ".join(counts) or "none")
    for claim in record.contradicted[:_MOST_CLAIMS]:
        words = render_safe(f"{claim.text} ({claim.where})", 200)
        page.line(Cell(" " * 10), Cell("✗ ", "contradicted"), Cell(words), indent=12)
    if len(record.contradicted) > _MOST_CLAIMS:
        page.line(Cell(f"{'':10}and {len(record.contradicted) - _MOST_CLAIMS} more", "muted"), indent=12)
    if record.differences:
        shown = (f"{number:,} {_DIFFERENCES.get(name, name)}" for name, number in record.differences.items())
        add_fact(page, "since then", ", ".join(shown))


def _add_own_words(page: Page, view: DecisionView) -> None:
    """What the reviewer wrote themselves, whole."""
    if view.reason:
        first, *rest = render_safe_lines(view.reason)
        add_fact(page, "reason", first)
        for line in rest:
            add_fact(page, "", line)
    for number, comment in enumerate(view.record.comments):
        first, *rest = render_safe_lines(f"{comment.place}: {comment.text}" if comment.path else comment.text)
        add_fact(page, "" if number else "remarks", first)
        for line in rest:
            add_fact(page, "", line)
    if view.record.viewed:
        add_fact(page, "read", ", ".join(view.record.viewed))
    for identifier in view.regards:
        add_fact(page, "regards", identifier)


def _describe_threshold(report: GateReport) -> str:
    needed = f"{report.threshold} needed"
    return needed if report.requirement is None else f"{needed}, among them {report.requirement}"
