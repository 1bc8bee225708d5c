"""`project_state.json`: phases, gates and the history of sessions."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.config.settings.root import Mosaic
from handoff_tui.core.work import Blocker
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.formats.mosaic.blockers import STANDARD, build_blocker
from handoff_tui.handoffs.formats.mosaic.json_claims import (
    claim_commit_fields,
    claim_count_fields,
    claim_document_fields,
)
from handoff_tui.handoffs.formats.mosaic.tasks import build_task, build_tasks
from handoff_tui.handoffs.reading.claim_words import build_claim, quote
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft
from handoff_tui.handoffs.reading.json_document import JsonNode


def add_project_state(root: JsonNode, draft: HandoffDraft, settings: Mosaic = STANDARD) -> None:
    draft.add_fact("project state updated", root.scalar("last_updated"), root.place_of("last_updated"))
    draft.add_producer(root.scalar("updated_by"))
    draft.add_claims(claim_commit_fields(root, head="git_commit"))
    draft.add_claims(claim_document_fields(root))
    draft.add_claims(claim_count_fields(root))
    draft.add_claims(_claim_gates(root.object("gates_status")))
    _add_phases(root, draft)
    _add_next_action(root, draft)
    draft.tasks.extend(build_tasks(root.items("completed_implementations"), "implementation"))
    draft.tasks.extend(build_tasks(root.items("implementation_backlog"), "backlog"))
    for number, node in enumerate(root.items("blocking_issues"), start=1):
        draft.blockers.append(_build_issue(node, number, settings))
    metadata = root.object("project_metadata")
    for member in metadata.members() if metadata is not None else ():
        draft.add_fact(f"project {str(member.pointer[-1]).replace('_', ' ')}", member.as_text(), member.where)


def _add_phases(root: JsonNode, draft: HandoffDraft) -> None:
    plan = root.object("implementation_plan")
    phases = plan.items("phases") if plan is not None else []
    draft.tasks.extend(build_tasks(phases, "phase"))
    for key in ("current_phase", "next_phase"):
        phase = root.get(key)
        if phase is None:
            continue
        task = build_task(phase, key.replace("_", "-"))
        if task is not None:
            if all(task.id != known.id for known in draft.tasks):
                draft.tasks.append(task)
            draft.add_fact(key.replace("_", " "), task.title, task.where)
        steps = phase.items("implementation_steps")
        for number, step in enumerate(steps, start=1):
            built = build_task(step, str(number))
            if built is not None:
                draft.tasks.append(built.model_copy(update={"id": f"step-{built.id}"}))


def _add_next_action(root: JsonNode, draft: HandoffDraft) -> None:
    phase = root.get("next_phase")
    action = phase.get("next_session_action") if phase is not None else None
    if action is None:
        return
    if isinstance(action.value, str):
        draft.next_action = action.value
    else:
        draft.next_action = action.scalar("description") or action.scalar("action")


def _claim_gates(gates: JsonNode | None) -> Iterator[Claim]:
    for member in gates.members() if gates is not None else ():
        value = member.scalar("status") if isinstance(member.value, dict) else member.as_text()
        if value:
            name = str(member.pointer[-1])
            yield build_claim(ClaimKind.CHECK, member.where, f"{name}: {value}", subject=name, value=value)


def _build_issue(node: JsonNode, number: int, settings: Mosaic) -> Blocker:
    fallback = f"blocking-issue-{number}"
    if isinstance(node.value, dict):
        blocker = build_blocker(node, number, settings)
        return blocker if node.has("id") else blocker.model_copy(update={"id": fallback})
    return Blocker(id=fallback, title=quote(node.as_text() or "(unreadable)"), where=node.where)
