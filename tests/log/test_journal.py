from __future__ import annotations

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
from handoff_tui.git.signing.ssh_keygen import SigningTool
from handoff_tui.log.entries.envelope import build_pae
from handoff_tui.log.entry import LogVerdict
from handoff_tui.log.journal import Draft, Journal, Parents, build_parents
from handoff_tui.log.policy.signers import build_line
from tests.support.journals import Desk, build_decision, build_genesis, build_policy
from tests.support.log_keys import build_example_key
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
