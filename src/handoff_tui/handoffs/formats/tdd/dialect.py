"""Gathers what notes, commits, refs and files tell of the cycles, and adds the test list, the lock and the context."""

from __future__ import annotations

from typing import Final

from handoff_tui.core.work import Fact, Task
from handoff_tui.handoffs.document import Document
from handoff_tui.handoffs.formats.tdd.cycles import (
    History,
    build_cycle,
    fill_cycles,
    find_newest_cycle,
    report_conflicts,
)
from handoff_tui.handoffs.formats.tdd.files import (
    FileKind,
    kind_of,
    parse_state,
    read_lock,
    read_queue,
    read_test_list,
    recognise,
)
from handoff_tui.handoffs.formats.tdd.refs import find_note_refs, read_ref_steps
from handoff_tui.handoffs.formats.tdd.state import has_phase, read_step
from handoff_tui.handoffs.formats.tdd.steps import Origin, PhaseRules, Step, build_rules
from handoff_tui.handoffs.formats.tdd.trailers import read_commit_steps
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.reading.format import Dialect, Reading, Shelf, Source
from handoff_tui.handoffs.reading.json_document import JsonNode

_LOOSE_NAMES: Final = {
    FileKind.TEST_LIST: "test-list",
    FileKind.LOCK: "lock",
    FileKind.CONTEXT: "context",
    FileKind.QUEUE: "queue",
}


def may_own(path: str) -> bool:
    return kind_of(path) is not None


def read(owned: list[Source], shelf: Shelf) -> Reading:
    rules = build_rules(shelf.settings)
    history = History.of(shelf.commits())
    by_kind: dict[FileKind, list[Source]] = {kind: [] for kind in FileKind}
    for source in sorted(owned, key=lambda source: source.path):
        kind = kind_of(source.path)
        if kind is not None:
            by_kind[kind].append(source)
    reading = Reading()
    steps = _gather_steps(by_kind, shelf, rules, reading)
    told = fill_cycles([step for step in steps if step.origin is not Origin.REF or step.cycle is not None])
    report_conflicts(told, history)
    cycles: dict[int, list[Step]] = {}
    for step in told:
        if step.cycle is not None:
            cycles.setdefault(step.cycle, []).append(step)
    reading.handoffs = [build_cycle(cycle, group, history) for cycle, group in sorted(cycles.items())]
    _add_loose_files(reading, by_kind, steps, find_newest_cycle(told))
    return reading


def _gather_steps(
    by_kind: dict[FileKind, list[Source]], shelf: Shelf, rules: PhaseRules, reading: Reading
) -> list[Step]:
    """All steps; notes and commits newest first, files in order of path."""
    history = History.of(shelf.commits())
    steps = sorted(_read_notes(shelf, rules), key=history.age)
    for source in by_kind[FileKind.STATE]:
        document = parse_state(source)
        if source.path.endswith((".yaml", ".yml")):
            step = _read_file(source, document.root, Origin.STATE, rules)
            reading.problems.extend(document.problems)
        else:
            step = _read_file(source, source.json, Origin.STATE, rules)
        steps.append(step)
    commit_steps, problems = read_commit_steps(shelf.commits(), rules)
    steps.extend(commit_steps)
    reading.problems.extend(problems)
    steps.extend(_read_file(source, source.json, Origin.HISTORY, rules) for source in by_kind[FileKind.HISTORY])
    for source in by_kind[FileKind.QUEUE]:
        steps.extend(read_queue(source, rules))
    steps.extend(read_ref_steps(shelf.refs(), rules.tag_prefixes))
    return steps


def _read_notes(shelf: Shelf, rules: PhaseRules) -> list[Step]:
    """Notes under the configured ref must be steps; under others of that name those count that are."""
    configured = shelf.settings.tdd.notes_ref
    steps: list[Step] = []
    for commit, source in shelf.notes(configured).items():
        root = source.json
        if root is not None and not has_phase(root):
            source.report("is a note without a phase")
            continue
        steps.append(_read_file(source, root, Origin.NOTE, rules, commit))
    for ref in find_note_refs(shelf.refs(), configured):
        for commit, source in shelf.notes(ref).items():
            if source.text.lstrip().startswith("{") and source.json is not None and has_phase(source.json):
                steps.append(_read_file(source, source.json, Origin.NOTE, rules, commit))
    return steps


def _read_file(
    source: Source, root: JsonNode | None, origin: Origin, rules: PhaseRules, commit: str | None = None
) -> Step:
    """The step in a file or note; one that cannot be read is a step of which nothing is known."""
    if root is None or not isinstance(root.value, dict):
        return Step(origin=origin, where=source.place(1), commit=commit, source=source)
    return read_step(root, source, origin, rules, commit)


def _add_loose_files(
    reading: Reading, by_kind: dict[FileKind, list[Source]], steps: list[Step], newest: int | None
) -> None:
    """Test list, lock, context and refs without a cycle belong to the newest cycle, or stand alone."""
    tasks = [task for source in by_kind[FileKind.TEST_LIST] for task in read_test_list(source)]
    facts = [fact for source in by_kind[FileKind.LOCK] for fact in read_lock(source)]
    refs = [step for step in steps if step.origin is Origin.REF and step.cycle is None]
    facts.extend(fact for step in refs for fact in step.facts)
    listed = {document.path for handoff in reading.handoffs for document in handoff.documents}
    loose = [(kind, source) for kind in _LOOSE_NAMES for source in by_kind[kind] if source.path not in listed]
    documents = tuple(source.document(kind.value, confidence=recognise(source)) for kind, source in loose)
    if not documents and not refs:
        return
    position = next((i for i, handoff in enumerate(reading.handoffs) if handoff.id == f"TDD-{newest}"), None)
    if position is None:
        name = _LOOSE_NAMES[loose[0][0]] if loose else "refs"
        title = next((document.title for document in documents if document.title), None)
        alone = Handoff(id=f"tdd/{name}", dialect="tdd", title=title)
        reading.handoffs.append(_extend(alone, tasks, facts, documents))
        return
    _report_list_conflicts(reading.handoffs[position], tasks, by_kind[FileKind.TEST_LIST])
    reading.handoffs[position] = _extend(reading.handoffs[position], tasks, facts, documents)


def _extend(handoff: Handoff, tasks: list[Task], facts: list[Fact], documents: tuple[Document, ...]) -> Handoff:
    known = {task.title.lower() for task in handoff.tasks}
    new_tasks = tuple(task for task in tasks if task.title.lower() not in known)
    return handoff.model_copy(
        update={
            "tasks": (*handoff.tasks, *new_tasks),
            "facts": (*handoff.facts, *facts),
            "documents": (*handoff.documents, *documents),
        }
    )


def _report_list_conflicts(handoff: Handoff, tasks: list[Task], lists: list[Source]) -> None:
    """A box that says another thing than the newest step does is worth a look."""
    told = {task.title.lower(): task.done for task in handoff.tasks}
    sources = {source.path: source for source in lists}
    for task in tasks:
        done = told.get(task.title.lower())
        if done is not None and done != task.done:
            state = "done" if done else "pending"
            sources[task.where.path].report(f"{task.title!r} is {state} in the newest step", task.where.line)


TDD: Final = Dialect(id="tdd", may_own=may_own, recognise=recognise, read=read)
