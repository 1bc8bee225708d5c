"""`todo.json`: the project's list of tasks as one handoff."""

from __future__ import annotations

from handoff_tui.core.work import Task
from handoff_tui.handoffs.document import DocumentRole
from handoff_tui.handoffs.formats.hub.stages import is_done, parse_stage
from handoff_tui.handoffs.reading.claim_words import quote
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft
from handoff_tui.handoffs.reading.json_document import JsonNode


def add_todo(source: Source, draft: HandoffDraft) -> None:
    draft.documents.append(source.document(DocumentRole.LIST))
    root = source.json
    if root is None:
        return
    if not isinstance(root.value, dict):
        root.report_type("an object")
        return
    draft.title = root.scalar("project") or draft.title
    draft.message = root.text("description")
    draft.created = root.scalar("last_updated")
    nodes = root.objects("tasks")
    tasks = [_build_task(node, number) for number, node in enumerate(nodes, start=1)]
    draft.tasks.extend(tasks)
    known = {task.id for task in tasks}
    seen: set[str] = set()
    for node, task in zip(nodes, tasks, strict=True):
        if task.id in seen:
            node.document.report(node.pointer, f"the task {task.id} is listed twice")
        seen.add(task.id)
        _add_blocking(node, task, known, draft)
    done = sum(task.done is True for task in tasks)
    draft.add_fact("tasks done", f"{done} of {len(tasks)}", root.place_of("tasks"))


def _build_task(node: JsonNode, number: int) -> Task:
    status = node.scalar("status")
    task_id = node.scalar("id") or f"task-{number}"
    return Task(
        id=task_id,
        title=quote(node.scalar("title") or task_id),
        where=node.where,
        status=status,
        stage=parse_stage(node.scalar("pipeline_stage") or node.scalar("stage")),
        done=is_done(status),
        priority=node.scalar("priority"),
        commit=node.scalar("commit"),
    )


def _add_blocking(node: JsonNode, task: Task, known: set[str], draft: HandoffDraft) -> None:
    member = node.get("blocked_by")
    if member is None:
        return
    elements = member.elements() if isinstance(member.value, list) else [member]
    for element in elements:
        blocking = element.as_text()
        if not blocking:
            continue
        draft.add_fact("blocked by", f"{task.id} waits for {blocking}", element.where)
        if blocking not in known:
            element.document.report(element.pointer, f"{task.id} is blocked by {blocking}, which is not in the list")
