"""A handoff as the log sees it: its phase, what it says, and how names are spelled."""

from __future__ import annotations

import pytest

from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.log.gates.position import (
    NO_PHASE,
    build_handoff_digest,
    build_principals,
    build_value_digest,
    find_phase,
    list_sent_back,
)
from handoff_tui.log.index import LogIndex, build_log_index
from tests.support.logs import LogBuilder, build_policy

HANDOFF = Handoff(id="H-1", dialect="builder", source_phase="build")


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
    assert find_phase(HANDOFF.model_copy(update={"source_phase": "Über Alles"})) == "Uber-Alles"
    assert find_phase(Handoff(id="x", dialect="notes")) == NO_PHASE
    assert find_phase(HANDOFF, "release") == "release"


@pytest.mark.parametrize("named", ["", "Déjà", "-x", "a b", "x" * 129])
def test_phase_that_the_log_cannot_hold_is_refused(named: str) -> None:
    """Before anything is computed for it."""
    with pytest.raises(UsageError, match="cannot be a phase"):
        find_phase(HANDOFF, named)


def test_rejection_that_was_taken_back_does_not_count(log: LogBuilder) -> None:
    """Whoever withdrew, or approved after all, has sent nothing back; another's rejection stands."""
    log.add_decision("alice", "reject", phase="build")
    log.add_decision("alice", "withdraw", phase="build")
    assert list_sent_back(index(log), "H-1", "build") == []
    other = log.add_decision("bob", "retry", phase="build")
    assert [made.entry.id for made in list_sent_back(index(log), "H-1", "build")] == [other]


def test_digest_is_of_what_the_handoff_says() -> None:
    """Equal content, equal digest; any other word changes it, and odd text does not stop it."""
    same = Handoff(id="H-1", dialect="builder", source_phase="build")
    assert build_handoff_digest(HANDOFF) == build_handoff_digest(same)
    assert build_handoff_digest(HANDOFF) != build_handoff_digest(same.model_copy(update={"title": "x"}))
    assert len(build_handoff_digest(same.model_copy(update={"title": "\udc80"}))) == 64
    assert build_value_digest({"a": 1, "b": 2}) == build_value_digest({"b": 2, "a": 1})


def test_names_are_spelled_as_the_policy_spells_them() -> None:
    """Whatever their case; others are made to fit, and what has nothing left is nobody."""
    policy = build_policy()
    assert build_principals({"ALICE", "Bob", "some one", "§§"}, policy) == {"alice", "bob", "some-one"}
    assert build_principals({"x" * 200}, None) == {"x" * 128}
