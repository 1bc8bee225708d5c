"""Claims: what the agent says beside what was measured here, false ones first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar, Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.columns import Field, Row, build_cells, build_headings
from handoff_tui.core.text.labels import label_verdict
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.claim import Verdict, VerdictState
from handoff_tui.live.state.app import AppState, Part
from handoff_tui.status.review_state import ShownHandoff
from handoff_tui.tui.messages import CopyWanted, EditorWanted, PlaceWanted
from handoff_tui.tui.views.listed_view import ListedView
from handoff_tui.tui.widgets.freshness import describe_freshness, read_now
from handoff_tui.tui.widgets.row_list import EmptyRows

_ORDER: Final = {VerdictState.CONTRADICTED: 0, VerdictState.UNVERIFIED: 1, VerdictState.HOLDS: 2}
_FIELDS: Final = (
    Field("verdict", "VERDICT", 14),
    Field("says", "THE AGENT SAYS", 24, grows=50),
    Field("measured", "MEASURED HERE", 24, rank=5, grows=50),
    Field("where", "WHERE", 18, rank=1, grows=20),
)
_HASH: Final = compile_later(r"\b(sha256:[0-9a-f]{8})[0-9a-f]{56}\b")
"""The list shows the beginning of a hash; the page beside it shows all of it."""
_LONGEST = 240


class ClaimRows:
    """One row per claim."""

    def __init__(self, shown: ShownHandoff, *, only_contradicted: bool = False, text: str = "") -> None:
        self._total = shown.verdicts
        wanted = text.casefold().split()
        self._rows = [
            verdict
            for verdict in sorted(shown.verdicts, key=lambda verdict: _ORDER[verdict.state])
            if (not only_contradicted or verdict.state is VerdictState.CONTRADICTED)
            and all(word in _build_search(verdict) for word in wanted)
        ]
        self._keys = _build_keys(self._rows)

    @property
    def keys(self) -> Sequence[str]:
        return self._keys

    @property
    def counts(self) -> Counter[VerdictState]:
        """The number of claims per verdict, whether listed or filtered out."""
        return Counter(verdict.state for verdict in self._total)

    def find(self, key: str) -> Verdict | None:
        return self._rows[self._keys.index(key)] if key in self._keys else None

    def build_heading(self, width: int) -> Row:
        return build_headings(_FIELDS, width)

    def build_row(self, index: int, width: int) -> Row:
        verdict = self._rows[index]
        label = label_verdict(verdict.state)
        values: dict[str, Row] = {
            "verdict": (Cell(str(label), label.role),),
            "says": (Cell(_shorten(describe_claim(verdict))),),
            "measured": (Cell(_shorten(_describe_measured(verdict)), label.role),),
            "where": (Cell(render_safe(str(verdict.claim.where)), "path"),),
        }
        return build_cells(_FIELDS, values, width)


def build_claim_page(verdict: Verdict) -> Page:
    """Shows a claim in full: its words, where they are, what was measured, and how."""
    page = Page()
    claim, label = verdict.claim, label_verdict(verdict.state)
    page.line(Cell(f"{label}  ", label.role), Cell(render_safe(_describe_subject(verdict)), "heading"), indent=2)
    rows = (
        ("says", claim.text, "text"),
        ("at", str(claim.where), "path"),
        ("claimed", "" if claim.value is None else str(claim.value), "text"),
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
    return f"{state} {describe_claim(verdict)} {claim.text} {claim.where} {verdict.evidence}".casefold()


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


class ClaimsView(ListedView):
    """One row per claim; enter opens the line that makes it."""

    scope = "claims"
    parts: ClassVar[frozenset[Part]] = frozenset({Part.SHOWN})
    hints: ClassVar[tuple[str, ...]] = (*("app.open", "claims.only-contradicted", "app.edit", "app.copy"),)

    def __init__(self) -> None:
        super().__init__(id="claims")
        self._state = AppState()
        self._only_contradicted = False
        self._rows: ClaimRows | None = None

    def show(self, state: AppState) -> None:
        before, self._state = self._state, state
        if state.shown is not before.shown or state.chosen != before.chosen:
            self.redraw()
            self.show_page()

    def redraw(self) -> None:
        shown = self._state.shown.value
        self._rows = (
            None if shown is None else ClaimRows(shown, only_contradicted=self._only_contradicted, text=self._text)
        )
        if self._rows is not None and self._rows.keys:
            self.show_rows(self._rows, self._rows.build_heading(self.room))
        else:
            self.show_rows(EmptyRows(self._explain_empty()))

    def build_page(self) -> Page:
        verdict = self._verdict
        return Page() if verdict is None else build_claim_page(verdict)

    def describe_page(self) -> tuple[Cell, ...]:
        return (Cell("Claim and measurement", "muted"),)

    def open(self, key: str) -> None:  # noqa: ARG002 - it is under the cursor
        self.perform("claims.open-file")

    def refuse(self, action: str) -> str:
        verdict = self._verdict
        if action in {"claims.open-file", "app.copy", "app.copy-all", "app.edit"} and verdict is None:
            return "no claim selected"
        if action == "app.edit" and verdict is not None and ":" in verdict.claim.where.path:
            return "it's claimed in git, not in a file"
        return ""

    def perform(self, action: str) -> bool:
        verdict = self._verdict
        if action == "claims.only-contradicted":
            self._only_contradicted = not self._only_contradicted
            self.redraw()
            return True
        if verdict is None or action not in {"claims.open-file", "app.copy", "app.copy-all", "app.edit"}:
            return super().perform(action)
        where = verdict.claim.where
        wanted = {
            "claims.open-file": PlaceWanted(where.path, where.line),
            "app.edit": EditorWanted(where.path, where.line),
            "app.copy": CopyWanted(verdict.claim.text, "the claim"),
            "app.copy-all": CopyWanted(str(where), "the place"),
        }
        self.post_message(wanted[action])
        return True

    def describe_found(self) -> str:
        found = len(self._rows.keys) if self._rows else 0
        return f"{found} claims match"

    def describe(self) -> tuple[Cell, ...]:
        repository = self._state.repository
        if self._rows is None or repository is None:
            return ()
        counts = self._rows.counts
        cells: list[Cell] = [Cell(" ")]
        for state in (VerdictState.CONTRADICTED, VerdictState.UNVERIFIED, VerdictState.HOLDS):
            label = label_verdict(state)
            cells.append(
                Cell(f"{label.glyph} {counts[state]} {label.word}  ", label.role if counts[state] else "muted")
            )
        return (*cells, describe_freshness(self._state.shown, repository.watching, read_now()))

    @property
    def _verdict(self) -> Verdict | None:
        return self._rows.find(self.rows.key) if self._rows is not None else None

    def _explain_empty(self) -> Cell:
        part = self._state.shown
        if part.trouble is not None:
            return Cell(f"✗ {render_safe(part.trouble.message)}. {render_safe(part.trouble.hint)}", "fail")
        if self._state.item is None:
            return Cell("No handoff selected. 1 shows the inbox.", "muted")
        if part.value is None:
            return Cell("measuring…", "muted")
        if self._text:
            return Cell(f'No matches for "{render_safe(self._text)}"', "muted")
        if self._only_contradicted:
            return Cell("✓ No false claims", "pass")
        return Cell("This handoff claims nothing that can be measured", "muted")
