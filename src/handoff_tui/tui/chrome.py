"""What surrounds every view: the title, the tabs of the level, and a line for what must not be overlooked."""

from __future__ import annotations

from handoff_tui.core.text.columns import compute_width, take_columns
from handoff_tui.core.text.labels import label_gate, label_mover, plural
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.live.state.app import AppState, RepositoryPart
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.log.show.view import EntryState
from handoff_tui.status.coverage_bar import build_short_bar
from handoff_tui.status.inbox_item import InboxItem, QueueGroup
from handoff_tui.tui.first_paint import REPOSITORY, REVIEW
from handoff_tui.tui.widgets.travel_bar import describe_as_of, describe_missing

Row = tuple[Cell, ...]
Figure = tuple[str, str] | None
"""What follows the name of a tab, and its role."""
_WATCHING_ROLES = {
    Watching.LIVE: "pass",
    Watching.RESCANNING: "warning",
    Watching.POLLING: "warning",
    Watching.GONE: "fail",
    Watching.PAST: "warning",
}
_STATES = {
    QueueGroup.READY: Cell("◆ READY TO APPROVE", "waiting"),
    QueueGroup.YOUR_CALL: Cell("◆ YOUR CALL", "waiting"),
    QueueGroup.RUNNING: Cell("● running", "agent"),
    QueueGroup.AGENTS_TURN: Cell(f"{label_mover('agent').glyph} agent's turn", "agent"),
    QueueGroup.WAITING: Cell("○ waiting", "warning"),
    QueueGroup.DONE: Cell("✓ done", "pass"),
    QueueGroup.PAST: Cell("· past", "muted"),
}
_WIDE = 100
_MOST_DROPPED = 4
"""How many words beside a handoff's title may go, one after the other, before the title itself is cut."""
COMPUTING = ("…", "muted")
"""In place of a figure that is being computed."""


def is_review(view: str) -> bool:
    """Whether a view is about one handoff."""
    return view in REVIEW


def list_tabs(view: str) -> dict[str, str]:
    """The tabs of the level that a view belongs to."""
    return REVIEW if is_review(view) else REPOSITORY


def build_title(state: AppState, view: str, looked_at: str, width: int) -> Row:
    """Shows where one is and how it stands; the place may be cut, the state never."""
    right = _build_right(state, view, looked_at, width)
    room = width - sum(compute_width(cell.text) for cell in right) - 1
    for dropped in range(_MOST_DROPPED):
        left = _build_place(state, view, dropped)
        taken = sum(compute_width(cell.text) for cell in left)
        if taken <= room:
            break
    if taken > room:
        left, taken = _cut(left, room), room
    return (Cell(" "), *left, Cell(" " * max(0, room - taken)), *right)


def _cut(cells: Row, room: int) -> Row:
    kept: list[Cell] = []
    left = max(1, room - 1)
    for cell in cells:
        text = take_columns(cell.text, left)
        kept.append(Cell(text, cell.role))
        left -= compute_width(text)
        if text != cell.text:
            break
    return (*kept, Cell("…", "muted"), Cell(" " * max(0, left)))


def _build_place(state: AppState, view: str, dropped: int) -> Row:
    repository, item = state.repository, state.item
    name = render_safe(repository.name) if repository else "handoff-tui"
    more = f" and {len(state.repositories) - 1} more" if len(state.repositories) > 1 else ""
    if is_review(view) and item is not None:
        return (Cell(f"{name} › ", "muted"), *build_name(item, state.phase, dropped))
    return (Cell(f"{name}{more}", "heading"), Cell(" · ", "muted"), _describe_queue(state))


_KIND = "handoff:"


def name_work(handoff: Handoff) -> str:
    """The title of a handoff without its id in front, which is shown beside it; the id if it has no title."""
    told = handoff.title or handoff.id
    title = told[len(_KIND) :].lstrip() if told.casefold().startswith(_KIND) else told
    rest = title[len(handoff.id) :] if title.casefold().startswith(handoff.id.casefold()) else ""
    words = rest.lstrip(" :–—-.|·")
    return words if words and rest[:1] != words[:1] else title


def shorten_id(name: str) -> str:
    """An id that is a path by the end of it, which tells it from others."""
    is_path = name.endswith(".md") or name.count("/") > 1
    return name.rpartition("/")[2] or name if is_path else name


def build_name(item: InboxItem, phase: str | None = None, dropped: int = 0) -> Row:
    """`Stations package  (H-3 · build · attempt 2 by heron)`; `dropped` is how many words are left out at the end."""
    handoff = item.reviewed.handoff
    by = f" by {handoff.source_agent}" if handoff.source_agent else ""
    words = [shorten_id(handoff.id)] if handoff.title else []
    words += [phase or item.phase or "", f"attempt {item.reviewed.attempt}{by}"]
    known = [word for word in words if word]
    shown = render_safe(" · ".join(known[: max(0, len(known) - dropped)]))
    return (Cell(render_safe(name_work(handoff)), "heading"), Cell(f"  ({shown})" if shown else "", "muted"))


def _describe_queue(state: AppState) -> Cell:
    if state.travel is not None:
        return Cell("as it was", "muted")
    if is_reading(state):
        return Cell("reading the repository…", "muted")
    waiting = count_waiting(state)
    if waiting:
        return Cell(f"{waiting} {'needs' if waiting == 1 else 'need'} you", "waiting")
    if any(one.closed for one in state.repositories):
        return Cell("■ gates closed", "fail")
    return Cell("nothing needs you", "muted")


def is_reading(state: AppState) -> bool:
    """Whether a repository hasn't been read yet, so nobody knows what waits."""
    return not state.repositories or any(
        one.state.value is None and one.state.trouble is None for one in state.repositories
    )


def count_waiting(state: AppState) -> int:
    return sum(item.needs_you for item in state.inbox)


def _build_right(state: AppState, view: str, looked_at: str, width: int) -> Row:
    if state.travel is not None:
        return (Cell("  "), describe_as_of(state.travel, short=True), Cell(" "))
    repository, item = state.repository, state.item
    if is_review(view) and item is not None:
        looked = (Cell(f" · {looked_at}", "muted"),) if looked_at else ()
        return (Cell("  "), label_item(item), *looked, Cell(" "))
    if repository is None:
        return ()
    who = repository.reviewer or ("nobody can sign" if repository.state.value is not None else "")
    role = "human" if repository.reviewer else "muted"
    signer = (Cell(f" · {render_safe(who)}", role),) if who and width >= _WIDE else ()
    return (Cell("  "), describe_watching(repository), *signer, Cell(" "))


def label_item(item: InboxItem) -> Cell:
    """How a handoff stands, from the user's point of view; the same words as its group."""
    gate = item.reviewed.gate.state
    if item.closed:
        return Cell("■ GATES CLOSED", "fail")
    decided = gate not in {None, GateName.PENDING}
    if decided and item.group in {QueueGroup.DONE, QueueGroup.AGENTS_TURN, QueueGroup.WAITING}:
        label = label_gate(gate)
        return Cell(f"{label.glyph} {label.word}", label.role)
    return _STATES[item.group]


def describe_watching(repository: RepositoryPart) -> Cell:
    """Says how current the screen is."""
    return Cell(f"● {repository.watching.value}", _WATCHING_ROLES[repository.watching])


def build_tabs(state: AppState, view: str, keys: dict[str, str], width: int) -> list[tuple[str, Row]]:
    """Shows each tab of the level with its key and figure; beside the tabs of the repository, its coverage."""
    for lead, figures in ((" │", True), ("│", True), ("│", False)):
        tabs = [
            (f"view.{name}", _build_tab(state, f"{keys[name]} {title}", name, view, lead * bool(n), figures=figures))
            for n, (name, title) in enumerate(list_tabs(view).items())
        ]
        taken = sum(compute_width(cell.text) for _, row in tabs for cell in row)
        if taken <= width:
            break
    bar = () if is_review(view) else _build_coverage(state, width - taken - 3)
    if not bar:
        return tabs
    gap = width - taken - sum(compute_width(cell.text) for cell in bar) - 1
    return [*tabs, ("view.coverage", (Cell(" " * gap), *bar))]


def _build_coverage(state: AppState, room: int) -> Row:
    """How much of the repository's changes is approved."""
    repository = state.repository
    known = repository.state.value if repository is not None else None
    if repository is None or known is None:
        return ()
    return tuple(build_short_bar(known.coverage, render_safe(repository.since, 20), room))


def _build_tab(state: AppState, title: str, name: str, view: str, lead: str, *, figures: bool) -> Row:
    figure = _FIGURES[name](state) if name in _FIGURES and figures else None
    words = f"{title}{f' {figure[0]}' if figure else ''}"
    role = "heading" if name == view else (figure[1] if figure else "muted")
    return (Cell(lead, "border"), Cell("▐" if name == view else " ", "accent"), Cell(words, role))


def _count_queue(state: AppState) -> Figure:
    waiting = count_waiting(state)
    return COMPUTING if is_reading(state) else (str(waiting), "waiting") if waiting else None


def _count_log(state: AppState) -> Figure:
    repository = state.repository
    if repository is not None and repository.fatal:
        return "✗", "fail"
    if state.log.value is None or not state.log.value.total:
        return None
    if state.log.stale:
        return COMPUTING
    refused = sum(row.state is EntryState.REFUSED for row in state.log.value.rows)
    if state.log.value.fatal:
        return "✗", "fail"
    return (f"!{refused}", "warning") if refused else ("✓", "pass")


def _count_changes(state: AppState) -> Figure:
    files = state.files
    if files.stale or (files.loading and files.value is None):
        return COMPUTING
    if files.value is not None:
        return str(len(files.value.files)), "changed"
    return (str(state.item.reviewed.scope.files), "changed") if state.item is not None else None


def _count_problems(state: AppState) -> Figure:
    part = state.problems
    if state.running is not None:
        return f"{state.running.done}/{state.running.total}", "warning"
    if part.stale or part.loading:
        return COMPUTING
    if part.value is None:
        return None
    blocking = sum(problem.fails for problem in part.value.problems)
    if blocking:
        return f"✗{blocking}", "fail"
    if waiting := sum(problem.blocks for problem in part.value.problems):
        return f"?{waiting}", "unknown"
    others = len(part.value.problems)
    unmeasured = state.item is not None and state.item.reviewed.claims.unverified
    clean = ("?", "unknown") if unmeasured else ("✓", "pass")  # green needs a measurement
    return (f"!{others}", "warning") if others else clean


def _count_documents(state: AppState) -> Figure:
    number = len(state.item.reviewed.handoff.documents) if state.item is not None else 0
    return (str(number), "muted") if number else None


def _count_attempts(state: AppState) -> Figure:
    attempt = state.item.reviewed.attempt if state.item is not None else 0
    return (str(attempt), "muted") if attempt > 1 else None


def _show_running(state: AppState) -> Figure:
    return ("●", "agent") if state.item is not None and state.item.running else None


_FIGURES = {
    "queue": _count_queue,
    "log": _count_log,
    "changes": _count_changes,
    "evidence": _count_problems,
    "documents": _count_documents,
    "agent": _show_running,
    "history": _count_attempts,
}
"""What follows each name; never stale: a figure that is being computed is `…`."""


def build_banner(state: AppState, view: str, take_in_key: str, setup_key: str = "") -> Row:
    """What must not be overlooked in any view; empty on most days."""
    cells: list[Cell] = []
    if state.travel is not None:
        cells += [describe_as_of(state.travel, short=False), *describe_missing(state.travel)]
    fatal = next((one for one in state.repositories if one.fatal), None)
    repository = state.repository
    if fatal is not None:
        words = f" ✗ THE LOG OF {render_safe(fatal.name)} IS NOT INTACT: {render_safe(fatal.fatal[0])} "
        cells += [Cell(words, "critical"), Cell(" Every gate is closed", "fail")]
    elif repository is not None and repository.state.trouble is not None:
        trouble = repository.state.trouble
        cells += [Cell(f" ✗ {render_safe(trouble.message)} ", "fail"), Cell(render_safe(trouble.hint), "muted")]
    elif repository is not None and repository.refused:
        words = f" ■ Every gate is closed: {render_safe(repository.refused)} "
        cells += [Cell(words, "fail"), Cell("Handoffs are read with the default settings", "muted")]
    elif repository is not None and not repository.begun and state.travel is None:
        cells += [Cell(" Nothing is signed here yet: ", "warning"), Cell(setup_key, "key"), Cell(" sets it up")]
    elif repository is not None and repository.reviewer is None and repository.reviewer_note and state.travel is None:
        cells += [Cell(" ! Nothing can be signed here: ", "warning"), Cell(render_safe(repository.reviewer_note))]
    if state.moved and state.travel is None and is_review(view):
        words = f" ≠ {plural(len(state.moved), 'file')} of this handoff changed since you opened it; "
        takes = " takes it in " if len(state.moved) == 1 else " takes them in "
        cells += [Cell(words, "waiting"), Cell(take_in_key, "key"), Cell(takes)]
    return tuple(cells)
