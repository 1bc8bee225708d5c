"""Whether a past decision would count under the policy of today."""

from __future__ import annotations

import pytest

from handoff_tui.history.replay.replay import judge_people
from handoff_tui.history.replay.report import Standing
from handoff_tui.log.index import build_log_index
from handoff_tui.log.policy.policy import Policy
from tests.support.logs import LogBuilder, build_policy, build_policy_toml

TWO = build_policy(build_policy_toml(gates='[gates."*"]\nthreshold = 2\n'))


@pytest.fixture
def log() -> LogBuilder:
    log = LogBuilder()
    log.add_policy()
    return log


def judge(log: LogBuilder, entry: str, policy: Policy | None = None) -> tuple[Standing, str]:
    index = build_log_index(log.judge())
    answer = judge_people(index, policy or build_policy(), index.votes[entry])
    return answer.standing, answer.summary


def test_reviewer_of_today_counts(log: LogBuilder) -> None:
    """Also when somebody decided otherwise later."""
    entry = log.add_decision()
    log.add_decision("bob", "reject")
    assert judge(log, entry)[0] is Standing.HOLDS


def test_somebody_who_left_does_not_count(log: LogBuilder) -> None:
    """The policy of today does not know them as a reviewer."""
    entry = log.add_decision("bob")
    standing, words = judge(log, entry, build_policy(build_policy_toml(reviewers=("alice",))))
    assert (standing, "no reviewer any more" in words) == (Standing.FAILS, True)


def test_nobody_approves_their_own_work(log: LogBuilder) -> None:
    """Neither made nor submitted."""
    made = log.add_decision(producers=("alice",))
    assert judge(log, made)[0] is Standing.FAILS
    log.add_submission("bob", handoff="H-2")
    submitted = log.add_decision("bob", handoff="H-2")
    standing, words = judge(log, submitted)
    assert (standing, "submitted this work" in words) == (Standing.FAILS, True)


def test_gate_that_asks_for_more_people_today_is_told(log: LogBuilder) -> None:
    """One of two is not enough; a second approval of the same files, later, is."""
    entry = log.add_decision()
    standing, words = judge(log, entry, TWO)
    assert (standing, "2 needed today" in words) == (Standing.FAILS, True)
    log.add_decision("bob")
    assert judge(log, entry, TWO)[0] is Standing.HOLDS


def test_role_that_is_asked_for_today_is_told(log: LogBuilder) -> None:
    """A number alone is not enough where a role is demanded."""
    gates = '[gates."*"]\nthreshold = 1\nrequire = "1 of security"\n'
    more = '[roles.security]\nprincipals = ["bob"]\n'
    policy = build_policy(build_policy_toml(gates=gates, more=more))
    assert judge(log, log.add_decision(), policy)[0] is Standing.FAILS
    assert judge(log, log.add_decision("bob", handoff="H-2"), policy)[0] is Standing.HOLDS


def test_submission_that_is_asked_for_today_is_told(log: LogBuilder) -> None:
    """Before the decision, and of the same work."""
    policy = build_policy(build_policy_toml(gates='[gates."*"]\nrequire_signed_submission = true\n'))
    standing, words = judge(log, log.add_decision(), policy)
    assert (standing, "signed submission" in words) == (Standing.FAILS, True)
    log.add_submission(handoff="H-2")
    assert judge(log, log.add_decision(handoff="H-2"), policy)[0] is Standing.HOLDS


def test_gate_that_is_gone_cannot_be_asked(log: LogBuilder) -> None:
    """No rule, no judgement."""
    policy = build_policy(build_policy_toml(gates="[gates.release]\nthreshold = 1\n"))
    assert judge(log, log.add_decision(), policy)[0] is Standing.UNKNOWN


def test_old_decision_is_judged_at_its_own_time(log: LogBuilder) -> None:
    """An age limit closes gates of today, and does not undo what passed in time."""
    policy = build_policy(build_policy_toml(gates='[gates."*"]\nmax_age_days = 1\n'))
    assert judge(log, log.add_decision(), policy)[0] is Standing.HOLDS


def test_void_decision_counts_for_nothing(log: LogBuilder) -> None:
    """A dropped key takes what the dropping policy had not seen with it."""
    entry = log.add_decision("bob", parents=(log.genesis,))
    signers = "".join(log.candidates[log.genesis].entry.policy.allowed_signers.splitlines(keepends=True)[::2])  # type: ignore[union-attr]
    log.add_policy(build_policy_toml(reviewers=("alice",), version=2), signers, parents=(log.genesis,))
    standing, words = judge(log, entry)
    assert (standing, "counts for nothing" in words) == (Standing.FAILS, True)


def test_withdrawn_approval_is_nobody_more(log: LogBuilder) -> None:
    """The second of two took theirs back."""
    entry = log.add_decision()
    other = log.add_decision("bob")
    assert judge(log, entry, TWO)[0] is Standing.HOLDS
    log.add_decision("bob", "withdraw", regards=(other,))
    assert judge(log, entry, TWO)[0] is Standing.FAILS
