"""What surrounds every view: the title, the tabs, and the line that says who has to act and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.labels import label_gate, label_mover, plural
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.live.state.app import AppState, RepositoryPart
from handoff_tui.log.gates.gate_state import GateName, Mover
from handoff_tui.status.coverage_bar import build_short_bar
from handoff_tui.status.inbox_item import InboxItem
from handoff_tui.tui.first_paint import NAMES, SHORT_NAMES
from handoff_tui.tui.widgets.travel_bar import describe_as_of, describe_missing

Row = tuple[Cell, ...]
VIEWS = tuple(NAMES)
_WATCHING_ROLES = {
    Watching.LIVE: "pass",
    Watching.RESCANNING: "warning",
    Watching.POLLING: "warning",
    Watching.GONE: "fail",
    Watching.PAST: "warning",
}
_TabForm = tuple[int, frozenset[str]]
_TAB_FORMS: tuple[_TabForm, ...] = (
    (2, frozenset()),
    (1, frozenset()),
    (1, frozenset({"log"})),
    (1, frozenset({"log", "diff"})),
    (1, frozenset({"log", "diff", "inbox"})),
    (0, frozenset()),
)
"""How much detail the counts show, and which tabs have none."""
_WIDE = 120
_OF_THE_REPOSITORY = frozenset({"inbox", "coverage", "figures"})
_AGENTS_TURN = "agent's turn"


def build_title(state: AppState, view: str, width: int) -> list[tuple[str, Row]]:
    """Shows the repository and its state; the path may be cut, the state never. A click on the bar opens coverage."""
    right = _build_right(state, view, width)
    room = width - sum(compute_width(cell.text) for cell in right) - 11
    place = _describe_place(state, view, width)
    if compute_width(place) > room > 1:
        while compute_width(place) >= room:
            place = place[1:]
        place = f"…{place}"
    spare = room + 1 - compute_width(place)
    bar = _build_coverage(state, view, spare - 2)
    gap = " " * max(1, spare - sum(compute_width(cell.text) for cell in bar) - (2 if bar else 0))
    left = (Cell(" handoff ", "heading"), Cell(f" {place}", "accent"), Cell(gap))
    return [("", left), *([("view.coverage", (*bar, Cell("  ")))] if bar else []), ("", right)]


def _build_coverage(state: AppState, view: str, room: int) -> Row:
    """How much of the repository's changes is approved, where the whole repository is in view."""
    repository = state.repository
    known = repository.state.value if repository is not None else None
    if repository is None or known is None or view not in _OF_THE_REPOSITORY:
        return ()
    return tuple(build_short_bar(known.coverage, render_safe(repository.since, 20), room))


def build_tabs(state: AppState, view: str, keys: dict[str, str], width: int) -> list[tuple[str, Row]]:
    """Shows each view with its key and count; names far from the current tab are shortened if there is no room.

    Next to go are the counts, failures last, then the far names.
    """
    tabs: list[tuple[str, Row]] = []
    for near, (detail, bare), names in _list_tab_forms(list(keys), view):
        tabs = []
        for name, key in keys.items():
            title = f"{key} {(NAMES if name in near else names).get(name, '')}"
            tab = _build_tab(state, name, title, 0 if name in bare else detail, here=name == view)
            tabs.append((name, tab))
        if sum(compute_width(cell.text) for _, row in tabs for cell in row) <= width:
            break
    return tabs


def _list_tab_forms(names: list[str], view: str) -> Iterator[tuple[set[str], _TabForm, dict[str, str]]]:
    """Lists the layouts to try, fullest first: which tabs keep full names, how detailed counts are, the short names."""
    here = names.index(view) if view in names else 0
    nearest = sorted(names, key=lambda name: (abs(names.index(name) - here), names.index(name)))
    yield set(names), _TAB_FORMS[0], NAMES
    for kept in range(len(names), 0, -1):
        yield set(nearest[:kept]), _TAB_FORMS[1], SHORT_NAMES
    for form in _TAB_FORMS[2:]:
        yield {view}, form, SHORT_NAMES
    for kept in range(len(names), -1, -1):
        yield {view}, _TAB_FORMS[-1], {name: SHORT_NAMES[name] for name in nearest[:kept]}


def build_moved(state: AppState, view: str, key: str) -> Row:
    """Says that the handoff under review isn't what it was when it was opened; empty if it is."""
    if not state.moved or state.travel is not None or view in _OF_THE_REPOSITORY:
        return ()
    words = f" ≠ {plural(len(state.moved), 'file')} of this handoff changed since you opened it; "
    takes = " takes it in " if len(state.moved) == 1 else " takes them in "
    return (Cell(words, "waiting"), Cell(key, "key"), Cell(takes, "text"))


def build_why(state: AppState, width: int) -> Row:
    """Says who has to act and what blocks; always on the screen. In the past, says which past."""
    if state.travel is not None:
        as_of = describe_as_of(state.travel, short=False)
        return (as_of, *describe_missing(state.travel), *build_why(replace(state, travel=None), width))
    repository = state.repository
    fatal = next((one for one in state.repositories if one.fatal), None)
    if fatal is not None:
        words = f" ✗ THE LOG OF {render_safe(fatal.name)} IS NOT INTACT: {render_safe(fatal.fatal[0])} "
        return (Cell(words, "critical"), Cell(" Every gate is closed", "fail"))
    if repository is not None and repository.state.trouble is not None:
        trouble = repository.state.trouble
        return (Cell(f" ✗ {render_safe(trouble.message)} ", "fail"), Cell(render_safe(trouble.hint), "muted"))
    if repository is not None and repository.refused:
        words = f" ■ Every gate is closed: {render_safe(repository.refused)} "
        return (Cell(words, "fail"), Cell("Handoffs are read with the default settings", "muted"))
    item = state.item
    if item is None:
        return (Cell(f" {_describe_inbox(state)}", "muted"),)
    gate = item.reviewed.gate
    mover = label_mover(gate.next_move.who)
    who = _describe_mover(item)
    cells = [
        Cell(
            f" {'◆' if item.waits_on_me else mover.glyph} {render_safe(who)}",
            "waiting" if item.waits_on_me else mover.role,
        ),
        Cell(f" {render_safe(gate.next_move.what)}"),
    ]
    if reasons := gate.why or gate.blocking:
        more = f" (+{len(reasons) - 1} more)" if len(reasons) > 1 else ""
        reason = render_safe(reasons[0], max(20, width - 30))
        if gate.why:  # it was let through: nothing blocks
            cells.append(Cell(f"  {label_gate(gate.state)} · {reason}{more}", label_gate(gate.state).role))
        else:
            cells.append(Cell(f"  ■ Blocked: {reason}{more}", "warning"))
    elif item.waits_on_me is False and gate.next_move.who is Mover.REVIEWER and repository and repository.reviewer_note:
        cells.append(Cell(f"  {render_safe(repository.reviewer_note)}", "warning"))
    return tuple(cells)


def _describe_mover(item: InboxItem) -> str:
    """Says who has to act; empty if nobody has to."""
    move = item.reviewed.gate.next_move
    if item.waits_on_me:
        return "Needs you:"
    if move.who is Mover.AGENT:
        return f"{move.name or 'Agent'}'s turn:"
    if move.who is Mover.NOBODY:
        return ""
    return f"Waiting for {move.name or ('a reviewer' if move.who is Mover.REVIEWER else 'a person')}:"


def describe_watching(repository: RepositoryPart) -> Cell:
    """Says how current the screen is."""
    return Cell(repository.watching.value, _WATCHING_ROLES[repository.watching])


def count_waiting(state: AppState) -> int:
    return sum(item.waits_on_me for item in state.inbox)


def _build_right(state: AppState, view: str, width: int) -> Row:
    if state.travel is not None:
        return (describe_as_of(state.travel, short=True), Cell(" "))
    cells: list[Cell] = []
    repository = state.repository
    item = state.item
    if view in _OF_THE_REPOSITORY or item is None:
        waiting = count_waiting(state)
        verb = "needs" if waiting == 1 else "need"
        if waiting:
            cells.append(Cell(f"◆ {waiting} {verb} you", "waiting"))
        elif any(one.closed for one in state.repositories):
            cells.append(Cell("■ gates closed", "fail"))
        else:
            cells.append(Cell("nothing needs you", "muted"))
    else:
        cells.append(_build_standing(item))
    if repository is not None:
        cells += [Cell("  "), describe_watching(repository)]
        if width >= _WIDE:
            who = repository.reviewer or "nobody can sign"
            cells.append(Cell(f"  {render_safe(who)}", "human" if repository.reviewer else "muted"))
    return (*cells, Cell(" "))


def _build_standing(item: InboxItem) -> Cell:
    gate = item.reviewed.gate
    if item.closed:
        return Cell("■ GATES CLOSED", "fail")
    if item.waits_on_me:
        return Cell("◆ NEEDS YOU", "waiting")
    if gate.state not in {None, GateName.PENDING}:  # the same word as in the inbox
        label = label_gate(gate.state)
        return Cell(f"{label.glyph} {label.word.upper()}", label.role)
    if gate.next_move.who in {Mover.REVIEWER, Mover.HUMAN}:
        return Cell("○ waiting for somebody else", "warning")
    mover = label_mover(gate.next_move.who)
    return Cell(f"{mover.glyph} {'done' if gate.next_move.who is Mover.NOBODY else _AGENTS_TURN}", mover.role)


def _describe_place(state: AppState, view: str, width: int) -> str:
    repository = state.repository
    name = render_safe(repository.name) if repository else "…"
    item = state.item
    if view in _OF_THE_REPOSITORY or item is None:
        more = f" and {len(state.repositories) - 1} more" if len(state.repositories) > 1 else ""
        return f"{NAMES.get(view, view).lower()} · {name}{more}"
    phase = state.phase or item.phase
    words = f"{render_safe(item.key.handoff)}" + (f" › {render_safe(phase)}" if phase else "")
    return f"{name} › {words}" if width >= _WIDE or len(state.repositories) > 1 else words


def _build_tab(state: AppState, name: str, title: str, detail: int, *, here: bool) -> Row:
    number = _describe_number(state, name, detail)
    words = f"{title.strip()}{f' {number[0]}' if number else ''}"
    lead = "▐" if here else " "
    role = "heading" if here else (number[1] if number else "muted")
    return (Cell(lead, "accent"), Cell(words, role), Cell("│" if name != VIEWS[-1] else "", "border"))


def _describe_number(state: AppState, name: str, detail: int) -> tuple[str, str] | None:
    describe = {
        "inbox": _describe_waiting,
        "checks": _describe_checks,
        "diff": _describe_diff,
        "log": _describe_log,
        "claims": _describe_claims,
    }.get(name)
    return describe(state, detail) if describe and detail else None


def _describe_waiting(state: AppState, _detail: int) -> tuple[str, str] | None:
    waiting = count_waiting(state)
    return (str(waiting), "waiting") if waiting else None


def _describe_claims(state: AppState, _detail: int) -> tuple[str, str] | None:
    wrong = state.item.reviewed.claims.contradicted if state.item else 0
    return (f"✗{wrong}", "contradicted") if wrong else None


def _describe_checks(state: AppState, detail: int) -> tuple[str, str] | None:
    report = state.checks.value
    if state.running is not None:
        return f"{state.running.done}/{state.running.total}", "warning"
    if report is None:
        return None
    failing = len(report.blocking_failures)
    passed = f" ✓{report.passed}" if detail > 1 else ""
    return (f"✗{failing}{passed}", "fail") if failing else (f"✓{report.passed}", "pass")


def _describe_diff(state: AppState, detail: int) -> tuple[str, str] | None:
    view = state.files.value
    if view is None:
        return None
    if detail < 2 or not view.counted:  # noqa: PLR2004 - the fullest form
        return str(len(view.files)), "changed"
    added = sum((file.counts.added or 0) for file in view.files if file.counts)
    deleted = sum((file.counts.deleted or 0) for file in view.files if file.counts)
    return f"+{added} -{deleted}", "changed"


def _describe_log(state: AppState, _detail: int) -> tuple[str, str] | None:
    repository = state.repository
    if repository is not None and repository.fatal:
        return "✗", "fail"
    return ("✓", "pass") if state.log.value is not None and state.log.value.total else None


def _describe_inbox(state: AppState) -> str:
    if not state.repositories or all(one.state.value is None for one in state.repositories):
        return "Reading the repository…"
    if not state.inbox:
        return "No handoffs yet. `handoff-tui init` starts a signed log; an agent's handoff file does the rest."
    return plural(len(state.inbox), "handoff")
