"""Names, specs, prompts, answers and reviews of a builder."""

from __future__ import annotations

import pytest

from handoff_tui.config.settings.root import Builder
from handoff_tui.handoffs.formats.builder.draft import SpecReading, read_spec
from handoff_tui.handoffs.formats.builder.format import read_evidence
from handoff_tui.handoffs.formats.builder.names import HandoffFiles, find_ids, group_files, parse_path
from handoff_tui.handoffs.formats.builder.prompts_and_reviews import (
    PromptReading,
    read_answers,
    read_prompt,
    read_review,
)
from handoff_tui.handoffs.formats.builder.registry_state import (
    RegistryFacts,
    apply_blocks,
    derive_state,
    find_rows,
    find_superseded,
)
from handoff_tui.handoffs.handoff import DocumentRole, RegistryState
from handoff_tui.handoffs.reading.format import Source


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HANDOFF-12 (completed), see BUILDER_FOLLOWUP_9A_lamp.md", ["H-12", "H-9A"]),
        ("H-3 through H-6", ["H-3", "H-4", "H-5", "H-6"]),
        ("H-6 to H-3", ["H-6", "H-3"]),
        ("CLEANUP-1 and FMWK-001_Lamp and BUGFIX_wick-leak", ["CLEANUP-1", "FMWK-001_Lamp", "BUGFIX-WICK-LEAK"]),
        ("PATH-12 and 2H-3 and the handoff of today", []),
    ],
)
def test_ids_in_prose_are_found_in_order(text: str, expected: list[str]) -> None:
    """Lines that name handoffs give canonical ids, and nothing else does."""
    assert find_ids(text) == expected


@pytest.mark.parametrize(
    ("path", "role", "handoff", "original"),
    [
        ("BUILDER_HANDOFF_7_lamp.md", DocumentRole.SPEC, "H-7", "HANDOFF_7"),
        ("x/BUILDER_FOLLOWUP_7B_new_wick.md", DocumentRole.SPEC, "H-7B", "FOLLOWUP_7B"),
        ("BUILDER_HANDOFF_41_2C_oil.md", DocumentRole.SPEC, "H-41.2C", "HANDOFF_41_2C"),
        ("BUILDER_BUGFIX_wick_leak.md", DocumentRole.SPEC, "BUGFIX-WICK-LEAK", "BUGFIX_wick_leak"),
        ("HOUSEKEEPING_28_sweep.md", DocumentRole.SPEC, "HOUSEKEEPING-28", "HOUSEKEEPING_28"),
        ("RESULTS_HANDOFF_7.md", DocumentRole.RESULTS, "H-7", "HANDOFF_7"),
        ("RESULTS_FOLLOWUP_7B.md", DocumentRole.RESULTS, "H-7B", "FOLLOWUP_7B"),
        ("RESULTS_CLEANUP_2.md", DocumentRole.RESULTS, "CLEANUP-2", "CLEANUP_2"),
        ("RESULTS_41_2C.md", DocumentRole.RESULTS, "H-41.2C", "41_2C"),
        ("RESULTS_18.md", DocumentRole.RESULTS, "H-18", "18"),
        ("AGENT_PROMPT_HANDOFF_7.md", DocumentRole.PROMPT, "H-7", "HANDOFF_7"),
        ("a/b/H-7/H-7_BUILDER_HANDOFF.md", DocumentRole.SPEC, "H-7", "H-7"),
        ("H-7/H-7_RESULTS.md", DocumentRole.RESULTS, "H-7", "H-7"),
        ("H-7/H-7_AGENT_PROMPT.md", DocumentRole.PROMPT, "H-7", "H-7"),
        ("CLEANUP-5/CLEANUP-5_RESULTS.md", DocumentRole.RESULTS, "CLEANUP-5", "CLEANUP-5"),
        ("CLEANUP-5/CLEANUP-5_BUILDER_HANDOFF.md", DocumentRole.SPEC, "CLEANUP-5", "CLEANUP-5"),
        ("H-7/H-7_13Q_ANSWERS.md", DocumentRole.ANSWERS, "H-7", "H-7"),
        ("H-7/H-7_REVIEW_REPORT.md", DocumentRole.REVIEW, "H-7", "H-7"),
        ("FMWK-001_Lamp/RESULTS.md", DocumentRole.RESULTS, "FMWK-001_Lamp", "FMWK-001_Lamp"),
        ("FMWK-001_Lamp/SPEC.md", DocumentRole.SPEC, "FMWK-001_Lamp", "FMWK-001_Lamp"),
        ("FMWK-001_Lamp/EVALUATION_REPORT.md", DocumentRole.EVALUATION, "FMWK-001_Lamp", "FMWK-001_Lamp"),
    ],
)
def test_path_gives_role_and_id(path: str, role: DocumentRole, handoff: str, original: str) -> None:
    """Flat, nested and framework layouts lead to the same canonical ids."""
    named = parse_path(path)
    assert named is not None
    assert (named.role, named.id, named.original) == (role, handoff, original)


@pytest.mark.parametrize(
    ("path", "handoff", "attempt"),
    [
        ("H-7/H-7_RESULTS_2.md", "H-7", 2),
        ("H-7/H-7_RESULTS_ATTEMPT_1.md", "H-7", 1),
        ("FMWK-001_Lamp/RESULTS_3.md", "FMWK-001_Lamp", 3),
        ("H-7/attempt_2/RESULTS.md", "H-7", 2),
        ("RESULTS_HANDOFF_7_ATTEMPT_4.md", "H-7", 4),
        ("RESULTS_HANDOFF_7_2.md", "H-7", 2),
        ("RESULTS_HANDOFF_7.md", "H-7", None),
    ],
)
def test_path_gives_the_attempt(path: str, handoff: str, attempt: int | None) -> None:
    """The number of an attempt isn't part of the id."""
    named = parse_path(path)
    assert named is not None
    assert (named.id, named.attempt) == (handoff, attempt)


@pytest.mark.parametrize("path", ["BUILDER_HANDOFF_STANDARD.md", "docs/REGISTRY.md", "HANDOFF_REGISTRY.md"])
def test_path_of_a_registry_is_worth_a_look(path: str) -> None:
    """Registries that people keep are looked into."""
    named = parse_path(path)
    assert named is not None
    assert named.role is DocumentRole.LIST


def _group(files: dict[str, str]) -> dict[str, HandoffFiles]:
    groups, _ = group_files([Source.of_text(path, text) for path, text in files.items()], sorted)
    return {group.id: group for group in groups}


def _paths(group: HandoffFiles, *roles: DocumentRole) -> list[str]:
    return [source.path for source in group.sources(*(roles or tuple(DocumentRole)))]


def test_other_files_go_to_the_nearest_spec() -> None:
    """By the words in the name, then by folder, else to the first."""
    groups = _group(
        {
            "old/BUILDER_HANDOFF_7_lamp.md": "# BUILDER HANDOFF 7: Lamp\n",
            "new/BUILDER_HANDOFF_7_oil.md": "# BUILDER HANDOFF 7: Oil\n",
            "new/RESULTS_HANDOFF_7.md": "# Results: HANDOFF-7 oil\n",
            "old/RESULTS_HANDOFF_7.md": "# Results: HANDOFF-7 lamp\n",
            "else/RESULTS_HANDOFF_7.md": "# Results: HANDOFF-7\n",
        }
    )
    first, second = groups["H-7"], groups["H-7-lamp"]
    assert _paths(first) == ["new/BUILDER_HANDOFF_7_oil.md", "else/RESULTS_HANDOFF_7.md", "new/RESULTS_HANDOFF_7.md"]
    assert _paths(second) == ["old/BUILDER_HANDOFF_7_lamp.md", "old/RESULTS_HANDOFF_7.md"]


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


def test_spec_with_expected_answers_is_flagged() -> None:
    """Answers meant for the reviewer are a problem where the builder reads them."""
    reading, source = _read()
    assert _facts(reading, "expected answers in the spec") == [("Expected 13Q Answers (Reviewer Reference)", 29)]
    assert [(problem.line, "expected answers" in problem.message) for problem in source.problems()] == [(29, True)]


def test_spec_that_is_superseded_says_so() -> None:
    """A status under the title, or the word in the title, retires a spec."""
    assert _read("# BUILDER HANDOFF 7 — SUPERSEDED\n")[0].superseded
    assert _read("# BUILDER HANDOFF 7\n\n**Status**: SUPERSEDED by H-9\n")[0].superseded
    assert not _read()[0].superseded


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


def test_prompt_that_shows_the_answers_is_a_problem() -> None:
    """Expected answers inside the fenced prompt reach the agent."""
    _, source = _read_prompt(
        "# Agent Prompt\n\n```\nAnswer these questions:\n1. Why?\n\nSTOP.\n\n## Expected Answers\n1. So.\n```\n"
    )
    assert [problem.line for problem in source.problems()] == [9]


def test_prompt_without_a_stop_is_a_problem() -> None:
    """Questions without a stop aren't a gate."""
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


def test_prompt_heading_announces_the_number() -> None:
    """A heading may hold the number, groups may be headings, and a stop may follow without a blank line."""
    text = "# Agent Prompt\n\n### 3 Questions\n\n#### Scope\n1. Why?\n\n#### Other\n2. How?\nSTOP and WAIT.\n"
    reading, source = _read_prompt(text)
    assert [question.text for question in reading.questions] == ["Why?", "How?"]
    assert [problem.message for problem in source.problems()] == ["announces 3 questions, but 2 were found"]


_HASH = "0a" * 32


def _answers(text: str) -> Source:
    return Source.of_text("H-7/13Q_ANSWERS.md", text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\n1. Cotton.\n2. TBD\n3. Which oil? Whale.\n4. Which oil?\n", {1, 3}),
        ("# A\n\n2. Whale.\n4. Brass.\n", {2, 4}),
        ("# A\n\n## Light\n\n1. Cotton.\n1. Whale.\n\n## Oil\n\n1. Brass.\n", {1, 2, 3}),
        ("# A\n\n## Q1: Which wick?\n\nCotton.\n\n## Q2: Which oil?\n\n", {1}),
        ("# A\n\n**Q1:** Cotton.\n\n**Q2:**\n", {1}),
        ("# A\n\nNothing yet.\n", set()),
    ],
)
def test_answers_are_counted_where_something_is_said(text: str, expected: set[int]) -> None:
    """An answer needs words of its own."""
    assert read_answers(_answers(text)).answered == expected


@pytest.mark.parametrize(
    "line",
    [
        "Greenlight: YES by Ada",
        "**GREENLIGHT**",
        "GREENLIGHT — Ada, 2031-01-02",
        "## Greenlit by Ada",
        "Greenlight: yes",
    ],
)
def test_greenlight_of_a_person_counts(line: str) -> None:
    """An explicit line is a greenlight."""
    assert read_answers(_answers(f"# A\n\n1. Cotton.\n\n{line}\n")).greenlit is True


@pytest.mark.parametrize(
    "line",
    [
        "Greenlight: NO",
        "Greenlight: pending",
        "Greenlight:",
        "Greenlight: YES / NO",
        "Greenlight required before work starts",
        "Greenlight: YES (simulated)",
        "Greenlight: YES by review agent",
        "I am waiting for the greenlight.",
    ],
)
def test_greenlight_that_nobody_gave_does_not_count(line: str) -> None:
    """Refusals, blanks, wishes and machines open no gate."""
    assert not read_answers(_answers(f"# A\n\n1. Cotton.\n\n{line}\n")).greenlit


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("## Greenlight\n\nApproved by Ada\n", True),
        ("## Greenlight given by Ada\n\nIf it fails, stop.\n", True),
        ("Decision: GREENLIGHT\n", True),
        ("GO — greenlit by Ada\n", True),
        ("## Greenlight\n\nPending\n", False),
        ("## Greenlight\n", False),
        ("## Greenlight\n\n- [ ] given\n", False),
        ("Greenlight: [ ] yes\n", False),
        ("Greenlight: ❌\n", False),
    ],
)
def test_greenlight_needs_a_decision(text: str, given: bool) -> None:  # noqa: FBT001
    """A heading or an empty box only announces one; the words below a heading count."""
    assert read_answers(_answers(f"# A\n\n1. Cotton.\n\n{text}")).greenlit is given


@pytest.mark.parametrize(
    ("role", "line", "verdict", "subject"),
    [
        (DocumentRole.REVIEW, "Review verdict: RETRY", "RETRY", "review"),
        (DocumentRole.EVALUATION, "**Final verdict:** FAIL", "FAIL", "evaluation"),
    ],
)
def test_verdict_is_claimed(role: DocumentRole, line: str, verdict: str, subject: str) -> None:
    """The closing line is a claim with its place."""
    source = Source.of_text("H-7/REVIEW_REPORT.md", f"# Review\n\nFine.\n\n{line}")
    reading = read_review(source, role)
    assert reading.verdict == verdict
    assert [(c.subject, c.value, c.where.line) for c in reading.claims] == [(subject, verdict, 5)]
    assert source.problems() == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# Review\n\nFine.\n", "has no verdict line"),
        ("# Review\n\nReview verdict: PASS|RETRY|ESCALATE\n", "has no verdict line"),
        ("# Review\n\nReview verdict: PASS\n\nOr so.\n", "has text after its verdict, which must be the last line"),
        ("# Review\n\nReview verdict: FAIL\n", "has the verdict FAIL; the standard knows PASS, RETRY, ESCALATE"),
        ("# Review\n\nReview verdict: lovely\n", "has a verdict that is not a known word: Review verdict: lovely"),
    ],
)
def test_verdict_that_breaks_the_standard_is_reported(text: str, message: str) -> None:
    """A missing, misplaced or unknown verdict is a problem."""
    source = Source.of_text("H-7/REVIEW_REPORT.md", text)
    read_review(source, DocumentRole.REVIEW)
    assert message in [problem.message for problem in source.problems()]


@pytest.mark.parametrize("role", [DocumentRole.REVIEW, DocumentRole.EVALUATION])
def test_verdicts_of_the_standard_come_from_the_settings(role: DocumentRole) -> None:
    """One that is configured isn't a problem."""
    source = Source.of_text("H-7/REVIEW_REPORT.md", "# Review\n\nReview verdict: PARTIAL\n")
    settings = Builder(review_verdicts=("PARTIAL",), evaluation_verdicts=("PARTIAL",))
    assert read_review(source, role, settings).verdict == "PARTIAL"
    assert source.problems() == []


def test_evidence_ties_paths_to_hashes() -> None:
    """Both shapes of evidence give hash claims; a bare name is a file of the same folder."""
    text = f'{{"links": [{{"path": "REVIEW_REPORT.md",\n"sha256": "sha256:{_HASH}"}}],\n"a/b.md": "{_HASH}"}}'
    claims = read_evidence(Source.of_text("H-7/evidence.json", text))
    assert [(claim.subject, claim.value, claim.where.line) for claim in claims] == [
        ("a/b.md", f"sha256:{_HASH}", 3),
        ("H-7/REVIEW_REPORT.md", f"sha256:{_HASH}", 2),
    ]


@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        (RegistryFacts(), RegistryState.NOT_DISPATCHED),
        (RegistryFacts(has_prompt=True), RegistryState.DISPATCHED),
        (RegistryFacts(has_prompt=True, greenlit=True), RegistryState.APPROVED),
        (RegistryFacts(has_prompt=True, greenlit=False), RegistryState.DISPATCHED),
        (RegistryFacts(has_results=True, status="PARTIAL"), RegistryState.DISPATCHED),
        (RegistryFacts(has_results=True, status="PASS"), RegistryState.COMPLETE),
        (RegistryFacts(has_results=True, status="COMPLETE"), RegistryState.COMPLETE),
        (RegistryFacts(has_results=True, status="PASS", review="PASS"), RegistryState.VALIDATED),
        (RegistryFacts(has_results=True, status="PASS", review="RETRY"), RegistryState.COMPLETE),
        (RegistryFacts(has_prompt=True, review="PASS"), RegistryState.DISPATCHED),
        (RegistryFacts(has_results=True, status="PASS", evaluation="PASS"), RegistryState.VALIDATED),
        (RegistryFacts(has_results=True, status="PASS", review="PASS", evaluation="FAIL"), RegistryState.FAILED),
        (RegistryFacts(has_results=True, status="FAIL", review="PASS"), RegistryState.FAILED),
        (RegistryFacts(has_results=True, status="PASS", superseded=True), RegistryState.SUPERSEDED),
    ],
)
def test_state_follows_from_what_exists(standing: RegistryFacts, expected: RegistryState) -> None:
    """Each set of documents leads to one state."""
    assert derive_state(standing) is expected


def test_state_is_blocked_by_what_is_not_validated() -> None:
    """Only known handoffs block, and only work that is not done is blocked."""
    states = {
        "H-1": RegistryState.VALIDATED,
        "H-2": RegistryState.COMPLETE,
        "H-3": RegistryState.DISPATCHED,
        "H-4": RegistryState.DISPATCHED,
        "H-5": RegistryState.COMPLETE,
        "H-6": RegistryState.APPROVED,
    }
    waits = {"H-3": ("H-2",), "H-4": ("H-1", "H-99"), "H-5": ("H-2",), "H-6": ("H-1", "H-3")}
    settled = apply_blocks(states, waits)
    assert [name for name, state in settled.items() if state is RegistryState.BLOCKED] == ["H-3", "H-6"]
    looser = apply_blocks(states, waits, ("VALIDATED", "COMPLETE"))
    assert [name for name, state in looser.items() if state is RegistryState.BLOCKED] == ["H-6"]


def test_registry_table_gives_rows() -> None:
    """Rows with an id and a state count; others do not."""
    text = (
        "# Registry\n\n| Handoff | Title | Status | Blocked By |\n|-|-|-|-|\n| H-7 | Lamp | VALIDATED | H-3, H-4 |\n"
        "| FOLLOWUP_7B | Wick | soon | — |\n| lamp | Oil | COMPLETE | |\n"
    )
    rows = find_rows(Source.of_text("REGISTRY.md", text))
    assert [(row.id, row.state, row.blocked_by, row.where.line) for row in rows] == [
        ("H-7", RegistryState.VALIDATED, ("H-3", "H-4"), 5)
    ]


def test_registry_words_about_others_are_found() -> None:
    """A line retires the handoff named just before the word, unless it says not."""
    text = "H-9 sets HANDOFF-5 to `SUPERSEDED (by H-8)`.\n\nH-6 is not SUPERSEDED.\n\nH-4 was superseded in spirit.\n"
    assert find_superseded(Source.of_text("r.md", text)) == ["H-5"]
