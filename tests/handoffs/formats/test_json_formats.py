"""Formats that are one JSON file: Claude, GSD and relay."""

from __future__ import annotations

import json

import pytest

from handoff_tui.core.place import Severity
from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.claims.blocking import find_blocking, says_failed
from handoff_tui.handoffs.formats.claude import CLAUDE
from handoff_tui.handoffs.formats.gsd import GSD
from handoff_tui.handoffs.formats.relay import RELAY
from handoff_tui.handoffs.handoff import DocumentRole, Handoff
from handoff_tui.handoffs.reading.format import Confidence, Source
from tests.support.memory_files import MemoryFiles, read_with

PATH = ".claude/handoff.json"

CLAUDE_LAMP: dict[str, object] = {
    "feature": "lamp-dimmer",
    "phase": 2,
    "goal": "Write the failing tests.",
    "scope": "The dimmer only.",
    "relevant_files": ["docs/lamp/prd.md", "src/lamp.py"],
    "acceptance_criteria": ["AC-1", "AC-2"],
    "verification_commands": ["make test"],
    "source_spec": "docs/lamp/prd.md",
    "produced_by": "architect",
    "timestamp": "2031-02-03T04:05:06Z",
}


def claude_shelf(content: object) -> MemoryFiles:
    return MemoryFiles({PATH: content if isinstance(content, str) else json.dumps(content, indent=2)})


def read_claude(shelf: MemoryFiles) -> Handoff:
    (handoff,) = read_with(CLAUDE, shelf).handoffs
    return handoff


def test_claude_claims_each_referenced_file_once() -> None:
    """The spec is a reference too; a file named twice is one claim."""
    claims = read_claude(claude_shelf(CLAUDE_LAMP)).claims
    assert [(claim.kind, claim.subject, claim.where.line) for claim in claims] == [
        (ClaimKind.FILE_REFERENCED, "docs/lamp/prd.md", 7),
        (ClaimKind.FILE_REFERENCED, "src/lamp.py", 8),
    ]


def test_claude_verdict_is_shown_as_written_and_a_bad_one_is_never_ready() -> None:
    """Whatever the field with the conclusion is called."""
    handoff = read_claude(claude_shelf({**CLAUDE_LAMP, "qa_decision": "FAIL - dimmer flickers"}))
    assert handoff.said == "qa decision: FAIL - dimmer flickers"
    assert says_failed(handoff)
    assert any("FAIL - dimmer flickers" in reason for reason in find_blocking(handoff, {}, (), ()))


def test_claude_spec_may_be_an_address() -> None:
    """An issue's address is a fact, not a path."""
    shelf = claude_shelf({**CLAUDE_LAMP, "source_spec": "https://github.com/lamp/lamp/issues/7"})
    handoff = read_claude(shelf)
    assert "https://github.com/lamp/lamp/issues/7" in [fact.value for fact in handoff.facts]
    assert shelf.problems() == []


def test_claude_reports_missing_and_unexpected_fields() -> None:
    """Each has a line; the rest is still read."""
    content = {key: value for key, value in CLAUDE_LAMP.items() if key not in {"scope", "produced_by"}}
    shelf = claude_shelf({**content, "owner": "me", "phase": 9, "checkpoint_pending": "coffee"})
    handoff = read_claude(shelf)
    messages = {problem.message.split(":")[0]: problem.line for problem in shelf.problems()}
    assert messages == {
        "scope is missing": 1,
        "owner is not a field of this format": 18,
        "produced_by is missing": 17,
        "phase is not a number from 1 to 7": 3,
        "checkpoint_pending is not one of clarification, architecture-review": 19,
    }
    assert handoff.source_phase == "9"


def test_claude_reports_a_path_that_leads_out() -> None:
    """A reference outside the repository isn't a claim but a problem."""
    shelf = claude_shelf({**CLAUDE_LAMP, "relevant_files": ["../secret.txt", "src/**/*.py"]})
    assert [claim.subject for claim in read_claude(shelf).claims] == ["docs/lamp/prd.md"]
    assert len(shelf.problems()) == 2


def test_claude_recognises_by_content() -> None:
    """Any file of that shape counts; a broken one only at its place; a schema never."""
    assert CLAUDE.recognise(Source.of_text("x/handoff-1.json", json.dumps(CLAUDE_LAMP))) == Confidence.CERTAIN
    few = {key: CLAUDE_LAMP[key] for key in ("feature", "phase", "goal", "scope", "source_spec")}
    assert CLAUDE.recognise(Source.of_text(PATH, json.dumps(few))) == Confidence.LIKELY
    assert CLAUDE.recognise(Source.of_text(PATH, "{")) == Confidence.POSSIBLE
    assert CLAUDE.recognise(Source.of_text("x/handoff.json", "{")) == Confidence.NO
    assert CLAUDE.recognise(Source.of_text(PATH, '{"feature": "flags"}')) == Confidence.NO
    assert CLAUDE.recognise(Source.of_text(PATH, "[1]")) == Confidence.NO
    assert not CLAUDE.may_own("schemas/handoff.schema.json")


def test_claude_file_with_a_pending_checkpoint_waits_for_a_person() -> None:
    """The checkpoint is enough to know the file, and a bare yes is enough for it; a no waits for nobody."""
    waiting = claude_shelf({"checkpoint_pending": True, "checkpoint_type": "approval"})
    assert CLAUDE.recognise(waiting.source(PATH)) == Confidence.CERTAIN
    (blocker,) = read_claude(waiting).blockers
    assert (blocker.title, blocker.needs_human) == ("clear the checkpoint: approval", True)
    assert read_claude(claude_shelf({**CLAUDE_LAMP, "checkpoint_pending": False})).blockers == ()


STATE = ".planning/HANDOFF.json"

COMPANION = ".planning/.continue-here.md"

GSD_LAMP: dict[str, object] = {
    "version": "1.0",
    "timestamp": "2031-02-03T04:05:06Z",
    "phase": "02",
    "phase_name": "lamp-shade",
    "plan": 3,
    "task": 2,
    "total_tasks": 4,
    "status": "paused",
    "completed_tasks": [{"id": 1, "name": "Bend the wire", "status": "done", "commit": "abc1234"}],
    "remaining_tasks": [{"id": "02-2", "name": "Cut the paper", "status": "not_started", "commit": None}, "Glue it"],
    "blockers": [{"description": "no glue", "type": "human_action", "workaround": "tape"}, "None"],
    "human_actions_pending": [{"action": "Choose a colour", "blocking": True}, "Buy glue"],
    "decisions": [{"decision": "Paper, not cloth", "rationale": "cheaper"}],
    "uncommitted_files": ["src/shade.py", "M src/wire.py (half bent)", "Makefile", "several drawings"],
    "next_action": "Cut the paper",
    "context_notes": "The wire is bent. Build clean, 40/41 tests passing after it.",
}

HERE = """---
phase: lamp-shade
task: 2
total_tasks: 4
status: paused
last_updated: 2031-02-03
---

<current_state>
Halfway through `docs/shade.md`. Build clean, 40/41 tests passing.
</current_state>

<completed_work>
- Task 1: Bend the wire - in commit `def5678`
  - 3/3 tests passing
</completed_work>

<remaining_work>

- Task 2: Cut the paper
- Task 3: Glue it
</remaining_work>

<blockers>
None
</blockers>

<decisions_made>
- Paper is fine
</decisions_made>

<next_action>
Cut the paper along `src/shade.py`.
</next_action>
"""


def gsd_shelf(state: object = None, companion: str | None = None) -> MemoryFiles:
    files: dict[str, str] = {}
    if state is not None:
        files[STATE] = state if isinstance(state, str) else json.dumps(state, indent=2)
    if companion is not None:
        files[COMPANION] = companion
    return MemoryFiles(files)


def read_gsd(shelf: MemoryFiles) -> Handoff:
    (handoff,) = read_with(GSD, shelf).handoffs
    return handoff


def test_gsd_state_gives_phase_status_and_next_action() -> None:
    """The state file alone is a handoff named after its phase."""
    handoff = read_gsd(gsd_shelf(GSD_LAMP))
    assert handoff.id == "gsd/02"
    assert (handoff.title, handoff.status, handoff.attempt) == ("lamp-shade", "PAUSED", 1)
    assert handoff.next_action == "Cut the paper"
    assert handoff.created == "2031-02-03T04:05:06Z"


def test_gsd_blockers_put_people_where_they_are_needed() -> None:
    """Human actions are blockers; the blocking ones weigh more; an entry that says none is none."""
    blockers = read_gsd(gsd_shelf(GSD_LAMP)).blockers
    assert [(blocker.title, blocker.needs_human, blocker.severity, blocker.open) for blocker in blockers] == [
        ("no glue", True, None, True),
        ("Choose a colour", True, Severity.HIGH, True),
        ("Buy glue", True, Severity.LOW, True),
    ]


def test_gsd_uncommitted_entries_are_claims_with_the_path_found_in_them() -> None:
    """Prose around a path stays in the text; prose without a path has no subject."""
    claims = [claim for claim in read_gsd(gsd_shelf(GSD_LAMP)).claims if claim.kind is ClaimKind.UNCOMMITTED]
    assert [(claim.subject, claim.text) for claim in claims] == [
        ("src/shade.py", "src/shade.py"),
        ("src/wire.py", "M src/wire.py (half bent)"),
        ("Makefile", "Makefile"),
        (None, "several drawings"),
    ]


def test_gsd_companion_alone_is_a_handoff() -> None:
    """Its tags give tasks, decisions, next action and counts of the present state."""
    shelf = gsd_shelf(companion=HERE)
    handoff = read_gsd(shelf)
    assert handoff.id == "gsd/lamp-shade"
    assert [(task.id, task.done, task.where.line) for task in handoff.tasks] == [
        ("1", True, 14),
        ("2", False, 20),
        ("3", False, 21),
    ]
    assert handoff.blockers == ()
    assert handoff.next_action == "Cut the paper along `src/shade.py`."
    assert [fact.value for fact in handoff.facts] == ["Paper is fine"]
    assert handoff.tests == TestCounts(total=41, passed=40)
    found = {(claim.kind, claim.subject or claim.value, claim.where.line) for claim in handoff.claims}
    assert (ClaimKind.COMMIT, "def5678", 14) in found
    assert shelf.problems() == []


def test_gsd_companion_may_use_headings() -> None:
    """Headings of the same names do as well as tags."""
    front = "---\nphase: 4\nstatus: paused\n---\n"
    body = "# Here\n\n## Blockers\n- no lamp\n\n## Remaining Work\n- [x] wire\n- shade\n"
    handoff = read_gsd(gsd_shelf(companion=front + body))
    assert [blocker.title for blocker in handoff.blockers] == ["no lamp"]
    assert [(task.title, task.done) for task in handoff.tasks] == [("wire", True), ("shade", False)]


def test_gsd_pairs_state_and_companion() -> None:
    """Both files of a phase are one handoff; the state leads, and a claim made twice is kept once."""
    shelf = gsd_shelf(GSD_LAMP, HERE)
    handoff = read_gsd(shelf)
    assert [(document.path, document.role) for document in handoff.documents] == [
        (STATE, DocumentRole.STATE),
        (COMPANION, DocumentRole.CONTEXT),
    ]
    assert len([claim for claim in handoff.claims if claim.kind is ClaimKind.STATUS]) == 1
    assert len(handoff.tasks) == 3
    assert shelf.problems() == []


def test_gsd_reports_where_the_two_files_disagree() -> None:
    """Task and status are compared, with the line in the companion."""
    shelf = gsd_shelf({**GSD_LAMP, "task": 3, "status": "in_progress"}, HERE)
    read_gsd(shelf)
    assert [(problem.path, problem.line, problem.message) for problem in shelf.problems()] == [
        (COMPANION, 3, "task is 2 here, but 3 in the state file"),
        (COMPANION, 5, "status is PAUSED here, but IN_PROGRESS in the state file"),
    ]


def test_gsd_pairs_by_phase_when_there_are_several() -> None:
    """With two companions only the one of the same phase joins the state."""
    shelf = MemoryFiles(
        {
            STATE: json.dumps(GSD_LAMP),
            ".planning/phases/01-base/.continue-here.md": HERE.replace("lamp-shade", "01-base"),
            ".planning/phases/02-lamp-shade/.continue-here.md": HERE.replace("lamp-shade", "2-lamp-shade"),
        }
    )
    documents = {handoff.id: len(handoff.documents) for handoff in read_with(GSD, shelf).handoffs}
    assert documents == {"gsd/02": 2, "gsd/01-base": 1}


def test_gsd_reports_a_tag_that_is_not_closed() -> None:
    """The part is read up to the next tag."""
    shelf = gsd_shelf(companion="<blockers>\n- no glue\n\n<next_action>\nbuy some\n</next_action>\n")
    handoff = read_gsd(shelf)
    assert [blocker.title for blocker in handoff.blockers] == ["no glue"]
    assert [(problem.line, problem.message) for problem in shelf.problems()] == [(1, "<blockers> is not closed")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"completed_tasks": "all"}, "completed_tasks should be a list"),
        ({"completed_tasks": [{"id": 1, "commit": "soon"}]}, "completed_tasks[0].commit is not a commit id"),
        ({"human_actions_pending": [{"action": "x", "blocking": "yes"}]}, "blocking should be true or false"),
        ({"status": ["paused"]}, "status should be text or a number"),
    ],
)
def test_gsd_reports_wrong_types(change: dict[str, object], message: str) -> None:
    """A member of another type is a problem with its line, and the rest is read."""
    shelf = gsd_shelf({**GSD_LAMP, **change})
    assert read_gsd(shelf).id == "gsd/02"
    (problem,) = shelf.problems()
    assert message in problem.message
    assert problem.line is not None
    assert problem.line > 1


def test_gsd_recognises_by_content() -> None:
    """Its own fields and tags decide; a name alone is possible only when the content is broken."""
    assert GSD.recognise(Source.of_text("HANDOFF-x.json", json.dumps(GSD_LAMP))) == Confidence.CERTAIN
    assert GSD.recognise(Source.of_text(STATE, '{"phase_name": "x", "context_notes": ""}')) == Confidence.LIKELY
    assert GSD.recognise(Source.of_text(STATE, '{"phase_name": "x"}')) == Confidence.LIKELY
    assert GSD.recognise(Source.of_text(STATE, '{"ver')) == Confidence.POSSIBLE
    assert GSD.recognise(Source.of_text("HANDOFF.json", '{"ver')) == Confidence.NO
    assert GSD.recognise(Source.of_text(STATE, '{"theme": "dark"}')) == Confidence.NO
    assert GSD.recognise(Source.of_text(COMPANION, HERE)) == Confidence.CERTAIN
    assert GSD.recognise(Source.of_text(COMPANION, "")) == Confidence.POSSIBLE
    assert GSD.recognise(Source.of_text(COMPANION, "# Shopping\n```\n<blockers>\n```\n")) == Confidence.NO
    assert not GSD.may_own(".planning/handoff.schema.json")


def test_gsd_lists_a_broken_state_beside_its_companion() -> None:
    """When the state cannot be read, the companion still tells."""
    shelf = gsd_shelf('{"phase": "02", ', HERE)
    handoff = read_gsd(shelf)
    assert handoff.id == "gsd/lamp-shade"
    assert handoff.status == "PAUSED"
    assert ["not valid JSON" in problem.message for problem in shelf.problems()] == [True]


def test_gsd_state_of_nulls_says_nothing() -> None:
    """A file with every field empty isn't a handoff that anyone could approve."""
    shelf = MemoryFiles({STATE: json.dumps(dict.fromkeys(GSD_LAMP))})
    assert len(read_with(GSD, shelf).handoffs) == 1
    assert [(problem.message, problem.level.value) for problem in shelf.problems()] == [
        ("says nothing: every field is empty", "error")
    ]


RELAY_LAMP = {
    "task": "TASK-042",
    "status": "pass_with_notes",
    "actor": "codex",
    "changed_files": ["src/lamp.py", "docs/lamp guide.md"],
    "checks": [{"name": "unit tests", "result": "pass"}, {"name": "lint", "result": "not_run"}],
    "open_points": ["the dimmer flickers"],
    "next_role": "claude",
}


def relay_shelf(content: object, path: str = "HANDOFF.json") -> MemoryFiles:
    text = content if isinstance(content, str) else json.dumps(content, indent=2)
    return MemoryFiles({path: text})


def read_relay(shelf: MemoryFiles) -> Handoff:
    (handoff,) = read_with(RELAY, shelf).handoffs
    return handoff


def test_relay_claims_status_files_and_checks_with_their_lines() -> None:
    """Every entry is a claim that stands on its own line."""
    claims = read_relay(relay_shelf(RELAY_LAMP)).claims
    assert [(claim.kind, claim.subject, claim.value, claim.where.line) for claim in claims] == [
        (ClaimKind.STATUS, None, "PASS", 3),
        (ClaimKind.FILE_MODIFIED, "src/lamp.py", None, 6),
        (ClaimKind.FILE_MODIFIED, "docs/lamp guide.md", None, 7),
        (ClaimKind.CHECK, "unit tests", "pass", 10),
        (ClaimKind.CHECK, "lint", "not_run", 14),
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"status": "great"}, "status is not one of"),
        ({"checks": [{"name": "x", "result": "maybe"}]}, "checks[0].result is not one of"),
        ({"checks": [{"name": "x"}]}, "checks[0].result is missing"),
        ({"changed_files": ["a.py", "a.py"]}, "names a file twice"),
        ({"changed_files": ["/etc/passwd"]}, "is not a path inside the repository"),
        ({"changed_files": "a.py"}, "should be a list"),
    ],
)
def test_relay_reports_what_every_relay_needs(change: dict[str, object], message: str) -> None:
    """Each fault is one problem with a line."""
    shelf = relay_shelf({**RELAY_LAMP, **change})
    read_with(RELAY, shelf)
    (problem,) = shelf.problems()
    assert message in problem.message
    assert problem.line is not None


def test_relay_recognises_by_content() -> None:
    """All fields are certain, most are likely, a broken file at its place is possible."""
    assert RELAY.recognise(Source.of_text("HANDOFF.json", json.dumps(RELAY_LAMP))) == Confidence.CERTAIN
    some = {key: RELAY_LAMP[key] for key in ("task", "status", "actor", "checks", "next_role")}
    assert RELAY.recognise(Source.of_text("HANDOFF.json", json.dumps(some))) == Confidence.LIKELY
    assert RELAY.recognise(Source.of_text("HANDOFF.json", '{"task": ')) == Confidence.POSSIBLE
    assert RELAY.recognise(Source.of_text("sub/HANDOFF.json", '{"task": ')) == Confidence.NO


def test_relay_leaves_foreign_content_alone() -> None:
    """A file of that name with other fields, and a schema, are not ours."""
    assert RELAY.recognise(Source.of_text("HANDOFF.json", '{"phase": 1, "task": 2, "status": "x"}')) == Confidence.NO
    schema = json.dumps({"$schema": "x", "properties": RELAY_LAMP})
    assert not RELAY.may_own("handoff.schema.json")
    assert RELAY.recognise(Source.of_text("handoff.schema.json", schema)) == Confidence.NO


def test_relay_keeps_two_files_of_one_task_apart() -> None:
    """The second file with the same task gets an id of its own."""
    text = json.dumps(RELAY_LAMP)
    reading = read_with(RELAY, MemoryFiles({"HANDOFF.json": text, "old/HANDOFF.json": text}))
    assert [handoff.id for handoff in reading.handoffs] == ["TASK-042", "TASK-042/old/HANDOFF.json"]


def test_relay_leaves_a_project_its_own_names_and_limits() -> None:
    """Other actors, task names, fields and long lists aren't problems."""
    own = {"actor": "somebody", "task": "lamp", "extra": 1, "open_points": ["z" * 500] * 20}
    shelf = relay_shelf({**RELAY_LAMP, **own})
    read_with(RELAY, shelf)
    assert shelf.problems() == []
