"""Work items in the state files: strings, or objects with an id, a name and a status."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from handoff_tui.core.tasks import Task
from handoff_tui.handoffs.formats.mosaic.json_claims import parse_commit
from handoff_tui.handoffs.reading.claim_words import parse_status, quote
from handoff_tui.handoffs.reading.json_document import JsonNode

_ID_KEYS: Final = ("phase_id", "step_id", "plan_id", "task_id", "id")
_TITLE_KEYS: Final = ("phase_name", "title", "name", "description", "task", "action")
_FINISHED: Final = frozenset({"COMPLETE", "PASS", "RESOLVED", "CLOSED", "VALIDATED"})

_NOT_BEGUN: Final = frozenset({"not_started", "todo", "to_do", "planned", "queued", "backlog", "incomplete"})


def build_tasks(
    nodes: Iterable[JsonNode], prefix: str, *, status: str | None = None, done: bool | None = None
) -> Iterator[Task]:
    """A task for each element; `status` and `done` hold for elements that do not give a status themselves."""
    for number, node in enumerate(nodes, start=1):
        task = build_task(node, f"{prefix}-{number}", status=status, done=done)
        if task is not None:
            yield task


def build_task(node: JsonNode, fallback_id: str, *, status: str | None = None, done: bool | None = None) -> Task | None:
    if isinstance(node.value, str):
        title = quote(node.value)
        return Task(id=fallback_id, title=title, where=node.where, status=status, done=done) if title else None
    if not isinstance(node.value, dict):
        node.report_type("text or an object")
        return None
    own_status = node.scalar("status")
    commit = node.scalar("completion_commit") or node.scalar("commit")
    task_id = _first(node, _ID_KEYS) or fallback_id
    return Task(
        id=task_id,
        title=quote(_first(node, _TITLE_KEYS) or task_id),
        where=node.where,
        status=own_status or status,
        done=is_finished(own_status) if own_status else done,
        priority=node.scalar("priority"),
        commit=parse_commit(commit) if commit else None,
    )


def is_finished(status: str) -> bool | None:
    """Whether a status word says that the work is done; nothing where the word is not known."""
    token = parse_status(status)
    if token is None:
        return False if status.strip().lower().replace(" ", "_") in _NOT_BEGUN else None
    return token in _FINISHED


def _first(node: JsonNode, keys: Iterable[str]) -> str | None:
    return next((text for key in keys if (text := node.scalar(key))), None)
