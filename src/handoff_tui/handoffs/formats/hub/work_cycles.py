"""Work cycles exported as JSON: one handover from role to role, with its life from pending to done."""

from __future__ import annotations

from typing import Final

from handoff_tui.config.settings.root import Hub
from handoff_tui.core.tasks import Attempt
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.hub.reports import find_contradiction
from handoff_tui.handoffs.formats.hub.stages import STANDARD, find_next_stage, parse_stage
from handoff_tui.handoffs.reading.claim_words import build_claim, parse_status, quote
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft
from handoff_tui.handoffs.reading.json_document import JsonNode

_WRAPPERS: Final = ("handoffs", "work_cycles", "workcycles", "history", "handoff", "work_cycle", "workcycle", "items")
_FACTS: Final = (
    "id",
    "project",
    "project_id",
    "run",
    "run_id",
    "created_by",
    "created_at",
    "accepted_at",
    "completed_at",
)
_TITLE_KEYS: Final = ("task_title", "title")


def find_cycles(root: JsonNode) -> list[JsonNode]:
    """The work cycles of an export: the object itself, a list, or either of them below a known name."""
    holders = [root, *(member for key in _WRAPPERS if (member := root.get(key)) is not None)]
    return [node for holder in holders for node in (holder, *holder.elements()) if _is_cycle(node)]


def find_named(node: JsonNode, name: str) -> str | None:
    """The id of the task or run that an object names, directly or as a nested object."""
    for key in (name, f"{name}_id", f"{name}_key"):
        member = node.get(key)
        if member is None:
            continue
        if isinstance(member.value, dict):
            found = member.scalar(f"{name}_id") or member.scalar("id") or member.scalar("key")
        else:
            found = member.as_text()
        if found and found.strip():
            return found.strip()
    return None


def age_of(cycle: JsonNode) -> str:
    """When the cycle last moved, as written."""
    return next((text for key in ("completed_at", "accepted_at", "created_at") if (text := cycle.scalar(key))), "")


def add_cycle(cycle: JsonNode, draft: HandoffDraft, settings: Hub = STANDARD) -> None:
    """Adds a cycle; fields that a newer source has given stay as they are."""
    status = _check_word(cycle, "status", settings.statuses)
    report_status = _check_word(cycle, "report_status", settings.report_statuses)
    stage = parse_stage(cycle.scalar("stage"))
    if draft.source_phase is None and stage is not None:
        draft.source_phase, draft.target_phase = stage, find_next_stage(stage, settings)
    draft.source_agent = draft.source_agent or cycle.scalar("from_role")
    draft.target_agent = draft.target_agent or cycle.scalar("to_role")
    draft.created = draft.created or cycle.scalar("created_at")
    draft.message = draft.message or _read_prose(cycle, "summary")
    draft.title = draft.title or next((text for key in _TITLE_KEYS if (text := _read_title(cycle, key))), None)
    if status is not None:
        token = parse_status(status) or status
        draft.status = draft.status or token
        where = cycle.place_of("status")
        draft.add_claims([build_claim(ClaimKind.STATUS, where, f"status: {status}", value=token)])
    for key in _FACTS:
        member = cycle.get(key)
        if member is not None and not isinstance(member.value, dict | list):
            draft.add_fact(f"cycle {key.replace('_', ' ')}", member.as_text(), member.where)
    _add_report(cycle, report_status, status, stage, draft)


def _add_report(
    cycle: JsonNode, report_status: str | None, status: str | None, stage: str | None, draft: HandoffDraft
) -> None:
    """The receiving role works in the stage and reports on it."""
    role = cycle.scalar("to_role")
    draft.add_producer(cycle.scalar("from_role"))
    if report_status is None and cycle.get("report") is None and cycle.get("completed_at") is None:
        return
    draft.add_producer(role)
    summary = _read_prose(cycle, "summary")
    warning: str | None = None
    if report_status is not None:
        name = f"{role or stage or 'agent'} report"
        where = cycle.place_of("report_status")
        draft.add_claims(
            [build_claim(ClaimKind.CHECK, where, f"{name}: {report_status}", subject=name, value=report_status)]
        )
        contradiction = find_contradiction(_read_prose(cycle, "report"), summary) if report_status == "pass" else None
        if contradiction is not None:
            warning = contradiction[0]
            cycle.document.report((*cycle.pointer, "report_status"), f"the {name} is doubtful: {warning}")
    draft.attempts.append(
        Attempt(
            number=len(draft.attempts) + 1,
            agent=role,
            phase=stage,
            status=report_status or status,
            summary=summary,
            when=age_of(cycle) or None,
            where=cycle.where,
            warning=warning,
        )
    )


def _is_cycle(node: JsonNode) -> bool:
    return node.has("from_role", "to_role") and (node.has("status") or node.has("stage"))


def _check_word(cycle: JsonNode, key: str, known: tuple[str, ...]) -> str | None:
    """A word of a fixed list; another one is kept and reported."""
    word = cycle.text(key)
    if word is not None and word.strip().lower() not in known:
        cycle.document.report((*cycle.pointer, key), f"{key} is none of {', '.join(known)}: {quote(word) or 'empty'}")
    return word.strip().lower() or None if word is not None else None


def _read_prose(cycle: JsonNode, key: str) -> str | None:
    member = cycle.get(key)
    return member.value if member is not None and isinstance(member.value, str) and member.value.strip() else None


def _read_title(cycle: JsonNode, key: str) -> str | None:
    task = cycle.get("task")
    return cycle.scalar(key) or (task.scalar(key) if task is not None else None)
