"""Proofs of work as a list to go through, and one of them as lines. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.agents.proofs.record import ProofRecord, TaskProofs
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.core.work import ProofKind
from handoff_tui.live.state.agents import ProofShown

_WHOLE = "the handoff as a whole"
_LONGEST_RAW = 4_000
_MARKS = {
    True: Cell("✓ as recorded   ", "pass"),
    False: Cell("✗ changed since ", "fail"),
    None: Cell("? not recorded  ", "unverified"),
}


def build_proof_name(proof: ProofRecord) -> str:
    """A proof's name in the list; the same over refreshes."""
    return f"{proof.task or ''}\0{proof.run or ''}\0{proof.path}"


class ProofRows:
    """Each task with its proofs below it; the cursor stands on proofs only."""

    def __init__(self, tasks: Sequence[TaskProofs]) -> None:
        self._rows: list[ProofRecord | str] = []
        for task in tasks:
            self._rows += [task.task or _WHOLE, *task.proofs]
        self.keys: Sequence[str] = tuple("" if isinstance(row, str) else build_proof_name(row) for row in self._rows)

    def find(self, name: str) -> ProofRecord | None:
        row = self._rows[self.keys.index(name)] if name and name in self.keys else None
        return None if isinstance(row, str) else row

    def build_row(self, index: int, width: int) -> tuple[Cell, ...]:  # noqa: ARG002 - whoever draws cuts it
        row = self._rows[index]
        if isinstance(row, str):
            return (Cell(render_safe(row), "heading"),)
        size = f"  {row.size:,} bytes" if row.size is not None else ""
        digest = f"  sha256 {row.sha256[:SHORT_DIGEST]}" if row.sha256 else "  cannot be read"
        return (
            _MARKS[row.holds] if row.sha256 else Cell("✗ not readable  ", "fail"),
            Cell(f"{row.kind.value:<12}"),
            Cell(describe_proof(row), "path"),
            Cell(
                size + (f"  run {render_safe(row.run)}" if row.run and row.recorded is None else "") + digest, "muted"
            ),
        )


def describe_proof(proof: ProofRecord) -> str:
    """What it is called: the path of a file, or whose output it is."""
    return render_safe(f"output of {proof.run}" if proof.recorded is not None and proof.run else proof.path)


def build_proof_line(shown: ProofShown, index: int, shift: int) -> tuple[Cell, ...]:
    """A line of a proof, from a column on; those of a diff by what they say."""
    line = shown.lines[index][:_LONGEST_RAW]
    return (Cell(render_safe(line)[shift:], _find_role(shown.proof.kind, line)),)


def _find_role(kind: ProofKind, line: str) -> str:
    if kind is not ProofKind.DIFF:
        return "text"
    roles = {"+": "added", "-": "removed", "@": "muted"}
    return roles.get(line[:1], "text")
