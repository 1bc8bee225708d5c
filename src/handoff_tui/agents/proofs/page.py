"""Proofs of work in words: by task, each with its digest and whether it is still what was recorded."""

from __future__ import annotations

from handoff_tui.agents.proofs.record import ProofRecord, TaskProofs
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe


def build_proofs_page(handoff: str, tasks: tuple[TaskProofs, ...]) -> Page:
    page = Page()
    number = sum(len(task.proofs) for task in tasks)
    page.heading("Proofs of work", f"{handoff} · {number}")
    if not number:
        page.line(Cell("none is offered, and no agent was stepped here", "muted"), indent=2)
    for task in tasks:
        page.heading(render_safe(task.task) if task.task else "the handoff as a whole")
        for proof in task.proofs:
            page.line(*_build_cells(proof), indent=4)
    return page


def build_proofs_json(tasks: tuple[TaskProofs, ...]) -> list[dict[str, object]]:
    return [
        {**proof.model_dump(mode="json"), "task": task.task, "holds": proof.holds}
        for task in tasks
        for proof in task.proofs
    ]


def _build_cells(proof: ProofRecord) -> tuple[Cell, ...]:
    mark = {
        True: Cell("✓ as recorded  ", "pass"),
        False: Cell("✗ changed since  ", "fail"),
        None: Cell("? not recorded  ", "unverified"),
    }[proof.holds]
    digest = f"sha256 {proof.sha256[:SHORT_DIGEST]}" if proof.sha256 else "cannot be read"
    run = f"  run {render_safe(proof.run)}" if proof.run else ""
    return (
        mark,
        Cell(f"{proof.kind.value}  "),
        Cell(render_safe(proof.path), "path"),
        Cell(f"  {digest}{run}", "muted"),
    )
