"""Claims: what the agent says beside what was measured here, contradictions first."""

from __future__ import annotations

from typing import ClassVar

from handoff_tui.core.text.labels import label_verdict
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.claim import Verdict, VerdictState
from handoff_tui.live.state.desk import DeskState, Part
from handoff_tui.tui.clock import read_now
from handoff_tui.tui.messages import CopyWanted, EditorWanted, PlaceWanted
from handoff_tui.tui.views.claims.rows import ClaimRows, build_claim_page
from handoff_tui.tui.views.listed_view import ListedView
from handoff_tui.tui.widgets.freshness import describe_freshness
from handoff_tui.tui.widgets.row_list import EmptyRows


class ClaimsView(ListedView):
    """One row a claim; enter leads to the line where it is said."""

    scope = "claims"
    parts: ClassVar[frozenset[Part]] = frozenset({Part.SHOWN})
    hints: ClassVar[tuple[str, ...]] = (*("app.open", "claims.only-contradicted", "app.edit", "app.copy"),)

    def __init__(self) -> None:
        super().__init__(id="claims")
        self._state = DeskState()
        self._only_contradicted = False
        self._rows: ClaimRows | None = None

    def show(self, state: DeskState) -> None:
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
        return (Cell("The claim, beside what was measured", "muted"),)

    def open(self, key: str) -> None:  # noqa: ARG002 - it is under the cursor
        self.perform("claims.open-file")

    def refuse(self, action: str) -> str:
        verdict = self._verdict
        if action in {"claims.open-file", "app.copy", "app.copy-all", "app.edit"} and verdict is None:
            return "no claim is chosen"
        if action == "app.edit" and verdict is not None and ":" in verdict.claim.where.path:
            return "it is said in git, not in a file"
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
        return f"{found} claims fit"

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
            return Cell("no handoff is chosen: 1 shows the inbox", "muted")
        if part.value is None:
            return Cell("measuring…", "muted")
        if self._text:
            return Cell(f"nothing fits «{render_safe(self._text)}»", "muted")
        if self._only_contradicted:
            return Cell("✓ nothing it says is contradicted", "pass")
        return Cell("this handoff claims nothing that can be measured", "muted")
