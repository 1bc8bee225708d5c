"""What ssh-keygen is asked, and what a difference means."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import SshKeygenMissingError
from handoff_tui.git.repository import open_repository
from handoff_tui.log.entry import LogVerdict, ProblemLevel
from handoff_tui.log.show.verify import ask_second_opinion, build_questions
from handoff_tui.log.storage.blobs import LogBlobs
from tests.support.hostile import write_executable
from tests.support.logs import build_policy_toml
from tests.support.real_log import RealLog, build_signers, read_verdict
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def log(builder: RepositoryBuilder) -> RealLog:
    """Two signed the first policy; alice and an agent spoke, and bob inside the window of his key."""
    real = RealLog(builder)
    window = build_signers("bob", valid_after="2026-01-01T00:00:00Z", valid_before="2026-01-01T01:00:00Z")
    toml = build_policy_toml(root=("alice", "bob"), threshold=2)
    real.begin(toml, build_signers("alice", "claude") + window, ("alice", "bob"))
    real.submit()
    real.decide("alice")
    real.decide("bob")
    return real


def read_contents(log: RealLog) -> dict[str, bytes]:
    blobs = LogBlobs(open_repository(log.folder))
    listing = blobs.read_listing()
    return blobs.read_contents(listing, listing.ids).contents


def test_both_agree_on_a_sound_log(log: RealLog) -> None:
    """Each signature is asked about once, as of the time of its entry: the key of bob has expired since."""
    opinion = ask_second_opinion(read_contents(log), read_verdict(log.folder))
    assert (opinion.asked, opinion.problems) == (5, ())


def test_both_agree_on_what_does_not_fit(log: RealLog) -> None:
    """A false signature is asked about too; what is refused for its place still has a signature that fits."""
    log.store(log.rewrite(log.heads()[0], lambda statement: statement["predicate"].update(attempt=7)))
    log.decide("alice", seq=99)
    log.decide("mallory")
    log.store(b"{}\n")
    contents = read_contents(log)
    opinion = ask_second_opinion(contents, read_verdict(log.folder))
    assert (opinion.asked, opinion.problems) == (8, ())


def test_questions_name_the_signer_of_accepted_entries_only(log: RealLog) -> None:
    """Who signed is asked where it was accepted, with the signers of the policy that says so."""
    stranger = log.decide("mallory")
    questions = {(one.entry, one.principal) for one in build_questions(read_contents(log), read_verdict(log.folder))}
    assert (stranger, None) in questions
    assert {principal for entry, principal in questions if entry == log.genesis} == {"alice", "bob"}
    assert {principal for entry, principal in questions if entry != stranger} == {"alice", "bob", "claude"}


def test_key_that_a_policy_drops_is_asked_of_the_one_before(log: RealLog) -> None:
    """A policy signed with a key that it no longer has is held against the former signers."""
    signers = build_signers("alice", "bob/2", "claude")
    log.add_policy(build_policy_toml(root=("alice", "bob"), threshold=1), signers, ("alice", "bob"))
    opinion = ask_second_opinion(read_contents(log), read_verdict(log.folder))
    assert (opinion.asked, opinion.problems) == (7, ())


@pytest.mark.parametrize(("answer", "different"), [("exit 1", 5), ("exit 0", 1)])
def test_difference_is_fatal(
    log: RealLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, different: int
) -> None:
    """A program that says no where we say yes, or yes where we say no: somebody is wrong, so every gate closes."""
    log.store(log.rewrite(log.heads()[0], lambda statement: statement["predicate"].update(attempt=7)))
    contents, verdict = read_contents(log), read_verdict(log.folder)
    monkeypatch.setenv("PATH", f"{write_executable(tmp_path / 'bin/ssh-keygen', answer).parent}:/usr/bin:/bin")
    opinion = ask_second_opinion(contents, verdict)
    assert len(opinion.problems) == different
    assert {(one.level, one.code) for one in opinion.problems} == {(ProblemLevel.FATAL, "second-opinion")}


def test_missing_program_is_told(log: RealLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without ssh-keygen there is no second opinion, and that is no silent yes."""
    contents, verdict = read_contents(log), read_verdict(log.folder)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SshKeygenMissingError):
        ask_second_opinion(contents, verdict)


def test_empty_log_needs_no_opinion() -> None:
    """Nothing is asked about nothing."""
    assert ask_second_opinion({}, LogVerdict()).asked == 0
