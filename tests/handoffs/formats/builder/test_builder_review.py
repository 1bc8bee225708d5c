"""Answers, greenlights, verdicts, evidence and events."""

from __future__ import annotations

import pytest

from handoff_tui.config.settings.root import Builder
from handoff_tui.handoffs.formats.builder.registry_state import (
    RegistryFacts,
    apply_blocks,
    derive_state,
    find_rows,
    find_superseded,
    parse_state,
)
from handoff_tui.handoffs.formats.builder.review import read_answers, read_evidence, read_review
from handoff_tui.handoffs.handoff import DocumentRole, RegistryState
from handoff_tui.handoffs.reading.format import Source

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


def test_greenlight_of_a_machine_is_a_problem() -> None:
    """A simulated approval is shown as such."""
    source = _answers("# A\n\nGreenlight: YES (auto-approved)\n")
    read_answers(source)
    assert [problem.line for problem in source.problems()] == [3]


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
        ("# Review\n\nReview verdict: lovely\n", "has a verdict that is no known word: Review verdict: lovely"),
    ],
)
def test_verdict_that_breaks_the_standard_is_reported(text: str, message: str) -> None:
    """A missing, misplaced or unknown verdict is a problem."""
    source = Source.of_text("H-7/REVIEW_REPORT.md", text)
    read_review(source, DocumentRole.REVIEW)
    assert message in [problem.message for problem in source.problems()]


@pytest.mark.parametrize("role", [DocumentRole.REVIEW, DocumentRole.EVALUATION])
def test_verdicts_of_the_standard_come_from_the_settings(role: DocumentRole) -> None:
    """One that is configured is no problem."""
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**VALIDATED**", RegistryState.VALIDATED),
        ("not dispatched", RegistryState.NOT_DISPATCHED),
        ("SUPERSEDED (absorbed by H-9)", RegistryState.SUPERSEDED),
        ("Completed", RegistryState.COMPLETE),
        ("✅ DISPATCHED", RegistryState.DISPATCHED),
        ("soon", None),
    ],
)
def test_state_is_parsed_from_a_cell(text: str, expected: RegistryState | None) -> None:
    """The words of a cell begin with its state."""
    assert parse_state(text) is expected


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
