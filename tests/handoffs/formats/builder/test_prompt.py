"""The question gate in prompts."""

from __future__ import annotations

from handoff_tui.handoffs.formats.builder.prompt import PromptReading, find_contract_version, read_prompt
from handoff_tui.handoffs.reading.format import Source

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


def _read(text: str = _PROMPT) -> tuple[PromptReading, Source]:
    source = Source.of_text("AGENT_PROMPT_HANDOFF_7.md", text)
    return read_prompt(source), source


def _facts(reading: PromptReading, name: str) -> list[tuple[str, int | None]]:
    return [(fact.value, fact.where.line if fact.where else None) for fact in reading.facts if fact.name == name]


def test_prompt_questions_are_told_from_rules() -> None:
    """Only the list after the last introduction holds questions; groups inside it go on counting."""
    reading, source = _read()
    assert [(question.number, question.text, question.where.line) for question in reading.questions] == [
        (1, "Which wick?", 14),
        (2, "Which oil?", 16),
        (3, "What if it is dark?", 20),
        (4, "What if it is not?", 21),
    ]
    assert source.problems() == []


def test_prompt_facts_are_found() -> None:
    """Contract, stop, and the answers below the prompt are told with their lines."""
    reading, _ = _read()
    assert reading.contract == "1.2.0"
    assert _facts(reading, "prompt contract") == [("1.2.0", 3)]
    assert [line for _, line in _facts(reading, "stop for approval")] == [6]
    assert _facts(reading, "expected answers") == [("Expected Answers (for the reviewer)", 26)]
    assert _facts(reading, "question gate") == [("4 questions", 14)]


def test_prompt_that_shows_the_answers_is_a_problem() -> None:
    """Expected answers inside the fenced prompt reach the agent."""
    _, source = _read(
        "# Agent Prompt\n\n```\nAnswer these questions:\n1. Why?\n\nSTOP.\n\n## Expected Answers\n1. So.\n```\n"
    )
    assert [problem.line for problem in source.problems()] == [9]


def test_prompt_without_a_stop_is_a_problem() -> None:
    """Questions without a stop are no gate."""
    _, source = _read("# Agent Prompt\n\nAnswer these questions:\n\n1. Why?\n")
    assert [problem.message for problem in source.problems()] == [
        "asks questions but does not tell the agent to stop and wait"
    ]


def test_prompt_with_fewer_questions_than_announced_is_a_problem() -> None:
    """A missing question is seen."""
    _, source = _read("# Agent Prompt\n\nAnswer these 13 questions, then STOP:\n\n- Q1: Why?\n- Q2: How?\n")
    assert [problem.message for problem in source.problems()] == ["announces 13 questions, but 2 were found"]


def test_prompt_in_numbered_lines_is_read() -> None:
    """Questions may be lines of one paragraph with their own numbers."""
    reading, _ = _read("# Agent Prompt\n\n## Questions\n\n**Q1:** Why?\n**Q2:** How?\n\nSTOP.\n")
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
    reading, source = _read(text)
    assert [question.text for question in reading.questions] == ["Why?", "How?"]
    assert [problem.message for problem in source.problems()] == ["announces 3 questions, but 2 were found"]
