"""The first documents of a handoff in each system. They say what to leave behind. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping

from handoff_tui.config.settings.formats import Builder, QuestionGate
from handoff_tui.core.classes import NamedTuple


class NewHandoff(NamedTuple):
    """What somebody wants to begin."""

    id: str
    title: str
    time: str
    """In UTC, as ISO 8601."""

    @property
    def author(self) -> str:
        """Whoever begins it; not by name, because a person named in a document counts as its producer."""
        return "operator"


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


def build_spec(new: NewHandoff, settings: Builder) -> str:
    """The specification, with every section of the standard and what belongs into it."""
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
