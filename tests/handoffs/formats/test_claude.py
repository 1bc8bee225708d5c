from __future__ import annotations

import json

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.claude import CLAUDE
from handoff_tui.handoffs.handoff import Handoff, HandoffType
from handoff_tui.handoffs.reading.format import CERTAIN, LIKELY, NO, POSSIBLE, Source
from tests.support.memory_files import MemoryFiles, read_with

PATH = ".claude/handoff.json"
LAMP: dict[str, object] = {
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


def shelf_of(content: object) -> MemoryFiles:
    return MemoryFiles({PATH: content if isinstance(content, str) else json.dumps(content, indent=2)})


def read_one(shelf: MemoryFiles) -> Handoff:
    (handoff,) = read_with(CLAUDE, shelf).handoffs
    return handoff


def test_claude_names_the_phase_and_its_successor() -> None:
    """Phase 2 is the architect's and hands over to test design."""
    handoff = read_one(shelf_of(LAMP))
    assert handoff.id == "claude/lamp-dimmer"
    assert handoff.type is HandoffType.PHASE_TRANSITION
    assert (handoff.source_phase, handoff.target_phase) == ("architect", "test-design")
    assert handoff.producers == ("architect",)
    assert handoff.created == "2031-02-03T04:05:06Z"
    assert read_one(shelf_of({**LAMP, "phase": 7})).target_phase is None


def test_claude_claims_each_referenced_file_once() -> None:
    """The spec is a reference too; a file named twice is one claim."""
    claims = read_one(shelf_of(LAMP)).claims
    assert [(claim.kind, claim.subject, claim.where.line) for claim in claims] == [
        (ClaimKind.FILE_REFERENCED, "docs/lamp/prd.md", 7),
        (ClaimKind.FILE_REFERENCED, "src/lamp.py", 8),
    ]


def test_claude_checkpoint_waits_for_a_person() -> None:
    """A pending checkpoint is an open blocker that needs a human."""
    (blocker,) = read_one(shelf_of({**LAMP, "checkpoint_pending": "clarification"})).blockers
    assert blocker.needs_human
    assert blocker.open
    assert "clarification" in blocker.title


def test_claude_spec_may_be_an_address() -> None:
    """An issue's address is a fact, not a path."""
    shelf = shelf_of({**LAMP, "source_spec": "https://github.com/lamp/lamp/issues/7"})
    handoff = read_one(shelf)
    assert "https://github.com/lamp/lamp/issues/7" in [fact.value for fact in handoff.facts]
    assert shelf.problems() == []


def test_claude_reports_missing_and_unexpected_fields() -> None:
    """Each has a line; the rest is still read."""
    content = {key: value for key, value in LAMP.items() if key not in {"scope", "produced_by"}}
    shelf = shelf_of({**content, "owner": "me", "phase": 9, "checkpoint_pending": "coffee"})
    handoff = read_one(shelf)
    messages = {problem.message.split(":")[0]: problem.line for problem in shelf.problems()}
    assert messages == {
        "scope is missing": 1,
        "owner is no field of this format": 18,
        "produced_by is missing": 17,
        "phase is not a number from 1 to 7": 3,
        "checkpoint_pending is not one of clarification, architecture-review": 19,
    }
    assert handoff.source_phase == "9"


def test_claude_reports_a_path_that_leads_out() -> None:
    """A reference outside the repository is no claim but a problem."""
    shelf = shelf_of({**LAMP, "relevant_files": ["../secret.txt", "src/**/*.py"]})
    assert [claim.subject for claim in read_one(shelf).claims] == ["docs/lamp/prd.md"]
    assert len(shelf.problems()) == 2


def test_claude_recognises_by_content() -> None:
    """Any file of that shape counts; a broken one only at its place; a schema never."""
    assert CLAUDE.recognise(Source.of_text("x/handoff-1.json", json.dumps(LAMP))) == CERTAIN
    few = {key: LAMP[key] for key in ("feature", "phase", "goal", "scope", "source_spec")}
    assert CLAUDE.recognise(Source.of_text(PATH, json.dumps(few))) == LIKELY
    assert CLAUDE.recognise(Source.of_text(PATH, "{")) == POSSIBLE
    assert CLAUDE.recognise(Source.of_text("x/handoff.json", "{")) == NO
    assert CLAUDE.recognise(Source.of_text(PATH, '{"feature": "flags"}')) == NO
    assert CLAUDE.recognise(Source.of_text(PATH, "[1]")) == NO
    assert not CLAUDE.may_own("schemas/handoff.schema.json")


def test_claude_lists_a_broken_file() -> None:
    """A truncated file is listed with its problem."""
    shelf = shelf_of('{"feature": "lamp')
    assert read_one(shelf).documents[0].path == PATH
    assert len(shelf.problems()) == 1


def test_claude_file_with_a_pending_checkpoint_waits_for_a_person() -> None:
    """The checkpoint is enough to know the file, and a bare yes is enough for it; a no waits for nobody."""
    waiting = shelf_of({"checkpoint_pending": True, "checkpoint_type": "approval"})
    assert CLAUDE.recognise(waiting.source(PATH)) == CERTAIN
    (blocker,) = read_one(waiting).blockers
    assert (blocker.title, blocker.needs_human) == ("waits for a person: approval", True)
    assert read_one(shelf_of({**LAMP, "checkpoint_pending": False})).blockers == ()
