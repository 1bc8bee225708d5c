"""A decision before and after it is signed: the page that is confirmed, the receipt as a page and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from handoff_tui.checks.report import CLOSED
from handoff_tui.core.text.labels import describe_verdict_count, name_some, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe, render_safe_lines
from handoff_tui.decisions.pages.gate import (
    add_decisions,
    add_marked,
    add_state,
    add_subject,
    build_gate_json,
    describe_place,
)
from handoff_tui.decisions.views import DecisionView, ExtraConfirmation, GateView
from handoff_tui.log.entry import Entry
from handoff_tui.log.gates.gate_state import GateReport
from handoff_tui.log.review_record import ReviewRecord

if TYPE_CHECKING:
    from handoff_tui.decisions.extra_confirmations import NoticedFiles

SCHEMA = "handoff-tui/decide/v1"
_MOST_CLAIMS = 3
_MOST_FILES = 5
_MOST_WARNED = 5
_DIFFERENCES = {
    "files": "changed file",
    "unexplained": "unexplained drop",
    "newly_failing": "new failure",
    "vanished_tests": "vanished test",
    "newly_skipped": "newly skipped test",
}


def build_receipt_json(entry: Entry, view: GateView) -> dict[str, object]:
    """Builds what was stored, and the gate with it."""
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
    page.line(Cell("Commit and push .handoff-tui/, so that others see the decision", "muted"))
    return page


def build_decision_page(
    view: DecisionView, demands: Sequence[ExtraConfirmation] = (), noticed: Sequence[NoticedFiles] = ()
) -> Page:
    """Builds exactly what will be signed; what matters most comes last, next to the question."""
    page = Page()
    report = view.gate.report
    page.line(Cell(f"{view.verb}  ", "heading"), Cell(describe_place(report), "heading"))
    add_subject(page, view.gate)
    add_evidence(page, view.record)
    page.fact("review", view.review)
    page.fact("policy", view.policy)
    page.fact("", describe_threshold(report))
    page.fact("subject", view.gate.digest)
    add_decisions(page, report)
    page.blank()
    add_own_words(page, view)
    page.fact("signer", view.principal)
    touch = "; touch it to sign" if view.touch else ""
    page.fact("", f"{view.keyid} ({view.key_source}){touch}")
    add_key_grade(page, view)
    for files in noticed:
        _add_warning(page, f"{files.text}: {name_some(files.paths, _MOST_FILES)}")
    for demand in demands:
        _add_warning(page, f"{demand.text}: {demand.detail}" if demand.detail else demand.text)
    for note in view.notes:
        _add_warning(page, note)
    if view.verb == "override":
        overridden = render_safe(", ".join(view.gate.failing) or "no failing check")
        words = f"overrides {overridden}; stays on record until an approval settles it"
        page.warn(words, "warning")
    return page


def _add_warning(page: Page, text: str) -> None:
    page.warn(text, "warning")


def add_key_grade(page: Page, view: DecisionView) -> None:
    """Says how well the key is protected; a weak grade stands out."""
    grade = view.key_grade
    if grade.is_weak:
        add_marked(page, Cell("! ", "warning"), grade.words)
    else:
        page.fact("", grade.words)


def build_question(view: DecisionView) -> str:
    """Asks for the handoff's id, written out: nobody answers this by accident, nor for another handoff."""
    report = view.gate.report
    place = f"{report.phase}, attempt {report.attempt}"
    return f"Type {report.handoff} to {view.verb} it ({place}), anything else to cancel: "


def add_evidence(page: Page, record: ReviewRecord) -> None:
    """Adds the summary that goes into the review record: warnings, claims, differences."""
    warned = [one for one in record.checks if not one.blocking and one.outcome not in CLOSED]
    for check in warned[:_MOST_WARNED]:
        add_marked(page, Cell("! ", "warning"), f"{check.id}: {check.summary}")
    _add_rest(page, len(warned) - _MOST_WARNED)
    add_claims(page, record)
    add_differences(page, record)


def add_claims(page: Page, record: ReviewRecord) -> None:
    """Adds how many claims hold, and the false ones."""
    found = [(state, number) for state, number in record.claims.items() if number]
    counts = [describe_verdict_count(number, state.replace("_", "-")) for state, number in found]
    page.fact("claims", ", ".join(counts) or "none")
    for claim in record.contradicted[:_MOST_CLAIMS]:
        add_marked(page, Cell("✗ ", "contradicted"), f"{claim.text} ({claim.where})")
    _add_rest(page, len(record.contradicted) - _MOST_CLAIMS)


def add_differences(page: Page, record: ReviewRecord) -> None:
    """Adds what differs from the baseline; that is about every handoff since then."""
    if record.differences:
        shown = [plural(number, _DIFFERENCES.get(name, name)) for name, number in record.differences.items() if number]
        page.fact("changes", f"{', '.join(shown) or 'none'}, since the baseline, in all handoffs")


def _add_rest(page: Page, number: int) -> None:
    if number > 0:
        page.fact("", f"and {number:,} more")


def add_own_words(page: Page, view: DecisionView) -> None:
    """Adds everything that the reviewer wrote."""
    if view.reason:
        _add_lines(page, "reason", view.reason)
    for number, comment in enumerate(view.record.comments):
        _add_lines(page, "" if number else "comments", comment.words)
    if view.record.viewed:
        page.fact("read", ", ".join(view.record.viewed))
    for number, identifier in enumerate(view.referenced_entries):
        page.fact("" if number else "regards", identifier)


def _add_lines(page: Page, name: str, text: str) -> None:
    """Adds several lines of one text; all but the first are indented, so that texts stay apart."""
    first, *rest = render_safe_lines(text)
    page.fact(name, first)
    for line in rest:
        page.fact("", f"  {line}")


def describe_threshold(report: GateReport) -> str:
    needed = f"needs {plural(report.threshold, 'reviewer')}"
    return needed if report.requirement is None else f"{needed}, among them {report.requirement}"
