"""Proofs of work by task, across runs: files that handoffs offer, and outputs of agents."""

from __future__ import annotations

from handoff_tui.agents.runs.run import AGENT_STEP
from handoff_tui.agents.step.trail import list_reports
from handoff_tui.core.model import Model
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.tasks import ProofKind
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.pictures import Picture, parse_png
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.claims.evidence import hash_file
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.processes.output_reader import hash_output

_LARGEST_PICTURE = 32 * 1024 * 1024


class MeasuredProof(Model):
    """One proof, a file that a handoff offers or the output of a run, as it is now."""

    path: str
    kind: ProofKind
    task: str | None = None
    run: str | None = None
    sha256: str | None = None
    """Of the file as it is now; None if it can't be read."""
    recorded: str | None = None
    """The digest recorded when it was made; None for files that only a document names."""
    size: int | None = None

    @property
    def holds(self) -> bool | None:
        """Whether it is still what was recorded; None if nothing was."""
        return None if self.recorded is None else self.sha256 == self.recorded


class TaskProofs(Model):
    """The proofs of one task, oldest run first; without a task, those of the handoff as a whole."""

    task: str | None
    proofs: tuple[MeasuredProof, ...]


def list_proofs(session: Session, handoff: Handoff) -> tuple[TaskProofs, ...]:
    """Lists the proofs by task, in the order of the tasks; outputs of runs belong to the handoff as a whole."""
    reader = FileReader(session.repository.root, session.loaded.settings.limits.hash_bytes)
    records = [
        MeasuredProof(
            path=proof.path,
            kind=proof.kind,
            task=proof.task,
            run=proof.run,
            sha256=(hash_file(reader, proof.path) or "").removeprefix("sha256:") or None,
            size=proof.size,
        )
        for proof in handoff.proofs
    ]
    for report in list_reports(session, handoff.id, procedures=True):
        key = report.key
        records.append(
            MeasuredProof(
                path=report.proof,
                kind=ProofKind.LOG,
                run=f"{key.phase} {key.attempt}.{key.number}{'' if key.step == AGENT_STEP else f' {key.step}'}",
                sha256=hash_output(report.proof),
                recorded=report.end.output_sha256,
                size=report.end.output_bytes,
            )
        )
    tasks = dict.fromkeys(record.task for record in records)
    return tuple(
        TaskProofs(task=task, proofs=tuple(record for record in records if record.task == task)) for task in tasks
    )


def read_picture(session: Session, path: str) -> Picture:
    """Reads a screenshot; raises an error that says why it can't be shown."""
    return parse_png(FileReader(session.repository.root, _LARGEST_PICTURE).read_bytes(path))


def build_proofs_page(handoff: str, tasks: tuple[TaskProofs, ...]) -> Page:
    page = Page()
    number = sum(len(task.proofs) for task in tasks)
    page.heading("Proofs of work", f"{handoff} · {number}")
    if not number:
        page.line(Cell("none offered, and no agent has run here", "muted"), indent=2)
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


def _build_cells(proof: MeasuredProof) -> tuple[Cell, ...]:
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
