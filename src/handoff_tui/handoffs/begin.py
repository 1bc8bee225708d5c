"""Begins a handoff: writes the first documents of its system, which say what to leave behind; overwrites none."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from handoff_tui.config.settings.formats import Builder, QuestionGate
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import RepositoryError, UsageError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.handoff import ID_PATTERN, Handoff
from handoff_tui.handoffs.session import Session
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.atomic_write import write_file
from handoff_tui.system.files.probe import is_present
from handoff_tui.system.files.reader import FileReader

_SECTIONS = {
    "Mission": "What is built and why, in one paragraph, with the package ids.",
    "Critical Constraints": "Numbered. What must hold, whatever else happens.",
    "Architecture / Design": "What to build: parts, interfaces, boundaries.",
    "Implementation Steps": "Numbered, in order, with paths and signatures.",
    "Package Plan": "Each package: id, spec id, framework id, plane, assets, dependencies.",
    "Test Plan": "Every test: name, what it validates, what is expected.",
    "Existing Code to Reference": "| What | Where | Why |\n|---|---|---|",
    "End-to-End Verification": "Commands to copy, with what they print.",
    "Files Summary": "| File | Location | Action |\n|---|---|---|",
    "Design Principles": "Rules of this component that are not negotiable.",
}
_QUESTIONS = {
    "scope": ("What exactly do you build?", "What do you not build?", "Which files do you touch?"),
    "technical": (
        "Which interfaces do you add or change?",
        "Which data do you read and write, in which format?",
        "What can fail, and what happens then?",
    ),
    "packaging": ("Which packages, with which assets and hashes?", "What do they depend on?"),
    "tests": ("Which tests, how many, and in which order do you write them?",),
    "integration": ("How is it wired into what exists, and how do you see that it works?",),
}
SYSTEMS = ("mosaic", "builder", "procedure", "tdd", "hub", "notes")
_VERSION = compile_later(r"^\W*(?:contract\s+)?version\W+v?([0-9]+(?:\.[0-9]+){0,3})\b", re.IGNORECASE | re.MULTILINE)
_LONGEST_NUMBER = 10
_CYCLE = compile_later(r"TDD-([1-9][0-9]{0,8})$")


class NewHandoff(NamedTuple):
    """What somebody wants to begin."""

    id: str
    title: str
    time: str
    """In UTC, as ISO 8601."""

    @property
    def author(self) -> str:
        """Stands for the person who begins it: one named in a document would count as its producer."""
        return "operator"


def build_spec(new: NewHandoff, settings: Builder) -> str:
    """The specification, with every section of the standard and what belongs in it."""
    head = f"# Builder Handoff: {new.id} — {new.title}\n\n**Blocked by**: nothing\n"
    sections = (
        f"## {number}. {name}\n\n{_SECTIONS.get(name, '')}\n"
        for number, name in enumerate(settings.spec_sections, start=1)
    )
    return "\n".join((head, *sections))


def build_builder_prompt(new: NewHandoff, spec: str, contract: str, settings: QuestionGate) -> str:
    """The agent prompt as its contract asks for: its version, the questions by their groups, and where to stop.

    `contract` is the version of the prompt contract; "" if there is none.
    """
    lines = [f"# Agent Prompt: {new.id} — {new.title}", "", f"**Contract version**: {contract or 'none'}", ""]
    lines += [
        f"Read `{spec}`. Answer the {settings.count} questions in writing, by their numbers, then STOP.",
        "Build nothing until a person has given the greenlight.",
        "",
        "## Questions",
        "",
    ]
    for group in settings.groups:
        adversarial = [f"{name[:1].upper()}{name[1:]}: how do you avoid it?" for name in settings.adversarial_genesis]
        asked = _QUESTIONS.get(group.name, tuple(adversarial))
        for place, number in enumerate(range(group.first, group.last + 1)):
            text = asked[place] if place < len(asked) else f"What else matters for {group.name}?"
            lines.append(f"{number}. {text}")
    return "\n".join((*lines, "", "STOP.", ""))


def build_state_files(new: NewHandoff) -> Mapping[str, object]:
    """The state of a session, by file: an agent, a task that waits, no blockers."""
    message = f"{new.title}: nothing is done yet. Begin with the current task, and say here what you leave behind."
    return {
        "agent_state.json": {
            "version": "1.0",
            "last_agent": new.author,
            "last_mode": "work",
            "last_session_start": new.time,
            "last_session_end": new.time,
            "current_task": new.title,
            "handoff_message": message,
            "briefing_acknowledgment": {"agent": new.author, "briefing_version": "1", "acknowledged_at": new.time},
            "implementation_progress": {},
            "open_questions": [],
        },
        "blockers.json": {"version": "1.0", "updated_at": new.time, "blockers": [], "archived_blockers": []},
        "current_task.json": {
            "task_id": new.id,
            "objective": new.title,
            "status": "not_started",
            "details": {"description": new.title, "success_criteria": [], "completed_tasks": [], "in_progress": []},
        },
    }


def build_procedure(new: NewHandoff) -> object:
    return {
        "handoff_id": new.id,
        "handoff_type": "phase_transition",
        "title": new.title,
        "source_phase": "source",
        "target_phase": "target",
        "source_agent": new.author,
        "status": "pending",
        "timestamp": new.time,
        "metadata": {"description": new.title},
    }


def build_test_list(new: NewHandoff) -> str:
    return f"# Test list: {new.title}\n\nOne line per test, the simplest first. Tick it when its cycle is done.\n\n"


def build_cycle_note(new: NewHandoff, cycle: int) -> object:
    """The note that begins a TDD cycle: nobody has worked yet, and PLAN is next."""
    return {
        "phase": None,
        "nextPhase": "PLAN",
        "cycleNumber": cycle,
        "currentTest": None,
        "completedTests": [],
        "pendingTests": [],
        "testResult": None,
        "error": None,
        "retryCount": 0,
        "message": new.title,
    }


def build_hub_context(new: NewHandoff, run: int) -> str:
    return f"""# Handoff Context

Generated: {new.time}
Run ID: {run} | Project: this | Task: {new.id}

## Pipeline Position
- **Current State**: dev
- **Your Role**: dev

## Current Task: {new.id}
- **Title**: {new.title}
- **Status**: pending

### Description
{new.title}

### Acceptance Criteria
- [ ] What must be true when it is done

## Your Deliverables
- Code and tests, committed
- Proofs of work in `proofs/{new.id}/`
"""


def build_work_cycle(new: NewHandoff, run: int) -> dict[str, object]:
    return {
        "id": f"{new.id}-{run}",
        "task": new.id,
        "task_title": new.title,
        "run": run,
        "from_role": "pm",
        "to_role": "dev",
        "stage": "dev",
        "status": "pending",
        "created_by": new.author,
        "created_at": new.time,
        "accepted_at": None,
        "completed_at": None,
    }


def build_note(new: NewHandoff, phase: str) -> str:
    return f"""---
phase: {phase}
status: not started
---

# Handoff: {new.title}

## What was done
Nothing yet. List every file that is created or modified, and why.

## What comes next
{new.title}

## Blockers
None.
"""


def render_json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


class Begun(NamedTuple):
    """A handoff that was begun: its id as it is read, and what was written."""

    handoff: str
    system: str
    files: tuple[str, ...]
    note: str | None = None
    """The commit that a note was put on; None if there is none."""


def choose_system(session: Session, handoffs: tuple[Handoff, ...], wanted: str | None) -> str:
    """The system that was named, or the one that most handoffs here are of."""
    known = (*SYSTEMS, *(name for name in session.loaded.settings.pipelines if name not in SYSTEMS))
    if wanted is not None:
        if wanted not in known:
            raise UsageError(f"there is no system or pipeline {wanted!r}", f"There are: {', '.join(known)}.")
        return wanted
    used = Counter(handoff.dialect for handoff in handoffs if handoff.dialect in SYSTEMS)
    if not used:
        raise UsageError("there is no handoff here yet; say which format it has", f"One of: {', '.join(known)}.")
    return used.most_common(1)[0][0]


def begin_handoff(session: Session, system: str, name: str, title: str, existing: tuple[Handoff, ...]) -> Begun:
    """Writes the first documents of a handoff; raises an error if it or one of them exists."""
    new = NewHandoff(name, " ".join((title or name).split()), read_now().strftime("%Y-%m-%dT%H:%M:%SZ"))
    if not re.match(ID_PATTERN, new.id) or ".." in new.id:
        raise UsageError(f"{new.id!r} can't be the id of a handoff", "Letters, digits and . _ / - are possible.")
    if any(handoff.id.casefold() == new.id.casefold() for handoff in existing):
        raise UsageError(f"{new.id} exists already", "`handoff-tui show` shows it.")
    if system == "tdd":
        return _begin_cycle(session, new)
    texts = _build_texts(session, system, new, existing)
    _write(session, texts)
    id_ = {"mosaic": "mosaic"}.get(system, new.id)
    if system not in SYSTEMS or system == "notes":
        id_ = f"notes/{next(iter(texts))}"
    return Begun(id_, system, tuple(texts))


def _build_texts(session: Session, system: str, new: NewHandoff, existing: tuple[Handoff, ...]) -> dict[str, str]:
    """The documents by path."""
    settings = session.loaded.settings
    if system == "mosaic":
        folder = settings.mosaic.folder
        files = {f"{folder}/{name}": render_json(value) for name, value in build_state_files(new).items()}
        task = f"{folder}/current_task.json"
        return {path: text for path, text in files.items() if path == task or not is_present(_root(session), path)}
    if system == "builder":
        return _build_builder(session, new)
    if system == "procedure":
        return {f"handoffs/{new.id}.json": render_json(build_procedure(new))}
    if system == "hub":
        run = _find_free_run(existing)
        return {
            f"tasks/{new.id}/HANDOFF_{run}_{new.id}.md": build_hub_context(new, run),
            f"tasks/{new.id}/work_cycle.json": render_json(build_work_cycle(new, run)),
        }
    phase = "work" if system == "notes" else settings.pipelines[system].phases[0].name
    return {f"docs/handoffs/{new.id}.md": build_note(new, phase)}


def _find_free_run(existing: tuple[Handoff, ...]) -> int:
    """A run of the hub belongs to one task: the number after the last one that is named."""
    named = (fact.value for one in existing for fact in one.facts if fact.name in {"run id", "cycle run"})
    return 1 + max((int(value) for value in named if value.isdecimal() and len(value) < _LONGEST_NUMBER), default=0)


def _build_builder(session: Session, new: NewHandoff) -> dict[str, str]:
    """The specification, and the prompt that its contract asks for."""
    settings = session.loaded.settings.builder
    folders = [folder for folder in settings.handoff_folders if is_present(_root(session), folder)]
    folder = f"{(folders or [settings.handoff_folders[-1]])[0]}/{new.id}"
    names = settings.file_names
    spec, prompt = f"{folder}/{new.id}_{names['spec']}.md", f"{folder}/{new.id}_{names['prompt']}.md"
    contract = next(
        (path for path in session.work_tree.paths if path.rpartition("/")[2] == settings.questions.contract), None
    )
    version = ""
    if contract is not None:
        reader = FileReader(_root(session), session.loaded.settings.limits.file_bytes)
        match = _VERSION.search(reader.read_bytes(contract).decode("utf-8", "replace"))
        version = match.group(1) if match else ""
    return {
        spec: build_spec(new, settings),
        prompt: build_builder_prompt(new, spec, version, settings.questions),
    }


def _begin_cycle(session: Session, new: NewHandoff) -> Begun:
    """A test list, and a note on HEAD that says a cycle begins: notes are the protocol."""
    match = _CYCLE.match(new.id)
    if match is None:
        raise UsageError(f"{new.id!r} can't be a TDD cycle", "They are called TDD-1, TDD-2 and so on.")
    head, ref = session.work_tree.facts.head, session.loaded.settings.tdd.notes_ref
    if head is None:
        raise RepositoryError(
            "there is no commit yet, and a cycle begins with a note on one", "Commit something first."
        )
    git = session.repository.git
    if git.run("notes", f"--ref={ref}", "show", head).ok:
        raise UsageError(f"{head[:10]} has a note already: another cycle ended there", "Commit first, then begin.")
    path = session.loaded.settings.tdd.test_list
    files = {} if is_present(_root(session), path) else {path: build_test_list(new)}
    _write(session, files)
    text = render_json(build_cycle_note(new, int(match.group(1))))
    added = git.run("notes", f"--ref={ref}", "add", "--file=-", head, stdin=text.encode())
    if not added.ok:
        raise RepositoryError(f"can't write the note: {added.complaint}", "Git needs to know who you are.")
    return Begun(new.id, "tdd", tuple(files), head)


def _write(session: Session, texts: dict[str, str]) -> None:
    for path in texts:
        if is_present(_root(session), path):
            raise UsageError(f"{path} exists already", "Nothing was written. Finish it, or move it aside.")
    for path, text in texts.items():
        write_file(_root(session), path, text.encode())


def _root(session: Session) -> Path:
    return session.repository.root
