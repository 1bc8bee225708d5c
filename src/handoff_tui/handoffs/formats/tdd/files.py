"""The files of the TDD cycle: which they are, and what a step, lock, queue or test list says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Blocker, Fact, Task
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim
from handoff_tui.handoffs.formats.tdd import cycles as tdd
from handoff_tui.handoffs.handoff import DocumentRole
from handoff_tui.handoffs.reading.claim_words import claim_paths, normalise_status, one_line
from handoff_tui.handoffs.reading.format import Confidence, Source
from handoff_tui.handoffs.reading.json_document import JsonDocument, JsonNode, parse_yaml

_PHASE: Final = ("phase", "currentPhase", "current_phase", "tddPhase", "tdd_phase")
_NEXT_PHASE: Final = ("nextPhase", "next_phase")
_NEXT_AGENT: Final = ("nextAgent", "next_agent", "next")
_AGENT: Final = ("agent", "currentAgent", "current_agent", "sourceAgent", "source_agent", "agentId", "agent_id")
_CYCLE: Final = ("cycleNumber", "cycle_number", "cycle")
_CURRENT_TEST: Final = ("currentTest", "current_test")
_TEST_FILE: Final = ("testFile", "test_file")
_IMPL_FILE: Final = ("implFile", "impl_file", "implementationFile", "implementation_file")
_RESULT: Final = ("testResult", "test_result")
_DETAILS: Final = ("errorDetails", "error_details")
RETRIES: Final = ("retryCount", "retry_count", "retries")
_TESTS: Final = ((("completedTests", "completed_tests"), True), (("pendingTests", "pending_tests"), False))
_RESULTS: Final = ("PASS", "FAIL")


def is_state(node: JsonNode | None) -> bool:
    """Whether a file is ours: it has a TDD phase, or names the next phase or the next agent."""
    if node is None or not isinstance(node.value, dict):
        return False
    if any(tdd.is_phase(node.value.get(key)) for key in (*_PHASE, *_NEXT_PHASE)):
        return True
    return any(isinstance(node.value.get(key), str) for key in (*_NEXT_PHASE, "nextAgent", "next_agent"))


def has_phase(node: JsonNode) -> bool:
    """Whether a note is a step at all, whatever words it uses for its phases."""
    return is_state(node) or any(node.has(key) for key in (*_PHASE, *_NEXT_PHASE))


def read_step(
    node: JsonNode, source: Source, origin: tdd.Origin, rules: tdd.PhaseRules, commit: str | None = None
) -> tdd.CycleStep:
    phase, next_phase, target_agent = _read_phases(node, rules.phases)
    status = _read_result(node)
    retries = _read_whole(node, RETRIES) or 0
    blockers = _read_error(node)
    _report_phases(node, phase, next_phase, rules, retried=retries > 0 or status == "FAIL" or bool(blockers))
    test = node.find(*_CURRENT_TEST)
    description = None if test is None else _describe_test(test)
    file_claims, facts = _read_files(node, test, phase)
    return tdd.CycleStep(
        origin=origin,
        where=node.where,
        cycle=_read_whole(node, _CYCLE),
        phase=phase,
        next_phase=next_phase,
        source_agent=_scalar(node, _AGENT),
        target_agent=target_agent,
        status=status,
        retries=max(retries, 0),
        commit=commit,
        when=_scalar(node, ("timestamp", "updated_at", "updatedAt", "date")),
        title=description,
        summary=_scalar(node, ("message", "summary")) or _read_context(node),
        claims=(*_claim_result(node, status), *_claim_commit(node, commit), *file_claims),
        tasks=_read_tests(node),
        blockers=blockers,
        facts=tuple(facts),
        source=source,
    )


def _read_context(node: JsonNode) -> str | None:
    """Free context, if it is text; an object there is for the next agent."""
    member = node.get("context")
    return member.value if member is not None and isinstance(member.value, str) else None


def _read_phases(node: JsonNode, phases: tuple[str, ...]) -> tuple[str | None, str | None, str | None]:
    phase, next_phase = _scalar(node, _PHASE), _scalar(node, _NEXT_PHASE)
    next_agent = _scalar(node, _NEXT_AGENT)
    if next_phase is None and next_agent is not None:
        next_phase = tdd.phase_of_agent(next_agent)
    return (
        tdd.normalise_phase(phase, phases) if phase else None,
        tdd.normalise_phase(next_phase, phases) if next_phase else None,
        next_agent,
    )


def _report_phases(
    node: JsonNode, phase: str | None, next_phase: str | None, rules: tdd.PhaseRules, *, retried: bool
) -> None:
    for value, keys in ((phase, _PHASE), (next_phase, _NEXT_PHASE)):
        if value is not None and value not in rules.phases:
            place = node.find(*keys) or node
            place.report(f"{value!r} is not a phase; phases are {', '.join(rules.phases)}")
    if phase and next_phase and not rules.is_legal(phase, next_phase, retried=retried):
        (node.find(*_NEXT_PHASE) or node).report(f"{next_phase} may not follow {phase}")


def _read_result(node: JsonNode) -> str | None:
    member = node.find(*_RESULT)
    text = member.as_text() if member else None
    if member is None or text is None:
        return None
    status = normalise_status(text)
    if status not in _RESULTS:
        member.report(f"{member.name} is neither PASS nor FAIL")
    return status


def _claim_result(node: JsonNode, status: str | None) -> list[Claim]:
    member = node.find(*_RESULT)
    if member is None or status is None:
        return []
    return [build_claim(ClaimKind.STATUS, member.where, f"{member.pointer[-1]}: {member.value}", value=status)]


def _claim_commit(node: JsonNode, commit: str | None) -> list[Claim]:
    if commit is None:
        return []
    return [build_claim(ClaimKind.COMMIT, node.where, f"note on {commit}", value=commit)]


def _read_files(node: JsonNode, test: JsonNode | None, phase: str | None) -> tuple[list[Claim], list[Fact]]:
    """Files that the phase has made are claims; those that a later phase will make are only named."""
    holder = test if test is not None and isinstance(test.value, dict) else node
    claims: list[Claim] = []
    facts: list[Fact] = []
    for keys, made_in, known_in in (
        (_TEST_FILE, "RED", ("GREEN", "REFACTOR", "COMPLETE")),
        (_IMPL_FILE, "GREEN", ("REFACTOR", "COMPLETE")),
    ):
        member = holder.find(*keys) or node.find(*keys)
        if member is None:
            continue
        if phase == made_in:
            claims.extend(claim_paths([member], ClaimKind.FILE_CREATED))
        elif phase in known_in:
            claims.extend(claim_paths([member], ClaimKind.FILE_REFERENCED))
        elif (text := member.as_text()) is not None:
            facts.append(Fact(name=f"planned {keys[1].replace('_', ' ')}", value=text, where=member.where))
    return claims, facts


def _read_tests(node: JsonNode) -> tuple[Task, ...]:
    tasks: list[Task] = []
    for keys, done in _TESTS:
        member = node.find(*keys)
        if member is None:
            continue
        if not isinstance(member.value, list):
            member.report_type("a list")
        for number, test in enumerate(member.elements(), start=1):
            title = _describe_test(test)
            if title is not None:
                prefix = "completed" if done else "pending"
                tasks.append(Task(id=f"{prefix}-{number}", title=title, where=test.where, stage=prefix, done=done))
    return tuple(tasks)


def _describe_test(test: JsonNode) -> str | None:
    if isinstance(test.value, dict):
        return _scalar(test, ("description", "name", "title", "testFile", "test_file"))
    return test.as_text()


def _read_error(node: JsonNode) -> tuple[Blocker, ...]:
    error = node.get("error")
    details = node.find(*_DETAILS)
    has_details = details is not None and isinstance(details.value, dict)
    message = details.scalar("message") if details is not None and has_details else None
    kind = details.scalar("type") if details is not None and has_details else None
    text = None if error is None or error.value is False or isinstance(error.value, dict | list) else error.as_text()
    title = message if text in {None, "", "true"} else text
    place = error or details
    if place is None or not (title or kind):
        return ()
    return (Blocker(id="error", title=title or kind or "", where=place.where, status=kind, evidence=None),)


def _read_whole(node: JsonNode, keys: Iterable[str]) -> int | None:
    """A whole number, even if it is written as text."""
    member = node.find(*keys)
    if member is None:
        return None
    value = member.value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().isdecimal() and len(value) <= 18:  # noqa: PLR2004 - fits 64 bits
        return int(value)
    member.report_type("a whole number")
    return None


def _scalar(node: JsonNode, keys: Iterable[str]) -> str | None:
    member = node.find(*keys)
    return member.as_text() if member is not None else None


class TddFileKind(Enum):
    """What a file is for; the value is its role as a document."""

    STATE = DocumentRole.STATE
    HISTORY = DocumentRole.LOG
    CONTEXT = DocumentRole.CONTEXT
    LOCK = DocumentRole.OTHER
    QUEUE = DocumentRole.NOTE
    TEST_LIST = DocumentRole.LIST


_PLACES: Final = (
    (
        compile_later(r"(?:^|/)(?:\.handoff\.json|\.tdd-state\.(?:json|ya?ml)|\.handoff/current\.json)$"),
        TddFileKind.STATE,
    ),
    (compile_later(r"(?:^|/)\.handoff/history/[^/]+\.json$"), TddFileKind.HISTORY),
    (compile_later(r"(?:^|/)\.handoff/context/[^/]+$"), TddFileKind.CONTEXT),
    (compile_later(r"(?:^|/)\.tdd\.lock$"), TddFileKind.LOCK),
    (compile_later(r"(?:^|/)\.tdd-queue\.log$"), TddFileKind.QUEUE),
    (compile_later(r"(?:^|/)test[-_]list\.md$", re.IGNORECASE), TddFileKind.TEST_LIST),
)
_OURS_WHEN_BROKEN: Final = compile_later(r"(?:^|/)\.tdd|(?:^|/)\.handoff(?:\.json|/current\.json)$")
_PHASE_WORD: Final = compile_later(rf"\b(?:{'|'.join(tdd.PHASES)})\b")
_NEXT_WORD: Final = compile_later(r"(?:next\s*[:=]|->|→)\s*([A-Za-z][A-Za-z_-]*)", re.IGNORECASE)
_PAIR: Final = compile_later(r"([A-Za-z][A-Za-z_ -]{0,30})\s*[:=]\s*(\S.*)")
_LOCK_FIELDS: Final = ("agent", "agentId", "agent_id", "phase", "timestamp", "pid", "cycle")
_LONGEST_CONTEXT = 20_000


def kind_of(path: str) -> TddFileKind | None:
    return next((kind for pattern, kind in _PLACES if pattern.search(path)), None)


def recognise(source: Source) -> float:
    kind = kind_of(source.path)
    if kind is None:
        return Confidence.NO
    if not source.text.strip():
        return (
            Confidence.POSSIBLE
            if kind is TddFileKind.TEST_LIST or _OURS_WHEN_BROKEN.search(source.path)
            else Confidence.NO
        )
    if kind in {TddFileKind.STATE, TddFileKind.HISTORY}:
        return _recognise_state(source)
    if kind is TddFileKind.TEST_LIST:
        return _recognise_test_list(source)
    if kind is TddFileKind.CONTEXT:
        return Confidence.POSSIBLE if _PHASE_WORD.search(source.text[:_LONGEST_CONTEXT]) else Confidence.NO
    speaks_of_phases = _PHASE_WORD.search(source.text) or _NEXT_WORD.search(source.text) or '"next' in source.text
    return Confidence.LIKELY if kind is TddFileKind.LOCK or speaks_of_phases else Confidence.NO


def parse_state(source: Source) -> JsonDocument:
    """A state file, JSON or YAML by its name."""
    if source.path.endswith((".yaml", ".yml")):
        return JsonDocument(parse_yaml(source.path, source.text))
    return source.json_document


def _recognise_state(source: Source) -> float:
    root = parse_state(source).root
    if root is None:
        return Confidence.POSSIBLE if _OURS_WHEN_BROKEN.search(source.path) else Confidence.NO
    return Confidence.CERTAIN if is_state(root) else Confidence.NO


def _recognise_test_list(source: Source) -> float:
    boxes = [item for section in source.outline.sections for item in section.items() if item.checked is not None]
    if not boxes:
        return Confidence.NO
    return Confidence.CERTAIN if "test" in (source.outline.title or "").lower() else Confidence.LIKELY


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


def read_queue(source: Source, rules: tdd.PhaseRules) -> list[tdd.CycleStep]:
    """One step per entry, oldest first. An entry is JSON, or words with a phase and perhaps `next: <agent>`."""
    steps: list[tdd.CycleStep] = []
    entries = [(number, line.strip()) for number, line in enumerate(source.text.split("\n"), start=1) if line.strip()]
    phase_word = re.compile(rf"\b(?:{'|'.join(map(re.escape, rules.phases))})\b")
    documents = iter(source.json_lines if all(line.startswith("{") for _, line in entries) else ())
    for number, line in entries:
        document = next(documents, None)
        if document is not None:
            if document.root is not None and is_state(document.root):
                steps.append(read_step(document.root, source, tdd.Origin.QUEUE, rules))
            continue
        phase = phase_word.search(line)
        following = _NEXT_WORD.search(line)
        next_word = following.group(1) if following else None
        steps.append(
            tdd.CycleStep(
                origin=tdd.Origin.QUEUE,
                where=source.place(number),
                phase=phase.group() if phase else None,
                next_phase=(tdd.phase_of_agent(next_word) or tdd.normalise_phase(next_word, rules.phases))
                if next_word
                else None,
                summary=line,
                source=source,
            )
        )
    return steps
