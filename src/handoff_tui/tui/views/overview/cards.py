"""The overview as a page: the facts, the problems as cards, the pipeline, and what the user can do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.text.columns import Row
from handoff_tui.core.text.labels import Label, describe_ago, describe_verdict_count, label_gate, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.handoff import DocumentRole
from handoff_tui.handoffs.scope.scope import Attribution
from handoff_tui.live.state.app import AppState, Part
from handoff_tui.log.entry import SENDING_BACK
from handoff_tui.log.gates.coverage import SOURCE_WORDS
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.status.inbox_item import (
    RUNNABLE,
    CauseCommit,
    InboxItem,
    QueueGroup,
    ReviewProblem,
    RiskKind,
    Unmeasured,
)
from handoff_tui.status.pipeline import AttemptView, PhaseProgress, PhaseView, PipelineView
from handoff_tui.tui.views.queue.rows import RISK_WORDS

_MINE: Final = Label("◆", "needs you", "waiting")
_STANDINGS: Final = {
    PhaseProgress.DONE: Label("✓", "approved", "pass"),
    PhaseProgress.HERE: Label("●", "current", "accent"),
    PhaseProgress.BEHIND: Label("·", "undecided", "muted"),
    PhaseProgress.SENT_BACK: Label("✗", "sent back", "fail"),
    PhaseProgress.AHEAD: Label("○", "ahead", "muted"),
    PhaseProgress.SKIPPED: Label("↷", "skipped", "skipped"),
}


def label_phase(phase: PhaseView, *, waits_on_me: bool = False) -> Label:
    """Labels the work in a phase; the current phase by its gate."""
    if phase.standing is PhaseProgress.HERE and waits_on_me:
        return _MINE
    if phase.gate not in {None, GateName.PENDING}:
        return label_gate(phase.gate)
    return _STANDINGS[phase.standing]


def build_strip(view: PipelineView, *, needs_you: bool = False) -> Row:
    """Draws the phases in one line: `spec ✓ ── build ◆ you ── review`."""
    cells: list[Cell] = []
    for phase in view.phases:
        label = label_phase(phase, waits_on_me=needs_you)
        is_here = phase.standing is PhaseProgress.HERE
        mark = "" if phase.standing is PhaseProgress.AHEAD else f" {label.glyph}"
        who = " you" if is_here and needs_you else ""
        cells += [Cell(" ── ", "border")] if cells else []
        cells += [Cell(render_safe(phase.name), "heading" if is_here else "text"), Cell(f"{mark}{who}", label.role)]
    return tuple(cells)


_NAME = 11
_LONGEST = 240
_TO_MEASURE: Final[dict[Unmeasured | None, str]] = {
    Unmeasured.NOT_RUN: "enter or R runs it",
    Unmeasured.NO_CONSENT: "enter shows what would run, and asks for your consent",
}
_MOST_CHECKS = 4
_CAN = {
    QueueGroup.READY: "a approve it · x send it back",
    QueueGroup.RUNNING: "S stop the agent · 5 watch it",
    QueueGroup.AGENTS_TURN: "s start the agent · 4 read what it gets",
    QueueGroup.WAITING: "A other decisions · J next handoff",
    QueueGroup.DONE: "A withdraw, or other decisions · J next handoff",
    QueueGroup.PAST: "6 look at its history · J next handoff",
}


class Card(NamedTuple):
    """A part of the overview; one with a key can be selected."""

    page: Page
    key: str = ""


def build_overview_page(state: AppState, item: InboxItem, now: datetime | None) -> Page:
    """The overview on one page, to be read beside a list."""
    page = Page()
    for card in build_cards(state, item, now):
        page.parts += card.page.parts
    return page


def build_cards(state: AppState, item: InboxItem, now: datetime | None) -> list[Card]:
    """The parts of the overview, in order. Parts of another handoff than the one in view aren't known."""
    known = state if state.chosen == item.key else None
    return [
        Card(_build_facts(known, item, now)),
        *_build_problem_cards(known, item),
        Card(_build_end(known, item)),
    ]


def find_problems(state: AppState | None, item: InboxItem) -> tuple[ReviewProblem, ...] | None:
    """The problems of a handoff: as read for the one in view, or as measured for the queue; None if not known."""
    measured = (state.problems.value if state is not None else None) or item.measured
    return measured.problems if measured is not None else None


def _build_facts(state: AppState | None, item: InboxItem, now: datetime | None) -> Page:
    page = Page()
    handoff = item.reviewed.handoff
    asked = handoff.asked or next((fact for fact in handoff.facts if fact.name == "goal"), None)
    spec = next((document.path for document in handoff.documents if document.role is DocumentRole.SPEC), "")
    where = spec or next((document.path for document in handoff.documents), "")
    told = (handoff.title if spec else handoff.message) or handoff.message or handoff.title
    if asked is not None:
        told, where = asked.value, str(asked.where or where)
    if told:
        name = "asked" if spec or asked is not None else "it writes"
        _add(page, name, Cell(render_safe(told, _LONGEST)), Cell(f"  {render_safe(where)}", "path"))
    _add(page, "delivered", *_describe_work(item, now))
    _add(page, "claims", *_describe_claims(item))
    if handoff.said:
        _add(page, "it says", Cell(render_safe(handoff.said, 60)))
    for number, risk in enumerate(risk for risk in item.risks or () if risk.kind is not RiskKind.CONTRADICTED):
        words = (Cell(f"! {RISK_WORDS[risk.kind]} ", "warning"), Cell(render_safe(risk.text)))
        _add(page, "" if number else "risk", *words)
    if (sent := _describe_sent_back(state)) is not None:
        _add(page, "sent back", sent)
    if asked_for := _describe_asked_for(state):
        _add(page, "asked for", *asked_for)
    return page


def _describe_work(item: InboxItem, now: datetime | None) -> list[Cell]:
    scope, size = item.reviewed.scope, item.size
    if not scope.files:
        return [Cell("no changes of its own", "muted")]
    cells = [Cell(plural(size.files if size is not None else scope.files, "file"))]
    if size is not None and size.added is not None:
        cells += [Cell(f", +{size.added:,}", "added")]
        cells += [Cell(f" -{size.deleted:,}", "removed")] if size.deleted else []
    by = f" by {item.reviewed.handoff.source_agent}" if item.reviewed.handoff.source_agent else ""
    words = [(plural(scope.commits, "commit") if scope.commits else "not committed") + by]
    words += [ago] if (ago := describe_ago(item.since, now)) else []
    cells.append(Cell(f", {render_safe(', '.join(words))}"))
    if scope.shared:
        cells.append(Cell(f"; {plural(scope.shared, 'file')} shared with others", "warning"))
    if scope.undeclared:
        cells.append(Cell(f"; {plural(scope.undeclared, 'file')} not declared", "warning"))
    if scope.source == Attribution.SPAN:
        cells.append(Cell(f"  {SOURCE_WORDS[scope.source]}", "warning"))
    return cells


def _describe_claims(item: InboxItem) -> list[Cell]:
    claims = item.reviewed.claims
    told = (
        (claims.contradicted, "✗", "contradicted", "contradicted"),
        (claims.was_true, "~", "was-true", "warning"),
        (claims.holds, "✓", "holds", "holds"),
        (claims.unverified, "?", "unverified", "unverified"),
    )
    cells = [
        Cell(f"{glyph} {describe_verdict_count(number, state)}  ", role)
        for number, glyph, state, role in told
        if number
    ]
    return cells or [Cell("none that can be measured", "muted")]


def list_card_parts(state: AppState) -> frozenset[Part]:
    """What the cards are built of; how much was addressed is measured only where something was asked for."""
    usual = frozenset({Part.SHOWN, Part.PROBLEMS, Part.PIPELINE})
    return usual | {Part.ATTEMPTS} if is_sent_back(state) else usual


def is_sent_back(state: AppState) -> bool:
    """Whether the phase in view was sent back before."""
    return bool(_list_sent_back(state))


def _list_sent_back(state: AppState | None) -> list[AttemptView]:
    pipeline = state.pipeline.value if state is not None else None
    return [one for one in pipeline.attempts if one.entry and one.outcome in _BACK] if pipeline is not None else []


def _describe_sent_back(state: AppState | None) -> Cell | None:
    """The last time it was sent back, with the reason."""
    sent = _list_sent_back(state)
    if not sent:
        return None
    last = sent[-1]
    return Cell(render_safe(f'attempt {last.number} by {last.who}: "{last.reason}"', _LONGEST), "warning")


def _describe_asked_for(state: AppState | None) -> tuple[Cell, ...]:
    """How much of what sent it back last was addressed, as History counts it; empty if it asked for nothing."""
    view = state.attempts.value if state is not None and is_sent_back(state) else None
    asking = [one for one in view.histories[0].attempts if one.asked] if view is not None and view.histories else []
    if not asking:
        return ()
    from handoff_tui.history.attempts.page import describe_asked  # noqa: PLC0415 - most handoffs were never sent back

    told, lists = describe_asked(asking[-1]), "6 History lists every check and comment"
    found = {point.addressed for point in asking[-1].asked}
    role = "warning" if False in found else "pass" if True in found else "muted"  # green needs a measurement
    return (Cell(told, role), Cell(f"  {lists}", "muted"))


_BACK = frozenset(verb.value for verb in SENDING_BACK)


def _build_problem_cards(state: AppState | None, item: InboxItem) -> Iterator[Card]:
    page = Page()
    page.blank()
    trouble = state.problems.trouble if state is not None else None
    problems = find_problems(state, item)
    if trouble is not None:
        page.line(Cell(f"✗ {render_safe(trouble.message)}. {render_safe(trouble.hint)}", "fail"))
        yield Card(page)
        return
    if problems is None:
        page.line(Cell("PROBLEMS · … ", "heading"), Cell("measuring", "muted"))
        yield Card(page)
        return
    if not problems:
        checked = not item.reviewed.claims.unverified
        words = "None found" if checked else "None found, and not everything was measured"
        page.line(
            Cell("PROBLEMS · 0  ", "heading"),
            Cell(f"{'✓' if checked else '?'} {words}", "pass" if checked else "unknown"),
        )
        yield Card(page)
        return
    page.line(Cell(f"PROBLEMS · {len(problems)}", "heading"))
    yield Card(page)
    for problem in problems:
        is_now = state is None or state.travel is None
        yield Card(build_problem_page(problem, short=True, is_now=is_now), problem.key)


def build_problem_page(problem: ReviewProblem, *, short: bool = False, is_now: bool = True) -> Page:
    """One problem: what is wrong, where, what was measured, and which commit caused it."""
    page = Page()
    glyph, role = mark_problem(problem)
    where = f"  {_shorten_place(problem)}" if problem.place is not None else ""
    page.line(
        Cell(f"{glyph} ", role), Cell(render_safe(problem.title), role), Cell(render_safe(where), "path"), indent=4
    )
    for fact in problem.facts[:1] if short else problem.facts:
        page.line(Cell(f"    {render_safe(fact)}"), indent=4)
    if is_now and (lead := _TO_MEASURE.get(problem.unmeasured)):
        page.line(Cell(f"    {lead}", "accent"), indent=4)
    if problem.cause is not None:
        page.line(Cell(f"    {render_safe(describe_cause(problem.cause))}", "muted"), indent=4)
    if not short:
        _add_beneath(page, problem)
    return page


def mark_problem(problem: ReviewProblem) -> tuple[str, str]:
    """A glyph and its role: what fails, what was not run yet, or what only warns."""
    if problem.unmeasured is not None:
        return "?", "unknown"
    return ("✗", "fail") if problem.blocks else ("!", "warning")


def _shorten_place(problem: ReviewProblem) -> str:
    """The place without the path that the title names already."""
    place = problem.place
    if place is None or place.path not in problem.title:
        return str(place or "")
    return f"line\u00a0{place.line}" if place.line is not None else ""  # the number stays beside its word


def _add_beneath(page: Page, problem: ReviewProblem) -> None:
    for place in problem.places:
        page.line(Cell("    also at ", "muted"), Cell(render_safe(str(place)), "path"), indent=4)
    if problem.checks:
        shown = ", ".join(problem.checks[:_MOST_CHECKS])
        more = len(problem.checks) - _MOST_CHECKS
        page.line(Cell(f"    fails {shown}{f' and {more} more' if more > 0 else ''}", "muted"), indent=4)


def describe_cause(cause: CauseCommit) -> str:
    """`last changed in 6c3f4f0 "Round heights" by plover (TDD-2)`."""
    subject = f' "{cause.subject}"' if cause.subject else ""
    by = f" by {cause.author}" if cause.author else ""
    of = f" ({cause.handoff})" if cause.handoff and cause.handoff not in cause.subject else ""
    return f"last changed in {cause.id}{subject}{by}{of}"


def _build_end(state: AppState | None, item: InboxItem) -> Page:
    page = Page()
    page.blank()
    pipeline = state.pipeline.value if state is not None else None
    if pipeline is not None and pipeline.phases:
        _add(page, "pipeline", *build_strip(pipeline, needs_you=item.needs_you))
    first = next(iter(find_problems(state, item) or ()), None)
    if first is None or not item.reason.startswith(first.title):
        _add(page, "state", Cell(render_safe(item.reason)))
    _add(page, "you can", Cell(_describe_choices(state, item), "accent"))
    return page


def _describe_choices(state: AppState | None, item: InboxItem) -> str:
    if item.group is not QueueGroup.YOUR_CALL:
        return _CAN[item.group]
    problems = find_problems(state, item) or ()
    goes = f" ({plural(len(problems), 'problem')} {'goes' if len(problems) == 1 else 'go'} along)" if problems else ""
    if state is not None and state.repository is not None and not state.repository.begun:
        return "look at everything; nothing is signed here yet: i sets it up"
    if item.refusal:
        return f"look at everything; nothing can be signed: {render_safe(item.refusal)}"
    if problems and all(problem.unmeasured in RUNNABLE for problem in problems if problem.blocks):
        return "R run what wasn't run here · x send it back"
    return f"x send it back{goes} · r retry · A approve anyway, as a recorded override"


def _add(page: Page, name: str, *cells: Cell) -> None:
    page.line(Cell(f"{name:<{_NAME}}", "muted"), *cells, indent=_NAME)
