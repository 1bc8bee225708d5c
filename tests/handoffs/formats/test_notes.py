from __future__ import annotations

import pytest

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.notes.format import NOTES, WEAK
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.reading.format import Confidence, Source
from tests.support.memory_files import MemoryFiles, read_with

LAMP = """---
branch: lamp/dimmer
volts: 12
tags: [a, b]
---
# Lamp Handoff

**Agent:** Ada
**Status:** COMPLETE — 14/15 tests pass
**Date:** 2031-02-03

The lamp dims.

## What was done
- The dimmer, commit `abc1234`
- Deployed to https://lamp.test/live

## Files Created
1. **`src/dimmer.py`** — the dimmer
2. Updated `src/lamp.py`

## Files Modified/Created

| File | Change |
|------|--------|
| `docs/lamp.md` | new |
| `docs/old.md` | deleted |
| plain words | new |

## Key Files
- `src/socket.py:12` is where it begins

## Blockers
- The fuse is blown
- ~~No bulb~~ resolved by hand

## Next Steps
1. Buy a fuse
2. [x] Sleep

### Then the shade
Any colour.

## Review
Final verdict: PASS

## Previous Session Summary (2031-02-01)
**Status:** FAILED
- [ ] an old box
### Blockers
- old trouble

## Earlier sessions (2031-01-30)
"""


def read_one(text: str, path: str = "HANDOFF.md") -> Handoff:
    (handoff,) = read_with(NOTES, MemoryFiles({path: text})).handoffs
    return handoff


def test_notes_fields_and_frontmatter_are_mapped() -> None:
    """Fields near the top and frontmatter give status, agent, date; plain frontmatter values are facts."""
    handoff = read_one(LAMP)
    assert handoff.id == "notes/HANDOFF.md"
    assert handoff.title == "Lamp Handoff"
    assert (handoff.status, handoff.source_agent, handoff.created) == ("COMPLETE", "Ada", "2031-02-03")
    assert [(fact.name, fact.value) for fact in handoff.facts] == [("branch", "lamp/dimmer"), ("volts", "12")]
    assert handoff.message == "The lamp dims."


def test_notes_claims_keep_their_lines() -> None:
    """Status, branch, counts, files, commits, deployment, verdict and references."""
    claims = read_one(LAMP).claims
    assert [(claim.kind, claim.subject, claim.value, claim.where.line) for claim in claims] == [
        (ClaimKind.STATUS, None, "COMPLETE", 9),
        (ClaimKind.BRANCH, None, "lamp/dimmer", 2),
        (ClaimKind.COUNT, "suite.total", 15, 9),
        (ClaimKind.COUNT, "suite.passed", 14, 9),
        (ClaimKind.COMMIT, None, "abc1234", 15),
        (ClaimKind.FILE_CREATED, "src/dimmer.py", None, 19),
        (ClaimKind.FILE_MODIFIED, "src/lamp.py", None, 20),
        (ClaimKind.FILE_CREATED, "docs/lamp.md", None, 26),
        (ClaimKind.FILE_DELETED, "docs/old.md", None, 27),
        (ClaimKind.FILE_REFERENCED, "src/socket.py", None, 31),
        (ClaimKind.DEPLOYMENT, "https://lamp.test/live", "deployed", 16),
        (ClaimKind.VERDICT, None, "PASS", 45),
    ]


def test_notes_blockers_are_open_unless_they_say_otherwise() -> None:
    """A struck-out entry is resolved; those of an earlier session are not ours."""
    blockers = read_one(LAMP).blockers
    assert [(blocker.where.line, blocker.open) for blocker in blockers] == [(34, True), (35, False)]


@pytest.mark.parametrize("body", ["None.", "- None at this time", "No blockers", "N/A"])
def test_notes_section_that_says_none_has_no_blockers(body: str) -> None:
    """Words for nothing are nothing."""
    assert read_one(f"# Handoff\n\n## Blockers\n\n{body}\n\n## Status\nDone\n").blockers == ()


def test_notes_next_steps_are_tasks() -> None:
    """Entries, boxes and sub-headings; the first open one is the next action."""
    handoff = read_one(LAMP)
    assert [(task.title, task.done, task.where.line) for task in handoff.tasks] == [
        ("Buy a fuse", False, 38),
        ("Sleep", True, 39),
        ("Then the shade", False, 41),
    ]
    assert handoff.next_action == "Buy a fuse"


def test_notes_earlier_sessions_are_attempts() -> None:
    """Oldest first, with the date of the heading."""
    handoff = read_one(LAMP)
    assert [(attempt.number, attempt.summary, attempt.when) for attempt in handoff.attempts] == [
        (1, "Earlier sessions (2031-01-30)", "2031-01-30"),
        (2, "Previous Session Summary (2031-02-01)", "2031-02-01"),
    ]
    assert handoff.attempt == 3


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("# H\n\n## Status: PARTIAL (mostly)\n", "PARTIAL"),
        ("# H\n\n## Current Status\n\n✅ DONE, all of it\n", "COMPLETE"),
        ("# H\n\n## Status\n\nThe lamp is on the table.\n", None),
        ("---\nstatus: blocked\n---\n# H\n", "BLOCKED"),
    ],
)
def test_notes_status_is_found_where_it_is_said(text: str, status: str | None) -> None:
    """A heading, the first words of a section, or the frontmatter; never guessed from prose."""
    assert read_one(text).status == status


def test_notes_code_is_not_read_as_prose() -> None:
    """Fields, counts and boxes in a code block are an example."""
    handoff = read_one("# Handoff\n\n```\n**Status:** PASS\n9 passed\n- [ ] x\n`a/b.py`\n```\n")
    assert handoff.claims == ()
    assert handoff.tasks == ()


@pytest.mark.parametrize(
    "path",
    [
        "HANDOFF.md",
        "handoff.md",
        ".claude/HANDOFF.md",
        "SESSION_HANDOFF_2031-01-02.md",
        "docs/handoffs/lamp.md",
        "handoffs/lamp.md",
        "lamp_HANDOFF.md",
        "docs/HANDOVER.md",
        "notes/handoff-lamp.md",
    ],
)
def test_notes_may_own_the_usual_names(path: str) -> None:
    """In any folder and any case."""
    assert NOTES.may_own(path)
    assert NOTES.recognise(Source.of_text(path, LAMP)) == WEAK


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "docs/handoffs/README.md",
        ".claude/commands/handoff.md",
        "skills/handoff.md",
        "templates/HANDOFF.md",
        "HANDOFF_TEMPLATE.md",
        "docs/handoffs-architecture.md",
        "HANDOFF.json",
    ],
)
def test_notes_leave_other_names_alone(path: str) -> None:
    """Commands, templates and indexes are no handoffs."""
    assert not NOTES.may_own(path)


def test_notes_recognise_by_content() -> None:
    """Two topics are enough; a canonical name makes any text possible; a text about handoffs is none."""
    assert NOTES.recognise(Source.of_text("handoffs/a.md", "# Session\n\n## Next steps\n- x\n")) == WEAK
    assert NOTES.recognise(Source.of_text("handoffs/a.md", "# Lamp\n\nSome words.\n")) == Confidence.NO
    assert NOTES.recognise(Source.of_text("HANDOFF.md", "# Lamp\n\nSome words.\n")) == Confidence.POSSIBLE
    assert NOTES.recognise(Source.of_text("HANDOFF.md", "")) == Confidence.POSSIBLE
    about = "# Handoff Protocol\n\n## Session context\n\n## Status\n\n## Next steps\n"
    assert NOTES.recognise(Source.of_text("handoffs/a.md", about)) == Confidence.NO
    assert WEAK < 0.8


def test_notes_empty_file_is_reported() -> None:
    """It is listed with a problem."""
    shelf = MemoryFiles({"HANDOFF.md": "\n"})
    assert read_with(NOTES, shelf).handoffs[0].documents[0].path == "HANDOFF.md"
    assert [problem.message for problem in shelf.problems()] == ["is empty"]


SESSIONS = {
    1: "## Session 1 (2031-01-01)\n\n### Status\nDone\n\n### Next steps\n- one\n",
    2: "## Session 2 (2031-01-02)\n\n### Status: in progress\nTests: 41 passed, 1 failed\n\n### Next steps\n- two\n",
}


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_notes_of_several_sessions_tell_the_newest(order: tuple[int, int]) -> None:
    """Whether the newest is on top or at the end: status and numbers of two sessions are never mixed."""
    text = "# Session handoff\n\n" + "\n".join(SESSIONS[number] for number in order)
    (handoff,) = read_with(NOTES, MemoryFiles({"SESSION_HANDOFF.md": text})).handoffs
    assert (handoff.status, handoff.next_action, handoff.attempt) == ("IN_PROGRESS", "two", 2)
    assert [(attempt.number, attempt.when) for attempt in handoff.attempts] == [(1, "2031-01-01")]


def test_notes_of_sessions_without_dates_go_by_their_number() -> None:
    """The highest is the newest."""
    text = (
        "# Handoff\n\n## Session 9\n\n**Status**: done\n\n## Session 10\n\n**Status**: paused\n\n## Next steps\n- x\n"
    )
    (handoff,) = read_with(NOTES, MemoryFiles({"HANDOFF.md": text})).handoffs
    assert (handoff.status, [attempt.summary for attempt in handoff.attempts]) == ("PAUSED", ["Session 9"])
