"""What a gate says, for every rule of the format."""

from __future__ import annotations

from typing import Any

import pytest

from handoff_tui.log.gates.gate import judge_gate
from handoff_tui.log.gates.gate_state import GateName, GateReport
from handoff_tui.log.index import build_log_index
from handoff_tui.log.policy.policy import parse_policy
from tests.support.logs import (
    FIRST_VERSION_SUBJECT,
    SUBJECT,
    LogBuilder,
    build_policy_toml,
    build_question,
    build_signers,
)

PEOPLE = ("alice", "bob", "carol", "dora")


@pytest.fixture
def log() -> LogBuilder:
    """A log whose policy asks for one approval."""
    return start()


def start(gates: str = '[gates."*"]\nthreshold = 1\n', more: str = "") -> LogBuilder:
    builder = LogBuilder()
    toml = build_policy_toml(reviewers=PEOPLE, gates=gates, more=more)
    builder.add_policy(toml, build_signers(*PEOPLE, "claude"))
    return builder


def judge(log: LogBuilder, **changes: Any) -> GateReport:  # noqa: ANN401 - any field of the question
    verdict = log.judge()
    assert not [problem for problem in verdict.problems if problem.level != "FATAL"], verdict.problems
    entries = {entry.id: entry for entry in verdict.entries}
    text = entries[verdict.policy].policy if verdict.policy else None
    return judge_gate(build_log_index(verdict), parse_policy(text) if text else None, build_question(**changes))


def test_gate_without_decisions_is_pending(log: LogBuilder) -> None:
    """Nobody has decided: pending, and it says how many are needed."""
    report = judge(log)
    assert (report.state, report.why) == (GateName.PENDING, ("0 of 1 approvals",))


def test_gate_without_a_log_is_pending() -> None:
    """A missing log isn't an approval."""
    assert judge(LogBuilder()).state is GateName.PENDING


@pytest.mark.parametrize(
    ("verb", "state"),
    [
        ("approve", GateName.APPROVED),
        ("reject", GateName.REJECTED),
        ("retry", GateName.RETRY),
        ("hold", GateName.HELD),
        ("skip", GateName.SKIPPED),
        ("override", GateName.OVERRIDDEN),
        ("withdraw", GateName.WITHDRAWN),
    ],
)
def test_gate_follows_the_verb(log: LogBuilder, verb: str, state: GateName) -> None:
    """Each verb leads to its state."""
    log.add_decision(verb=verb)
    assert judge(log).state is state


@pytest.mark.parametrize(("field", "named"), [("scope", "its files"), ("handoff", "the handoff")])
def test_approval_of_other_content_is_superseded(log: LogBuilder, field: str, named: str) -> None:
    """When the handoff or one of its files changes, an approval no longer counts, and the gate says which."""
    log.add_decision()
    report = judge(log, subject=SUBJECT.model_copy(update={field: "1" * 64}))
    assert (report.state, report.approvals[0].why) == (GateName.SUPERSEDED, f"{named} changed since")


@pytest.mark.parametrize("field", ["commit", "tree", "baseline", "start", "snapshot", "checks"])
def test_approval_stands_whatever_else_changes(log: LogBuilder, field: str) -> None:
    """Other commits, other files, the same work after a rebase, results on another machine: it was not about them."""
    log.add_decision()
    length = len(getattr(SUBJECT, field))
    assert judge(log, subject=SUBJECT.model_copy(update={field: "1" * length})).state is GateName.APPROVED


def test_gate_that_binds_the_tree_asks_for_all_files() -> None:
    """A release is about the whole repository."""
    log = start('[gates."*"]\nbinds = "tree"\n')
    log.add_decision()
    assert judge(log).state is GateName.APPROVED
    report = judge(log, subject=SUBJECT.model_copy(update={"tree": "1" * 40}))
    assert (report.state, report.approvals[0].why) == (
        GateName.SUPERSEDED,
        "other files of the repository changed since",
    )


@pytest.mark.parametrize(
    "changes",
    [{"subject": SUBJECT.model_copy(update={"tree": "1" * 40})}, {"edited": True}, {"whole_handoff": "1" * 64}],
)
def test_approval_of_the_first_version_binds_the_tree(log: LogBuilder, changes: dict[str, Any]) -> None:
    """Entries without a scope stay valid as long as no file of the repository has changed."""
    log.add_decision(subject=FIRST_VERSION_SUBJECT)
    assert judge(log).state is GateName.APPROVED
    assert judge(log, **changes).state is GateName.SUPERSEDED


@pytest.mark.parametrize(("verb", "state"), [("reject", "rejected"), ("retry", "retry"), ("hold", "held")])
def test_veto_stands_until_the_next_attempt(log: LogBuilder, verb: str, state: str) -> None:
    """A half-saved file does not end it."""
    log.add_decision(verb=verb)
    edited = SUBJECT.model_copy(update={"scope": "1" * 64, "handoff": "2" * 64})
    assert judge(log, subject=edited, edited=True).state.value == state
    assert judge(log, attempt=2).state is GateName.PENDING


def test_carried_approval_counts_for_the_same_files(log: LogBuilder) -> None:
    """The files are equal, only the handoff says something else: the same person carries the approval over."""
    first = log.add_decision()
    reworded = SUBJECT.model_copy(update={"handoff": "9" * 64})
    log.add_decision(verb="carry", regards=(first,), subject=reworded)
    assert judge(log, subject=reworded).state is GateName.APPROVED


@pytest.mark.parametrize("case", ["other person", "other files", "a rejection", "nothing"])
def test_carry_without_an_approval_does_not_count(log: LogBuilder, case: str) -> None:
    """Nobody can carry what was not there: another's approval, one for other files, a rejection, nothing."""
    subject = SUBJECT.model_copy(update={"scope": "7" * 64}) if case == "other files" else SUBJECT
    actor = "bob" if case == "other person" else "alice"
    former = log.add_decision(actor=actor, verb="reject" if case == "a rejection" else "approve", subject=subject)
    if case == "other person":
        log.add_decision(actor="bob", verb="withdraw", regards=(former,))
    log.add_decision(verb="carry", regards=() if case == "nothing" else (former,))
    report = judge(log)
    assert report.state in {GateName.PENDING, GateName.WITHDRAWN}
    assert "carries over no approval" in report.approvals[-1].why


def test_approval_of_another_attempt_is_superseded(log: LogBuilder) -> None:
    """A second attempt needs its own approval."""
    log.add_decision()
    report = judge(log, attempt=2)
    assert report.state is GateName.SUPERSEDED
    assert "attempt 1" in report.approvals[0].why


@pytest.mark.parametrize("changes", [{"handoff": "H-2"}, {"phase": "release"}])
def test_approval_of_another_place_says_nothing(log: LogBuilder, changes: dict[str, str]) -> None:
    """An approval of another handoff or phase is not looked at."""
    log.add_decision(**changes)
    report = judge(log)
    assert (report.state, report.approvals) == (GateName.PENDING, ())


def test_old_approval_expires() -> None:
    """A gate can ask that an approval is not older than some days."""
    log = start('[gates."*"]\nmax_age_days = 14\n')
    log.add_decision()
    assert judge(log, now="2026-01-15T00:02:00Z").state is GateName.APPROVED
    assert judge(log, now="2026-01-15T00:02:01Z").state is GateName.EXPIRED


@pytest.mark.parametrize(("verb", "state"), [("reject", "rejected"), ("retry", "retry"), ("hold", "held")])
def test_veto_beats_any_number_of_approvals(log: LogBuilder, verb: str, state: str) -> None:
    """One current veto closes the gate, whoever approved."""
    for name in ("alice", "bob", "carol"):
        log.add_decision(actor=name)
    log.add_decision(actor="dora", verb=verb)
    report = judge(log)
    assert report.state.value == state
    assert report.why == (f"dora: {verb} because",)


def test_last_word_of_a_person_counts(log: LogBuilder) -> None:
    """A rejection that its author took back by approving vetoes no more; withdrawn approvals count no more."""
    log.add_decision(verb="reject")
    log.add_decision(verb="approve")
    assert judge(log).state is GateName.APPROVED
    log.add_decision(verb="withdraw")
    assert judge(log).state is GateName.WITHDRAWN


def test_two_last_words_of_one_person_both_count(log: LogBuilder) -> None:
    """A person who rejects on one branch and approves on another has rejected."""
    log.add_decision(verb="approve", parents=(log.genesis,))
    log.add_decision(verb="reject", parents=(log.genesis,))
    assert judge(log).state is GateName.REJECTED


def test_own_work_is_not_approved(log: LogBuilder) -> None:
    """Who produced or submitted the work is not counted, and is told why."""
    log.add_decision(actor="bob")
    report = judge(log, producers=frozenset({"bob"}))
    assert report.state is GateName.PENDING
    assert "made this work" in report.approvals[0].why
    log.add_submission(actor="bob")
    assert "submitted this work" in judge(log).approvals[0].why


def test_threshold_counts_people() -> None:
    """Two are needed, and the same person twice is one."""
    log = start('[gates."*"]\nthreshold = 2\n')
    log.add_decision(actor="alice")
    log.add_decision(actor="alice")
    assert judge(log).why[0] == "1 of 2 approvals"
    log.add_decision(actor="bob")
    assert judge(log).state is GateName.APPROVED


def test_gate_of_the_phase_comes_before_the_one_for_all() -> None:
    """A phase with its own rule does not use the general one."""
    log = start('[gates."*"]\nthreshold = 1\n[gates.release]\nthreshold = 2\n')
    log.add_decision(phase="release")
    assert judge(log, phase="release").state is GateName.PENDING


def test_phase_without_a_gate_is_blocked() -> None:
    """A policy that says nothing about a phase lets nothing pass there."""
    assert judge(start("[gates.release]\nthreshold = 1\n")).state is GateName.BLOCKED


def test_roles_are_asked_for_by_number() -> None:
    """One of security and two of dev: any two are not enough, and one person fills one place."""
    more = '[roles.security]\nprincipals = ["carol", "alice"]\n[roles.dev]\nprincipals = ["alice", "bob", "dora"]\n'
    log = start('[gates."*"]\nthreshold = 3\nrequire = "1 of security and 2 of dev"\n', more)
    for name in ("bob", "dora"):
        log.add_decision(actor=name)
    report = judge(log)
    assert (report.state, report.requirement) == (GateName.PENDING, "1 of security and 2 of dev")
    log.add_decision(actor="carol")
    assert judge(log).state is GateName.APPROVED


def test_touch_is_asked_for() -> None:
    """A gate that asks for a touched key takes no other."""
    log = start('[gates."*"]\nrequire_user_presence = true\n')
    log.add_decision()
    assert "touched" in judge(log).approvals[0].why
    log.add_decision(touched=True)
    assert judge(log).state is GateName.APPROVED


def test_signed_submission_is_asked_for() -> None:
    """A gate that asks for a submission is blocked until exactly this work was submitted."""
    log = start('[gates."*"]\nrequire_signed_submission = true\n')
    log.add_decision()
    assert judge(log).state is GateName.BLOCKED
    log.add_submission(subject=SUBJECT.model_copy(update={"scope": "3" * 64}))
    assert judge(log).state is GateName.BLOCKED
    log.add_submission()
    assert judge(log).state is GateName.APPROVED


def test_failing_check_does_not_change_the_record(log: LogBuilder) -> None:
    """It may fail on this machine only. It keeps people from approving; what they decided stands."""
    log.add_decision()
    assert judge(log, failing=("tree-clean",)).state is GateName.APPROVED


def test_override_is_a_debt_until_an_approval_settles_it(log: LogBuilder) -> None:
    """The approval names it."""
    override = log.add_decision(verb="override")
    report = judge(log)
    assert (report.state, report.debts) == (GateName.OVERRIDDEN, (override,))
    log.add_decision(regards=(override,))
    assert judge(log).debts == ()


def test_solo_policy_lets_one_person_approve_what_is_under_their_name() -> None:
    """Only the one reviewer, and only under such a policy."""
    log = LogBuilder()
    toml = "solo = true\n" + build_policy_toml(reviewers=("alice",))
    log.add_policy(toml, build_signers("alice", "claude"))
    log.add_decision()
    report = judge(log, producers=frozenset({"alice"}))
    assert (report.state, report.approvals[0].solo) == (GateName.APPROVED, False)
    log.add_decision(producers=("alice", "claude"))
    report = judge(log, producers=frozenset({"alice"}))
    assert (report.state, report.approvals[0].solo) == (GateName.APPROVED, True)
    assert report.why == ("decided by alice (solo)",)
    log.add_policy("solo = true\n" + build_policy_toml(), build_signers(*PEOPLE, "claude"))
    assert judge(log, producers=frozenset({"alice"})).state is GateName.PENDING


def test_void_decision_lifts_no_veto(log: LogBuilder) -> None:
    """What a dropped key said, unseen, neither counts nor lifts what its owner said before; an approval is lost."""
    first = log.policy
    veto = log.add_decision(actor="bob", verb="reject")
    log.add_policy(build_policy_toml(reviewers=("alice",)), build_signers("alice", "claude"), parents=(veto,))
    log.add_decision(actor="bob", parents=(veto,), policy_id=first)
    assert judge(log).state is GateName.REJECTED


def test_former_reviewer_is_not_counted(log: LogBuilder) -> None:
    """Only who is a reviewer now is counted."""
    log.add_decision(actor="bob")
    log.add_policy(build_policy_toml(reviewers=("alice", "carol")), build_signers(*PEOPLE, "claude"))
    assert "no longer a reviewer" in judge(log).approvals[0].why


def test_broken_log_closes_the_gate(log: LogBuilder) -> None:
    """A fatal problem blocks, whatever was approved."""
    middle = log.add_decision()
    log.add_decision(actor="bob")
    del log.candidates[middle]
    report = judge(log)
    assert report.state is GateName.BLOCKED
    assert "not intact" in report.why[0]
