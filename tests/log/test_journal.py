"""The journal that adds entries, and the opened log of a repository: pin, witness, cache, drift."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from handoff_tui.core.errors import (
    AppendRefusedError,
    HandoffError,
    KeyLockedError,
    LogBrokenError,
    LogEntryError,
    LogLockedError,
)
from handoff_tui.git.repository import open_repository
from handoff_tui.git.signing.ssh_keygen import SigningTool
from handoff_tui.log.entries.envelope import build_pae
from handoff_tui.log.entry import LogVerdict
from handoff_tui.log.journal import Appended, Draft, Journal, Parents, build_parents
from handoff_tui.log.open_log import PIN_VARIABLE, OpenLog, find_pin, open_log
from handoff_tui.log.policy.signers import build_line
from tests.support.fingerprint import read_fingerprint
from tests.support.journals import Desk, build_decision, build_genesis, build_policy
from tests.support.log_keys import build_example_key
from tests.support.real_log import RealLog, list_codes
from tests.support.repositories import RepositoryBuilder
from tests.support.ssh_keys import make_key, read_public


@pytest.fixture
def desk(builder: RepositoryBuilder) -> Desk:
    return Desk.open(builder.folder)


def test_entries_follow_each_other(desk: Desk, builder: RepositoryBuilder) -> None:
    """Genesis and decisions: numbers, parents and log are right, and the whole verifies from the bytes on."""
    first = desk.begin()
    second = desk.decide("H-1")
    third = desk.decide("H-2", "bob")
    verdict = Desk.open(builder.folder).verify()
    assert [entry.id for entry in verdict.entries] == [first.entry.id, second.entry.id, third.entry.id]
    assert [entry.seq for entry in verdict.entries] == [1, 2, 3]
    assert third.entry.parents == (second.entry.id,)
    assert verdict.heads == (third.entry.id,)
    assert verdict.log == first.entry.id
    assert verdict.problems == ()
    assert third.verdict.model_copy(update={"anchor": "none"}) == verdict


def test_all_heads_are_parents(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Two clones decide apart from each other: after a fetch, the next entry brings both together."""
    desk = Desk.open(builder.folder)
    desk.begin()
    builder.commit("log")
    clone = RepositoryBuilder(tmp_path / "clone")
    builder.git("clone", "--quiet", "--template=", str(builder.folder), str(clone.folder))
    one = desk.decide("H-1").entry.id
    two = Desk.open(clone.folder).decide("H-2").entry.id
    builder.commit("one")
    clone.commit("two").step("fetch", "--quiet", "origin")
    third = Desk.open(clone.folder).decide("H-3").entry
    assert third.parents == tuple(sorted([one, two]))
    assert third.seq == 3


def test_real_key_signs(desk: Desk, tmp_path: Path) -> None:
    """ssh-keygen with a key in a file: the signature is accepted by our own verification."""
    key = make_key(tmp_path / "key")
    desk.begin(build_line("alice", read_public(key)))
    added = desk.decide("H-1", "alice", SigningTool(read_public(key), key))
    assert added.verdict.problems == ()


class Untidy:
    """Signs as another program might: other columns, Windows line ends."""

    def sign(self, message: bytes) -> bytes:
        begin, *lines, end = build_example_key("alice").sign(message).decode().strip().split("\n")
        body = "".join(lines)
        return "\r\n".join([begin, *(body[at : at + 76] for at in range(0, len(body), 76)), end, ""]).encode()


def test_signature_is_brought_into_the_one_form(desk: Desk) -> None:
    """What other signers return is written as ssh-keygen writes it."""
    desk.begin()
    assert desk.decide("H-1", signer=Untidy()).verdict.problems == ()


class Wrong:
    """Signs something else than it was given."""

    def sign(self, message: bytes) -> bytes:
        return build_example_key("alice").sign(message + b"!")


def test_signature_is_checked_before_it_is_stored(desk: Desk) -> None:
    """A signer that signed something else adds nothing."""
    desk.begin()
    with pytest.raises(LogEntryError):
        desk.decide("H-1", signer=Wrong())
    assert len(desk.verify().entries) == 1


def test_entry_that_would_be_refused_is_not_stored(desk: Desk) -> None:
    """Impersonation, an agent's approval, a stranger's key: told before, not found later."""
    desk.begin()
    for actor, signer in (("alice", "bob"), ("claude", "claude"), ("alice", "stranger")):
        with pytest.raises(AppendRefusedError, match="would be refused"):
            desk.decide("H-1", actor, build_example_key(signer))
    assert len(desk.verify().entries) == 1
    assert desk.blobs.folder.list_foreign() == ()
    assert len(desk.blobs.folder.list()) == 1


class Refusing:
    """A signer whose key is locked."""

    def sign(self, message: bytes) -> bytes:
        raise KeyLockedError(f"locked, with {len(message)} bytes to sign")


def test_signer_that_refuses_adds_nothing_and_frees_the_lock(desk: Desk) -> None:
    """The error passes through, and the next one may try."""
    desk.begin()
    with pytest.raises(KeyLockedError):
        desk.decide("H-1", signer=Refusing())
    assert desk.decide("H-1").entry.seq == 2


def test_builder_that_refuses_adds_nothing(desk: Desk) -> None:
    """First decision wins: who is second sees the first one's entry, under the lock, and can refuse."""
    desk.begin()
    first = desk.decide("H-1", "bob")

    def refuse(parents: Parents) -> Draft:
        decided = [entry for entry in parents.verdict.entries if entry.decision is not None]
        raise HandoffError(f"{decided[0].actor} was first")

    with pytest.raises(HandoffError, match="bob was first"):
        desk.journal.append(refuse, build_example_key("alice"))
    assert desk.verify().heads == (first.entry.id,)


def test_builder_runs_under_the_lock(desk: Desk, builder: RepositoryBuilder) -> None:
    """Nobody else can add between the look and the entry."""
    desk.begin()

    def build(parents: Parents) -> Draft:
        with pytest.raises(LogLockedError):
            Desk.open(builder.folder, timeout=0.01).decide("H-2")
        return build_decision(parents, "H-1")

    assert desk.journal.append(build, build_example_key("alice")).entry.seq == 2


class Waiting:
    """A signer who is asked for a passphrase; meanwhile something happens, the first time."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        self.meanwhile = meanwhile
        self.asked = 0

    def sign(self, message: bytes) -> bytes:
        self.asked += 1
        if self.asked == 1:
            self.meanwhile()
        return build_example_key("alice").sign(message)


def test_nobody_waits_for_a_person_who_is_asked(desk: Desk, builder: RepositoryBuilder) -> None:
    """Another decides while the passphrase is typed; the entry is built and signed again, for the place after that."""
    desk.begin()
    other = Desk.open(builder.folder, timeout=0.01)
    signer = Waiting(lambda: other.decide("H-2", "bob"))
    checked: list[Parents] = []
    added = desk.journal.append(lambda place: build_decision(place, "H-1"), signer, check_again=checked.append)
    assert (added.entry.seq, signer.asked, checked) == (3, 2, [])
    assert desk.verify().heads == (added.entry.id,)


def test_builder_sees_who_was_first_while_a_person_was_asked(desk: Desk, builder: RepositoryBuilder) -> None:
    """First decision wins, whenever it came: then nothing is stored, and nobody is asked again."""
    desk.begin()
    signer = Waiting(lambda: Desk.open(builder.folder, timeout=0.01).decide("H-1", "bob"))

    def build(parents: Parents) -> Draft:
        if any(entry.decision is not None for entry in parents.verdict.entries):
            raise HandoffError("bob was first")
        return build_decision(parents, "H-1")

    with pytest.raises(HandoffError, match="bob was first"):
        desk.journal.append(build, signer, check_again=lambda _: None)
    assert (signer.asked, len(desk.verify().entries)) == (1, 2)


def test_entry_signed_ahead_is_stored_if_all_still_holds(desk: Desk, builder: RepositoryBuilder) -> None:
    """Asked once more under the lock; whatever that raises, nothing is stored."""
    desk.begin()
    signer = Waiting(lambda: None)

    def refuse(_: Parents) -> None:
        with pytest.raises(LogLockedError):
            Desk.open(builder.folder, timeout=0.01).decide("H-2")
        raise HandoffError("a file has changed")

    with pytest.raises(HandoffError, match="a file has changed"):
        desk.journal.append(lambda place: build_decision(place, "H-1"), signer, check_again=refuse)
    assert len(desk.verify().entries) == 1
    added = desk.journal.append(lambda place: build_decision(place, "H-1"), signer, check_again=lambda _: None)
    assert (added.entry.seq, signer.asked, desk.verify().problems) == (2, 2, ())


def test_entry_for_another_place_is_not_stored(desk: Desk) -> None:
    """A builder that ignores where it stands is stopped."""
    first = desk.begin()
    desk.decide("H-1")
    stale = Parents((first.entry.id,), 2, first.entry.time, first.verdict)
    with pytest.raises(AppendRefusedError, match="another position"):
        desk.journal.append(lambda _: build_decision(stale, "H-2"), build_example_key("alice"))


def test_entry_without_signer_is_not_stored(desk: Desk) -> None:
    """Neither signed before nor to be signed now."""
    with pytest.raises(AppendRefusedError, match="no signature"):
        desk.journal.append(build_genesis)


def test_entry_signed_elsewhere_is_added_as_it_is(desk: Desk) -> None:
    """A policy that people signed one after the other, on files they exchanged, needs no signer here."""
    draft = build_genesis(build_parents(LogVerdict(), datetime.now(UTC)))
    signatures = tuple(build_example_key(name).sign(build_pae(draft.payload)) for name in ("bob", "alice"))
    added = desk.journal.append(lambda _: Draft(draft.payload, signatures))
    assert len(added.entry.keyids) == 2
    assert desk.verify().problems == ()


def test_entry_signed_elsewhere_may_have_been_overtaken(desk: Desk) -> None:
    """Its parents are what they were when it was signed; both branches of the log are heads then."""
    first = desk.begin()
    early = build_parents(first.verdict, datetime.now(UTC))
    late = desk.decide("H-1").entry.id
    draft = build_decision(early, "H-2")
    added = desk.journal.append(
        lambda _: Draft(draft.payload, (build_example_key("alice").sign(build_pae(draft.payload)),))
    )
    assert desk.verify().heads == tuple(sorted([late, added.entry.id]))
    assert desk.decide("H-3").entry.parents == tuple(sorted([late, added.entry.id]))


def test_broken_log_takes_nothing_more(desk: Desk) -> None:
    """After an entry was deleted, nothing is added until a person has looked."""
    first = desk.begin()
    desk.decide("H-1")
    place = desk.repository.root / desk.blobs.folder.build_path(first.entry.id.removeprefix("sha256:"))
    place.unlink()
    with pytest.raises(LogBrokenError, match="not intact"):
        desk.decide("H-2")
    assert len(desk.blobs.folder.list()) == 1


def test_time_is_never_before_the_parents(desk: Desk, builder: RepositoryBuilder) -> None:
    """A clock that was set back does not make the next entry back-dated."""
    first = desk.begin()
    slow = Desk.open(builder.folder)
    slow.journal = Journal(
        slow.blobs.folder,
        slow.journal._lock,
        slow.journal._verify,
        slow.memory,
        lambda: datetime(2020, 1, 1, tzinfo=UTC),
    )
    assert slow.decide("H-1").entry.time == first.entry.time


def test_entry_that_mends_the_log_is_added_despite_its_fault(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A forked policy closes the log to everything but the policy that settles it, and that only when it is said."""
    desk = Desk.open(builder.folder)
    first = desk.begin().entry.id
    builder.commit("log")
    clone = RepositoryBuilder(tmp_path / "clone")
    builder.git("clone", "--quiet", "--template=", str(builder.folder), str(clone.folder))
    alice = build_example_key("alice")
    sides = [desk, Desk.open(clone.folder)]
    left, right = (
        side.journal.append(
            lambda parents, name=name: build_policy(parents, 2, first, f"# {name}\n"),  # type: ignore[misc]
            alice,
        ).entry.id
        for name, side in zip(("left", "right"), sides, strict=True)
    )
    builder.commit("left")
    clone.commit("right").step("fetch", "--quiet", "origin")
    forked = Desk.open(clone.folder)
    with pytest.raises(LogBrokenError, match="successors"):
        forked.decide("H-1")

    def settle(parents: Parents) -> Draft:
        return build_policy(parents, 3, right)

    with pytest.raises(LogBrokenError, match="successors"):
        forked.journal.append(settle, alice)
    settled = forked.journal.append(settle, alice, despite={"policy-forked"})
    assert settled.entry.parents == tuple(sorted([left, right]))
    assert not settled.verdict.fatal
    assert forked.decide("H-1").entry.seq == 4


OTHER = "sha256:" + "6" * 64


def open_it(log: RealLog, *, pin: str | None = None, remembered: bool = True) -> OpenLog:
    return open_log(open_repository(log.folder), pin=pin, remembered=remembered)


def append(opened: OpenLog) -> Appended:
    return opened.journal.append(lambda parents: build_decision(parents, "H-2"), build_example_key("alice"))


def test_looking_writes_nothing_to_the_repository(log: RealLog) -> None:
    """Verifying, with its cache, leaves the repository as it was, git's folder included."""
    before = read_fingerprint(log.folder)
    assert list_codes(open_it(log).verify()) == []
    assert read_fingerprint(log.folder) == before


@pytest.mark.parametrize("remembered", [True, False])
def test_entry_changed_in_place_is_noticed(log: RealLog, *, remembered: bool) -> None:
    """Also by the user who has verified it before, with the cache and without."""
    open_it(log).verify()
    log.place(log.heads()[0]).write_bytes(b"changed in place")
    assert "unsuitable-file" in list_codes(open_it(log, remembered=remembered).verify())


def test_witness_is_recorded_when_asked_and_only_when_sound(log: RealLog) -> None:
    """Once somebody vouched for it, `remember` notes the heads of a clean log; a broken one is not noted."""
    opened = open_it(log)
    opened.remember(opened.verify())
    assert opened.memory.load().genesis is None
    opened.consent(opened.verify())
    opened.remember(opened.verify())
    seen = opened.memory.load()
    assert (seen.genesis, seen.entries) == (log.genesis, frozenset(log.heads()))
    broken = open_it(log, pin=OTHER)
    broken.remember(broken.verify())
    assert opened.memory.load() == seen


def test_witness_pins_the_first_entry(log: RealLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clone that has seen the log begin knows how it must begin."""
    opened = open_it(log)
    assert opened.verify().anchor == "none"
    opened.consent(opened.verify())
    assert opened.verify().anchor == "user"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    assert open_it(log).verify().anchor == "none"  # anybody who can write here could have made it seem seen
    for entry in log.entries:
        log.place(entry).unlink()
    assert set(list_codes(open_it(log).verify())) == {"genesis-missing", "rollback"}


def test_pin_comes_from_the_environment_or_the_users_own_configuration(
    log: RealLog, isolated_user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The repository's own configuration pins nothing: an agent can write it."""
    repository = open_repository(log.folder)
    log.builder.config("handoff-tui.repository.pin", OTHER)
    assert find_pin(repository) is None
    name = f'[handoff-tui "repository"]\n\tpin = {log.genesis}\n'
    (isolated_user / "gitconfig").write_text(name, encoding="utf-8")
    assert find_pin(open_repository(log.folder)) == log.genesis
    assert open_it(log).verify().anchor == "configuration"
    monkeypatch.setenv(PIN_VARIABLE, OTHER)
    assert find_pin(repository) == OTHER
    assert open_it(log).verify().anchor == "environment"
    assert "genesis-missing" in list_codes(open_it(log).verify())
    assert open_it(log, pin=log.genesis).verify().anchor == "option"
    assert list_codes(open_it(log, pin=log.genesis).verify()) == []


def test_pin_that_is_no_id_closes_every_gate(log: RealLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistyped pin is never no pin."""
    monkeypatch.setenv(PIN_VARIABLE, "sha256:oops")
    assert open_it(log).verify().fatal


@pytest.mark.parametrize("damage", ["garbage", "link", "pipe"])
def test_damaged_witness_is_fatal_and_takes_no_entry(log: RealLog, tmp_path: Path, damage: str) -> None:
    """Nothing is judged sound and nothing is added while it cannot be told what was there before."""
    opened = open_it(log)
    opened.consent(opened.verify())
    place = log.folder / ".git/handoff-tui/witness.json"
    content = place.read_bytes()
    place.unlink()
    if damage == "garbage":
        place.write_bytes(content[:-3])
    elif damage == "link":
        (tmp_path / "away").write_bytes(content)
        place.symlink_to(tmp_path / "away")
    else:
        os.mkfifo(place)
    again = open_it(log)
    assert list_codes(again.verify()) == ["witness-damaged"]
    with pytest.raises(LogBrokenError, match="not intact"):
        append(again)
    assert len(list((log.folder / ".handoff-tui/log").rglob("*.jsonl"))) == 2


def test_appended_entry_is_witnessed(log: RealLog) -> None:
    """The person who adds an entry will miss it."""
    opened = open_it(log)
    opened.consent(opened.verify())
    added = append(opened)
    assert added.entry.id in opened.memory.load().entries
    log.place(added.entry.id).unlink()
    assert list_codes(open_it(log).verify()) == ["rollback"]


def test_clock_is_asked_each_time(log: RealLog) -> None:
    """An entry from the future counts when its time has come."""
    log.decide("bob", time="2030-01-01T00:00:00Z")
    times = iter([datetime(2029, 1, 1, tzinfo=UTC), datetime(2031, 1, 1, tzinfo=UTC)])
    opened = open_log(open_repository(log.folder), now=lambda: next(times))
    assert list_codes(opened.verify()) == ["future"]
    assert list_codes(opened.verify()) == []


def test_candidates_are_those_of_the_last_verdict(log: RealLog) -> None:
    """Also what is refused can be shown; the log is found from a folder inside the repository."""
    stranger = log.decide("mallory")
    (log.folder / "inside").mkdir()
    opened = open_log(open_repository(log.folder / "inside"))
    assert list_codes(opened.verify()) == ["unknown-key"]
    assert opened.find_candidates().keys() == set(log.entries)
    assert stranger in opened.find_candidates()
