from __future__ import annotations

import json

import pytest

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.relay import RELAY
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.reading.format import CERTAIN, LIKELY, NO, POSSIBLE, Source
from tests.support.memory_files import MemoryFiles, read_with

LAMP = {
    "task": "TASK-042",
    "status": "pass_with_notes",
    "actor": "codex",
    "changed_files": ["src/lamp.py", "docs/lamp guide.md"],
    "checks": [{"name": "unit tests", "result": "pass"}, {"name": "lint", "result": "not_run"}],
    "open_points": ["the dimmer flickers"],
    "next_role": "claude",
}


def shelf_of(content: object, path: str = "HANDOFF.json") -> MemoryFiles:
    text = content if isinstance(content, str) else json.dumps(content, indent=2)
    return MemoryFiles({path: text})


def read_one(shelf: MemoryFiles) -> Handoff:
    (handoff,) = read_with(RELAY, shelf).handoffs
    return handoff


def test_relay_reads_task_actors_and_status() -> None:
    """The id is the task; actor and next role are the two agents."""
    handoff = read_one(shelf_of(LAMP))
    assert handoff.id == "TASK-042"
    assert (handoff.source_agent, handoff.target_agent) == ("codex", "claude")
    assert handoff.producers == ("codex",)
    assert handoff.status == "PASS"


def test_relay_claims_status_files_and_checks_with_their_lines() -> None:
    """Every entry is a claim that stands on its own line."""
    claims = read_one(shelf_of(LAMP)).claims
    assert [(claim.kind, claim.subject, claim.value, claim.where.line) for claim in claims] == [
        (ClaimKind.STATUS, None, "PASS", 3),
        (ClaimKind.FILE_MODIFIED, "src/lamp.py", None, 6),
        (ClaimKind.FILE_MODIFIED, "docs/lamp guide.md", None, 7),
        (ClaimKind.CHECK, "unit tests", "pass", 10),
        (ClaimKind.CHECK, "lint", "not_run", 14),
    ]


def test_relay_open_points_are_open_blockers() -> None:
    """What is left open stands in the way."""
    (blocker,) = read_one(shelf_of(LAMP)).blockers
    assert blocker.title == "the dimmer flickers"
    assert blocker.open


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"status": "great"}, "status is not one of"),
        ({"checks": [{"name": "x", "result": "maybe"}]}, "checks[0].result is not one of"),
        ({"checks": [{"name": "x"}]}, "checks[0].result is missing"),
        ({"changed_files": ["a.py", "a.py"]}, "names a file twice"),
        ({"changed_files": ["/etc/passwd"]}, "is no path inside the repository"),
        ({"changed_files": "a.py"}, "should be a list"),
    ],
)
def test_relay_reports_what_every_relay_needs(change: dict[str, object], message: str) -> None:
    """Each fault is one problem with a line."""
    shelf = shelf_of({**LAMP, **change})
    read_with(RELAY, shelf)
    (problem,) = shelf.problems()
    assert message in problem.message
    assert problem.line is not None


def test_relay_recognises_by_content() -> None:
    """All fields are certain, most are likely, a broken file at its place is possible."""
    assert RELAY.recognise(Source.of_text("HANDOFF.json", json.dumps(LAMP))) == CERTAIN
    some = {key: LAMP[key] for key in ("task", "status", "actor", "checks", "next_role")}
    assert RELAY.recognise(Source.of_text("HANDOFF.json", json.dumps(some))) == LIKELY
    assert RELAY.recognise(Source.of_text("HANDOFF.json", '{"task": ')) == POSSIBLE
    assert RELAY.recognise(Source.of_text("sub/HANDOFF.json", '{"task": ')) == NO


def test_relay_leaves_foreign_content_alone() -> None:
    """A file of that name with other fields, and a schema, are not ours."""
    assert RELAY.recognise(Source.of_text("HANDOFF.json", '{"phase": 1, "task": 2, "status": "x"}')) == NO
    schema = json.dumps({"$schema": "x", "properties": LAMP})
    assert not RELAY.may_own("handoff.schema.json")
    assert RELAY.recognise(Source.of_text("handoff.schema.json", schema)) == NO


def test_relay_lists_a_broken_file() -> None:
    """A truncated file yields a handoff with its document and a problem, nothing else."""
    shelf = shelf_of('{"task": "TASK-0')
    handoff = read_one(shelf)
    assert handoff.id == "relay/HANDOFF.json"
    assert handoff.status is None
    assert [document.path for document in handoff.documents] == ["HANDOFF.json"]
    assert "not valid JSON" in shelf.problems()[0].message


def test_relay_keeps_two_files_of_one_task_apart() -> None:
    """The second file with the same task gets an id of its own."""
    text = json.dumps(LAMP)
    reading = read_with(RELAY, MemoryFiles({"HANDOFF.json": text, "old/HANDOFF.json": text}))
    assert [handoff.id for handoff in reading.handoffs] == ["TASK-042", "TASK-042/old/HANDOFF.json"]


def test_relay_leaves_a_project_its_own_names_and_limits() -> None:
    """Other actors, task names, fields and long lists are no problems."""
    own = {"actor": "somebody", "task": "lamp", "extra": 1, "open_points": ["z" * 500] * 20}
    shelf = shelf_of({**LAMP, **own})
    read_with(RELAY, shelf)
    assert shelf.problems() == []
