"""What a spec says."""

from __future__ import annotations

from handoff_tui.config.settings.root import Builder
from handoff_tui.handoffs.formats.builder.spec import SpecReading, read_spec
from handoff_tui.handoffs.reading.format import Source

_SPEC = """# BUILDER HANDOFF 7: Lamp

Blocked-By: H-3, CLEANUP-1

## 1. Mission

Light it. **This is an integration handoff.** Part of wave 2.

## 3. Architecture / Design

## 2. Critical Constraints

## 4. Identity

| Field | Value |
|-------|-------|
| Handoff ID | HANDOFF-7 |
| Title | Lighting the lamp |
| Dependencies | FOLLOWUP-5B (done) |

## 9. Files Summary

| File | Location | Action |
|------|----------|--------|
| `lamp.py` | `src/` | CREATE |
| `oil.py` | `src/` | MODIFY (thinner) |
| everything else | | CREATE |

## 13. Expected 13Q Answers (Reviewer Reference)

1. Oil.
"""


def _read(text: str = _SPEC) -> tuple[SpecReading, Source]:
    source = Source.of_text("BUILDER_HANDOFF_7_lamp.md", text)
    return read_spec(source, Builder()), source


def _facts(reading: SpecReading, name: str) -> list[tuple[str, int | None]]:
    return [(fact.value, fact.where.line if fact.where else None) for fact in reading.facts if fact.name == name]


def test_spec_sections_are_held_against_the_standard() -> None:
    """Missing and misplaced sections are named."""
    reading, _ = _read()
    assert reading.missing == (
        "Implementation Steps",
        "Package Plan",
        "Test Plan",
        "Existing Code to Reference",
        "End-to-End Verification",
        "Design Principles",
    )
    assert reading.out_of_order == ("Critical Constraints",)


def test_spec_dependencies_are_canonical() -> None:
    """Fields and rows that name other handoffs say what must be done before."""
    assert _read()[0].blocked_by == ["H-3", "CLEANUP-1", "H-5B"]


def test_spec_identity_is_read() -> None:
    """The identity table gives the stated id, the title and facts."""
    reading, _ = _read()
    assert (reading.stated_id, reading.title) == ("H-7", "Lighting the lamp")
    assert _facts(reading, "handoff id") == [("HANDOFF-7", 17)]


def test_spec_planned_files_are_facts() -> None:
    """Planned files are told with their action, and rows without a path are passed over."""
    assert _facts(_read()[0], "planned file") == [("CREATE src/lamp.py", 25), ("MODIFY src/oil.py", 26)]


def test_spec_with_expected_answers_is_flagged() -> None:
    """Answers meant for the reviewer are a problem where the builder reads them."""
    reading, source = _read()
    assert _facts(reading, "expected answers in the spec") == [("Expected 13Q Answers (Reviewer Reference)", 29)]
    assert [(problem.line, "expected answers" in problem.message) for problem in source.problems()] == [(29, True)]


def test_spec_remarks_are_facts() -> None:
    """An integration handoff and its wave are told."""
    reading, _ = _read()
    assert _facts(reading, "wave") == [("2", 7)]
    assert [line for _, line in _facts(reading, "integration handoff")] == [7]


def test_spec_that_is_superseded_says_so() -> None:
    """A status under the title, or the word in the title, retires a spec."""
    assert _read("# BUILDER HANDOFF 7 — SUPERSEDED\n")[0].superseded
    assert _read("# BUILDER HANDOFF 7\n\n**Status**: SUPERSEDED by H-9\n")[0].superseded
    assert not _read()[0].superseded


def test_spec_may_hold_the_prompt() -> None:
    """Questions in a fenced prompt of the spec are found."""
    text = "# HANDOFF 7\n\n## 12. Agent Prompt\n\n```\nAnswer these 2 questions:\n\n1. Why?\n2. How?\n\nSTOP.\n```\n"
    prompt = _read(text)[0].prompt
    assert prompt is not None
    assert [(question.number, question.where.line) for question in prompt.questions] == [(1, 8), (2, 9)]


def test_planned_file_is_in_its_folder() -> None:
    """A folder needs no slash to be one."""
    table = "| File | Location | Action |\n|---|---|---|\n| lamp.py | src | CREATE |\n| oil.py | — | MODIFY |\n"
    reading, _ = _read(f"# BUILDER HANDOFF 7\n\n## 9. Files Summary\n\n{table}")
    assert [value for value, _ in _facts(reading, "planned file")] == ["CREATE src/lamp.py", "MODIFY oil.py"]
