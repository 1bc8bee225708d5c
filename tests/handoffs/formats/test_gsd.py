from __future__ import annotations

import json

import pytest

from handoff_tui.core.severity import Severity
from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.gsd import GSD
from handoff_tui.handoffs.handoff import DocumentRole, Handoff
from handoff_tui.handoffs.reading.format import CERTAIN, LIKELY, NO, POSSIBLE, Source
from tests.support.memory_files import MemoryFiles, read_with

STATE = ".planning/HANDOFF.json"
COMPANION = ".planning/.continue-here.md"
LAMP: dict[str, object] = {
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


def shelf_of(state: object = None, companion: str | None = None) -> MemoryFiles:
    files: dict[str, str] = {}
    if state is not None:
        files[STATE] = state if isinstance(state, str) else json.dumps(state, indent=2)
    if companion is not None:
        files[COMPANION] = companion
    return MemoryFiles(files)


def read_one(shelf: MemoryFiles) -> Handoff:
    (handoff,) = read_with(GSD, shelf).handoffs
    return handoff


def test_gsd_state_gives_phase_status_and_next_action() -> None:
    """The state file alone is a handoff named after its phase."""
    handoff = read_one(shelf_of(LAMP))
    assert handoff.id == "gsd/02"
    assert (handoff.title, handoff.status, handoff.attempt) == ("lamp-shade", "PAUSED", 1)
    assert handoff.next_action == "Cut the paper"
    assert handoff.created == "2031-02-03T04:05:06Z"


def test_gsd_tasks_keep_order_state_and_commit() -> None:
    """Completed ones first; an entry may be an object or a text, an id a number or a text."""
    tasks = read_one(shelf_of(LAMP)).tasks
    assert [(task.id, task.title, task.done, task.commit) for task in tasks] == [
        ("1", "Bend the wire", True, "abc1234"),
        ("02-2", "Cut the paper", False, None),
        ("remaining-2", "Glue it", False, None),
    ]


def test_gsd_blockers_put_people_where_they_are_needed() -> None:
    """Human actions are blockers; the blocking ones weigh more; an entry that says none is none."""
    blockers = read_one(shelf_of(LAMP)).blockers
    assert [(blocker.title, blocker.needs_human, blocker.severity, blocker.open) for blocker in blockers] == [
        ("no glue", True, None, True),
        ("Choose a colour", True, Severity.HIGH, True),
        ("Buy glue", True, Severity.LOW, True),
    ]


def test_gsd_uncommitted_entries_are_claims_with_the_path_found_in_them() -> None:
    """Prose around a path stays in the text; prose without a path has no subject."""
    claims = [claim for claim in read_one(shelf_of(LAMP)).claims if claim.kind is ClaimKind.UNCOMMITTED]
    assert [(claim.subject, claim.text) for claim in claims] == [
        ("src/shade.py", "src/shade.py"),
        ("src/wire.py", "M src/wire.py (half bent)"),
        ("Makefile", "Makefile"),
        (None, "several drawings"),
    ]


def test_gsd_counts_in_prose_are_claims_about_the_suite() -> None:
    """A fraction gives total and passed, at the line of the notes."""
    handoff = read_one(shelf_of(LAMP))
    counts = {claim.subject: claim.value for claim in handoff.claims if claim.kind is ClaimKind.COUNT}
    assert counts == {"suite.total": 41, "suite.passed": 40}
    assert handoff.tests == TestCounts(total=41, passed=40)


def test_gsd_notes_may_be_a_list() -> None:
    """Notes as a list are one message."""
    handoff = read_one(shelf_of({**LAMP, "context_notes": ["one", "two"]}))
    assert handoff.message == "one\ntwo"


def test_gsd_companion_alone_is_a_handoff() -> None:
    """Its tags give tasks, decisions, next action and counts of the present state."""
    shelf = shelf_of(companion=HERE)
    handoff = read_one(shelf)
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
    assert (ClaimKind.FILE_REFERENCED, "docs/shade.md", 10) in found
    assert shelf.problems() == []


def test_gsd_companion_may_use_headings() -> None:
    """Headings of the same names do as well as tags."""
    front = "---\nphase: 4\nstatus: paused\n---\n"
    body = "# Here\n\n## Blockers\n- no lamp\n\n## Remaining Work\n- [x] wire\n- shade\n"
    handoff = read_one(shelf_of(companion=front + body))
    assert [blocker.title for blocker in handoff.blockers] == ["no lamp"]
    assert [(task.title, task.done) for task in handoff.tasks] == [("wire", True), ("shade", False)]


def test_gsd_pairs_state_and_companion() -> None:
    """Both files of a phase are one handoff; the state leads, and a claim made twice is kept once."""
    shelf = shelf_of(LAMP, HERE)
    handoff = read_one(shelf)
    assert [(document.path, document.role) for document in handoff.documents] == [
        (STATE, DocumentRole.STATE),
        (COMPANION, DocumentRole.CONTEXT),
    ]
    assert len([claim for claim in handoff.claims if claim.kind is ClaimKind.STATUS]) == 1
    assert len(handoff.tasks) == 3
    assert shelf.problems() == []


def test_gsd_reports_where_the_two_files_disagree() -> None:
    """Task and status are compared, with the line in the companion."""
    shelf = shelf_of({**LAMP, "task": 3, "status": "in_progress"}, HERE)
    read_one(shelf)
    assert [(problem.path, problem.line, problem.message) for problem in shelf.problems()] == [
        (COMPANION, 3, "task is 2 here, but 3 in the state file"),
        (COMPANION, 5, "status is PAUSED here, but IN_PROGRESS in the state file"),
    ]


def test_gsd_pairs_by_phase_when_there_are_several() -> None:
    """With two companions only the one of the same phase joins the state."""
    shelf = MemoryFiles(
        {
            STATE: json.dumps(LAMP),
            ".planning/phases/01-base/.continue-here.md": HERE.replace("lamp-shade", "01-base"),
            ".planning/phases/02-lamp-shade/.continue-here.md": HERE.replace("lamp-shade", "2-lamp-shade"),
        }
    )
    documents = {handoff.id: len(handoff.documents) for handoff in read_with(GSD, shelf).handoffs}
    assert documents == {"gsd/02": 2, "gsd/01-base": 1}


def test_gsd_reports_a_tag_that_is_not_closed() -> None:
    """The part is read up to the next tag."""
    shelf = shelf_of(companion="<blockers>\n- no glue\n\n<next_action>\nbuy some\n</next_action>\n")
    handoff = read_one(shelf)
    assert [blocker.title for blocker in handoff.blockers] == ["no glue"]
    assert [(problem.line, problem.message) for problem in shelf.problems()] == [(1, "<blockers> is not closed")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"completed_tasks": "all"}, "completed_tasks should be a list"),
        ({"completed_tasks": [{"id": 1, "commit": "soon"}]}, "completed_tasks[0].commit is no commit id"),
        ({"human_actions_pending": [{"action": "x", "blocking": "yes"}]}, "blocking should be true or false"),
        ({"status": ["paused"]}, "status should be text or a number"),
    ],
)
def test_gsd_reports_wrong_types(change: dict[str, object], message: str) -> None:
    """A member of another type is a problem with its line, and the rest is read."""
    shelf = shelf_of({**LAMP, **change})
    assert read_one(shelf).id == "gsd/02"
    (problem,) = shelf.problems()
    assert message in problem.message
    assert problem.line is not None
    assert problem.line > 1


def test_gsd_recognises_by_content() -> None:
    """Its own fields and tags decide; a name alone is possible only when the content is broken."""
    assert GSD.recognise(Source.of_text("HANDOFF-x.json", json.dumps(LAMP))) == CERTAIN
    assert GSD.recognise(Source.of_text(STATE, '{"phase_name": "x", "context_notes": ""}')) == LIKELY
    assert GSD.recognise(Source.of_text(STATE, '{"phase_name": "x"}')) == POSSIBLE
    assert GSD.recognise(Source.of_text(STATE, '{"ver')) == POSSIBLE
    assert GSD.recognise(Source.of_text("HANDOFF.json", '{"ver')) == NO
    assert GSD.recognise(Source.of_text(STATE, '{"theme": "dark"}')) == NO
    assert GSD.recognise(Source.of_text(COMPANION, HERE)) == CERTAIN
    assert GSD.recognise(Source.of_text(COMPANION, "")) == POSSIBLE
    assert GSD.recognise(Source.of_text(COMPANION, "# Shopping\n```\n<blockers>\n```\n")) == NO
    assert not GSD.may_own(".planning/handoff.schema.json")


def test_gsd_lists_a_broken_state_beside_its_companion() -> None:
    """When the state cannot be read, the companion still tells."""
    shelf = shelf_of('{"phase": "02", ', HERE)
    handoff = read_one(shelf)
    assert handoff.id == "gsd/lamp-shade"
    assert handoff.status == "PAUSED"
    assert ["not valid JSON" in problem.message for problem in shelf.problems()] == [True]


def test_gsd_action_that_can_wait_is_marked_so() -> None:
    """Only what is said not to block can wait."""
    actions = [{"action": "Buy", "blocking": True}, {"action": "Tell", "blocking": False}, {"action": "Ask"}]
    shelf = MemoryFiles({STATE: json.dumps({**LAMP, "blockers": [], "human_actions_pending": actions})})
    (handoff,) = read_with(GSD, shelf).handoffs
    assert [(blocker.title, blocker.blocking) for blocker in handoff.blockers] == [
        ("Buy", True),
        ("Tell", False),
        ("Ask", True),
    ]


def test_gsd_state_of_nulls_says_nothing() -> None:
    """A file with every field empty is no handoff that anyone could approve."""
    shelf = MemoryFiles({STATE: json.dumps(dict.fromkeys(LAMP))})
    assert len(read_with(GSD, shelf).handoffs) == 1
    assert [(problem.message, problem.level.value) for problem in shelf.problems()] == [
        ("says nothing: every field is empty", "error")
    ]
