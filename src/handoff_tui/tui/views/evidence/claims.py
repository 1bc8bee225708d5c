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
<<<<<<< HEAD:src/handoff_tui/tui/views/claims/view.py


class ClaimsView(ListedView[ClaimRows]):
    """One row per claim; enter opens the line that makes it."""

    scope = "claims"
    parts: ClassVar[frozenset[Part]] = frozenset({Part.SHOWN})
    hints: ClassVar[tuple[str, ...]] = ("app.open", "claims.only-contradicted", "app.edit", "app.copy")
    listed = "shown"
    shown = ("shown", "chosen")
    waiting = "measuring…"
    title = "Claim and measurement"
    _only_contradicted = False

    def build_rows(self, value: ShownHandoff) -> ClaimRows:
        return ClaimRows(value, only_contradicted=self._only_contradicted, text=self._text)

    def build_page(self) -> Page:
        return Page() if self._verdict is None else build_claim_page(self._verdict)

    def open(self, event: RowList.Opened) -> None:  # noqa: ARG002 - it is under the cursor
        self.perform("claims.open-file")

    def refuse(self, action: str) -> str:
        verdict = self._verdict
        if action in {"claims.open-file", "app.copy", "app.copy-all", "app.edit"} and verdict is None:
            return "no claim selected"
        if action == "app.edit" and verdict is not None and ":" in verdict.claim.where.path:
            return "it's claimed in git, not in a file"
        return ""

    def list_acts(self) -> Mapping[str, Act]:
        toggle: dict[str, Act] = {"claims.only-contradicted": self._toggle_contradicted}
        if self._verdict is None:
            return toggle
        claim, where = self._verdict.claim, self._verdict.claim.where
        return toggle | {
            "claims.open-file": PlaceWanted(where.path, where.line),
            "app.edit": EditorWanted(where.path, where.line),
            "app.copy": CopyWanted(claim.text, "the claim"),
            "app.copy-all": CopyWanted(str(where), "the place"),
        }

    def describe_found(self) -> str:
        return f"{len(self.table.keys) if self.table else 0} claims match"

    def describe(self) -> tuple[Cell, ...]:
        if self.table is None:
            return ()
        cells: list[Cell] = [Cell(" ")]
        for state in _ORDER:
            label, count = label_verdict(state), self.table.counts[state]
            if not count and state is VerdictState.WAS_TRUE:
                continue
            cells.append(Cell(f"{label.glyph} {count} {label.word}  ", label.role if count else "muted"))
        return (*cells, self.describe_freshness())

    @property
    def _verdict(self) -> Verdict | None:
        return self.table.find(self.rows.key) if self.table is not None else None

    def _toggle_contradicted(self) -> None:
        self._only_contradicted = not self._only_contradicted
        self.redraw()

    def describe_nothing(self) -> Cell:
        if self._only_contradicted:
            return Cell("✓ No false claims", "pass")
        return Cell("This handoff claims nothing that can be measured", "muted")
=======
>>>>>>> fa0e2f7 (Two levels: a queue by what can be done, and a review in six tabs):src/handoff_tui/tui/views/evidence/claims.py
