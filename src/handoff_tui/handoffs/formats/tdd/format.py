"""Gathers the cycles from notes, commits, refs and files, and adds the test list, the lock and the context."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from handoff_tui.core.lazy_pattern import compile_known, compile_later
from handoff_tui.core.place import Place, Problem, ProblemLevel
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.tasks import Fact, Task
from handoff_tui.git.history.commits import Commit, Ref
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim
from handoff_tui.handoffs.formats.tdd import cycles as tdd
from handoff_tui.handoffs.formats.tdd import files as tdd_files
from handoff_tui.handoffs.handoff import Document, Handoff, build_id
from handoff_tui.handoffs.reading.claim_words import normalise_status, parse_path
from handoff_tui.handoffs.reading.format import FormatFiles, FormatReading, HandoffFormat, Source
from handoff_tui.handoffs.reading.json_document import JsonNode

_BLANK_LINE: Final = compile_later(r"\n[ \t]*\n")

_TRAILER: Final = compile_later(r"^([A-Za-z][A-Za-z0-9-]*)\s*:\s*(\S.*)$")
_BRACKET: Final = compile_later(r"^\[([A-Za-z][A-Za-z _-]*)\]\s+(.+)$")
_BRACKET_FIELD: Final = compile_later(r"^\s*([a-z_-]+)\s*:\s*(\S.*?)\s*$")
_WITH_PREFIX: Final = {
    "phase": "phase",
    **dict.fromkeys(("next", "next-phase"), "next"),
    **dict.fromkeys(("next-agent", "to"), "next_agent"),
    "cycle": "cycle",
    **dict.fromkeys(("agent", "from"), "agent"),
    **dict.fromkeys(("status", "result", "test-result"), "status"),
    "test-file": "test_file",
}
"""Fields by how a trailer goes on after its prefix."""
_WITHOUT_PREFIX: Final = {"next-phase": "next", "next-agent": "next_agent", "test-result": "status"}
_LONGEST_CYCLE = 18


def read_commit_steps(commits: Sequence[Commit], rules: tdd.PhaseRules) -> tuple[list[tdd.CycleStep], list[Problem]]:
    """The steps in commit messages, newest first, and what is wrong with them."""
    steps: list[tdd.CycleStep] = []
    problems: list[Problem] = []
    for commit in commits:
        trailers = parse_trailers(tdd.printable(commit.body), rules.trailer_prefixes)
        fields = trailers or parse_bracket(tdd.printable(commit.subject))
        if "phase" in fields or "next" in fields or "next_agent" in fields:
            step = _build_commit_step(commit, fields, rules.phases)
            steps.append(step)
            problems.extend(_find_problems(step, fields, rules))
    return steps, problems


def parse_trailers(body: str, prefixes: tuple[str, ...] = tdd.STANDARD.trailer_prefixes) -> dict[str, str]:
    """The fields we know from the last paragraph, if it consists of `Key: value` lines."""
    paragraphs = _BLANK_LINE.split(body.strip())
    if len(paragraphs) == 1:
        return {}
    fields: dict[str, str] = {}
    for line in paragraphs[-1].split("\n"):
        match = _TRAILER.match(line)
        if match is None:
            if line[:1] in {" ", "\t"} and fields:
                continue
            return {}
        name = _find_field(match.group(1).lower(), prefixes)
        if name is not None:
            fields[name] = match.group(2).strip()
    return fields


def _find_field(key: str, prefixes: tuple[str, ...]) -> str | None:
    for prefix in prefixes:
        if key.startswith(prefix.lower()):
            return _WITH_PREFIX.get(key[len(prefix) :])
    return _WITHOUT_PREFIX.get(key)


def parse_bracket(subject: str) -> dict[str, str]:
    """`[TEST-AGENT] test: what was done | next:IMPL | test_file:tests/x.py`."""
    match = _BRACKET.match(subject)
    if match is None:
        return {}
    fields: dict[str, str] = {}
    for part in match.group(2).split("|")[1:]:
        field = _BRACKET_FIELD.match(part)
        if field is not None:
            fields[field.group(1).replace("-", "_")] = field.group(2)
    if "next" not in fields:
        return {}
    fields["next_agent"] = fields.pop("next")
    fields["agent"] = match.group(1)
    return fields


def _build_commit_step(commit: Commit, fields: dict[str, str], phases: tuple[str, ...]) -> tdd.CycleStep:
    where = Place(path=f"commit:{commit.id[:SHORT_COMMIT]}")
    agent, next_agent, next_word = fields.get("agent"), fields.get("next_agent"), fields.get("next")
    phase = tdd.normalise_phase(fields["phase"], phases) if "phase" in fields else tdd.phase_of_agent(agent or "")
    next_phase = tdd.normalise_phase(next_word, phases) if next_word else tdd.phase_of_agent(next_agent or "")
    status = normalise_status(fields["status"]) if "status" in fields else None
    cycle = fields.get("cycle", "")
    subject = tdd.printable(commit.subject)
    return tdd.CycleStep(
        origin=tdd.Origin.TRAILER,
        where=where,
        cycle=int(cycle) if cycle.isdecimal() and len(cycle) <= _LONGEST_CYCLE else None,
        phase=phase,
        next_phase=next_phase,
        source_agent=agent,
        target_agent=next_agent,
        status=status,
        commit=commit.id,
        when=commit.date,
        summary=subject,
        claims=tuple(_build_claims(commit, fields, where, status, phase)),
    )


def _build_claims(
    commit: Commit, fields: dict[str, str], where: Place, status: str | None, phase: str | None
) -> list[Claim]:
    claims = [build_claim(ClaimKind.COMMIT, where, tdd.printable(commit.subject), value=commit.id)]
    if status is not None:
        claims.append(build_claim(ClaimKind.STATUS, where, fields["status"], value=status))
    path = parse_path(fields.get("test_file", ""))
    if path is not None:
        kind = ClaimKind.FILE_CREATED if phase == "RED" else ClaimKind.FILE_REFERENCED
        claims.append(build_claim(kind, where, fields["test_file"], subject=path))
    return claims


def _find_problems(step: tdd.CycleStep, fields: dict[str, str], rules: tdd.PhaseRules) -> list[Problem]:
    messages = [
        f"{value!r} is not a phase; phases are {', '.join(rules.phases)}"
        for value in (step.phase, step.next_phase)
        if value is not None and value not in rules.phases
    ]
    failed = step.status == "FAIL"
    if step.phase and step.next_phase and not rules.is_legal(step.phase, step.next_phase, retried=failed):
        messages.append(f"{step.next_phase} may not follow {step.phase}")
    if "cycle" in fields and step.cycle is None:
        messages.append(f"{fields['cycle']!r} is not a cycle number")
    return [Problem(path=step.where.path, message=message, level=ProblemLevel.WARNING) for message in messages]


_TAG: Final = r"(?:(?P<agent>[^/]+)/)?cycle-(?P<cycle>\d{1,9})(?:[/-](?P<phase>[^/]+))?$"
_BRANCH: Final = compile_later(r"^refs/heads/tdd/cycle-(?P<cycle>\d{1,9})(?:/(?P<agent>[^/]+))?$")
_REF: Final = compile_later(r"^refs/handoff/(?:(?:.+/)?cycle-(?P<cycle>\d{1,9})(?:/(?P<agent>.+))?|(?P<name>.+))$")
_NOTES: Final = compile_later(r"^refs/notes/.*(?:handoff|tdd)", re.IGNORECASE)


def find_note_refs(refs: Iterable[Ref], configured: str) -> list[str]:
    """Other notes named for handoffs or TDD, sorted."""
    return sorted({ref.name for ref in refs if _NOTES.match(ref.name) and ref.name != configured})


def read_ref_steps(
    refs: Iterable[Ref], tag_prefixes: tuple[str, ...] = tdd.STANDARD.tag_prefixes
) -> list[tdd.CycleStep]:
    """A step per tag, branch or ref that marks one; its only fact is the ref itself."""
    steps: list[tdd.CycleStep] = []
    tag = _build_tag_pattern(tag_prefixes)
    for ref in sorted(refs, key=lambda ref: ref.name):
        for kind, pattern in (("tag", tag), ("branch", _BRANCH), ("ref", _REF)):
            match = pattern.match(tdd.printable(ref.name))
            if match is not None:
                steps.append(_build_ref_step(ref, kind, match.groupdict()))
    return steps


def _build_tag_pattern(prefixes: tuple[str, ...]) -> re.Pattern[str]:
    """A slash at the end of a prefix may be a hyphen as well."""
    words = (
        f"{re.escape(prefix[:-1])}[/-]" if prefix.endswith(("/", "-")) else re.escape(prefix) for prefix in prefixes
    )
    return compile_known(rf"^refs/tags/(?:{'|'.join(words)}){_TAG}" if prefixes else r"(?!)")


def _build_ref_step(ref: Ref, kind: str, groups: dict[str, str | None]) -> tdd.CycleStep:
    name = tdd.printable(ref.name)
    where = Place(path=name)
    agent, cycle = groups.get("agent"), groups.get("cycle")
    worker = groups.get("phase") or groups.get("name") or agent
    is_tag = kind == "tag"
    return tdd.CycleStep(
        origin=tdd.Origin.REF,
        where=where,
        cycle=int(cycle) if cycle else None,
        phase=tdd.phase_of_agent(worker) if worker else None,
        source_agent=agent if is_tag else None,
        commit=ref.commit,
        summary=tdd.printable(ref.subject) or name,
        claims=(build_claim(ClaimKind.COMMIT, where, name, value=ref.commit),),
        facts=(Fact(name=kind, value=f"{name.split('/', 2)[-1]} at {ref.commit[:SHORT_COMMIT]}", where=where),),
    )


_LOOSE_NAMES: Final = {
    tdd_files.TddFileKind.TEST_LIST: "test-list",
    tdd_files.TddFileKind.LOCK: "lock",
    tdd_files.TddFileKind.CONTEXT: "context",
    tdd_files.TddFileKind.QUEUE: "queue",
}


def may_own(path: str) -> bool:
    return tdd_files.kind_of(path) is not None


def read(owned: list[Source], files: FormatFiles) -> FormatReading:
    rules = tdd.build_rules(files.settings)
    history = tdd.CommitOrder.of(files.commits())
    by_kind: dict[tdd_files.TddFileKind, list[Source]] = {kind: [] for kind in tdd_files.TddFileKind}
    for source in sorted(owned, key=lambda source: source.path):
        kind = tdd_files.kind_of(source.path)
        if kind is not None:
            by_kind[kind].append(source)
    reading = FormatReading()
    steps = _gather_steps(by_kind, files, rules, reading)
    told = tdd.fill_cycles([step for step in steps if step.origin is not tdd.Origin.REF or step.cycle is not None])
    tdd.report_conflicts(told, history)
    cycles: dict[int, list[tdd.CycleStep]] = {}
    for step in told:
        if step.cycle is not None:
            cycles.setdefault(step.cycle, []).append(step)
    reading.handoffs = [tdd.build_cycle(cycle, group, history) for cycle, group in sorted(cycles.items())]
    _add_loose_files(reading, by_kind, steps, tdd.find_newest_cycle(told))
    return reading


def _gather_steps(
    by_kind: dict[tdd_files.TddFileKind, list[Source]],
    files: FormatFiles,
    rules: tdd.PhaseRules,
    reading: FormatReading,
) -> list[tdd.CycleStep]:
    """All steps; notes and commits newest first, files in order of path."""
    history = tdd.CommitOrder.of(files.commits())
    steps = sorted(_read_notes(files, rules), key=history.age)
    for source in by_kind[tdd_files.TddFileKind.STATE]:
        document = tdd_files.parse_state(source)
        if source.path.endswith((".yaml", ".yml")):
            step = _read_file(source, document.root, tdd.Origin.STATE, rules)
            reading.problems.extend(document.problems)
        else:
            step = _read_file(source, source.json, tdd.Origin.STATE, rules)
        steps.append(step)
    commit_steps, problems = read_commit_steps(files.commits(), rules)
    steps.extend(commit_steps)
    reading.problems.extend(problems)
    steps.extend(
        _read_file(source, source.json, tdd.Origin.HISTORY, rules) for source in by_kind[tdd_files.TddFileKind.HISTORY]
    )
    for source in by_kind[tdd_files.TddFileKind.QUEUE]:
        steps.extend(tdd_files.read_queue(source, rules))
    steps.extend(read_ref_steps(files.refs(), rules.tag_prefixes))
    return steps


def _read_notes(files: FormatFiles, rules: tdd.PhaseRules) -> list[tdd.CycleStep]:
    """Notes under the configured ref must be steps; under others of that name those count that are."""
    configured = files.settings.tdd.notes_ref
    steps: list[tdd.CycleStep] = []
    for commit, source in files.notes(configured).items():
        root = source.json
        if root is not None and not tdd_files.has_phase(root):
            source.report("is a note without a phase")
            continue
        steps.append(_read_file(source, root, tdd.Origin.NOTE, rules, commit))
    for ref in find_note_refs(files.refs(), configured):
        for commit, source in files.notes(ref).items():
            if source.text.lstrip().startswith("{") and source.json is not None and tdd_files.has_phase(source.json):
                steps.append(_read_file(source, source.json, tdd.Origin.NOTE, rules, commit))
    return steps


def _read_file(
    source: Source, root: JsonNode | None, origin: tdd.Origin, rules: tdd.PhaseRules, commit: str | None = None
) -> tdd.CycleStep:
    """The step in a file or note; an unreadable one is an empty step."""
    if root is None or not isinstance(root.value, dict):
        return tdd.CycleStep(origin=origin, where=source.place(1), commit=commit, source=source)
    return tdd_files.read_step(root, source, origin, rules, commit)


def _add_loose_files(
    reading: FormatReading,
    by_kind: dict[tdd_files.TddFileKind, list[Source]],
    steps: list[tdd.CycleStep],
    newest: int | None,
) -> None:
    """Test list, lock, context and refs without a cycle belong to the newest cycle, or become handoffs."""
    position = next((i for i, handoff in enumerate(reading.handoffs) if handoff.id == f"TDD-{newest}"), None)
    if position is None:
        by_kind = _set_apart(reading, by_kind)
    tasks = [task for source in by_kind[tdd_files.TddFileKind.TEST_LIST] for task in tdd_files.read_test_list(source)]
    facts = [fact for source in by_kind[tdd_files.TddFileKind.LOCK] for fact in tdd_files.read_lock(source)]
    refs = [step for step in steps if step.origin is tdd.Origin.REF and step.cycle is None]
    facts.extend(fact for step in refs for fact in step.facts)
    listed = {document.path for handoff in reading.handoffs for document in handoff.documents}
    loose = [(kind, source) for kind in _LOOSE_NAMES for source in by_kind[kind] if source.path not in listed]
    documents = tuple(source.document(kind.value, confidence=tdd_files.recognise(source)) for kind, source in loose)
    if not documents and not refs:
        return
    if position is None:
        name = _LOOSE_NAMES[loose[0][0]] if loose else "refs"
        title = next((document.title for document in documents if document.title), None)
        alone = Handoff(id=f"tdd/{name}", dialect="tdd", title=title)
        reading.handoffs.append(_extend(alone, tasks, facts, documents))
        return
    _report_list_conflicts(reading.handoffs[position], tasks, by_kind[tdd_files.TddFileKind.TEST_LIST])
    reading.handoffs[position] = _extend(reading.handoffs[position], tasks, facts, documents)


def _set_apart(
    reading: FormatReading, by_kind: dict[tdd_files.TddFileKind, list[Source]]
) -> dict[tdd_files.TddFileKind, list[Source]]:
    """Test lists of other folders than the first are handoffs of their own, and say so; what is left, by kind."""
    lists = by_kind[tdd_files.TddFileKind.TEST_LIST]
    others = [source for source in lists if source.folder != lists[0].folder]
    for source in others:
        document = source.document(tdd_files.TddFileKind.TEST_LIST.value, confidence=tdd_files.recognise(source))
        alone = Handoff(id=build_id(source.folder, "test-list"), dialect="tdd", title=document.title)
        source.report(f"has the id tdd/test-list, as has {lists[0].path}; it is listed as {alone.id}")
        reading.handoffs.append(_extend(alone, tdd_files.read_test_list(source), [], (document,)))
    return {**by_kind, tdd_files.TddFileKind.TEST_LIST: [source for source in lists if source not in others]}


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


TDD: Final = HandoffFormat(id="tdd", may_own=may_own, recognise=tdd_files.recognise, read=read)
