"""Verification of the log from scratch, and the second opinion of ssh-keygen."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from handoff_tui.core.errors import SshKeygenMissingError, UsageError
from handoff_tui.git.repository import open_repository
from handoff_tui.log.entry import LogProblem, LogProblemLevel, LogVerdict
from handoff_tui.log.show.verify import (
    Fate,
    Loss,
    ask_second_opinion,
    build_questions,
    build_report,
    find_losses,
    parse_pin,
    resolve_commit,
)
from handoff_tui.log.storage.blobs import LogBlobs
from tests.support.hostile import write_executable
from tests.support.logs import build_policy_toml, build_signers
from tests.support.real_log import RealLog, list_codes, read_verdict
from tests.support.repositories import RepositoryBuilder


def read_witness(log: RealLog) -> bytes | None:
    place = log.folder / ".git/handoff-tui/witness.json"
    return place.read_bytes() if place.exists() else None


def test_clean_log_is_remembered(log: RealLog) -> None:
    """At first nothing vouches for it; once somebody did, this clone knows how it begins and what it had."""
    first = log.verify()
    assert (first.anchor, list_codes(first), read_witness(log)) == ("none", ["not-pinned"], None)
    log.vouch()
    second = log.verify()
    assert (second.anchor, list_codes(second)) == ("user", [])
    assert (second.entries, second.heads, second.log, second.policy) == (2, log.heads(), log.genesis, log.genesis)
    witness = read_witness(log)
    assert witness is not None
    assert log.heads()[0].encode() in witness


def test_fatal_log_is_not_remembered(log: RealLog) -> None:
    """What is broken, by whichever question, is not taken for the state to hold on to."""
    base = log.builder.commit().head()
    log.place(log.heads()[0]).write_bytes(b"x")
    assert log.verify(against=base).fatal
    assert log.verify(pin="6" * 64).fatal
    assert read_witness(log) is None


def test_cache_is_neither_used_nor_needed(log: RealLog) -> None:
    """A change in place is found at once, whatever was verified before."""
    log.verify()
    log.place(log.heads()[0]).write_bytes(b"changed in place")
    assert "unsuitable-file" in list_codes(log.verify())


@pytest.mark.parametrize("prefix", ["sha256:", "", " sha256:"])
def test_pin_is_taken_with_or_without_its_prefix(log: RealLog, prefix: str) -> None:
    """The right pin leaves nothing to say."""
    report = log.verify(pin=prefix + log.genesis.removeprefix("sha256:"))
    assert (report.anchor, list_codes(report)) == ("option", [])


@pytest.mark.parametrize("written", ["", "abc", "sha256:" + "A" * 64, "sha1:" + "a" * 40])
def test_pin_that_is_no_id_is_an_error(written: str) -> None:
    """A mistyped pin is never no pin."""
    with pytest.raises(UsageError, match="not the id"):
        parse_pin(written)


def test_second_opinion_is_counted(log: RealLog) -> None:
    """Asked about both signatures, ssh-keygen agrees; unasked there is no number."""
    assert log.verify(second_opinion=True).second_opinions == 2
    assert log.verify().second_opinions is None


def test_base_that_is_not_here_is_an_error(log: RealLog) -> None:
    """A shallow clone without the base must not look like a clean one."""
    with pytest.raises(UsageError, match="does not name a commit"):
        log.verify(against="origin/main")


def test_void_entries_are_noted(log: RealLog) -> None:
    """They break nothing, and are not passed over in silence."""
    parents = log.heads()
    log.add_policy(signers=log.entries[log.genesis].policy.allowed_signers.split("bob")[0])  # type: ignore[union-attr]
    log.decide("bob", parents=parents, policy_id=log.genesis)
    report = log.verify(pin=log.genesis)
    assert (list_codes(report), report.void, report.fatal) == (["void"], 1, False)


def test_clone_that_cannot_take_the_note_verifies_all_the_same(log: RealLog) -> None:
    """Only the note for next time is missing, and that is said."""
    (log.folder / ".git/handoff-tui/lock").mkdir(parents=True)
    report = log.verify(pin=log.genesis)
    assert (report.fatal, list_codes(report)) == (False, ["not-remembered"])
    assert read_witness(log) is None


def test_file_in_the_place_of_the_witness_folder_is_fatal(log: RealLog) -> None:
    """What this clone has seen cannot be read: that is never nothing seen."""
    log.builder.write(".git/handoff-tui", "in the way")
    assert list_codes(log.verify(pin=log.genesis), "FATAL") == ["witness-damaged"]


def test_report_puts_the_worst_first() -> None:
    """FATAL, REFUSED, NOTE; inside a level by code and entry."""
    problems = [
        LogProblem(level=LogProblemLevel.NOTE, code="void", text=""),
        LogProblem(level=LogProblemLevel.REFUSED, code="future", entry="b", text=""),
        LogProblem(level=LogProblemLevel.REFUSED, code="future", entry="a", text=""),
    ]
    fatal = LogProblem(level=LogProblemLevel.FATAL, code="rollback", text="")
    report = build_report(LogVerdict(problems=(problems[0],)), [*problems[1:], fatal], "none")
    assert [(one.level, one.entry) for one in report.problems] == [
        ("FATAL", None),
        ("REFUSED", "a"),
        ("REFUSED", "b"),
        ("NOTE", None),
    ]
    assert (report.fatal, report.refused) == (True, 2)


def test_repository_without_a_log_is_clean_and_stays_as_it_is(builder: RepositoryBuilder) -> None:
    """Nothing to verify, nothing to remember."""
    report = RealLog(builder).verify()
    assert (report.fatal, report.entries, report.log, report.problems) == (False, 0, None, ())
    assert not Path(builder.folder / ".git/handoff-tui").exists()


@pytest.fixture
def signed(builder: RepositoryBuilder) -> RealLog:
    """Two signed the first policy; alice and an agent spoke, and bob inside the window of his key."""
    real = RealLog(builder)
    bob = build_signers("bob", valid_after="2026-01-01T00:00:00Z", valid_before="2026-01-01T01:00:00Z")
    toml = build_policy_toml(root=("alice", "bob"), threshold=2)
    real.begin(toml, build_signers("alice", "claude") + bob, ("alice", "bob"))
    real.submit()
    real.decide("alice")
    real.decide("bob")
    return real


def read_contents(signed: RealLog) -> dict[str, bytes]:
    blobs = LogBlobs(open_repository(signed.folder))
    listing = blobs.read_listing()
    return blobs.read_contents(listing, listing.ids).contents


def test_both_agree_on_a_sound_log(signed: RealLog) -> None:
    """Each signature is asked about once, as of the time of its entry: the key of bob has expired since."""
    opinion = ask_second_opinion(read_contents(signed), read_verdict(signed.folder))
    assert (opinion.asked, opinion.problems) == (5, ())


def test_both_agree_on_what_does_not_fit(signed: RealLog) -> None:
    """A false signature is asked about too; what is refused for its place still has a signature that fits."""
    signed.store(signed.rewrite(signed.heads()[0], lambda statement: statement["predicate"].update(attempt=7)))
    signed.decide("alice", seq=99)
    signed.decide("mallory")
    signed.store(b"{}\n")
    contents = read_contents(signed)
    opinion = ask_second_opinion(contents, read_verdict(signed.folder))
    assert (opinion.asked, opinion.problems) == (8, ())


def test_questions_name_the_signer_of_accepted_entries_only(signed: RealLog) -> None:
    """Who signed is asked where it was accepted, with the signers of the policy that says so."""
    stranger = signed.decide("mallory")
    questions = {
        (one.entry, one.principal) for one in build_questions(read_contents(signed), read_verdict(signed.folder))
    }
    assert (stranger, None) in questions
    assert {principal for entry, principal in questions if entry == signed.genesis} == {"alice", "bob"}
    assert {principal for entry, principal in questions if entry != stranger} == {"alice", "bob", "claude"}


def test_key_that_a_policy_drops_is_asked_of_the_one_before(signed: RealLog) -> None:
    """A policy signed with a key that it no longer has is held against the former signers."""
    signers = build_signers("alice", "bob/2", "claude")
    signed.add_policy(build_policy_toml(root=("alice", "bob"), threshold=1), signers, ("alice", "bob"))
    opinion = ask_second_opinion(read_contents(signed), read_verdict(signed.folder))
    assert (opinion.asked, opinion.problems) == (7, ())


@pytest.mark.parametrize(("answer", "different"), [("exit 1", 5), ("exit 0", 1)])
def test_difference_is_fatal(
    signed: RealLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, different: int
) -> None:
    """A program that says no where we say yes, or yes where we say no: somebody is wrong, so every gate closes."""
    signed.store(signed.rewrite(signed.heads()[0], lambda statement: statement["predicate"].update(attempt=7)))
    contents, verdict = read_contents(signed), read_verdict(signed.folder)
    monkeypatch.setenv("PATH", f"{write_executable(tmp_path / 'bin/ssh-keygen', answer).parent}:/usr/bin:/bin")
    opinion = ask_second_opinion(contents, verdict)
    assert len(opinion.problems) == different
    assert {(one.level, one.code) for one in opinion.problems} == {(LogProblemLevel.FATAL, "second-opinion")}


def test_missing_program_is_told(signed: RealLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without ssh-keygen there is no second opinion, and that isn't a silent yes."""
    contents, verdict = read_contents(signed), read_verdict(signed.folder)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SshKeygenMissingError):
        ask_second_opinion(contents, verdict)


def build_path(content: bytes) -> str:
    digest = hashlib.sha256(content).hexdigest()
    return f".handoff-tui/log/{digest[:2]}/{digest}.intoto.jsonl"


ONE, TWO = b"one\n", b"two\n"


@pytest.fixture(params=["sha1", "sha256"])
def repository(tmp_path: Path, request: pytest.FixtureRequest) -> RepositoryBuilder:
    """A commit with two entries, in both object formats."""
    builder = RepositoryBuilder.init(tmp_path / "repository", f"--object-format={request.param}")
    return builder.write(build_path(ONE), ONE).write(build_path(TWO), TWO).commit()


def find(builder: RepositoryBuilder, commit: str = "HEAD") -> tuple[Loss, ...]:
    opened = open_repository(builder.folder)
    return find_losses(opened, resolve_commit(opened, commit))


def fates(builder: RepositoryBuilder) -> dict[str, Fate]:
    return {loss.identifier.removeprefix("sha256:"): loss.fate for loss in find(builder)}


def name(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_nothing_is_lost_while_all_is_there(repository: RepositoryBuilder) -> None:
    """Equal content isn't a loss, and neither is what the commit has not."""
    repository.write(build_path(b"three\n"), b"three\n")
    assert find(repository) == ()


def test_deleted_changed_and_moved_entries_are_told_apart(repository: RepositoryBuilder) -> None:
    """Each with its fate; a moved one with its new name."""
    repository.place(build_path(ONE)).unlink()
    repository.write(build_path(TWO), b"2")
    assert fates(repository) == {name(ONE): Fate.DELETED, name(TWO): Fate.MODIFIED}
    repository.write(".handoff-tui/log/aside", ONE)
    repository.write(build_path(TWO), ONE)
    assert fates(repository) == {name(ONE): Fate.RENAMED, name(TWO): Fate.MODIFIED}


@pytest.mark.parametrize("linked", [".handoff-tui", ".handoff-tui/log"])
def test_folder_behind_a_link_is_lost(repository: RepositoryBuilder, tmp_path: Path, linked: str) -> None:
    """The same files behind a link are not there."""
    repository.place(linked).rename(tmp_path / "away")
    repository.link(linked, tmp_path / "away")
    assert set(fates(repository).values()) == {Fate.MODIFIED}


def test_what_never_was_an_entry_may_be_cleared_away(repository: RepositoryBuilder) -> None:
    """A false file that a commit has isn't an entry that could be lost."""
    false = build_path(b"never")
    repository.write(false, "something else").write(".handoff-tui/log/notes.txt").commit()
    repository.place(false).unlink()
    repository.place(".handoff-tui/log/notes.txt").unlink()
    assert find(repository) == ()


def test_commit_without_a_log_loses_nothing(tmp_path: Path) -> None:
    """The first log of a repository has no base to be held against."""
    builder = RepositoryBuilder.init(tmp_path / "plain").write("a.txt").commit()
    assert find(builder) == ()


@pytest.mark.parametrize("written", ["nowhere", "", "-x", ":/log", "HEAD^{tree}", "HEAD:.handoff-tui"])
def test_name_of_no_commit_is_an_error(repository: RepositoryBuilder, written: str) -> None:
    """A base that is not here is never an empty base."""
    with pytest.raises(UsageError, match="does not name a commit"):
        find(repository, written)
