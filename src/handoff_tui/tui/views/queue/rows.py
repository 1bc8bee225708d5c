"""The queue as rows: what can be done about each handoff, and why, in one sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.text.columns import Field, Row, choose_columns, fit
from handoff_tui.core.text.labels import describe_span, label_gate, plural
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import RepositoryPart
from handoff_tui.log.gates.gate_state import SENT_BACK, GateName
from handoff_tui.status.inbox_item import (
    RUNNABLE,
    HandoffKey,
    InboxItem,
    MeasuredGate,
    QueueGroup,
    RiskKind,
    UnclaimedWork,
)
from handoff_tui.tui.chrome import name_work, shorten_id
from handoff_tui.tui.widgets.row_list import TableRows, has_words

RISK_WORDS: Final = {
    RiskKind.TESTS_REMOVED: "tests",
    RiskKind.SKIPS_ADDED: "skips",
    RiskKind.POLICY_EDITED: "rules",
    RiskKind.CI_EDITED: "ci",
    RiskKind.DEPENDENCY_ADDED: "deps",
    RiskKind.HIDDEN_CHARACTERS: "hidden",
    RiskKind.CONTRADICTED: "claims",
    RiskKind.SENSITIVE_PATH: "paths",
    RiskKind.SIZE: "size",
}
GROUP: Final = "group:"
"""The prefix of a folded heading's key."""
_GROUPS: Final = {
    QueueGroup.READY: ("READY TO APPROVE", "pass", ""),
    QueueGroup.YOUR_CALL: ("YOUR CALL", "waiting", ""),
    QueueGroup.RUNNING: ("RUNNING", "agent", ""),
    QueueGroup.AGENTS_TURN: ("AGENT'S TURN", "agent", ""),
    QueueGroup.WAITING: ("WAITING", "warning", "held, for somebody else, or for another handoff"),
    QueueGroup.DONE: ("DONE", "muted", ""),
    QueueGroup.PAST: ("PAST", "muted", ""),
}
FOLDED: Final = frozenset({QueueGroup.DONE, QueueGroup.PAST})
_FIELDS: Final = (
    Field("title", "", 24, grows=48),
    Field("repository", "", 12, rank=5),
    Field("id", "", 16, rank=8, grows=8),
    Field("who", "", 8, rank=3, grows=2),
    Field("mark", "", 12),
    Field("size", "", 10, rank=1),
    Field("files", "", 8, rank=2),
    Field("age", "", 4, rank=6, right=True),
)
_ALONE: Final = tuple(field for field in _FIELDS if field.name != "repository")
_FOLLOWED: Final = frozenset(["phase", "repo", "who", "state", "is"])


class QueueForm(NamedTuple):
    """How the queue is shown."""

    text: str = ""
    """The filter."""
    opened: frozenset[QueueGroup] = frozenset()
    """Groups that are usually folded and were opened."""
    selected: frozenset[str] = frozenset()
    """The keys of rows that a batch is about."""
    reasons: bool = False
    """Whether each item has a second line with its reason."""
    only_mine: bool = False


class GroupHeading(NamedTuple):
    """The heading of a group; a folded one can be opened."""

    group: QueueGroup
    members: int
    folded: bool


class Reason(NamedTuple):
    """The line below an item."""

    item: InboxItem | UnclaimedWork


QueueRow = InboxItem | UnclaimedWork | RepositoryPart | GroupHeading | Reason


def build_key(item: InboxItem) -> str:
    """Returns a row's key: repository and handoff."""
    return "\0".join(item.key)


class QueueRows(TableRows[QueueRow]):
    """The rows of the queue under the headings of their groups; the last groups are folded until they are opened."""

    def __init__(
        self,
        items: Sequence[InboxItem],
        form: QueueForm = QueueForm(),  # noqa: B008 - an immutable value
        *,
        now: datetime | None = None,
        broken: Sequence[RepositoryPart] = (),
        unclaimed: Sequence[UnclaimedWork] = (),
        groups: Mapping[HandoffKey, QueueGroup] | None = None,
    ) -> None:
        """`broken` are unreadable repositories: they come last. `groups` are those of the items, if they are known."""
        known = {item.key: item.group for item in items} if groups is None else groups
        text = form.text
        self.handoffs = filter_queue(items, text) if text else tuple(items)
        self._now, self._selected = now, form.selected
        self._names = _name_repositories({item.key.root: item.repository for item in items})
        self.fields = _FIELDS if len(self._names) > 1 else _ALONE
        loose = [work for work in unclaimed if has_words(_build_search(work), text)]
        rows: list[QueueRow] = []
        for group, members in _list_groups(self.handoffs, loose, known):
            if form.only_mine and group > QueueGroup.YOUR_CALL:
                continue
            folded = group in FOLDED and group not in form.opened and not text
            handoffs = sum(isinstance(member, InboxItem) for member in members)  # as the title counts them
            rows.append(GroupHeading(group, handoffs or len(members), folded))
            for member in () if folded else members:
                rows += [member, Reason(member)] if form.reasons else [member]
        super().__init__((_find_key(row), row) for row in (*rows, *broken))
        self.narrow()

    def find_handoff(self, key: str) -> InboxItem | None:
        row = self.find(key)
        return row if isinstance(row, InboxItem) else None

    def find_unclaimed(self, key: str) -> UnclaimedWork | None:
        row = self.find(key)
        return row if isinstance(row, UnclaimedWork) else None

    def find_group(self, key: str) -> QueueGroup | None:
        row = self.find(key)
        return row.group if isinstance(row, GroupHeading) else None

    def find_best(self, text: str) -> str:
        """Returns the key of the best match: an id before words, the beginning before the middle."""
        word = text.casefold().strip()
        best = min(self.handoffs, key=lambda item: _rank_match(item, word), default=None)
        return build_key(best) if best is not None else ""

    def measure_title(self, width: int) -> int:
        """Returns how much room a title has in rows of a width."""
        return next(place.width for place in choose_columns(self.fields, width) if place.field.name == "title")

    def build_row(self, index: int, width: int) -> Row:
        row = self.items[index]
        if isinstance(row, GroupHeading):
            return _build_heading(row)
        if isinstance(row, Reason):
            return (Cell("    "), *describe_reason(row.item))
        return _describe_broken(row) if isinstance(row, RepositoryPart) else super().build_row(index, width)

    def describe(self, item: QueueRow) -> dict[str, Row]:
        if isinstance(item, UnclaimedWork):
            return _describe_unclaimed(item)
        if not isinstance(item, InboxItem):
            return {}
        handoff = item.reviewed.handoff
        bright = item.needs_you
        chosen = (Cell("◉ ", "accent"),) if build_key(item) in self._selected else ()
        title = name_work(handoff)
        place = " · ".join(word for word in (shorten_id(handoff.id) if handoff.title else "", item.phase or "") if word)
        return {
            "title": (*chosen, Cell(render_safe(title), "heading" if bright else "text")),
            "repository": (Cell(render_safe(self._names[item.key.root]), "muted"),),
            "id": (Cell(render_safe(place), "muted"),),
            "who": (Cell(render_safe(item.running or handoff.source_agent or ""), "agent"),),
            "mark": (mark_item(item),),
            "size": _describe_size(item),
            "files": _describe_files(item),
            "age": (Cell(describe_span(item.since, self._now), "muted"),),
        }


def _name_repositories(names: Mapping[str, str]) -> Mapping[str, str]:
    """The name of each root; with its folder where two have the same name."""
    same = [name for name, number in Counter(names.values()).items() if number > 1]
    return {root: "/".join(root.split("/")[-2:]) if name in same else name for root, name in names.items()}


def _list_groups(
    items: Sequence[InboxItem], loose: Sequence[UnclaimedWork], known: Mapping[HandoffKey, QueueGroup]
) -> Iterable[tuple[QueueGroup, list[InboxItem | UnclaimedWork]]]:
    """The groups that have members, in order; unclaimed work is the reviewer's call."""
    groups: dict[QueueGroup, list[InboxItem | UnclaimedWork]] = {group: [] for group in QueueGroup}
    for item in items:
        groups[known[item.key]].append(item)
    groups[QueueGroup.YOUR_CALL] += loose
    return ((group, members) for group, members in groups.items() if members)


def _find_key(row: QueueRow) -> str:
    """A row without a key can't be selected."""
    if isinstance(row, GroupHeading):
        return f"{GROUP}{row.group.name}" if row.group in FOLDED else ""
    if isinstance(row, UnclaimedWork):
        return f"{row.root}\0"
    return build_key(row) if isinstance(row, InboxItem) else ""


def _build_heading(heading: GroupHeading) -> Row:
    name, role, note = _GROUPS[heading.group]
    more = "enter unfolds" if heading.folded else note
    return (Cell(name, role), Cell(f" · {heading.members:,}", "muted"), Cell(f"   {more}" if more else "", "muted"))


def describe_reason(item: InboxItem | UnclaimedWork) -> Row:
    """Says in one sentence why an item is in its group."""
    if isinstance(item, UnclaimedWork):
        one = len(item.files) == 1
        words, them = ("1 file belongs", "it") if one else (f"{len(item.files):,} files belong", "them")
        shown = ", ".join(item.files[:3]) + (" …" if len(item.files) > 3 else "")  # noqa: PLR2004 - a few names
        return (Cell(f"{words} to no handoff, so nobody is asked to approve {them}: {render_safe(shown)}", "muted"),)
    first = next(iter(item.measured.problems), None) if item.measured is not None else None
    runs = "; R runs it" if first is not None and first.unmeasured in RUNNABLE and item.waits_on_me else ""
    return (Cell(f"{render_safe(item.reason)}{runs}", "muted"),)


def mark_item(item: InboxItem) -> Cell:
    """A glyph, a number and a word: what is wrong, what was not measured, or what passed. Green needs a measurement."""
    if item.running:
        return Cell("● running", "agent")
    if item.closed:
        return Cell("■ closed", "fail")
    if not item.needs_you or item.reviewed.gate.state is GateName.OVERRIDDEN:
        return _mark_decided(item)
    return _mark_mine(item, item.measured) if item.measured is not None else Cell("… checking", "muted")


def _mark_mine(item: InboxItem, measured: MeasuredGate) -> Cell:
    gate = item.reviewed.gate
    if item.reviewed.handoff.branch is not None:
        return Cell("→ on a branch", "warning")
    blocking = sum(problem.fails for problem in measured.problems)
    waiting = sum(problem.blocks for problem in measured.problems) - blocking
    if waiting and not blocking and not gate.against:
        can_run = any(one.unmeasured in RUNNABLE for one in measured.problems)
        return Cell(f"? {waiting} {'not run' if can_run else 'unknown'}", "unknown")
    blocking = blocking or measured.failing
    if blocking or gate.against:
        return Cell(f"✗ {blocking or len(gate.against)} blocking", "fail")
    return _mark_decided(item) if gate.state is GateName.SUPERSEDED else _mark_open(item, measured)


def _mark_open(item: InboxItem, measured: MeasuredGate) -> Cell:
    if measured.problems or item.risks:
        return Cell(f"! {plural(len(measured.problems) or len(item.risks or ()), 'warning')}", "warning")
    if not item.is_measured:
        return Cell(f"? {item.reviewed.claims.unverified} to check", "unknown")
    return Cell(f"✓ {measured.passed} pass", "pass")


def _mark_decided(item: InboxItem) -> Cell:
    gate = item.reviewed.gate
    if gate.state in SENT_BACK:
        return Cell("↩ sent back", "warning")
    if gate.state not in {None, GateName.PENDING}:
        label = label_gate(gate.state)
        return Cell(str(label), label.role)
    return Cell("■ blocked", "fail") if gate.blocking else Cell("· open", "muted")


def _build_search(work: UnclaimedWork) -> str:
    return " ".join(("unclaimed work", work.repository, *work.files)).casefold()


def _describe_unclaimed(work: UnclaimedWork) -> dict[str, Row]:
    return {
        "title": (Cell("Unclaimed work", "heading"),),
        "repository": (Cell(render_safe(work.repository), "muted"),),
        "id": (Cell(f"{plural(len(work.commits), 'commit')}" if work.commits else "not committed", "muted"),),
        "mark": (Cell("? unclaimed", "unknown"),),
        "files": (Cell(plural(len(work.files), "file"), "changed"),),
    }


def _describe_broken(repository: RepositoryPart) -> Row:
    trouble = repository.state.trouble
    words = "can't be read" if trouble is None else f"{trouble.message}. {trouble.hint}"
    return (Cell(f"✗ {render_safe(repository.name)}  ", "fail"), Cell(render_safe(words), "muted"))


def _describe_size(item: InboxItem) -> Row:
    size = item.size
    if size is None or size.added is None:
        return ()
    deleted = (Cell(f" -{size.deleted}", "removed"),) if size.deleted else ()
    return (*fit((Cell(f"+{size.added}", "added"),), 5, right=True), *deleted)


def _describe_files(item: InboxItem) -> Row:
    files = item.size.files if item.size is not None else item.reviewed.scope.files
    return (Cell(plural(files, "file"), "muted"),) if files else ()


def filter_queue(items: Iterable[InboxItem], text: str) -> tuple[InboxItem, ...]:
    """Filters by words; `phase:`, `repo:`, `who:`, `state:` and `is:mine` match one field."""
    words = text.casefold().split()
    plain = [word for word in words if not _is_asking(word)]
    asked = [word.split(":", 1) for word in words if _is_asking(word)]
    found = (item for item in items if all(word in item.search for word in plain))
    return tuple(item for item in found if all(_has(item, name, value) for name, value in asked))


def _rank_match(item: InboxItem, word: str) -> tuple[int, int]:
    name, title = item.key.handoff.casefold(), (item.reviewed.handoff.title or "").casefold()
    ranks = (name == word, name.startswith(word), word in name, title.startswith(word), word in title)
    return next((rank for rank, fits in enumerate(ranks) if fits), len(ranks)), len(name)


def _is_asking(word: str) -> bool:
    name, colon, value = word.partition(":")
    return bool(colon and value) and name in _FOLLOWED


def _has(item: InboxItem, name: str, value: str) -> bool:
    move = item.reviewed.gate.next_move
    if name == "is":
        return value not in {"mine", "waiting"} or item.needs_you
    texts = {
        "phase": item.phase,
        "repo": item.repository,
        "who": f"{move.who} {move.name or ''}",
        "state": f"{_GROUPS[item.group][0]} {item.reviewed.gate.state or ''}",
    }
    return value in (texts[name] or "").casefold()
