"""Claims: what the agent says beside what was measured here, false ones first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.columns import Field, Row
from handoff_tui.core.text.labels import label_verdict
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.agent_comments import build_comment_verdict
from handoff_tui.handoffs.claim import Verdict, VerdictState
from handoff_tui.status.review_state import ShownHandoff
from handoff_tui.tui.widgets.row_list import Table, has_words

_ORDER: Final = {
    state: number
    for number, state in enumerate(
        (VerdictState.CONTRADICTED, VerdictState.WAS_TRUE, VerdictState.UNVERIFIED, VerdictState.HOLDS)
    )
}
_FIELDS: Final = (
    Field("verdict", "VERDICT", 14),
    Field("says", "THE AGENT SAYS", 24, grows=50),
    Field("measured", "MEASURED HERE", 24, rank=5, grows=50),
    Field("when", "WHEN", 16, rank=3),
    Field("where", "WHERE", 18, rank=1, grows=20),
)
_HASH: Final = compile_later(r"\b(sha256:[0-9a-f]{8})[0-9a-f]{56}\b")
"""The list shows the beginning of a hash; the page beside it shows all of it."""
_LONGEST = 240


class ClaimRows(Table[Verdict]):
    """One row per claim."""

    fields = _FIELDS

    def __init__(self, shown: ShownHandoff, *, text: str = "") -> None:
        said = (*shown.verdicts, *map(build_comment_verdict, shown.agent_comments))
        verdicts = [
            verdict
            for verdict in sorted(said, key=lambda verdict: _ORDER[verdict.state])
            if has_words(_build_search(verdict), text)
        ]
        super().__init__(zip(_build_keys(verdicts), verdicts, strict=True))

    def describe(self, item: Verdict) -> dict[str, Row]:
        label = label_verdict(item.state)
        return {
            "verdict": (Cell(str(label), label.role),),
            "says": (Cell(_shorten(describe_claim(item))),),
            "measured": (Cell(_shorten(_describe_measured(item)), label.role),),
            "when": (Cell(render_safe(item.moment or "–"), "muted"),),
            "where": (Cell(render_safe(str(item.claim.where)), "path"),),
        }


def build_claim_page(verdict: Verdict) -> Page:
    """Shows a claim in full: its words, where they are, what was measured, and how."""
    page = Page()
    claim, label = verdict.claim, label_verdict(verdict.state)
    page.line(Cell(f"{label}  ", label.role), Cell(render_safe(_describe_subject(verdict)), "heading"), indent=2)
    rows = (
        ("says", claim.text, "text"),
        ("at", str(claim.where), "path"),
        ("claimed", "" if claim.value is None else str(claim.value), "text"),
        ("when", verdict.moment or "", "muted"),
        ("here", "" if verdict.measured is None else str(verdict.measured), label.role),
        ("how", verdict.evidence or "nothing here can measure it", "muted"),
    )
    for name, text, role in rows:
        if text:
            page.line(Cell(f"{name:<8}", "muted"), Cell(render_safe(text), role), indent=8)
    return page


def describe_claim(verdict: Verdict) -> str:
    """Describes a claim in short: `count package.total = 12`."""
    said, value = _describe_subject(verdict), verdict.claim.value
    return said if value is None or value is True else f"{said} = {value}"


def _describe_subject(verdict: Verdict) -> str:
    claim = verdict.claim
    return f"{claim.kind} {claim.subject}" if claim.subject else str(claim.kind)


def _describe_measured(verdict: Verdict) -> str:
    if verdict.measured is None or isinstance(verdict.measured, bool):
        return verdict.evidence
    return f"{verdict.measured}: {verdict.evidence}" if verdict.evidence else str(verdict.measured)


def _shorten(text: str) -> str:
    return render_safe(_HASH.sub(r"\1…", text), _LONGEST)


def _build_search(verdict: Verdict) -> str:
    claim = verdict.claim
    state = f"{verdict.state} {label_verdict(verdict.state).word}"
    return f"{state} {describe_claim(verdict)} {claim.text} {claim.where} {verdict.evidence}"


def _build_keys(verdicts: Sequence[Verdict]) -> list[str]:
    """Builds keys from the claim and its place; a number separates duplicates."""
    seen: Counter[str] = Counter()
    keys: list[str] = []
    for verdict in verdicts:
        claim = verdict.claim
        name = f"{claim.kind}\0{claim.subject or ''}\0{claim.where.path}\0{claim.text}"
        keys.append(f"{name}\0{seen[name]}")
        seen[name] += 1
    return keys
