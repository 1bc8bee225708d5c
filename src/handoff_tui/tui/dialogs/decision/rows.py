"""The decision dialog as pages and sentences: what is signed, what else is asked for, and what prevents signing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from handoff_tui.checks.problems import name_finding
from handoff_tui.checks.report import CLOSED
from handoff_tui.core.errors import UsageError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.decisions.pages.decide import (
    add_claims,
    add_differences,
    add_key_grade,
    add_own_words,
    describe_threshold,
)
from handoff_tui.decisions.pages.gate import add_decisions, add_state, add_subject
from handoff_tui.decisions.views import DecisionView, GateView
from handoff_tui.live.state.app import DecisionPart, DecisionStage, Trouble
from handoff_tui.log.entry import CLOSING, NO_BASELINE
from handoff_tui.log.review_record import ShownCheck
from handoff_tui.status.inbox_item import HandoffKey, InboxItem, ReviewProblem
from handoff_tui.tui.chrome import shorten_id

_BAR: Final = 24
EFFECTS: Final = {
    "approve": "Lets {name} go on{onward}.",
    "reject": "Sends {name} back, with your reason and comments.",
    "retry": "Asks for another attempt at {name}, with your reason and comments.",
    "skip": "Skips {phase} for {name}; the work goes on without it.",
    "override": "Lets {name} go on{onward} although checks fail. It stays on record until an approval settles it.",
    "hold": "Holds {name} until you decide otherwise.",
    "withdraw": "Withdraws your last decision on {name}.",
    "carry": "Carries your approval of {name} over to rewritten history.",
}
"""What each decision does, in one sentence."""
VERB_WORDS: Final = {"reject": "send back", "carry": "carry over"}
"""The verbs whose name in the app is another one."""
_COMMAND = compile_later(r"`|handoff-tui ")
"""A command line; the keys below lead on instead."""
_MOST_NAMED: Final = 4
_NEVER_UNDONE: Final = "It can be withdrawn, never deleted."


def describe_effect(verb: str, name: str, phase: str = "this phase", onward: str = "") -> str:
    """Says what signing does; `onward` is the phase that comes next, if it is known."""
    to = f" to {onward}" if onward else ""
    return EFFECTS.get(verb, "").format(name=name, phase=phase, onward=to)


def build_dialog_title(part: DecisionPart, title: str = "") -> tuple[Cell, ...]:
    """Says what is being decided, and about what, with the title of the work."""
    report, name = part.view.gate.report if part.view else None, shorten_id(part.key.handoff)
    place = render_safe(f"{name} · {report.phase} · attempt {report.attempt}" if report is not None else name)
    mark = ": signed" if part.stage is DecisionStage.STORED else "?"
    verb = Cell(f"{name_verb(part.verb).capitalize()}{mark}  ", "heading")
    return (verb, Cell(place, "accent"), Cell(f"  {render_safe(title)}" if title else ""))


def name_verb(verb: str) -> str:
    """A decision's verb as the app says it."""
    return VERB_WORDS.get(verb, verb)


def build_dialog_page(
    part: DecisionPart,
    following: InboxItem | None = None,
    *,
    problems: Sequence[ReviewProblem] = (),
    withdraw_key: str = "u",
    digests: bool = False,
    tour: bool = False,
) -> Page:
    """Shows what belongs to this stage; `following` is the next handoff that needs you. Digests come on request.

    `problems` are the root causes that are known: of checks that fail over one of them only the cause is told.
    """
    page = Page()
    if part.stage is DecisionStage.STORED:
        _add_receipt(page, part, following, withdraw_key, tour=tour)
        return page
    _add_stage(page, part, problems)
    if part.view is not None:
        _add_demands(page, part, problems)
        _add_facts(page, part.view, describe_key_wait(part))
        if digests:
            add_differences(page, part.view.record)
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
        return "give a reason"
    if refusal := _refuse_reason(part.verb, reason):
        return refusal
    if part.asks_name and name.strip() != part.key.handoff:
        return f"type {render_safe(part.key.handoff)} first"
    return ""


def _refuse_reason(verb: str, reason: str) -> str:
    """Says why the log can't hold a reason; empty if it can."""
    from handoff_tui.decisions.decide import parse_reason, parse_verb  # noqa: PLC0415 - loaded while the checks run

    try:
        parse_reason(parse_verb(verb), reason)
    except UsageError as refused:
        return refused.message
    return ""


def describe_key_wait(part: DecisionPart) -> str:
    """Says what the key does besides signing, if anything."""
    if part.needs_terminal:
        return "asks for the passphrase"
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
    if part.verb in CLOSING:
        return "This is about the work as you opened it, whatever is saved meanwhile."
    return "If its files or the log change, you can't sign until you look again."


def find_following(inbox: tuple[InboxItem, ...], decided: HandoffKey) -> InboxItem | None:
    """Finds the next handoff that needs you."""
    return next((item for item in inbox if item.needs_you and item.key != decided), None)


def _add_refusal(page: Page, trouble: Trouble, problems: Sequence[ReviewProblem]) -> None:
    """The reason, and what to do unless it is a command; of checks that don't pass, what is wrong, not their names."""
    message = trouble.message
    named = set(message.replace(",", " ").split())
    causes = [one for one in problems if one.blocks and not named.isdisjoint(one.checks)]
    told = f"{plural(len(causes), 'problem')} {'blocks' if len(causes) == 1 else 'block'} it" if causes else message
    page.line(Cell("✗ Refused: ", "fail"), Cell(render_safe(told)), indent=4)
    if not causes and trouble.hint and not _COMMAND.search(trouble.hint):
        page.line(Cell(f"  {render_safe(trouble.hint)}", "muted"), indent=2)
    for one in causes[:_MOST_NAMED]:
        page.line(Cell(f"  {render_safe(one.title)}", "unknown" if one.unmeasured else "fail"), indent=4)


def _add_stage(page: Page, part: DecisionPart, problems: Sequence[ReviewProblem]) -> None:
    match part.stage:
        case DecisionStage.PREPARING:
            page.line(Cell("Nothing is decided yet. Running the blocking checks and capturing the work.", "muted"))
            page.line(*build_progress(part))
        case DecisionStage.REFUSED:
            _add_refusal(page, part.trouble or Trouble(""), problems)
        case DecisionStage.MOVED:
            _add_trouble(page, "◆ Not signed, something changed: ", "waiting", part.trouble)
            page.line(Cell("What you saw before is below.", "muted"))
        case DecisionStage.SIGNING:
            page.line(Cell("● Signing… ", "waiting"), Cell(describe_key_wait(part), "muted"))
        case _:
            if part.trouble is not None:
                _add_trouble(page, "✗ Not signed: ", "fail", part.trouble)
            report = part.view.gate.report if part.view is not None else None
            phase = render_safe(report.phase) if report is not None else "this phase"
            name = render_safe(shorten_id(part.key.handoff))
            effect = describe_effect(part.verb, name, phase, render_safe(part.onward))
            page.line(Cell(f"{effect} {_NEVER_UNDONE}"))
            page.blank()


def _add_trouble(page: Page, words: str, role: str, trouble: Trouble | None) -> None:
    if trouble is None:
        page.line(Cell(words, role))
        return
    page.line(Cell(words, role), Cell(render_safe(trouble.message)), indent=4)
    if trouble.hint:
        page.line(Cell(f"  {render_safe(trouble.hint)}", "muted"), indent=4)


def _add_demands(page: Page, part: DecisionPart, problems: Sequence[ReviewProblem]) -> None:
    """Lists what is still open, each with where to look; then what is signed with it."""
    for demand in part.demands:
        detail = (Cell(f"  {render_safe(demand.detail)}", "muted"),) if demand.detail else ()
        glyph, role = ("!", "warning") if demand.asks else ("○", "text")
        page.line(Cell(f"{glyph} ", role), Cell(render_safe(demand.text), role), *detail, indent=4)
    if part.view is None:
        return
    for note in part.view.notes:
        page.line(Cell("! ", "warning"), Cell(render_safe(note), "warning"), indent=4)
    _add_problems(page, part.view, problems)


def _add_problems(page: Page, view: DecisionView, problems: Sequence[ReviewProblem]) -> None:
    """Says what fails and what is worth a look, in words; what several checks fail over is said once."""
    handoff, failing = view.gate.report.handoff, set(view.gate.failing)
    over = " (overridden)" if view.verb in {"override", "skip"} else ""
    open_ones = [check for check in view.record.checks if check.id in failing or _is_warning(check)]
    told = {check.id: name_finding(check.summary, handoff) or f"{check.id} fails" for check in open_ones}
    causes = [one for one in problems if told.keys() & set(one.checks)]
    covered = {check for one in causes for check in one.checks}
    words = [(bool(failing & set(one.checks)), one.title) for one in causes]
    words += [(check.id in failing, told[check.id]) for check in open_ones if check.id not in covered]
    rows = [(Cell("✗ ", "fail"), f"{text}{over}") for blocks, text in words if blocks]
    rows += [(Cell("! ", "warning"), text) for blocks, text in words if not blocks]
    for mark, text in rows[:_MOST_NAMED]:
        page.line(mark, Cell(render_safe(text), mark.role), indent=4)
    if len(rows) > _MOST_NAMED:
        page.line(Cell(f"  and {len(rows) - _MOST_NAMED} more", "muted"))


def _is_warning(check: ShownCheck) -> bool:
    return not check.blocking and check.outcome not in CLOSED


def _add_facts(page: Page, view: DecisionView, wait: str) -> None:
    """Lists what is signed, in short."""
    gate, report = view.gate, view.gate.report
    page.blank()
    files = f" · {_describe_files(len(view.record.scope.files), view.unbound)}" if view.record.scope is not None else ""
    page.fact("signs", f"{report.handoff} · {report.phase} · attempt {report.attempt}{files}")
    warned = f", {plural(gate.warnings, 'warning')}" if gate.warnings else ""
    page.fact("checks", f"{gate.checks_passed} of {gate.checks_total} pass{warned}, just run")
    add_claims(page, view.record)
    add_own_words(page, view)
    page.fact("as", f"{view.principal} ({view.key_source}), {describe_threshold(report)}")
    add_key_grade(page, view)
    if wait:
        page.fact("", wait)
    add_decisions(page, report)


def _describe_files(bound: int, unbound: int) -> str:
    """The files as the overview counts them, and how many of these may change without superseding the decision."""
    if not unbound:
        return plural(bound, "file")
    return f"{bound} of {bound + unbound} files; reviews and registries may still change"


def _describe_baseline(gate: GateView) -> str:
    reason = gate.baseline_reason
    if gate.subject.baseline == NO_BASELINE:
        return f"none: {reason.removeprefix('no baseline: ')}"
    return f"{gate.subject.baseline[:SHORT_DIGEST]}  {reason}"


def _add_in_full(page: Page, view: DecisionView) -> None:
    page.heading("Digests", "what the signature covers")
    subject, gate = view.gate.subject, view.gate
    uncommitted = ", includes uncommitted changes" if gate.uncommitted else ""
    page.fact("commit", f"{subject.commit[:SHORT_DIGEST]}   tree {subject.tree[:SHORT_DIGEST]}{uncommitted}")
    page.fact("baseline", _describe_baseline(gate))
    page.fact("key", view.keyid)
    add_subject(page, view.gate)
    page.fact("review", view.review)
    page.fact("policy", view.policy)
    page.fact("subject", view.gate.digest)


def _add_receipt(page: Page, part: DecisionPart, following: InboxItem | None, withdraw_key: str, *, tour: bool) -> None:
    words = f"{name_verb(part.verb)}, {shorten_id(part.key.handoff)}"
    page.line(Cell("✓ Signed  ", "pass"), Cell(render_safe(words), "heading"))
    page.line(Cell(part.entry or "", "muted"))
    page.blank()
    if part.gate is not None:
        add_state(page, part.gate.report)
    page.blank()
    page.line(Cell("Commit and push .handoff-tui/ so that others see the decision.", "muted"))
    withdraws = Cell(" withdraws it with another signed entry.", "muted")
    page.line(Cell("Back in the app, ", "muted"), Cell(withdraw_key, "key"), withdraws)
    if following is None:
        page.line(Cell("Nothing else needs you.", "muted"))
    elif not tour:
        waits = f"{shorten_id(following.key.handoff)} in {following.phase or 'its phase'}"
        page.line(Cell("next      ", "muted"), Cell(f"{render_safe(waits)} needs you"), Cell("  ↵ opens it", "key"))
