"""The sections of a context file, added to the handoff of its task."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from handoff_tui.config.settings.root import Hub
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Task
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.formats.hub.attempts import add_attempts
from handoff_tui.handoffs.formats.hub.context import Context, Field, read_fields
from handoff_tui.handoffs.formats.hub.stages import STANDARD, find_next_stage, is_done, parse_stage
from handoff_tui.handoffs.reading.claim_words import build_claim, parse_status, quote
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft
from handoff_tui.handoffs.reading.markdown import Item, Section, plain

_LISTED_TASK: Final = compile_later(
    r"^\*\*(?P<id>.+?)\*\*:?\s*(?P<title>.*?)\s*(?:\[(?P<status>[^\[\]]*)\])?\s*(?:\(stage:\s*(?P<stage>[^()]*)\))?$",
    re.IGNORECASE,
)
_COMMIT: Final = compile_later(r"^\W*([0-9a-f]{7,40})\b")
_CHANGED_FILE: Final = compile_later(r"^\s*(\S.*?)\s+\|\s+(?:\d+|Bin)\b")
_CHANGED_TOTAL: Final = compile_later(r"^\s*(\d{1,9}) files? changed\b")


def add_context(context: Context, draft: HandoffDraft, settings: Hub = STANDARD) -> None:
    """Everything the newest context of a task says."""
    source = context.source
    draft.created = draft.created or context.generated
    draft.add_fact("run id", context.run, source.place(context.head_line))
    draft.add_fact("project", context.project, source.place(context.head_line))
    for section in source.outline.sections:
        name = section.name.lower()
        if name == "pipeline position":
            _add_position(section, source.path, draft, settings)
        elif name.startswith("current task"):
            _add_current_task(section, source.path, draft)
        elif name == "description":
            draft.message = draft.message or "\n".join(line.text for line in section.lines()).strip() or None
        elif name == "acceptance criteria":
            draft.tasks.extend(_build_listed(section, source.path, "criterion"))
        elif name == "tasks in this run":
            draft.tasks.extend(_build_run_tasks(section, source.path))
        elif name == "recent git commits":
            draft.add_claims(_claim_commits(section, source.path))
        elif name == "uncommitted changes":
            _add_uncommitted(section, source, draft)
        elif name in {"your deliverables", "deliverables"}:
            draft.tasks.extend(_build_listed(section, source.path, "deliverable"))
    add_attempts(source, draft, settings)


def _add_position(section: Section, path: str, draft: HandoffDraft, settings: Hub) -> None:
    fields = read_fields(section, path)
    state = fields.get("current state")
    if state is not None:
        draft.source_phase = parse_stage(state.value)
        draft.target_phase = find_next_stage(draft.source_phase, settings)
    role = fields.get("your role")
    if role is not None:
        draft.target_agent = role.value
    for name in ("run", "goal"):
        _add_field(fields.get(name), name, draft)
    if "run" in fields:
        draft.title = draft.title or quote(fields["run"].value)


def _add_current_task(section: Section, path: str, draft: HandoffDraft) -> None:
    fields = read_fields(section, path)
    if "title" in fields:
        draft.title = quote(fields["title"].value)
    if "priority" in fields:
        draft.priority = fields["priority"].value
    _add_field(fields.get("pipeline stage"), "pipeline stage", draft)
    status = fields.get("status")
    if status is not None:
        draft.status = parse_status(status.value) or status.value
        text = f"Status: {status.value}"
        draft.add_claims([build_claim(ClaimKind.STATUS, status.where, text, value=draft.status)])


def _add_field(field: Field | None, name: str, draft: HandoffDraft) -> None:
    if field is not None:
        draft.add_fact(name, field.value, field.where)


def _build_listed(section: Section, path: str, prefix: str) -> Iterator[Task]:
    outer = [item for item in section.items() if item.depth == 1]
    for number, item in enumerate(outer, start=1):
        title = quote(plain(item.text))
        if title:
            where = Place(path=path, line=item.line)
            yield Task(id=f"{prefix}-{number}", title=title, where=where, done=item.checked)


def _build_run_tasks(section: Section, path: str) -> Iterator[Task]:
    for number, item in enumerate(section.items(), start=1):
        yield _build_run_task(item, number, path)


def _build_run_task(item: Item, number: int, path: str) -> Task:
    where = Place(path=path, line=item.line)
    text = " ".join(item.text.split())
    match = _LISTED_TASK.match(text)
    if match is None:
        return Task(id=f"task-{number}", title=quote(plain(text) or text) or "(untitled)", where=where)
    status = match["status"] or None
    return Task(
        id=match["id"],
        title=quote(match["title"]) or match["id"],
        where=where,
        status=status,
        stage=parse_stage(match["stage"]),
        done=is_done(status),
    )


def _claim_commits(section: Section, path: str) -> Iterator[Claim]:
    for item in section.items():
        match = _COMMIT.match(item.text)
        if match is not None:
            yield build_claim(ClaimKind.COMMIT, Place(path=path, line=item.line), item.text, value=match.group(1))


def _add_uncommitted(section: Section, source: Source, draft: HandoffDraft) -> None:
    """Each line of a diffstat; a path that git shortened or renamed is told, but claims nothing."""
    for line in section.lines():
        where = source.place(line.number)
        total = _CHANGED_TOTAL.match(line.text)
        changed = _CHANGED_FILE.match(line.text)
        if total is not None:
            number = int(total.group(1))
            draft.add_claims([build_claim(ClaimKind.UNCOMMITTED, where, line.text, value=number)])
        elif changed is not None and (changed.group(1).startswith(".../") or " => " in changed.group(1)):
            draft.add_fact("uncommitted, path shortened", changed.group(1), where)
        elif changed is not None:
            draft.add_claims([build_claim(ClaimKind.UNCOMMITTED, where, line.text, subject=changed.group(1))])
