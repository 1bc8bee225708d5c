"""The files of the TDD cycle: which they are, whether their content is ours, and what lock, queue and test list say."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Fact, Task
from handoff_tui.handoffs.formats.tdd.state import is_state, read_step
from handoff_tui.handoffs.formats.tdd.steps import (
    PHASES,
    CycleStep,
    Origin,
    PhaseRules,
    normalise_phase,
    phase_of_agent,
)
from handoff_tui.handoffs.handoff import DocumentRole
from handoff_tui.handoffs.reading.claim_words import one_line
from handoff_tui.handoffs.reading.format import CERTAIN, LIKELY, NO, POSSIBLE, Source
from handoff_tui.handoffs.reading.json_document import JsonDocument, parse_yaml


class FileKind(Enum):
    """What a file is for; the value is its role as a document."""

    STATE = DocumentRole.STATE
    HISTORY = DocumentRole.LOG
    CONTEXT = DocumentRole.CONTEXT
    LOCK = DocumentRole.OTHER
    QUEUE = DocumentRole.NOTE
    TEST_LIST = DocumentRole.LIST


_PLACES: Final = (
    (compile_later(r"(?:^|/)(?:\.handoff\.json|\.tdd-state\.(?:json|ya?ml)|\.handoff/current\.json)$"), FileKind.STATE),
    (compile_later(r"(?:^|/)\.handoff/history/[^/]+\.json$"), FileKind.HISTORY),
    (compile_later(r"(?:^|/)\.handoff/context/[^/]+$"), FileKind.CONTEXT),
    (compile_later(r"(?:^|/)\.tdd\.lock$"), FileKind.LOCK),
    (compile_later(r"(?:^|/)\.tdd-queue\.log$"), FileKind.QUEUE),
    (compile_later(r"(?:^|/)test[-_]list\.md$", re.IGNORECASE), FileKind.TEST_LIST),
)
_OURS_WHEN_BROKEN: Final = compile_later(r"(?:^|/)\.tdd|(?:^|/)\.handoff(?:\.json|/current\.json)$")
_PHASE_WORD: Final = compile_later(rf"\b(?:{'|'.join(PHASES)})\b")
_NEXT_WORD: Final = compile_later(r"(?:next\s*[:=]|->|→)\s*([A-Za-z][A-Za-z_-]*)", re.IGNORECASE)
_PAIR: Final = compile_later(r"([A-Za-z][A-Za-z_ -]{0,30})\s*[:=]\s*(\S.*)")
_LOCK_FIELDS: Final = ("agent", "agentId", "agent_id", "phase", "timestamp", "pid", "cycle")
_LONGEST_CONTEXT = 20_000


def kind_of(path: str) -> FileKind | None:
    return next((kind for pattern, kind in _PLACES if pattern.search(path)), None)


def recognise(source: Source) -> float:
    kind = kind_of(source.path)
    if kind is None:
        return NO
    if not source.text.strip():
        return POSSIBLE if kind is FileKind.TEST_LIST or _OURS_WHEN_BROKEN.search(source.path) else NO
    if kind in {FileKind.STATE, FileKind.HISTORY}:
        return _recognise_state(source)
    if kind is FileKind.TEST_LIST:
        return _recognise_test_list(source)
    if kind is FileKind.CONTEXT:
        return POSSIBLE if _PHASE_WORD.search(source.text[:_LONGEST_CONTEXT]) else NO
    speaks_of_phases = _PHASE_WORD.search(source.text) or _NEXT_WORD.search(source.text) or '"next' in source.text
    return LIKELY if kind is FileKind.LOCK or speaks_of_phases else NO


def parse_state(source: Source) -> JsonDocument:
    """A state file, JSON or YAML by its name."""
    if source.path.endswith((".yaml", ".yml")):
        return JsonDocument(parse_yaml(source.path, source.text))
    return source.json_document


def _recognise_state(source: Source) -> float:
    root = parse_state(source).root
    if root is None:
        return POSSIBLE if _OURS_WHEN_BROKEN.search(source.path) else NO
    return CERTAIN if is_state(root) else NO


def _recognise_test_list(source: Source) -> float:
    boxes = [item for section in source.outline.sections for item in section.items() if item.checked is not None]
    if not boxes:
        return NO
    return CERTAIN if "test" in (source.outline.title or "").lower() else LIKELY


def read_test_list(source: Source) -> list[Task]:
    """The boxes in order. `stage` is the heading above them."""
    tasks: list[Task] = []
    for section in source.outline.sections:
        for item in section.items():
            if item.checked is not None:
                tasks.append(
                    Task(
                        id=f"test-{len(tasks) + 1}",
                        title=one_line(item.text),
                        where=source.place(item.line),
                        stage=section.name or None,
                        done=item.checked,
                    )
                )
    return tasks


def read_lock(source: Source) -> list[Fact]:
    """Who holds the lock, since when, in which phase; whether the lock is stale is not asked here."""
    text = source.text.strip()
    if text.startswith("{"):
        root = source.json
        if root is None:
            return []
        return [
            Fact(name=f"lock {member.pointer[-1]}", value=value, where=member.where)
            for member in root.members()
            if member.pointer[-1] in _LOCK_FIELDS and (value := member.as_text()) is not None
        ]
    facts: list[Fact] = []
    for number, line in enumerate(source.text.split("\n"), start=1):
        pair = _PAIR.fullmatch(line.strip())
        if pair is not None:
            facts.append(Fact(name=f"lock {pair.group(1).lower()}", value=pair.group(2), where=source.place(number)))
        elif line.strip():
            facts.append(Fact(name="lock", value=line.strip(), where=source.place(number)))
    return facts


def read_queue(source: Source, rules: PhaseRules) -> list[CycleStep]:
    """One step per entry, oldest first. An entry is JSON, or words with a phase and perhaps `next: <agent>`."""
    steps: list[CycleStep] = []
    entries = [(number, line.strip()) for number, line in enumerate(source.text.split("\n"), start=1) if line.strip()]
    phase_word = re.compile(rf"\b(?:{'|'.join(map(re.escape, rules.phases))})\b")
    documents = iter(source.json_lines if all(line.startswith("{") for _, line in entries) else ())
    for number, line in entries:
        document = next(documents, None)
        if document is not None:
            if document.root is not None and is_state(document.root):
                steps.append(read_step(document.root, source, Origin.QUEUE, rules))
            continue
        phase = phase_word.search(line)
        following = _NEXT_WORD.search(line)
        next_word = following.group(1) if following else None
        steps.append(
            CycleStep(
                origin=Origin.QUEUE,
                where=source.place(number),
                phase=phase.group() if phase else None,
                next_phase=(phase_of_agent(next_word) or normalise_phase(next_word, rules.phases))
                if next_word
                else None,
                summary=line,
                source=source,
            )
        )
    return steps
