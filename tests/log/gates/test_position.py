"""A handoff as the log sees it: phase, attempt, producers."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff
from handoff_tui.handoffs.session import open_desk
from handoff_tui.log.entry import GateKey, LogVerdict
from handoff_tui.log.gates.position import (
    NO_PHASE,
    build_handoff_digest,
    build_principals,
    build_value_digest,
    find_attempt,
    find_phase,
    find_producers,
    list_sent_back,
)
from handoff_tui.log.index import LogIndex, build_log_index
from tests.support.logs import SUBJECT, LogBuilder, build_policy
from tests.support.repositories import EMAIL, RepositoryBuilder

HANDOFF = Handoff(id="H-1", dialect="builder", source_phase="build")
OLD, NEW = SUBJECT.tree, "9" * 40


@pytest.fixture
def log() -> LogBuilder:
    """A log with its policy."""
    builder = LogBuilder()
    builder.add_policy()
    return builder


def index(log: LogBuilder) -> LogIndex:
    return build_log_index(log.judge())


def test_phase_is_the_one_whose_work_was_handed_over() -> None:
    """Spelled as the log spells phases; a format without phases has one all the same."""
    assert find_phase(HANDOFF) == "build"
    assert find_phase(HANDOFF.model_copy(update={"source_phase": "Über Alles"})) == "ber-Alles"
    assert find_phase(Handoff(id="x", dialect="notes")) == NO_PHASE
    assert find_phase(HANDOFF, "release") == "release"


@pytest.mark.parametrize("named", ["", "Déjà", "-x", "a b", "x" * 129])
def test_phase_that_the_log_cannot_hold_is_refused(named: str) -> None:
    """Before anything is computed for it."""
    with pytest.raises(UsageError, match="cannot be a phase"):
        find_phase(HANDOFF, named)


def test_attempt_is_what_the_handoff_says_at_first(log: LogBuilder) -> None:
    """Or what a submission says, if that is more."""
    assert find_attempt(index(log), HANDOFF, "build", OLD) == 1
    assert find_attempt(index(log), HANDOFF.model_copy(update={"attempt": 3}), "build", OLD) == 3
    log.add_submission(phase="build", attempt=4)
    assert find_attempt(index(log), HANDOFF, "build", OLD) == 4


@pytest.mark.parametrize("verb", ["reject", "retry"])
def test_new_work_after_it_came_back_is_the_next_attempt(log: LogBuilder, verb: str) -> None:
    """The same files are still the attempt that came back."""
    log.add_decision("alice", verb, phase="build")
    assert find_attempt(index(log), HANDOFF, "build", OLD) == 1
    assert find_attempt(index(log), HANDOFF, "build", NEW) == 2
    assert find_attempt(index(log), HANDOFF, "other", NEW) == 1


@pytest.mark.parametrize("verb", ["approve", "hold", "skip", "override"])
def test_other_verbs_send_nothing_back(log: LogBuilder, verb: str) -> None:
    """New files after them are the same attempt."""
    log.add_decision("alice", verb, phase="build")
    assert find_attempt(index(log), HANDOFF, "build", NEW) == 1


def test_rejection_that_was_taken_back_does_not_count(log: LogBuilder) -> None:
    """Who withdrew, or approved after all, has sent nothing back; another's rejection stands."""
    log.add_decision("alice", "reject", phase="build")
    log.add_decision("alice", "withdraw", phase="build")
    assert list_sent_back(index(log), "H-1", "build") == []
    assert find_attempt(index(log), HANDOFF, "build", NEW) == 1
    log.add_decision("bob", "retry", phase="build")
    assert find_attempt(index(log), HANDOFF, "build", NEW) == 2


def test_approval_of_the_second_attempt_leaves_the_first_sent_back(log: LogBuilder) -> None:
    """The number never falls."""
    log.add_decision("alice", "reject", phase="build")
    log.add_decision("alice", "approve", phase="build", attempt=2)
    assert find_attempt(index(log), HANDOFF, "build", OLD) == 1
    assert find_attempt(index(log), HANDOFF, "build", NEW) == 2


def test_digest_is_of_what_the_handoff_says() -> None:
    """Equal content, equal digest; any other word changes it, and odd text does not stop it."""
    same = Handoff(id="H-1", dialect="builder", source_phase="build")
    assert build_handoff_digest(HANDOFF) == build_handoff_digest(same)
    assert build_handoff_digest(HANDOFF) != build_handoff_digest(same.model_copy(update={"title": "x"}))
    assert len(build_handoff_digest(same.model_copy(update={"title": "\udc80"}))) == 64
    assert build_value_digest({"a": 1, "b": 2}) == build_value_digest({"b": 2, "a": 1})


HANDOFF_PRODUCERS = Handoff(
    id="H-1", dialect="builder", producers=("Robot 7",), documents=(Document(path="H.md", role=DocumentRole.RESULTS),)
)
NO_LOG = build_log_index(LogVerdict())


def commit_as(builder: RepositoryBuilder, email: str, path: str) -> None:
    builder.write(path, email).git("add", "--all")
    builder.git("commit", "--quiet", "--no-verify", "-m", "x", f"--author=X <{email}>")


def test_everybody_since_the_base_is_a_producer(builder: RepositoryBuilder) -> None:
    """Authors and committers of commits after it, and whom the handoff names, made to fit the log's grammar."""
    builder.write("H.md").commit("before")
    base = builder.head()
    commit_as(builder, "bo@example.org", "a.py")
    found = find_producers(open_desk(builder.folder), HANDOFF_PRODUCERS, base, (), None)
    assert found == {EMAIL, "bo@example.org", "Robot-7"}


def test_without_a_base_it_is_who_wrote_the_documents(builder: RepositoryBuilder) -> None:
    """Who touched something else long ago is not asked about."""
    commit_as(builder, "old@example.org", "a.py")
    commit_as(builder, "bo@example.org", "H.md")
    found = find_producers(open_desk(builder.folder), HANDOFF_PRODUCERS, None, (), None)
    assert "bo@example.org" in found
    assert "old@example.org" not in found


def test_submitters_of_this_attempt_are_producers(builder: RepositoryBuilder) -> None:
    """Not those of an earlier attempt."""
    builder.write("H.md").commit("x")
    log = LogBuilder()
    log.add_policy()
    log.add_submission("claude", phase="build", attempt=2)
    log.add_submission("bob", phase="build", attempt=1)
    submitters = build_log_index(log.judge()).find_submitters(GateKey(HANDOFF_PRODUCERS.id, "build", 2))
    found = find_producers(open_desk(builder.folder), HANDOFF_PRODUCERS, builder.head(), submitters, build_policy())
    assert found == {"Robot-7", "claude"}


def test_names_are_spelled_as_the_policy_spells_them() -> None:
    """Whatever their case; others are made to fit, and what has nothing left is nobody."""
    policy = build_policy()
    assert build_principals({"ALICE", "Bob", "some one", "§§"}, policy) == {"alice", "bob", "some-one"}
    assert build_principals({"x" * 200}, None) == {"x" * 128}


def test_commits_of_the_log_make_nobody_a_producer(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Who commits an approval has not made the work."""
    builder.write("H.md").commit("work")
    base = builder.head()
    commit_as(builder, "bo@example.org", ".handoff-tui/log/aa/x")
    found = find_producers(open_desk(builder.folder), HANDOFF_PRODUCERS, base, (), None)
    assert found == {"Robot-7"}
