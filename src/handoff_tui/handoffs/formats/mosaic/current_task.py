"""`current_task.json`: the task, its criteria, and how far it is."""

from __future__ import annotations

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.mosaic.json_claims import (
    claim_commit_fields,
    claim_count_fields,
    claim_document_fields,
    claim_files,
)
from handoff_tui.handoffs.formats.mosaic.tasks import build_tasks
from handoff_tui.handoffs.reading.claim_words import build_claim, parse_status
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft
from handoff_tui.handoffs.reading.json_document import JsonNode


def add_current_task(root: JsonNode, draft: HandoffDraft) -> None:
    draft.title = root.text("objective") or draft.title
    draft.priority = root.scalar("priority")
    draft.add_producer(root.text("assigned_agent"))
    status = root.text("status")
    if status:
        draft.status = parse_status(status) or status
        where = root.place_of("status")
        draft.add_claims([build_claim(ClaimKind.STATUS, where, f"status: {status}", value=draft.status)])
    for key in ("task_id", "created_at", "updated_at", "completed_at"):
        draft.add_fact(f"task {key.removeprefix('task_').replace('_', ' ')}", root.scalar(key), root.place_of(key))
    draft.add_claims(claim_commit_fields(root))
    draft.add_claims(claim_document_fields(root))
    details = root.object("details")
    if details is not None:
        _add_details(details, draft)


def _add_details(details: JsonNode, draft: HandoffDraft) -> None:
    draft.add_fact("task description", details.text("description"), details.place_of("description"))
    draft.tasks.extend(build_tasks(details.items("completed_tasks"), "completed", status="completed", done=True))
    draft.tasks.extend(build_tasks(details.items("in_progress"), "in-progress", status="in_progress", done=False))
    draft.tasks.extend(build_tasks(details.items("success_criteria"), "criterion"))
    draft.add_claims(claim_files(details.items("artifacts_created"), ClaimKind.FILE_REFERENCED))
    draft.add_claims(claim_count_fields(details))
