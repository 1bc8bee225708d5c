"""The status of a repository: as the public JSON shape, and as a page."""

from __future__ import annotations

from collections.abc import Mapping

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Problem
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.text.labels import Label, label_gate, label_mover, name_some, plural
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.life import leave_out_past_problems
from handoff_tui.log.gates.gate_state import GateName, Mover
from handoff_tui.status.coverage_bar import build_bar, describe_counts
from handoff_tui.status.next_move import describe_reason
from handoff_tui.status.review_state import ReviewedHandoff, ReviewState

SCHEMA = "handoff-tui/status/v1"
_TURN_ORDER = {Mover.HUMAN: 0, Mover.REVIEWER: 1, Mover.AGENT: 2, Mover.NOBODY: 3}
_IDLE = {Mover.AGENT: Label("○", "open", "muted"), Mover.NOBODY: Label("·", "settled", "muted")}
"""A gate that waits for no decision: nothing has been handed over yet, or nothing will be."""
_NEEDS_YOU, _WAITING, _UNDECIDED = (Label("○", word, "waiting") for word in ("needs you", "waiting", "undecided"))
_DIGITS = compile_later(r"([0-9]+)")
_MOST_REASONS = 2
_MOST_LISTED = 12
_MOST_UNCLAIMED = 4


def build_status_json(state: ReviewState) -> dict[str, object]:
    """The shape promised to scripts; fields may be added, never renamed."""
    return {
        "schema": SCHEMA,
        "repo": state.repository.root,
        "head": state.repository.head,
        "branch": state.repository.branch,
        "upstream": state.repository.upstream,
        "ahead": state.repository.ahead,
        "behind": state.repository.behind,
        "uncommitted": [*state.repository.changed, *state.repository.untracked],
        "life": count_lives(state.handoffs),
        "needs_you": None if state.needs_you is None else sorted(state.needs_you),
        "handoffs": [_build_row(reviewed) for reviewed in sort_by_turn(state.handoffs)],
        "unclaimed": {"files": list(state.unclaimed), "commits": list(state.unclaimed_commits)},
        "coverage": dict(state.coverage),
        "unknown": list(state.unknown),
        "problems": [build_problem_json(problem) for problem in state.problems],
    }


def build_gate_json(reviewed: ReviewedHandoff) -> dict[str, object]:
    return {
        "state": reviewed.gate.state,
        "blocking": list(reviewed.gate.blocking),
        "why": list(reviewed.gate.why),
        "next_move": reviewed.gate.next_move.model_dump(mode="json"),
        "reason": describe_reason(reviewed.gate),
    }


def build_problem_json(problem: Problem) -> dict[str, object]:
    return {"path": problem.path, "line": problem.line, "message": problem.message, "level": problem.level}


def sort_by_turn(handoffs: tuple[ReviewedHandoff, ...]) -> list[ReviewedHandoff]:
    """Those that need a person first, then by format and id, `H-9` before `H-10`."""

    def key(reviewed: ReviewedHandoff) -> tuple[int, str, list[tuple[int, str]]]:
        numbers = [(int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(reviewed.handoff.id)]
        return _TURN_ORDER[reviewed.gate.next_move.who], reviewed.handoff.dialect, numbers

    return sorted(handoffs, key=key)


def count_lives(handoffs: tuple[ReviewedHandoff, ...]) -> dict[str, int]:
    past = sum(reviewed.past for reviewed in handoffs)
    return {"live": len(handoffs) - past, "past": past}


def build_status_page(
    state: ReviewState, *, everything: bool = False, past: bool = False, of_then: bool = False
) -> Page:
    """What needs a person, why, and who must act; then what could not be read. `of_then` leaves out the branch.

    With `past`, past handoffs are listed, too; what is wrong with their documents concerns nobody else.
    """
    page = Page()
    if of_then:
        page.line(Cell(render_safe(state.repository.root), "path"))
    else:
        _add_repository(page, state.repository)
    _add_handoffs(page, state, everything=everything)
    _add_past(page, state, listed=past)
    if not state.has_log and state.needs_you is not None:
        page.line(
            Cell("Nothing is signed here yet: ", "warning"), Cell("handoff-tui init", "key"), Cell(" sets it up.")
        )
    _add_coverage(page, state, everything=everything)
    _add_list(page, "Not understood", [(path, "") for path in state.unknown], everything=everything)
    rows = [
        (f"{problem.path}:{problem.line}" if problem.line else problem.path, problem.message)
        for problem in (state.problems if past or everything else _list_live_problems(state))
    ]
    _add_list(page, "Problems", rows, everything=everything)
    return page


def _build_row(reviewed: ReviewedHandoff) -> dict[str, object]:
    handoff = reviewed.handoff
    return {
        "id": handoff.id,
        "dialect": handoff.dialect,
        "title": handoff.title,
        "original_name": handoff.original_name,
        "phase": handoff.source_phase,
        "next_phase": handoff.target_phase,
        "attempt": reviewed.attempt,
        "status": handoff.status,
        "words": [word.model_dump(mode="json") for word in handoff.words],
        "registry": handoff.registry,
        "claims": reviewed.claims.model_dump(mode="json"),
        "scope": reviewed.scope.model_dump(mode="json"),
        "past": reviewed.past,
        "life": reviewed.life.model_dump(mode="json"),
        "gate": build_gate_json(reviewed),
    }


def _add_repository(page: Page, facts: RepositoryFacts) -> None:
    page.line(Cell(render_safe(facts.root), "path"))
    words = [f"on {facts.branch}" if facts.branch else "HEAD is detached" if facts.detached else "on no branch"]
    words.append(f"at {facts.head[:SHORT_COMMIT]}" if facts.head else "no commit yet")
    if facts.upstream is None:
        words.append("no upstream")
    elif facts.ahead is None:
        words.append(f"upstream {facts.upstream} is gone")
    else:
        words.append(f"{facts.upstream}: {_describe_distance(facts)}")
    counted = (
        (facts.changed, "changed file"),
        (facts.untracked, "untracked file"),
        (facts.own_uncommitted, "uncommitted log file"),
    )
    for number, noun in ((len(paths), noun) for paths, noun in counted):
        if number:
            words.append(plural(number, noun))
    for present, word in ((facts.shallow, "shallow clone"), (facts.linked_worktree, "linked worktree")):
        if present:
            words.append(word)
    page.line(Cell(render_safe(" · ".join(words)), "muted"))


def _describe_distance(facts: RepositoryFacts) -> str:
    parts = [f"{facts.ahead} unpushed"] if facts.ahead else []
    if facts.behind:
        parts.append(f"{facts.behind} behind")
    return ", ".join(parts) or "up to date"


def _add_handoffs(page: Page, state: ReviewState, *, everything: bool) -> None:
    if not state.handoffs:
        page.heading("No handoffs")
        page.line(
            Cell("None of the known formats was found here. `handoff-tui demo` shows what they look like.", "muted")
        )
        return
    counts = count_lives(state.handoffs)
    lives = f"{counts['live']} live, {counts['past']} past · " if counts["past"] else ""
    page.heading(plural(len(state.handoffs), "handoff"), f"{lives}{_count_waiting(state)}")
    refusal = _find_shared_refusal(state)
    if refusal:
        state = state.model_copy(update={"refusals": {}})
        if state.has_log:  # else the end of the page says it
            page.line(Cell("You can't approve here: ", "warning"), Cell(render_safe(refusal)))
    columns = (
        Column("gate"),
        Column("handoff"),
        Column("format"),
        Column("phase"),
        Column("attempt", right=True),
        Column("says"),
        Column("next move, and what blocks", fold=True),
    )
    live = [reviewed for reviewed in sort_by_turn(state.handoffs) if not reviewed.past]
    if live:
        page.grid(columns, [_build_cells(state, reviewed, everything=everything) for reviewed in live])


def _find_shared_refusal(state: ReviewState) -> str:
    """Why the reader can't approve anything here, said once for all rows; empty if the reasons differ."""
    turns = {one.handoff.id for one in state.handoffs if one.gate.next_move.who is Mover.REVIEWER and not one.past}
    reasons = set(state.refusals.values())
    return reasons.pop() if len(reasons) == 1 and len(turns) > 1 and turns <= state.refusals.keys() else ""


def _count_waiting(state: ReviewState) -> str:
    """How many need the reader, as the queue of the app counts; at an earlier time, how many waited for a person."""
    if state.needs_you is not None:
        number = len(state.needs_you)
        return f"{number} {'needs' if number == 1 else 'need'} you"
    waiting = sum(one.gate.next_move.who in {Mover.HUMAN, Mover.REVIEWER} for one in state.handoffs)
    return f"{waiting} waiting for a person"


def _add_past(page: Page, state: ReviewState, *, listed: bool) -> None:
    """Handoffs that wait for nobody any more: a line, or the list with reasons and what each is history of."""
    past = [reviewed for reviewed in sort_by_turn(state.handoffs) if reviewed.past]
    if past and not listed:
        page.line(Cell(f"{plural(len(past), 'past handoff')}; --past lists them", "muted"))
    elif past:
        page.heading("Past", str(len(past)))
        columns = (Column("handoff"), Column("format"), Column("history of"), Column("why", fold=True))
        page.grid(columns, [_build_past_cells(reviewed) for reviewed in past])


def _build_past_cells(reviewed: ReviewedHandoff) -> tuple[Cell, ...]:
    handoff, life = reviewed.handoff, reviewed.life
    return (
        Cell(render_safe(handoff.id), "key"),
        Cell(handoff.dialect, "muted"),
        Cell(render_safe(life.successor or "–")),
        Cell(render_safe(life.why)),
    )


def _list_live_problems(state: ReviewState) -> tuple[Problem, ...]:
    lives = {one.handoff.id: one.life for one in state.handoffs}
    return leave_out_past_problems(state.problems, (one.handoff for one in state.handoffs), lives)


def _add_coverage(page: Page, state: ReviewState, *, everything: bool) -> None:
    """How much of the changed work somebody approved, as one bar, and what belongs to nobody."""
    if not (state.handoffs or state.has_log):
        return
    bar = build_bar(state.coverage)
    if bar:
        page.heading("Coverage", describe_counts(state.coverage))
        page.line(*bar, indent=2)
    if state.unclaimed:
        named = name_some(state.unclaimed, len(state.unclaimed) if everything else _MOST_UNCLAIMED)
        words = f"{plural(len(state.unclaimed), 'unclaimed file')}: "
        page.line(Cell(words, "warning"), Cell(render_safe(named), "path"), indent=2)


def _build_cells(state: ReviewState, reviewed: ReviewedHandoff, *, everything: bool) -> tuple[Cell, ...]:
    handoff = reviewed.handoff
    gate = label_state(reviewed, state.needs_you)
    move = _describe_move(reviewed, state.refusals, everything=everything)
    return (
        Cell(str(gate), gate.role),
        Cell(render_safe(handoff.id), "key"),
        Cell(handoff.dialect, "muted"),
        Cell(render_safe(handoff.source_phase or "–", 16)),
        Cell(str(reviewed.attempt)),
        Cell(render_safe(handoff.said or "–", 16)),
        Cell(move, label_mover(reviewed.gate.next_move.who).role),
    )


def label_state(reviewed: ReviewedHandoff, needs_you: frozenset[str] | None) -> Label:
    """The gate's label; a pending one says what blocks it, or whose turn it is. Whether it is ready, checks decide."""
    gate = reviewed.gate
    if gate.state is not GateName.PENDING:
        return label_gate(gate.state)
    if gate.blocking:
        return label_gate(GateName.BLOCKED)
    if needs_you is None:
        return _IDLE.get(gate.next_move.who, _UNDECIDED)
    return _NEEDS_YOU if reviewed.handoff.id in needs_you else _IDLE.get(gate.next_move.who, _WAITING)


def _describe_move(reviewed: ReviewedHandoff, refusals: Mapping[str, str], *, everything: bool) -> str:
    move = reviewed.gate.next_move
    who = f"{label_mover(move.who).word} {move.name}" if move.name else label_mover(move.who).word
    gate = reviewed.gate
    refusal = refusals.get(reviewed.handoff.id)
    said = (*([refusal] if refusal else []), *gate.why, *gate.blocking)
    reasons = [reason for reason in said if not _says_the_same(reason, move.what)]
    shown = reasons if everything else reasons[:_MOST_REASONS]
    text = f"{who}: {move.what}"
    if shown:
        text += "; " + "; ".join(shown)
    if len(reasons) > len(shown):
        text += f"; and {len(reasons) - len(shown)} more"
    return render_safe(text)


def _says_the_same(reason: str, move: str) -> bool:
    """Compares complete texts: a very short move must not hide a reason that happens to end the same way."""
    return reason == move or reason.endswith(f": {move}")


def _add_list(page: Page, title: str, rows: list[tuple[str, str]], *, everything: bool) -> None:
    if not rows:
        return
    page.heading(title, str(len(rows)))
    shown = rows if everything else rows[:_MOST_LISTED]
    for path, message in shown:
        cells = (Cell(render_safe(path), "path"),)
        page.line(*cells, *((Cell(f"  {render_safe(message)}"),) if message else ()), indent=2)
    if len(rows) > len(shown):
        page.line(Cell(f"… and {len(rows) - len(shown)} more; --all lists them", "muted"), indent=2)
