"""The inbox as rows: what needs you, why, and since when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from handoff_tui.core.text.ages import describe_span
from handoff_tui.core.text.columns import Field, Row
from handoff_tui.core.text.labels import Label, label_gate, label_mover, label_readiness, plural
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import RepositoryPart
from handoff_tui.log.gates.gate_state import GateName, Mover
from handoff_tui.status.coverage_bar import label_coverage
from handoff_tui.status.inbox_item import InboxGroup, InboxItem, InboxOrder, RiskKind, UnclaimedWork, sort_inbox
from handoff_tui.tui.widgets.row_list import Table, has_words

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
_MINE: Final = Label("◆", "needs you", "waiting")
_OTHERS: Final = Label("○", "waiting", "warning")
_CLOSED: Final = Label("■", "closed", "fail")
"""For a repository in which no gate can open."""
_FIELDS: Final = (
    Field("handoff", "HANDOFF", 16, grows=30),
    Field("repository", "IN", 12, rank=5),
    Field("phase", "PHASE", 10, rank=8),
    Field("state", "STATE", 12),
    Field("who", "WHO", 8, rank=4, grows=6),
    Field("wrong", "FALSE", 5),
    Field("claims", "CLAIMS", 9, rank=2),
    Field("risk", "RISK", 9, rank=7, grows=20),
    Field("size", "DIFF", 11, rank=1),
    Field("age", "WAITS", 5, rank=3, right=True),
    Field("what", "NEXT", 16, rank=0, grows=60),
)
"""Never left out: the name, the state, and the number of false claims."""
_ALONE: Final = tuple(field for field in _FIELDS if field.name != "repository")
_FOLLOWED: Final = frozenset(["phase", "repo", "who", "state", "is"])


InboxRow = InboxItem | UnclaimedWork | RepositoryPart | None
"""A handoff, unclaimed work, an unreadable repository, or a rule between two groups."""


def build_key(item: InboxItem) -> str:
    """Returns a row's key: repository and handoff."""
    return "\0".join(item.key)


def label_item(item: InboxItem) -> Label:
    """Labels a handoff from the user's point of view."""
    gate = item.reviewed.gate
    if item.closed:
        return _CLOSED
    if item.waits_on_me:
        return _MINE
    if gate.state is not GateName.PENDING:
        return label_gate(gate.state)
    if gate.next_move.who in {Mover.REVIEWER, Mover.HUMAN}:
        return label_readiness(blocked=True) if gate.blocking else _OTHERS
    return label_mover(gate.next_move.who)


def filter_inbox(items: Iterable[InboxItem], text: str) -> tuple[InboxItem, ...]:
    """Filters by words; `phase:`, `repo:`, `who:`, `state:` and `is:mine` match one field."""
    words = text.casefold().split()
    plain = [word for word in words if not _is_asking(word)]
    asked = [word.split(":", 1) for word in words if _is_asking(word)]
    found = (item for item in items if all(word in item.search for word in plain))
    return tuple(item for item in found if all(_has(item, name, value) for name, value in asked))


class InboxRows(Table[InboxRow]):
    """The rows of an inbox; rules separate what needs you, what waits for others, and what is done."""

    def __init__(
        self,
        items: Sequence[InboxItem],
        *,
        order: InboxOrder = InboxOrder.URGENCY,
        text: str = "",
        now: datetime | None = None,
        broken: Sequence[RepositoryPart] = (),
        unclaimed: Sequence[UnclaimedWork] = (),
    ) -> None:
        """`broken` are unreadable repositories: they come last and never hide the others.

        `unclaimed` work comes after the handoffs that need you.
        """
        matching = filter_inbox(items, text) if text else tuple(items)
        self.handoffs = matching if order is InboxOrder.URGENCY else sort_inbox(matching, order)
        self._now = now
        self.fields = _FIELDS if len({item.key.root for item in items}) > 1 else _ALONE
        mine = [item for item in self.handoffs if item.group is InboxGroup.WAITS_ON_ME]
        rows: list[InboxRow] = [*mine, *(work for work in unclaimed if has_words(_build_search(work), text))]
        group = InboxGroup.WAITS_ON_ME
        for item in self.handoffs[len(mine) :]:
            if rows and group is not item.group:
                rows.append(None)
            group = item.group
            rows.append(item)
        super().__init__((_find_key(row), row) for row in (*rows, *broken))

    def find_handoff(self, key: str) -> InboxItem | None:
        row = self.find(key)
        return row if isinstance(row, InboxItem) else None

    def find_unclaimed(self, key: str) -> UnclaimedWork | None:
        row = self.find(key)
        return row if isinstance(row, UnclaimedWork) else None

    def build_row(self, index: int, width: int) -> Row:
        item = self.items[index]
        if item is None:
            return (Cell("─" * max(1, width), "border"),)
        return _describe_broken(item) if isinstance(item, RepositoryPart) else super().build_row(index, width)

    def describe(self, item: InboxRow) -> dict[str, Row]:
        if isinstance(item, UnclaimedWork):
            return _describe_unclaimed(item)
        return _describe(item, self._now) if isinstance(item, InboxItem) else {}


def _find_key(row: InboxRow) -> str:
    """A row without a key can't be selected."""
    if isinstance(row, UnclaimedWork):
        return f"{row.root}\0"
    return build_key(row) if isinstance(row, InboxItem) else ""


def _build_search(work: UnclaimedWork) -> str:
    return " ".join(("unclaimed work", work.repository, *work.files)).casefold()


def _describe_unclaimed(work: UnclaimedWork) -> dict[str, Row]:
    label = label_coverage("unclaimed")
    return {
        "handoff": (Cell("unclaimed work", "heading"),),
        "repository": (Cell(render_safe(work.repository), "muted"),),
        "phase": (Cell("–"),),
        "state": (Cell(str(label), label.role),),
        "size": (Cell(plural(len(work.files), "file"), "changed"),),
        "what": (Cell("give it to a handoff", "muted"),),
    }


def _describe_broken(repository: RepositoryPart) -> Row:
    trouble = repository.state.trouble
    words = "can't be read" if trouble is None else f"{trouble.message}. {trouble.hint}"
    return (Cell(f"✗ {render_safe(repository.name)}  ", "fail"), Cell(render_safe(words), "muted"))


def _describe(item: InboxItem, now: datetime | None) -> dict[str, Row]:
    label, move = label_item(item), item.reviewed.gate.next_move
    mover = label_mover(move.who)
    idle = item.waits_on_me or bool(item.closed) or move.who is Mover.NOBODY
    what = f"closed: {item.closed}" if item.closed else move.what
    return {
        "handoff": (Cell(render_safe(item.key.handoff), "heading" if item.waits_on_me else "text"),),
        "repository": (Cell(render_safe(item.repository), "muted"),),
        "phase": (Cell(render_safe(item.phase or "–")),),
        "state": (Cell(str(label), label.role),),
        "who": () if idle else (Cell(render_safe(move.name or mover.word), mover.role),),
        "wrong": _describe_wrong(item),
        "claims": _describe_claims(item),
        "risk": _describe_risk(item),
        "size": _describe_size(item),
        "age": (Cell(describe_span(item.since, now), "muted"),),
        "what": (Cell(render_safe(what), "fail" if item.closed else "muted"),),
    }


def _describe_wrong(item: InboxItem) -> Row:
    wrong = item.reviewed.claims.contradicted
    return (Cell(f"✗{wrong}", "contradicted"),) if wrong else ()


def _describe_claims(item: InboxItem) -> Row:
    claims = item.reviewed.claims
    holds = (Cell(f"✓{claims.holds} ", "holds"),) if claims.holds else ()
    return (*holds, Cell(f"?{claims.unverified}", "unverified")) if claims.unverified else holds


def _describe_risk(item: InboxItem) -> Row:
    if item.risks is None:
        return (Cell("…", "muted"),)
    kinds = list(dict.fromkeys(risk.kind for risk in item.risks))
    return (Cell("! " + " ".join(RISK_WORDS[kind] for kind in kinds), "warning"),) if kinds else ()


def _describe_size(item: InboxItem) -> Row:
    size = item.size
    if size is None or size.added is None:
        return () if size is None else (Cell(f"{size.files:,} files", "changed"),)
    return (Cell(f"+{size.added} ", "added"), Cell(f"-{size.deleted}", "removed"))


def _is_asking(word: str) -> bool:
    name, colon, value = word.partition(":")
    return bool(colon and value) and name in _FOLLOWED


def _has(item: InboxItem, name: str, value: str) -> bool:
    move = item.reviewed.gate.next_move
    if name == "is":
        return value not in {"mine", "waiting"} or item.waits_on_me
    texts = {
        "phase": item.phase,
        "repo": item.repository,
        "who": f"{move.who} {move.name or ''}",
        "state": f"{label_item(item).word} {item.reviewed.gate.state or ''}",
    }
    return value in (texts[name] or "").casefold()
