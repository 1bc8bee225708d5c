"""A decision is made, with the record of what its reviewer was shown."""

from __future__ import annotations

import pytest

from handoff_tui.checks.report import CheckResult, Evidence, Finding, Outcome, Remedy
from handoff_tui.core.classes import replace
from handoff_tui.core.errors import DecisionForbiddenError, LogBrokenError, NoHumanError, UsageError
from handoff_tui.core.place import Severity
from handoff_tui.decisions.decide import (
    DecideRequest,
    build_decision_view,
    complete_decision,
    find_referenced_entries,
    parse_reason,
    prepare_decision,
    require_policy,
    sign_decision,
)
from handoff_tui.decisions.evidence_record import (
    add_comments,
    build_record,
    build_shown_check,
    count_differences,
    measure,
)
from handoff_tui.decisions.examine import ExaminedGate, build_gate_view, examine
from handoff_tui.handoffs.claim import VerdictState
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.entry import CLOSING, DecisionVerb, LogProblem, LogProblemLevel, LogVerdict
from handoff_tui.log.index import build_log_index
from handoff_tui.log.open_log import open_log
from handoff_tui.log.review_record import Comment
from handoff_tui.log.storage.evidence import encode_review, read_review, write_review
from tests.support.gates import CODE, HANDOFF, GateDesk
from tests.support.logs import FIRST_VERSION_SUBJECT, SUBJECT, LogBuilder, build_policy, build_question
from tests.support.repositories import EMAIL
from tests.support.signed import Person, list_entries


def test_reason_is_kept_as_it_was_written() -> None:
    """But for blank ends and the line ends of another system."""
    assert parse_reason(DecisionVerb.REJECT, "  one\r\n\r\ntwo \n") == "one\n\ntwo"
    assert parse_reason(DecisionVerb.APPROVE, "") == ""
    assert parse_reason(DecisionVerb.CARRY, " ") == ""


@pytest.mark.parametrize("reason", ["", " \n", "x" * 4001, "a\tb", "\x1b[2J", "\x9b", "a\rb", "\ud800"])
def test_reason_that_cannot_be_held_is_refused(reason: str) -> None:
    """Said before anything is run or asked."""
    with pytest.raises(UsageError):
        parse_reason(DecisionVerb.HOLD, reason)


def test_policy_comes_from_an_intact_log_only() -> None:
    """None yet, and broken, are two different refusals."""
    with pytest.raises(NoHumanError, match="no signed log yet"):
        require_policy(LogVerdict())
    fatal = LogProblem(level=LogProblemLevel.FATAL, code="rollback", text="an entry is gone")
    with pytest.raises(LogBrokenError, match="an entry is gone"):
        require_policy(LogVerdict(problems=(fatal,)))


def test_record_and_snapshot_are_stored_with_the_entry(
    gate_desk: GateDesk, bo: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is shown is what is signed; what the reviewer saw and wrote can be read back from the entry."""
    bo.become(monkeypatch)
    desk = open_session(gate_desk.root)
    log = open_log(desk.repository)
    comment = Comment(text="why?", path="src/app.py", line=2)
    request = DecideRequest(DecisionVerb.REJECT, HANDOFF, reason="no tests", comments=(comment,), viewed=("b", "a"))
    prepared = prepare_decision(desk, log, request)
    assert list_entries(gate_desk.root) == [log.verify().log]
    view, gate = build_decision_view(prepared), build_gate_view(prepared.examined)
    assert (gate.digest, gate.subject) == (prepared.examined.digest, prepared.examined.subject)
    assert (gate.producers, gate.checks_passed, gate.failing) == ((EMAIL,), gate.checks_total, ())
    assert (view.gate, view.verb, view.reason, view.policy) == (gate, "reject", "no tests", log.verify().policy)
    assert (view.record, view.review) == (prepared.record, prepared.review)
    assert (view.principal, view.key_source, view.touch) == (bo.email, "user.signingkey", False)
    entry = sign_decision(log, prepared)
    assert entry.decision is not None
    assert entry.work is not None
    record = read_review(gate_desk.root, entry.decision.review)
    assert record == prepared.record
    assert (record.comments, record.viewed, record.subject) == ((comment,), ("a", "b"), entry.work.subject)
    stored = gate_desk.root / ".handoff-tui" / "baselines" / f"{entry.work.subject.snapshot}.json"
    assert stored.is_file()


def test_same_decision_again_is_allowed_and_said(
    gate_desk: GateDesk, bo: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It adds nothing, and the person is told."""
    gate_desk.decide(bo, "approve")
    bo.become(monkeypatch)
    desk = open_session(gate_desk.root)
    prepared = prepare_decision(desk, open_log(desk.repository), DecideRequest(DecisionVerb.APPROVE, HANDOFF))
    assert "you have already decided approve on exactly this" in prepared.warnings


@pytest.mark.parametrize("verb", sorted(CLOSING | {DecisionVerb.APPROVE}))
def test_only_what_lets_work_go_on_needs_it_to_stand_still(
    gate_desk: GateDesk, bo: Person, monkeypatch: pytest.MonkeyPatch, verb: DecisionVerb
) -> None:
    """An approval can be withdrawn while an agent that it let start is at work."""
    gate_desk.decide(bo, "approve")
    bo.become(monkeypatch)
    desk = open_session(gate_desk.root)
    log = open_log(desk.repository)
    prepared = prepare_decision(desk, log, DecideRequest(verb, HANDOFF, reason="stop"))
    gate_desk.builder.write("src/app.py", "saved = 'meanwhile'\n")
    if verb in CLOSING:
        assert sign_decision(log, prepared).decision is not None
        return
    with pytest.raises(DecisionForbiddenError, match="has changed since it was shown"):
        sign_decision(log, prepared)


def test_gate_that_the_policy_does_not_have_is_refused(gate_desk: GateDesk) -> None:
    """A decision there could never count."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo, gates="[gates.release]\nthreshold = 1\n")
    said = gate_desk.decide(bo, "approve")
    assert (said.code, "the policy has no gate for review" in said.stderr) == (1, True)
    assert gate_desk.decide(bo, "approve", "--phase", "release").code == 0


def test_reason_is_given_after_the_decision_was_prepared(
    gate_desk: GateDesk, bo: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can be signed without it; with it the same evidence is signed, with the comments that were given."""
    bo.become(monkeypatch)
    desk = open_session(gate_desk.root)
    log = open_log(desk.repository)
    kept = Comment(text="kept")
    request = DecideRequest(DecisionVerb.REJECT, HANDOFF, reason=None, comments=(kept,), viewed=("a",))
    prepared = prepare_decision(desk, log, request)
    with pytest.raises(ValueError, match="before its reason"):
        sign_decision(log, prepared)
    with pytest.raises(UsageError, match="needs a reason"):
        complete_decision(prepared, " ")
    assert len(list_entries(gate_desk.root)) == 1
    only_reason = complete_decision(prepared, " no tests ")
    assert (only_reason.reason, only_reason.record) == ("no tests", prepared.record)
    comment = Comment(text="why?", path="src/app.py", line=2)
    completed = replace(only_reason, record=add_comments(prepared.record, (comment,), ("c", "b")))
    assert (completed.record.comments, completed.record.viewed) == ((comment,), ("b", "c"))
    assert completed.record.model_copy(update={"comments": (kept,), "viewed": ("a",)}) == prepared.record
    entry = sign_decision(log, completed)
    assert entry.decision is not None
    assert (entry.decision.reason, entry.decision.review) == ("no tests", completed.review)
    assert read_review(gate_desk.root, completed.review) == completed.record


@pytest.fixture
def log() -> LogBuilder:
    """A log with its policy."""
    builder = LogBuilder()
    builder.add_policy()
    return builder


def find_referenced(log: LogBuilder, verb: str, person: str = "alice", *, reworded: bool = False) -> tuple[str, ...]:
    """What a verb would refer to, with the handoff as it was or in other words."""
    subject = SUBJECT.model_copy(update={"handoff": "9" * 64}) if reworded else SUBJECT
    question = build_question(phase="BUILD", subject=subject)
    index = build_log_index(log.judge())
    return find_referenced_entries(index, build_policy(), question, DecisionVerb(verb), person)


def test_carry_references_the_approval_of_the_same_files(log: LogBuilder) -> None:
    """One's own, and what was carried before."""
    approval = log.add_decision("alice", phase="BUILD")
    assert find_referenced(log, "carry", reworded=True) == (approval,)
    with pytest.raises(DecisionForbiddenError, match="approved nothing with exactly these files"):
        find_referenced(log, "carry", "bob", reworded=True)


def test_approval_of_the_first_version_is_carried_over(log: LogBuilder) -> None:
    """The tree is still the same; from then on the approval is about the handoff's own files."""
    approval = log.add_decision("alice", phase="BUILD", subject=FIRST_VERSION_SUBJECT)
    question = build_question(phase="BUILD", whole_handoff="9" * 64)
    index = build_log_index(log.judge())
    assert find_referenced_entries(index, build_policy(), question, DecisionVerb.CARRY, "alice") == (approval,)


def test_carry_of_what_still_holds_is_refused(log: LogBuilder) -> None:
    """There is nothing to carry where nothing was changed."""
    log.add_decision("alice", phase="BUILD")
    with pytest.raises(DecisionForbiddenError, match="covers exactly this work"):
        find_referenced(log, "carry")


def test_carry_of_other_files_or_another_attempt_is_refused(log: LogBuilder) -> None:
    """Equal files, equal attempt, or nothing."""
    log.add_decision("alice", phase="BUILD", subject=SUBJECT.model_copy(update={"scope": "8" * 64}))
    log.add_decision("bob", phase="BUILD", attempt=2)
    for person in ("alice", "bob"):
        with pytest.raises(DecisionForbiddenError):
            find_referenced(log, "carry", person, reworded=True)


def test_withdrawal_references_ones_last_decision(log: LogBuilder) -> None:
    """Not another's, and not a withdrawal."""
    log.add_decision("bob", phase="BUILD")
    with pytest.raises(DecisionForbiddenError, match="no decision to withdraw"):
        find_referenced(log, "withdraw")
    hold = log.add_decision("alice", "hold", phase="BUILD")
    assert find_referenced(log, "withdraw") == (hold,)
    log.add_decision("alice", "withdraw", phase="BUILD", regards=(hold,))
    with pytest.raises(DecisionForbiddenError):
        find_referenced(log, "withdraw")


def test_approval_settles_the_debts_of_this_gate(log: LogBuilder) -> None:
    """All of them, whoever made them; those of another phase stay."""
    first = log.add_decision("alice", "override", phase="BUILD")
    second = log.add_decision("bob", "override", phase="BUILD")
    log.add_decision("bob", "override", phase="release")
    assert find_referenced(log, "approve") == tuple(sorted((first, second)))
    assert find_referenced(log, "reject") == ()


def look(desk: GateDesk) -> ExaminedGate:
    opened = open_session(desk.root)
    return examine(opened, open_log(opened.repository), HANDOFF)


def test_record_is_what_stands_at_this_moment(gate_desk: GateDesk) -> None:
    """Every check, every false claim, the comments and what was read; the same bytes each time."""
    gate_desk.change("Status: COMPLETE\n\nCreated `src/gone.py` and `src/app.py`.\n", "HANDOFF.md")
    examined = look(gate_desk)
    remark = Comment(text="why?", path="src/app.py", line=2)
    record = build_record(examined, (remark,), ("b", "a", "b"), DecisionVerb.OVERRIDE)
    assert (record.handoff, record.subject) == (HANDOFF, examined.subject)
    assert {check.id for check in record.checks} == {result.id for result in examined.report.results}
    assert [claim.where.partition(":")[0] for claim in record.contradicted] == ["HANDOFF.md"]
    assert (record.comments, record.viewed) == ((remark,), ("a", "b"))
    assert record.overridden == examined.failing == ("claims-hold",)
    again = build_record(look(gate_desk), (remark,), ("a", "b"), DecisionVerb.OVERRIDE)
    assert encode_review(again) == encode_review(record)


def test_claims_are_measured_deeply(gate_desk: GateDesk) -> None:
    """Each beside what is here."""
    gate_desk.change("Status: COMPLETE\n\nCreated `src/app.py`.\n", "HANDOFF.md")
    states = {verdict.state for verdict in measure(look(gate_desk))}
    assert VerdictState.HOLDS in states


def test_differences_are_counted_against_the_baseline(gate_desk: GateDesk, bo: Person) -> None:
    """The handoff's own files always; with a baseline of its own also what is unexplained."""
    assert count_differences(look(gate_desk)) == {"files": 2}
    gate_desk.decide(bo, "approve")
    gate_desk.builder.write("new.py", "x = 1\n")
    gate_desk.change(CODE + "# more\n")
    assert count_differences(look(gate_desk)) == {
        "files": 2,
        "unexplained": 0,
        "newly_failing": 0,
        "vanished_tests": 0,
        "newly_skipped": 0,
    }


def test_text_that_is_no_text_can_be_stored(gate_desk: GateDesk) -> None:
    """A file name that isn't UTF-8 and comments with half a character come back as something readable."""
    remark = Comment(text="x\udc80" * 3000, path="a\udcff.py")
    record = build_record(look(gate_desk), (remark,), ("b\udcfe",), DecisionVerb.REJECT)
    digest = write_review(gate_desk.root, record)
    stored = read_review(gate_desk.root, digest)
    assert stored == record
    assert (stored.viewed, stored.comments[0].path) == (("b\\udcfe",), "a\\udcff.py")
    assert len(stored.comments[0].text) == 3000 * len("x\\udc80")


def test_shown_check_has_its_remedy_only_while_it_is_open() -> None:
    """Findings with their places, cut where they are long."""
    finding = Finding(message="m" * 900, fingerprint="f", evidence=(Evidence(), Evidence(path="a.py", line=3)))
    result = CheckResult(
        id="tests",
        outcome=Outcome.FAIL,
        severity=Severity.HIGH,
        blocking=True,
        summary="one",
        findings=(finding,),
        remedy=Remedy(text="Run them.", commands=("make test",)),
    )
    shown = build_shown_check(result)
    assert (shown.remedy, shown.commands) == ("Run them.", ("make test",))
    assert (len(shown.findings[0].message), shown.findings[0].where) == (500, "a.py:3")
    errored = build_shown_check(result.model_copy(update={"outcome": Outcome.ERROR, "findings": ()}))
    assert errored.remedy == "Run them."
    passed = build_shown_check(result.model_copy(update={"outcome": Outcome.PASS, "findings": ()}))
    assert (passed.remedy, passed.commands) == ("", ())
