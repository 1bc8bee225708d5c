"""Handoffs in YAML or JSON that no other format owns, and session logs with checklists."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from handoff_tui.core.tasks import Blocker, Fact, Task
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.grammar.author_words import says_nothing, words_of_members
from handoff_tui.handoffs.grammar.claims import find_member_claims
from handoff_tui.handoffs.grammar.counts import claim_counts, find_member_counts
from handoff_tui.handoffs.handoff import DocumentRole, HandoffDraft, build_id
from handoff_tui.handoffs.reading import claim_words
from handoff_tui.handoffs.reading.candidates import SPEAKS_OF_HANDOFF
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.json_document import JsonNode

_GROUPS: Final = {
    "status": ("status", "state", "result", "verdict", "decision", "qa_decision", "outcome"),
    "agents": (
        *("from", "to", "from_agent", "to_agent", "agent", "author", "next_agent", "outgoing_agent", "incoming_agent"),
        *("source_agent", "target_agent", "actor", "created_by", "written_by", "handoff_to", "handoff_from"),
    ),
    "done": ("completed", "done", "accomplished", "work_completed", "deliverables", "completed_tasks", "what_was_done"),
    "next": ("next", "next_step", "next_steps", "next_action", "next_actions", "remaining", "pending", "todo", "todos"),
    "blockers": ("blockers", "blocked_by", "blocking", "blocking_issues", "open_questions"),
    "files": (
        "files",
        "files_changed",
        "files_modified",
        "files_created",
        "modified_files",
        "changed_files",
        "artifacts",
    ),
    "context": ("context", "summary", "objective", "goal", "notes", "decisions", "message", "title", "description"),
    "identity": (
        "task",
        "task_id",
        "session",
        "session_id",
        "branch",
        "commit",
        "phase",
        "ticket",
        "issue",
        "handoff_id",
    ),
    "time": ("date", "timestamp", "created", "created_at", "updated_at"),
}
_LISTED: Final = {"files": ClaimKind.FILE_MODIFIED, "artifacts": ClaimKind.FILE_CREATED}
"""What lists claim whose names say nothing of it."""
_DONE_KEYS: Final = ("complete", "completed", "done", "checked", "passed")
_SESSION_KEYS: Final = frozenset({"protocolcompliance", "checklist", "checklists", "worklog", "work_log", "nextsteps"})
_FORBIDDING: Final = "NOT"
_DEMANDED: Final = "MUST"


def find_root(source: Source) -> JsonNode | None:
    """What a file tells: its top level, or the one member that is called a handoff and holds all else."""
    root = source.data
    members = root.members() if root is not None else []
    if len(members) == 1 and isinstance(members[0].value, dict) and SPEAKS_OF_HANDOFF.search(members[0].key):
        return members[0]
    return root


def find_key_groups(root: JsonNode) -> set[str]:
    """Which kinds of things its top level tells, by the names of its members."""
    names = {_fold(member.key) for member in root.members()}
    return {group for group, keys in _GROUPS.items() if not names.isdisjoint(keys)}


def count_key_groups(text: str) -> int:
    """At most how many kinds it can tell: those with a name that stands anywhere in the text."""
    folded = _fold(text)
    return sum(any(key in folded for key in keys) for keys in _GROUPS.values())


def is_session_log(root: JsonNode) -> bool:
    """An agent's log of one session: what it is about, and a checklist or a log of its work."""
    names = {member.key.casefold() for member in root.members()}
    has_session = any(name.startswith("session") for name in names)
    return has_session and (not names.isdisjoint(_SESSION_KEYS) or bool(list(_list_checks(root))))


def read_structured(source: Source, confidence: float) -> HandoffDraft:
    """All that it says; its id must still be unique."""
    draft = HandoffDraft.model_construct(id=build_id("notes", source.path), dialect="notes")
    draft.documents = (source.document(DocumentRole.NOTE, confidence=confidence),)
    root = find_root(source)
    if root is None or not isinstance(root.value, dict):
        return draft
    session = root.object("session") if isinstance(getattr(root.get("session"), "value", None), dict) else None
    holders = [root, *([session] if session is not None else [])]
    draft.title = _first(holders, "title", "task", "objective", "goal", "name")
    draft.source_agent = _first(
        holders, "from_agent", "from", "agent", "author", "outgoing_agent", "source_agent", "actor"
    )
    draft.target_agent = _first(holders, "to_agent", "to", "next_agent", "incoming_agent", "target_agent", "handoff_to")
    draft.message = _first(holders, "summary", "context", "message", "notes", "description")
    draft.created = _first(holders, "date", "timestamp", "created_at", "created", "updated_at")
    draft.source_phase = _first(holders, "phase")
    draft.add_producer(draft.source_agent)
    _add_status(root, draft)
    draft.words = tuple(words_of_members(root))
    checks = list(_list_checks(root))
    tasks = [*_list_tasks(root, "done", done=True), *_list_tasks(root, "next", done=False), *checks]
    draft.tasks = tuple(tasks)
    draft.next_action = next((task.title for task in tasks if task.done is False), None)
    owed = [check for check in checks if check.status == _DEMANDED and not check.done]
    draft.blockers = (*_list_blockers(root), *map(_build_owed, owed))
    for holder in holders:
        draft.add_claims(find_member_claims(holder, holder.document.path, _LISTED))
        if (counted := find_member_counts(holder)) is not None:
            draft.tests = counted[0]
            draft.add_claims(claim_counts(counted[0], "suite", *counted[1:]))
        draft.facts += tuple(_list_facts(holder))
    return draft


def _add_status(root: JsonNode, draft: HandoffDraft) -> None:
    for member in root.members():
        if _fold(member.key) in _GROUPS["status"] and isinstance(member.value, str) and member.value.strip():
            draft.status = claim_words.normalise_status(member.value)
            draft.claim(ClaimKind.STATUS, member.where, f"{member.key}: {member.value}", value=draft.status)
            return


def _list_tasks(root: JsonNode, group: str, *, done: bool) -> Iterator[Task]:
    for member in _find_members(root, group):
        for number, element in enumerate(member.each(), start=1):
            title = _describe(element)
            if title and not says_nothing(title):
                yield Task(id=f"{member.key}-{number}", title=title, where=element.where, done=done)


def _list_checks(root: JsonNode) -> Iterator[Task]:
    """Items of checklists at any depth: an object that says whether it is complete. What must not be done is none."""
    for node in root.walk():
        if not isinstance(node.value, dict):
            continue
        members = {_fold(member.key): member for member in node.members()}
        said = next((members[key].value for key in _DONE_KEYS if key in members), None)
        level = str(members["level"].value).upper() if "level" in members else ""
        if isinstance(said, bool) and node.pointer and _FORBIDDING not in level.split():
            title = _describe(node) or claim_words.one_line(_spell(node.key))
            yield Task(
                id=_spell(node.key).replace(" ", "-"), title=title, where=node.where, status=level or None, done=said
            )


def _build_owed(check: Task) -> Blocker:
    return Blocker(id=check.id, title=f"the checklist demands: {check.title}", where=check.where, status="open")


def _list_blockers(root: JsonNode) -> Iterator[Blocker]:
    for member in _find_members(root, "blockers"):
        if _fold(member.key) == "open_questions":
            continue
        for number, element in enumerate(member.each(), start=1):
            title = _describe(element)
            if title and not says_nothing(title):
                yield Blocker(id=f"blocker-{number}", title=title, where=element.where, status="open")


def _list_facts(node: JsonNode) -> Iterator[Fact]:
    for member in node.members():
        text = None if isinstance(member.value, dict | list) else member.as_text()
        if text:
            yield Fact(name=member.key, value=text, where=member.where)


def _find_members(root: JsonNode, group: str) -> list[JsonNode]:
    return [member for member in root.members() if _fold(member.key) in _GROUPS[group]]


def _first(holders: list[JsonNode], *keys: str) -> str | None:
    members = (member for holder in holders for key in keys for member in holder.members() if _fold(member.key) == key)
    return next((text for one in members if isinstance(one.value, str | int) and (text := one.as_text())), None)


def _describe(node: JsonNode) -> str | None:
    """The words of an entry: a text, or the first telling member of an object."""
    if isinstance(node.value, dict):
        return _first([node], "title", "name", "task", "description", "item", "action", "what", "blocker", "issue")
    return claim_words.one_line(node.as_text() or "") or None


def _fold(key: str) -> str:
    """`nextSteps`, `next-steps` and `Next Steps` are the same."""
    return _spell(key).replace(" ", "_")


@lru_cache(maxsize=1024)
def _spell(key: str) -> str:
    spaced = "".join(f" {letter}" if letter.isupper() and number else letter for number, letter in enumerate(key))
    return " ".join(spaced.replace("-", " ").replace("_", " ").split()).casefold()
