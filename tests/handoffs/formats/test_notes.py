from __future__ import annotations

import pytest

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.claims.blocking import find_bad_verdicts, find_blocking
from handoff_tui.handoffs.formats.notes.format import NOTES
from handoff_tui.handoffs.formats.notes.recognition import WEAK
from handoff_tui.handoffs.handoff import Handoff, WordSort
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
        "lampHandoffNotes.md",
        "phase3handoff_final.md",
        ".agents/handoffs/heron/lamp/two.md",
        "docs/FOR_NEXT_AGENT.md",
        "notes-to-claude.md",
        "docs/lamp-qa-decision.md",
        "docs/handoffs/HANDOFF-LAMP-MANAGEMENT-001.md",
        ".agents/handoffs/2031-01-02-lamp-skill-config-review.md",
        "handoff-lamp-implementation.md",
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
        "src/features/handoff.json",
        "packages/ui/handoff.yaml",
        "tests/handoff_cases.json",
        "docs/handoffs/PROTOCOL.md",
        "docs/HANDOFF_PROTOCOL.md",
        "docs/handoff-system-design.md",
        "docs/handoffs/_TEMPLATE.md",
        "tests/fixtures/v1/handoff/docs/lamp.md",
        "schemas/handoff.yaml",
        "handoff.config.json",
        "src/handoff.ts",
    ],
)
def test_notes_leave_other_names_alone(path: str) -> None:
    """Commands, templates and indexes aren't handoffs."""
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


@pytest.mark.parametrize(
    "text",
    [
        "# Session Handoff\n\n- **Date**: [YYYY-MM-DD]\n- **Branch**: [Your branch]\n\n## Next steps\n- [List them]\n",
        "---\nname: handoff\ndescription: Writes the handoff\n---\n# Handoff\n\n## Status\n\n## Next steps\n",
        "# Handoff Component\n\n## Status\n\n## Next steps\n",
        "# Session Handoffs\n\n## Status\n\n## Next steps\n",
    ],
    ids=["template", "command", "product", "directory"],
)
def test_what_is_only_called_a_handoff_is_none(text: str) -> None:
    """Forms, commands for a host, parts of a product, and what describes others."""
    assert NOTES.recognise(Source.of_text("docs/handoffs/lamp.md", text)) == Confidence.NO


def test_structured_notes_are_read() -> None:
    """YAML and JSON that report work, and session logs with a checklist; settings of the same name are none."""
    note = "from_agent: heron\nto_agent: tern\nstatus: blocked\nbranch: lamp/dim\ncompleted:\n  - the dimmer\n"
    note += "next_steps:\n  - buy a fuse\nblockers:\n  - the fuse is blown\nfiles_changed: [src/lamp.py]\n"
    log = """{"session": {"number": 7, "branch": "lamp/dim", "objective": "dim it", "startingCommit": "abc1234"},
      "protocolCompliance": {"sessionEnd": {"changesCommitted": {"level": "MUST", "Complete": true},
        "lintRun": {"level": "MUST", "Complete": false}, "mainEdited": {"level": "MUST NOT", "complete": false}}},
      "nextSteps": ["look again"], "workLog": []}"""
    files = {"handoff.yaml": note, ".agents/sessions/2031-01-02-session-7.json": log}
    handoffs = {one.documents[0].path: one for one in read_with(NOTES, MemoryFiles(files)).handoffs}
    told = handoffs["handoff.yaml"]
    assert (told.status, told.source_agent, told.target_agent) == ("BLOCKED", "heron", "tern")
    assert [(task.title, task.done) for task in told.tasks] == [("the dimmer", True), ("buy a fuse", False)]
    assert [blocker.title for blocker in told.blockers] == ["the fuse is blown"]
    assert {(claim.kind, claim.subject or claim.value) for claim in told.claims} >= {
        (ClaimKind.BRANCH, "lamp/dim"),
        (ClaimKind.FILE_MODIFIED, "src/lamp.py"),
    }
    session = handoffs[".agents/sessions/2031-01-02-session-7.json"]
    assert [(task.title, task.done) for task in session.tasks] == [
        ("look again", False),
        ("changes committed", True),
        ("lint run", False),
    ]
    assert [blocker.title for blocker in session.blockers] == ["the checklist demands: lint run"]
    wrapped = read_with(
        NOTES, MemoryFiles({"handoff-7.yaml": "handoff:\n" + "".join(f"  {line}\n" for line in note.splitlines())})
    )
    assert wrapped.handoffs[0].status == "BLOCKED"
    for path, text in (("tools/handoff.yaml", "rota:\n  handoff_at: 22\n"), ("handoff.json", '{"theme": "dark"}')):
        assert NOTES.recognise(Source.of_text(path, text)) == Confidence.NO


def test_structured_note_claims_files_hashes_commits_and_tests_at_any_depth() -> None:
    """The names of members say what became of the files in them; failing tests refute a good result."""
    digest = "ab" * 31 + "0c"
    note = f"""task: dimmer\nagent: heron\nresult: success
files:
  created:
    - path: src/dim.py
      sha256: {digest}
  deleted: [src/old.py]
  not_touched: [src/lamp.py]
commits: [abc1234]
todo: [add src/fuse.py]
tests: {{passed: 8, failed: 3, total: 10}}
"""
    handoff = read_with(NOTES, MemoryFiles({"handoffs/1.handoff.yaml": note})).handoffs[0]
    assert {(claim.kind, claim.subject or claim.value) for claim in handoff.claims} >= {
        (ClaimKind.FILE_CREATED, "src/dim.py"),
        (ClaimKind.HASH, "src/dim.py"),
        (ClaimKind.FILE_DELETED, "src/old.py"),
        (ClaimKind.COMMIT, "abc1234"),
    }
    assert not {"src/lamp.py", "src/fuse.py"} & {claim.subject for claim in handoff.claims}
    assert handoff.tests is not None
    assert handoff.tests.failed == 3
    assert any("3 failed" in reason for reason in find_blocking(handoff, {}, (), ()))


def test_note_without_headings_is_one_if_it_says_what_was_done() -> None:
    """In a folder or under a name that says so."""
    told = "MEMO\n\nI rewrote src/lamp.py yesterday.\n"
    assert NOTES.recognise(Source.of_text("memos/handoff-7.md", told)) == Confidence.POSSIBLE
    assert NOTES.recognise(Source.of_text("memos/handoff-7.md", "Ask Ann about lunch.\n")) == Confidence.NO


def test_conclusion_in_the_first_section_with_text_counts() -> None:
    """Also one of several fields in a line, and where no title comes first."""
    text = "## Dev → QA\n\n**From:** dev   **To:** qa   **Block status:** blocked by the vendor\n\n"
    text += "- `src/a.py` was added\n"
    handoff = read_with(NOTES, MemoryFiles({"handoff/dev-to-qa.md": text})).handoffs[0]
    assert [(word.name, word.sort) for word in handoff.words] == [("block status", WordSort.BAD)]


def test_conclusion_in_a_late_section_counts_unless_each_part_has_one() -> None:
    """Where several sections have a verdict, these are of parts."""
    text = "# Handoff\n\n## Done\n\n- Lamp\n\n## Checks\n\nAll ran.\n\n**Verdict:** FAIL\n"
    assert [(word.name, word.sort) for word in read_one(text).words] == [("verdict", WordSort.BAD)]
    assert read_one(f"{text}\n## More checks\n\n**Verdict:** PASS\n").words == ()


def test_files_under_unknown_headings_are_named_once() -> None:
    """Where nothing is claimed of any file: what is not understood is not absent."""
    text = "# Handoff\n\n## Muudetud failid\n\n- `src/a.py`\n- `src/b.py`\n\n## Kustutatud\n\n- `src/c.py`\n"
    told = [(fact.name, fact.value) for fact in read_one(text).facts]
    assert told == [("not understood", 'what became of the files under "Muudetud failid"')]
    assert read_one(f"{text}\n## Files added\n\n- `src/d.py`\n").facts == ()


def test_blockers_are_read_below_labels_and_in_tables() -> None:
    """What is no blocker, or was one, isn't."""
    text = (
        "# Handoff\n\nThe lamp is lit.\n\n**Blocked by**\n- no oil\n\n**Was blocking, no longer**\n- no wick\n\n"
        "| Blocker | State |\n|---|---|\n| the vendor | open |\n| the wind | resolved |\n\n## Not blockers\n- rain\n"
    )
    assert [(one.title, one.open) for one in read_one(text).blockers] == [
        ("no oil", True),
        ("the vendor | open", True),
        ("the wind | resolved", False),
    ]


def test_decision_goes_with_the_note_it_is_about() -> None:
    """By the words of its name; its verdict counts, so a note that QA failed is not ready."""
    note = "# Lamp\n\n**Status:** COMPLETE\n\n## Next steps\n- x\n"
    files = {
        "handoffs/lamp-handoff.md": note,
        "handoffs/oil-handoff.md": note.replace("Lamp", "Oil"),
        "handoffs/lamp-qa-decision.md": "# QA\n\n**QA Decision:** FAIL\n\n## Status\nIt flickers.\n",
    }
    lamp, oil = read_with(NOTES, MemoryFiles(files)).handoffs
    assert [document.path for document in lamp.documents] == [
        "handoffs/lamp-handoff.md",
        "handoffs/lamp-qa-decision.md",
    ]
    assert [claim.value for claim in find_bad_verdicts(lamp)] == ["FAIL"]
    assert len(oil.documents) == 1


def test_decision_names_its_note_without_the_number() -> None:
    """If only one note of the folder is called so; of two it stands by itself."""
    note = "# Search\n\n**Status:** done\n\n## Next steps\n- x\n"
    files = {
        "handoffs/HANDOFF_002_login.md": note,
        "handoffs/HANDOFF_003_search.md": note,
        "handoffs/QA_DECISION_search.md": "# QA\n\n**QA Decision:** FAIL\n\nIt breaks.\n",
    }
    login, search = read_with(NOTES, MemoryFiles(files)).handoffs
    assert (len(login.documents), len(search.documents)) == (1, 2)
    assert [claim.value for claim in find_bad_verdicts(search)] == ["FAIL"]
    assert len(read_with(NOTES, MemoryFiles(files | {"handoffs/HANDOFF_004_search.md": note})).handoffs) == 4


def test_status_that_says_it_is_over_names_what_came_after() -> None:
    """Wherever the words stand: as a field, or in a line of their own."""
    for line in ("**Status**: Superseded by HANDOFF_3.md", "> Superseded by [the next](HANDOFF_3.md)"):
        text = f"# Parser\n\n{line}\n\n## Done\n- x\n\n## Next steps\n- y\n"
        [handoff] = read_with(NOTES, MemoryFiles({"HANDOFF_parser.md": text})).handoffs
        assert handoff.ended == "Superseded by HANDOFF_3.md"


def test_unknown_headings_are_said_once_unless_a_template_has_them() -> None:
    """A note in another language is listed; the repository's own template teaches its headings."""
    note = "# Übergabe\n\n## Erledigt\n- Lampe\n\n## Offen\n- Docht\n"
    files = MemoryFiles({"handoffs/2031-01-02.md": note})
    assert len(read_with(NOTES, files).handoffs) == 1
    assert [one.message for one in files.problems()] == [
        "no heading is understood, so little of what it says is measured"
    ]
    taught = MemoryFiles(
        {"handoffs/2031-01-02.md": note, "handoffs/_TEMPLATE.md": "# [Titel]\n\n## Erledigt\n\n## Offen\n"}
    )
    assert len(read_with(NOTES, taught).handoffs) == 1
    assert taught.problems() == []


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
