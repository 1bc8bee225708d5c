"""Proofs of work by task across runs: what handoffs offer, and what the runs of agents printed."""

from __future__ import annotations

from handoff_tui.agents.proofs.record import ProofRecord, TaskProofs
from handoff_tui.agents.runs.run import AGENT_STEP
from handoff_tui.agents.step.trail import list_reports
from handoff_tui.core.picture import Picture
from handoff_tui.core.tasks import ProofKind
from handoff_tui.core.text.png import parse_png
from handoff_tui.handoffs.claims.hashing import hash_file
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Desk
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.processes.output_reader import hash_output

_LARGEST_PICTURE = 32 * 1024 * 1024


def list_proofs(desk: Desk, handoff: Handoff) -> tuple[TaskProofs, ...]:
    """By task, in the order in which tasks are first named; outputs of runs belong to the handoff as a whole."""
    reader = FileReader(desk.repository.root, desk.loaded.settings.limits.hash_bytes)
    records = [
        ProofRecord(
            path=proof.path,
            kind=proof.kind,
            task=proof.task,
            run=proof.run,
            sha256=_strip(hash_file(reader, proof.path)),
            size=proof.size,
        )
        for proof in handoff.proofs
    ]
    for report in list_reports(desk, handoff.id, procedures=True):
        key = report.key
        records.append(
            ProofRecord(
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


def read_picture(desk: Desk, path: str) -> Picture:
    """A screenshot of the repository, as its pixels; an error that says why it cannot be shown."""
    return parse_png(FileReader(desk.repository.root, _LARGEST_PICTURE).read_bytes(path))


def _strip(digest: str | None) -> str | None:
    return None if digest is None else digest.removeprefix("sha256:")
