from __future__ import annotations

import pytest

from handoff_tui.history.failure.evidence import EntryEvidence, list_evidence
from handoff_tui.log.index import build_log_index
from tests.support.attempts import HANDOFF, AttemptStory, build_entry, build_index, tell_story


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> tuple[EntryEvidence, ...]:
    """Newest first: bob's retry, the submission, alice's rejection."""
    desk, log = tell_story(tmp_path_factory.mktemp("evidence")).open()
    return list_evidence(desk, build_log_index(log.verify()))


def test_evidence_is_listed_newest_first(evidence: tuple[EntryEvidence, ...]) -> None:
    """Decisions and submissions."""
    assert [one.one.entry.actor for one in evidence] == ["bob", "claude", "alice"]


def test_outcome_is_that_of_the_gate_or_of_the_snapshot(evidence: tuple[EntryEvidence, ...]) -> None:
    """A submission has no record; what nobody asked is nothing."""
    retry, submission, rejection = evidence
    assert [one.find_outcome("claims-hold") for one in evidence] == ["pass", "pass", "fail"]
    assert (submission.record, submission.find_outcome("tests")) == (None, None)
    assert (retry.find_outcome("tests"), retry.has_failed("tests")) == ("error", True)
    assert rejection.find_findings("claims-hold") == {"gone": "found gone"}
    assert (rejection.find_findings("none"), rejection.has_failed("none")) == ({}, False)


def test_pass_counts_for_its_own_handoff_or_for_the_whole(evidence: tuple[EntryEvidence, ...]) -> None:
    """What a rule was shown to say of one handoff is not said of another; the snapshot is about all of them."""
    retry, submission, rejection = evidence
    assert retry.has_passed("claims-hold", HANDOFF, is_command=False)
    assert not rejection.has_passed("claims-hold", HANDOFF, is_command=False)
    assert submission.has_passed("claims-hold", "H-9", is_command=False)
    assert rejection.has_passed("problems-absent", HANDOFF, is_command=True)


def test_void_entries_are_no_evidence_and_old_ones_are_left_out(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Of a long log the newest are looked through."""
    desk, _ = AttemptStory(tmp_path_factory.mktemp("long")).open()
    entries = [build_entry(number, "alice", number, "reject") for number in range(1, 402)]
    found = list_evidence(desk, build_index(*entries, void=(entries[-1].id,)))
    assert (len(found), found[0].one.entry.seq) == (300, 400)
