"""The decision dialog as pages and sentences: what is signed, what else is asked for, and what prevents signing."""

from __future__ import annotations

from typing import Final

from handoff_tui.core.short_id import SHORT_DIGEST, SHORT_ENTRY
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.decisions.pages.decide import add_evidence, add_key_grade, add_own_words, describe_threshold
from handoff_tui.decisions.pages.gate import add_decisions, add_fact, add_marked, add_state, add_subject, describe_place
from handoff_tui.decisions.views import DecisionView, GateView
from handoff_tui.live.state.app import DecisionPart, DecisionStage, Trouble
from handoff_tui.log.entry import NO_BASELINE, VETOES
from handoff_tui.status.inbox_item import HandoffKey, InboxItem

_BAR: Final = 24
_EFFECTS: Final = {
    "approve": "Lets the work go on.",
    "reject": "Sends the work back with your reason and comments.",
    "retry": "Has the same work done again, with your reason and comments.",
    "skip": "Skips this phase; the work goes on without it.",
    "override": "Lets the work go on although checks fail. The override stays on record until an approval settles it.",
    "hold": "Holds the work, for the reason given.",
    "withdraw": "Withdraws your last decision here.",
    "carry": "Carries your approval over to the rewritten history; the files are the same.",
}
_NEVER_UNDONE: Final = "A decision can be withdrawn, never deleted."


def build_dialog_title(part: DecisionPart) -> tuple[Cell, ...]:
    """Says what is being decided, and about what."""
    place = describe_place(part.view.gate.report) if part.view else render_safe(part.key.handoff)
    mark = ": signed" if part.stage is DecisionStage.STORED else "?"
    return (Cell(f"{part.verb.capitalize()}{mark}  ", "heading"), Cell(place, "accent"))


def build_dialog_page(part: DecisionPart, following: InboxItem | None = None, *, withdraw_key: str = "A") -> Page:
    """Shows what belongs to this stage; `following` is the next handoff that needs you."""
    page = Page()
    if part.stage is DecisionStage.STORED:
        _add_receipt(page, part, following, withdraw_key)
        return page
    _add_stage(page, part)
    if part.view is not None:
        _add_demands(page, part)
        _add_facts(page, part.view, describe_key_wait(part))
        _add_in_full(page, part.view)
    return page


def build_progress(part: DecisionPart) -> tuple[Cell, ...]:
    """Says how far the checks have come."""
    progress = part.progress
    if progress is None or not progress.total:
        return (Cell("Reading the work…", "muted"),)
    filled = _BAR * progress.done // progress.total
    bar = "█" * filled + "░" * (_BAR - filled)
    return (
        Cell(bar, "accent"),
        Cell(f" {progress.done} of {progress.total}"),
        Cell(f" · {render_safe(progress.current)}", "muted"),
    )


def find_obstacle(part: DecisionPart | None, reason: str, name: str) -> str:
    """Says what prevents signing now; empty if nothing does."""
    if part is None or part.stage is DecisionStage.PREPARING:
        return "the checks are still running"
    if part.stage is not DecisionStage.READY:
        return {
            DecisionStage.REFUSED: "this decision is refused",
            DecisionStage.MOVED: "something changed; look again first",
            DecisionStage.SIGNING: "it's being signed",
            DecisionStage.STORED: "it's already signed",
        }[part.stage]
    if part.needs_reason and not reason.strip():
        return f"{part.verb} needs a reason"
    if part.demands and name.strip() != part.key.handoff:
        return f"type {render_safe(part.key.handoff)} first"
    return ""


def describe_key_wait(part: DecisionPart) -> str:
    """Says what the key does besides signing, if anything."""
    if part.needs_terminal:
        return "the terminal asks for the key's passphrase"
    if part.view is not None and part.view.touch:
        return "touch the key when it blinks"
    return ""


def describe_dropped(number: int) -> str:
    """Names the keys that were pressed too early for this dialog."""
    return f"Ignored keys typed before this box appeared ({number})"


def describe_watch(part: DecisionPart | None) -> str:
    """Says what happens if something changes in the meantime."""
    if part is None or part.stage not in {DecisionStage.PREPARING, DecisionStage.READY}:
        return ""
    if part.verb in VETOES:
        return "This is about the work as you opened it, whatever is saved meanwhile."
    return "If its files or the log change, you can't sign until you look again."


def find_following(inbox: tuple[InboxItem, ...], decided: HandoffKey) -> InboxItem | None:
    """Finds the next handoff that needs you."""
    return next((item for item in inbox if item.needs_you and item.key != decided), None)


def _add_stage(page: Page, part: DecisionPart) -> None:
    match part.stage:
        case DecisionStage.PREPARING:
            page.line(Cell("Nothing is decided yet. Running the blocking checks and capturing the work.", "muted"))
            page.line(*build_progress(part))
        case DecisionStage.REFUSED:
            _add_trouble(page, "✗ Refused: ", "fail", part.trouble)
        case DecisionStage.MOVED:
            _add_trouble(page, "◆ Not signed, something changed: ", "waiting", part.trouble)
            page.line(Cell("What you saw before is below.", "muted"))
        case DecisionStage.SIGNING:
            page.line(Cell("● Signing… ", "waiting"), Cell(describe_key_wait(part), "muted"))
        case _:
            if part.trouble is not None:
                _add_trouble(page, "✗ Not signed: ", "fail", part.trouble)
            page.line(Cell(f"{_EFFECTS.get(part.verb, '')} {_NEVER_UNDONE}", "muted"))


def _add_trouble(page: Page, words: str, role: str, trouble: Trouble | None) -> None:
    if trouble is None:
        page.line(Cell(words, role))
        return
    page.line(Cell(words, role), Cell(render_safe(trouble.message)), indent=4)
    if trouble.hint:
        page.line(Cell(f"  {render_safe(trouble.hint)}", "muted"), indent=4)


def _add_demands(page: Page, part: DecisionPart) -> None:
    """Lists what is unusual, each with where to look; scrolling hides none of it."""
    for demand in part.demands:
        detail = (Cell(f"  {render_safe(demand.detail)}", "muted"),) if demand.detail else ()
        page.line(Cell("! ", "warning"), Cell(render_safe(demand.text), "warning"), *detail, indent=4)
    if part.view is not None:
        for note in part.view.notes:
            page.line(Cell("! ", "warning"), Cell(render_safe(note), "warning"), indent=4)


def _add_facts(page: Page, view: DecisionView, wait: str) -> None:
    """Lists everything that is signed, in short form; the full values follow further down."""
    gate = view.gate
    subject = gate.subject
    uncommitted = ", includes uncommitted changes" if gate.uncommitted else ""
    add_fact(page, "commit", f"{subject.commit[:SHORT_DIGEST]}   tree {subject.tree[:SHORT_DIGEST]}{uncommitted}")
    add_fact(page, "baseline", _describe_baseline(gate))
    warned = f", {plural(gate.warnings, 'warning')}" if gate.warnings else ""
    add_fact(page, "checks", f"{gate.checks_passed} of {gate.checks_total} pass{warned}, just run")
    over = view.verb in {"override", "skip"}
    for check in gate.failing:
        add_marked(page, Cell("✗ ", "fail"), f"{check} fails" + (" and is overridden" if over else ""))
    add_evidence(page, view.record)
    add_own_words(page, view)
    add_fact(page, "policy", f"{view.policy[:SHORT_ENTRY]}…  {describe_threshold(gate.report)}")
    add_fact(page, "signer", f"{view.principal} ({view.key_source})")
    add_fact(page, "key", view.keyid)
    add_key_grade(page, view)
    if wait:
        add_fact(page, "", wait)
    add_decisions(page, gate.report)


def _describe_baseline(gate: GateView) -> str:
    reason = gate.baseline_reason
    if gate.subject.baseline == NO_BASELINE:
        return f"none: {reason.removeprefix('no baseline: ')}"
    return f"{gate.subject.baseline[:SHORT_DIGEST]}  {reason}"


def _add_in_full(page: Page, view: DecisionView) -> None:
    page.heading("In full", "what the signature covers")
    add_subject(page, view.gate)
    add_fact(page, "review", view.review)
    add_fact(page, "policy", view.policy)
    add_fact(page, "subject", view.gate.digest)


def _add_receipt(page: Page, part: DecisionPart, following: InboxItem | None, withdraw_key: str) -> None:
    page.line(Cell("✓ Signed  ", "pass"), Cell((part.entry or "")[:SHORT_ENTRY], "heading"))
    page.line(Cell(part.entry or "", "muted"))
    page.blank()
    if part.gate is not None:
        add_state(page, part.gate.report)
    page.blank()
    page.line(Cell("Commit and push .handoff-tui/ so that others see the decision.", "muted"))
    page.line(Cell(withdraw_key, "key"), Cell(" in the app withdraws it with another signed entry.", "muted"))
    if following is None:
        page.line(Cell("Nothing else needs you.", "muted"))
    else:
        waits = f"{following.key.handoff} in {following.phase or 'its phase'}"
        page.line(Cell("next      ", "muted"), Cell(f"{render_safe(waits)} needs you"), Cell("  ↵ opens it", "key"))
