from __future__ import annotations

import pytest

from handoff_tui.models.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.models.document import Document, DocumentRole
from handoff_tui.models.gate_state import GateName, Mover
from handoff_tui.models.handoff import Handoff, RegistryState
from handoff_tui.models.place import Place, Problem, ProblemLevel
from handoff_tui.models.work import Attempt, Blocker, Question, ReportedFinding, Severity, TestCounts
from handoff_tui.review.gate import build_gate

PLACE = Place(path="a.md", line=1)
SPEC = Document(path="spec.md", role=DocumentRole.SPEC)
RESULTS = Document(path="results.md", role=DocumentRole.RESULTS)


def handoff(**fields: object) -> Handoff:
    return Handoff.model_validate({"id": "H-1", "dialect": "builder", **fields})


def test_clean_handoff_waits_for_the_reviewer() -> None:
    """Nothing blocks, nobody has decided: pending, and the reviewer moves."""
    gate = build_gate(handoff(status="PASS", documents=[SPEC, RESULTS]), {}, log_present=False)
    assert (gate.state, gate.blocking, gate.next_move.who) == (GateName.PENDING, (), Mover.REVIEWER)


def test_gate_is_never_approved_without_a_log() -> None:
    """A handoff that calls itself approved is still pending."""
    for status in ("APPROVED", "VALIDATED", "PASS"):
        assert build_gate(handoff(status=status), {}, log_present=False).state is GateName.PENDING


def test_unreadable_log_makes_the_state_unknown() -> None:
    """A log that cannot be verified is not passed over."""
    gate = build_gate(handoff(status="PASS"), {}, log_present=True)
    assert gate.state is None
    assert "signed log" in gate.blocking[0]


def test_unreadable_document_blocks() -> None:
    """Nobody can approve what nobody can read; an oddity alone does not block."""
    broken = Problem(path="a.json", line=3, message="is not valid JSON")
    odd = Problem(path="a.json", message="has CRLF line ends", level=ProblemLevel.WARNING)
    gate = build_gate(handoff(status="PASS"), {}, (), (broken, odd), log_present=False)
    assert gate.blocking == ("a.json is not valid JSON",)


def test_contradicted_claims_block_with_the_first_of_them() -> None:
    """Their number and one place to look at."""
    claim = Claim(text="x", kind=ClaimKind.FILE_CREATED, where=PLACE, subject="b.py")
    verdicts = (
        Verdict(claim=claim, state=VerdictState.HOLDS),
        Verdict(claim=claim, state=VerdictState.CONTRADICTED),
        Verdict(claim=claim, state=VerdictState.CONTRADICTED),
    )
    gate = build_gate(handoff(status="PASS"), {}, verdicts, log_present=False)
    assert gate.blocking == ("2 claims are contradicted: file-created b.py (a.md:1)",)


def test_own_numbers_speak_against_a_pass() -> None:
    """PASS with failures in its own regression says so."""
    gate = build_gate(handoff(status="PASS", regression=TestCounts(total=9, failed=2)), {}, log_present=False)
    assert gate.blocking == ("says PASS, but its own regression run reports 2 failed",)


@pytest.mark.parametrize(
    ("fields", "who", "words"),
    [
        ({"status": "FAIL"}, Mover.AGENT, "says FAIL"),
        ({"status": "in_progress"}, Mover.AGENT, "says in_progress"),
        ({"documents": [SPEC], "registry": RegistryState.DISPATCHED}, Mover.AGENT, "no results yet"),
        (
            {"blockers": [Blocker(id="1", title="key", where=PLACE, needs_human=True)]},
            Mover.HUMAN,
            "a human must act: key",
        ),
        ({"blockers": [Blocker(id="1", title="bug", where=PLACE)]}, Mover.REVIEWER, "open blocker: bug"),
        (
            {"findings": [ReportedFinding(id="1", title="hole", where=PLACE, severity=Severity.HIGH)]},
            Mover.REVIEWER,
            "high finding: hole",
        ),
        (
            {"attempts": [Attempt(number=1, agent="QA", status="pass", warning="its output holds an error")]},
            Mover.REVIEWER,
            "QA: its output holds an error",
        ),
        (
            {"questions": [Question(number=1, text="?", where=PLACE)], "greenlit": False, "documents": [SPEC]},
            Mover.REVIEWER,
            "the question gate has no greenlight",
        ),
    ],
)
def test_what_blocks_is_named_with_who_moves(fields: dict[str, object], who: Mover, words: str) -> None:
    """Each reason stands in the list, and the right side is asked to move."""
    gate = build_gate(handoff(**fields), {}, log_present=False)
    assert gate.next_move.who is who
    assert words in gate.blocking


def test_closed_blockers_and_fixed_findings_do_not_block() -> None:
    """What is done is done."""
    fields: dict[str, object] = {
        "status": "PASS",
        "blockers": [Blocker(id="1", title="x", where=PLACE, open=False)],
        "findings": [ReportedFinding(id="1", title="y", where=PLACE, severity=Severity.HIGH, status="fixed")],
    }
    assert build_gate(handoff(**fields), {}, log_present=False).blocking == ()


@pytest.mark.parametrize(("state", "waits"), [(RegistryState.COMPLETE, True), (RegistryState.VALIDATED, False)])
def test_blocked_by_waits_for_validation(state: RegistryState, waits: bool) -> None:  # noqa: FBT001
    """Complete is not validated."""
    other = Handoff(id="H-0", dialect="builder", registry=state)
    gate = build_gate(handoff(status="PASS", blocked_by=["H-0"]), {"H-0": other}, log_present=False)
    assert bool(gate.blocking) is waits
    assert gate.next_move.what == ("decide H-0 first, then this" if waits else "review and decide")


def test_superseded_handoff_owes_nothing() -> None:
    """Nobody needs to move for what was replaced."""
    gate = build_gate(handoff(registry=RegistryState.SUPERSEDED), {}, log_present=False)
    assert gate.next_move.who is Mover.NOBODY
