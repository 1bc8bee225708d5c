"""`HANDOFF.json`: phase, tasks, blockers, actions for people, decisions; numbers, texts and nulls mixed."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.core.place import ProblemLevel
from handoff_tui.core.work import Blocker, Fact, Severity, Task, TestCounts
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.formats.gsd.parts import PausedWork
from handoff_tui.handoffs.reading.claim_words import build_claim, claim_counts, clean_path
from handoff_tui.handoffs.reading.json_claims import (
    build_facts,
    claim_commit,
    claim_status,
    normalise_status,
    parse_path,
)
from handoff_tui.handoffs.reading.json_document import JsonNode
from handoff_tui.handoffs.reading.prose import find_counts, says_nothing

_FACTS: Final = ("milestone", "milestone_name", "phase_dir", "plan", "task", "total_tasks")
_HUMAN_TYPES: Final = ("human", "user")
_AROUND_A_PATH: Final = "`'\"(),;:"


def read_state(root: JsonNode) -> PausedWork:
    """What the file says. Every member may be missing, null, or of another type than usual."""
    if isinstance(root.value, dict) and not any(root.value.values()):
        root.document.report((), "says nothing: every field is empty", ProblemLevel.ERROR)
    status = root.scalar("status")
    notes = _read_notes(root)
    tests, count_claims = _claim_counts(root, notes)
    tasks, commit_claims = _read_tasks(root)
    return PausedWork(
        phase=root.scalar("phase"),
        phase_name=root.scalar("phase_name"),
        status=normalise_status(status) if status else None,
        task=root.scalar("task"),
        total_tasks=root.scalar("total_tasks"),
        message=notes,
        next_action=root.scalar("next_action"),
        created=root.scalar("timestamp"),
        tests=tests,
        tasks=tasks,
        blockers=(*_read_blockers(root), *_read_human_actions(root)),
        claims=(*claim_status(root, "status"), *count_claims, *commit_claims, *_claim_uncommitted(root)),
        facts=(*build_facts(root, _FACTS), *_read_decisions(root), *_read_blocker_facts(root)),
    )


def _read_notes(root: JsonNode) -> str | None:
    """Notes as one text; some files have a list of them."""
    member = root.get("context_notes")
    if member is None:
        return None
    if isinstance(member.value, list):
        return "\n".join(root.texts("context_notes")) or None
    return member.as_text()


def _claim_counts(root: JsonNode, notes: str | None) -> tuple[TestCounts | None, list[Claim]]:
    found = find_counts(notes) if notes else None
    if found is None:
        return None, []
    counts, sentence = found
    return counts, claim_counts(counts, "suite", root.place_of("context_notes"), sentence)


def _read_tasks(root: JsonNode) -> tuple[tuple[Task, ...], list[Claim]]:
    tasks: list[Task] = []
    claims: list[Claim] = []
    for key, done in (("completed_tasks", True), ("remaining_tasks", False)):
        for number, node in enumerate(root.items(key), start=1):
            fallback = f"{key.removesuffix('_tasks')}-{number}"
            if not isinstance(node.value, dict):
                title = node.as_text()
                if title is not None:
                    tasks.append(Task(id=fallback, title=title, where=node.where, done=done))
                continue
            identifier = node.scalar("id") or fallback
            commits = claim_commit(node, "commit")
            claims.extend(commits)
            tasks.append(
                Task(
                    id=identifier,
                    title=node.scalar("name") or node.scalar("title") or node.scalar("description") or identifier,
                    where=node.where,
                    status=node.scalar("status"),
                    done=done,
                    commit=str(commits[0].value) if commits else None,
                )
            )
    return tuple(tasks), claims


def _read_blockers(root: JsonNode) -> list[Blocker]:
    blockers: list[Blocker] = []
    for number, node in enumerate(root.items("blockers"), start=1):
        is_object = isinstance(node.value, dict)
        title = _first_text(node, "description", "title", "blocker") if is_object else node.as_text()
        if title is None or (not is_object and says_nothing(title)):
            continue
        kind = node.scalar("type") if is_object else None
        blockers.append(
            Blocker(
                id=(node.scalar("id") if is_object else None) or f"blocker-{number}",
                title=title,
                where=node.where,
                needs_human=bool(kind and kind.lower().startswith(_HUMAN_TYPES)),
            )
        )
    return blockers


def _read_human_actions(root: JsonNode) -> list[Blocker]:
    blockers: list[Blocker] = []
    for number, node in enumerate(root.items("human_actions_pending"), start=1):
        is_object = isinstance(node.value, dict)
        title = _first_text(node, "action", "description", "title") if is_object else node.as_text()
        if title is None or (not is_object and says_nothing(title)):
            continue
        blocking = node.boolean("blocking") if is_object else None
        blockers.append(
            Blocker(
                id=f"human-action-{number}",
                title=title,
                where=node.where,
                severity=Severity.HIGH if blocking else Severity.LOW,
                needs_human=True,
                blocking=blocking is not False,
            )
        )
    return blockers


def _read_decisions(root: JsonNode) -> list[Fact]:
    facts: list[Fact] = []
    for node in root.items("decisions"):
        if isinstance(node.value, dict):
            parts = (node.scalar("decision"), node.scalar("rationale"))
            text = " — ".join(part for part in parts if part)
        else:
            text = node.as_text() or ""
        if text:
            facts.append(Fact(name="decision", value=text, where=node.where))
    return facts


def _read_blocker_facts(root: JsonNode) -> list[Fact]:
    return [
        Fact(name=name, value=text, where=node.place_of(key))
        for node in root.items("blockers")
        if isinstance(node.value, dict)
        for key, name in (("type", "blocker type"), ("workaround", "workaround"))
        if (text := node.scalar(key))
    ]


def _claim_uncommitted(root: JsonNode) -> list[Claim]:
    """One claim per entry; its path is the first word that is one, the rest of the entry stays in the text."""
    claims: list[Claim] = []
    for node in root.items("uncommitted_files"):
        text = node.as_text()
        if text is None or says_nothing(text):
            continue
        claims.append(build_claim(ClaimKind.UNCOMMITTED, node.where, text, subject=_find_path(text)))
    return claims


def _find_path(text: str) -> str | None:
    words = text.split()
    if len(words) == 1:
        return parse_path(words[0].strip(_AROUND_A_PATH))
    for word in words:
        path = clean_path(re.sub(r"^[`'\"(]+|[`'\"),;:]+$", "", word))
        if path is not None:
            return path
    return None


def _first_text(node: JsonNode, *keys: str) -> str | None:
    return next((text for key in keys if (text := node.scalar(key))), None)
