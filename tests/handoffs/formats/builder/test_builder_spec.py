"""What a spec says."""

from __future__ import annotations

import pytest

from handoff_tui.config.settings.root import Builder
from handoff_tui.handoffs.formats.builder.prompt import PromptReading, find_contract_version, read_prompt
from handoff_tui.handoffs.formats.builder.sections import (
    body,
    find_section,
    is_heading_of,
)
from handoff_tui.handoffs.formats.builder.spec import SpecReading, read_spec
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.markdown import parse_markdown

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


_PROMPT = """# Agent Prompt: HANDOFF-7

**Prompt Contract Version:** 1.2.0

```
You are a builder agent. Read the spec, answer the 4 questions below, then STOP and WAIT for approval.

**Rules:**
1. Keep to the lamp.
2. Test first.

**Before any code, answer these 4 questions:**

1. Which wick?

2. Which oil?

**Adversarial:**

3. What if it is dark?
4. What if it is not?

**STOP AFTER ANSWERING.** Do not go on.
```

## Expected Answers (for the reviewer)

1. Cotton.
"""


def _read_prompt(text: str = _PROMPT) -> tuple[PromptReading, Source]:
    source = Source.of_text("AGENT_PROMPT_HANDOFF_7.md", text)
    return read_prompt(source), source


def _facts_prompt(reading: PromptReading, name: str) -> list[tuple[str, int | None]]:
    return [(fact.value, fact.where.line if fact.where else None) for fact in reading.facts if fact.name == name]


def test_prompt_questions_are_told_from_rules() -> None:
    """Only the list after the last introduction holds questions; groups inside it go on counting."""
    reading, source = _read_prompt()
    assert [(question.number, question.text, question.where.line) for question in reading.questions] == [
        (1, "Which wick?", 14),
        (2, "Which oil?", 16),
        (3, "What if it is dark?", 20),
        (4, "What if it is not?", 21),
    ]
    assert source.problems() == []


def test_prompt_facts_are_found() -> None:
    """Contract, stop, and the answers below the prompt are told with their lines."""
    reading, _ = _read_prompt()
    assert reading.contract == "1.2.0"
    assert _facts_prompt(reading, "prompt contract") == [("1.2.0", 3)]
    assert [line for _, line in _facts_prompt(reading, "stop for approval")] == [6]
    assert _facts_prompt(reading, "expected answers") == [("Expected Answers (for the reviewer)", 26)]
    assert _facts_prompt(reading, "question gate") == [("4 questions", 14)]


def test_prompt_that_shows_the_answers_is_a_problem() -> None:
    """Expected answers inside the fenced prompt reach the agent."""
    _, source = _read_prompt(
        "# Agent Prompt\n\n```\nAnswer these questions:\n1. Why?\n\nSTOP.\n\n## Expected Answers\n1. So.\n```\n"
    )
    assert [problem.line for problem in source.problems()] == [9]


def test_prompt_without_a_stop_is_a_problem() -> None:
    """Questions without a stop are no gate."""
    _, source = _read_prompt("# Agent Prompt\n\nAnswer these questions:\n\n1. Why?\n")
    assert [problem.message for problem in source.problems()] == [
        "asks questions but does not tell the agent to stop and wait"
    ]


def test_prompt_with_fewer_questions_than_announced_is_a_problem() -> None:
    """A missing question is seen."""
    _, source = _read_prompt("# Agent Prompt\n\nAnswer these 13 questions, then STOP:\n\n- Q1: Why?\n- Q2: How?\n")
    assert [problem.message for problem in source.problems()] == ["announces 13 questions, but 2 were found"]


def test_prompt_in_numbered_lines_is_read() -> None:
    """Questions may be lines of one paragraph with their own numbers."""
    reading, _ = _read_prompt("# Agent Prompt\n\n## Questions\n\n**Q1:** Why?\n**Q2:** How?\n\nSTOP.\n")
    assert [(question.number, question.text, question.where.line) for question in reading.questions] == [
        (1, "Why?", 5),
        (2, "How?", 6),
    ]


def test_contract_states_its_version() -> None:
    """The contract in force is known by the version under its title, or in it."""
    assert find_contract_version(Source.of_text("c.md", "# Contract\n\n**Version:** 1.3\n")) == "1.3"
    assert find_contract_version(Source.of_text("c.md", "# Prompt contract v2.0\n")) == "2.0"
    assert find_contract_version(Source.of_text("c.md", "# Prompt contract\n")) is None


def test_prompt_heading_announces_the_number() -> None:
    """A heading may hold the number, groups may be headings, and a stop may follow without a blank line."""
    text = "# Agent Prompt\n\n### 3 Questions\n\n#### Scope\n1. Why?\n\n#### Other\n2. How?\nSTOP and WAIT.\n"
    reading, source = _read_prompt(text)
    assert [question.text for question in reading.questions] == ["Why?", "How?"]
    assert [problem.message for problem in source.problems()] == ["announces 3 questions, but 2 were found"]


@pytest.mark.parametrize(
    ("heading", "wanted"),
    [
        ("Baseline Snapshot (AFTER this work)", "Baseline Snapshot"),
        ("Full Regression — ALL STAGED PACKAGES", "Full Regression Test"),
        ("Full Regression Test -- ALL STAGED PACKAGES", "Full Regression Test"),
        ("Regression Tests — ALL PASS", "Full Regression Test"),
        ("Test Results — 6 New Packages", "Test Results"),
        ("Archives Rebuilt", "Archives Built"),
        ("Clean Room", "Clean-Room Verification"),
        ("Notes", "Notes for Reviewer"),
    ],
)
def test_heading_variant_counts_as_present(heading: str, wanted: str) -> None:
    """The variants seen in practice open the same section."""
    assert is_heading_of(heading, wanted)


def test_body_leaves_out_sections_of_the_standard() -> None:
    """A regression one level deeper is not part of the package's own tests."""
    outline = parse_markdown("## Test Results\n\n### lamp\n\n### Regression Tests\n\n#### deeper\n\n### more\n")
    section = find_section(outline, "Test Results")
    assert section is not None
    parts = body(outline, section, ("Test Results", "Full Regression Test"))
    assert [part.name for part in parts] == ["Test Results", "lamp", "more"]
