from __future__ import annotations

import pytest

from handoff_tui.core.place import Place, Problem
from handoff_tui.core.tasks import Attempt, Blocker, Question, ReportedFinding
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.claims.blocking import ProblemIndex, find_blocking
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff

PLACE = Place(path="a.md", line=1)


def blocking(**fields: object) -> list[str]:
    handoff = Handoff.model_validate({"id": "H-1", "dialect": "builder", **fields})
    return list(find_blocking(handoff, {}, (), ()))


def claim(kind: ClaimKind, subject: str, value: object, line: int = 1) -> Claim:
    where = Place(path="a.md", line=line)
    return Claim.model_validate({"text": "x", "kind": kind, "where": where, "subject": subject, "value": value})


def test_last_verdict_of_each_reviewer_counts() -> None:
    """A refusal that was taken back does not block; a good verdict never unblocks another's."""
    verdicts = [
        claim(ClaimKind.VERDICT, "review", "RETRY"),
        claim(ClaimKind.VERDICT, "review", "PASS", 2),
        claim(ClaimKind.VERDICT, "evaluation", "FAIL", 3),
    ]
    assert blocking(status="PASS", claims=verdicts) == ["evaluation says FAIL (a.md:3)"]


def test_own_checks_that_failed_block_unless_they_passed_later() -> None:
    """A completed stage whose report says fail did not pass."""
    checks = [
        claim(ClaimKind.CHECK, "dev report", "fail"),
        claim(ClaimKind.CHECK, "dev report", "pass", 2),
        claim(ClaimKind.CHECK, "qa report", "fail", 3),
        claim(ClaimKind.CHECK, "auth", False, 4),  # noqa: FBT003 - as a manifest writes it
    ]
    assert blocking(status="COMPLETE", claims=checks) == [
        "says itself that a check failed: qa report and 1 more (a.md:3)"
    ]


@pytest.mark.parametrize(
    ("status", "reasons"), [("FAIL", []), ("PASS", ["is RED, but its new test passes: it proves nothing"])]
)
def test_new_test_must_fail_in_the_red_phase(status: str, reasons: list[str]) -> None:
    """There a failure is the aim."""
    assert blocking(dialect="tdd", source_phase="RED", status=status) == reasons


def test_results_of_the_last_attempt_must_be_whole() -> None:
    """What an earlier attempt left out does not matter."""
    documents = [
        Document(path="RESULTS_1.md", role=DocumentRole.RESULTS, missing=("Summary",)),
        Document(path="RESULTS_1_2.md", role=DocumentRole.RESULTS),
    ]
    attempts = [Attempt(number=2, where=Place(path="RESULTS_1_2.md", line=3))]
    assert blocking(status="PASS", documents=documents, attempts=attempts) == []
    assert blocking(status="PASS", documents=documents[::-1]) == ["results lack: Summary"]


def test_questions_without_an_answer_are_named() -> None:
    """A greenlight does not answer them."""
    questions = [Question(number=number, text="?", where=PLACE, answered=number != 2) for number in (1, 2, 3)]
    assert blocking(status="PASS", questions=questions, greenlit=True) == ["question without an answer: 2"]


def test_action_that_can_wait_does_not_block() -> None:
    """Some requests to people are not urgent."""
    wish = Blocker(id="1", title="tell Bob", where=PLACE, needs_human=True, blocking=False)
    assert blocking(status="PASS", blockers=[wish]) == []


def test_finding_of_unknown_weight_blocks() -> None:
    """What nobody rated is not harmless."""
    assert blocking(status="PASS", findings=[ReportedFinding(id="1", title="crash", where=PLACE)]) == [
        "unrated finding: crash"
    ]


def handoff(identifier: str, path: str, role: DocumentRole) -> Handoff:
    return Handoff(id=identifier, dialect="mosaic", documents=(Document(path=path, role=role),))


def test_problems_of_documents_and_of_files_missing_beside_the_state() -> None:
    """A state file that is not there belongs to the handoff of its folder."""
    state = handoff("a", ".mosaic/agent_state.json", DocumentRole.STATE)
    other = handoff("b", ".mosaic/other.json", DocumentRole.STATE)
    problems = [
        Problem(path=".mosaic/agent_state.json", message="one"),
        Problem(path=".mosaic/blockers.json", message="is missing"),
        Problem(path=".mosaic/other.json", message="is another's"),
        Problem(path="elsewhere.json", message="two"),
    ]
    index = ProblemIndex(problems, [state, other])
    assert [problem.message for problem in index.of(state)] == ["one", "is missing"]
