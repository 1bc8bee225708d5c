"""The list of entries, and one entry in full."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from handoff_tui.core.errors import EntryNotFoundError, StoreWriteError
from handoff_tui.git.repository import open_repository
from handoff_tui.log.open_log import open_log
from handoff_tui.log.show.entries import (
    EntryFilter,
    ShownEntry,
    build_parts,
    find_entry_id,
    list_evidence,
    list_log,
    show_entry,
    write_extract,
)
from handoff_tui.log.show.view import EntryState, ShownLog
from tests.support.logs import build_policy_toml, build_signers
from tests.support.real_log import SUBJECT, RealLog
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def log(builder: RepositoryBuilder) -> RealLog:
    """A policy, a submission, an approval and a rejection."""
    real = RealLog(builder)
    real.begin()
    real.submit(handoff="H-1")
    real.decide("alice", handoff="H-1")
    real.decide("bob", "reject", handoff="H-2", phase="release", attempt=3)
    return real


def read(log: RealLog, **choice: str) -> ShownLog:
    return list_log(open_log(open_repository(log.folder)), EntryFilter(**choice))


def test_list_is_newest_first_with_every_fact(log: RealLog) -> None:
    """Who, in which role, did what, on which work, and whether it is a head."""
    rows = read(log).rows
    assert [(row.kind, row.what, row.actor, row.roles) for row in rows] == [
        ("decision", "reject", "bob", ("reviewer",)),
        ("decision", "approve", "alice", ("reviewer", "root")),
        ("submission", "submit", "claude", ("agent",)),
        ("policy", "policy 1", "alice", ("reviewer", "root")),
    ]
    assert (rows[0].handoff, rows[0].phase, rows[0].attempt, rows[0].seq) == ("H-2", "release", 3, 4)
    assert [row.head for row in rows] == [True, False, False, False]
    assert {row.state for row in rows} == {EntryState.VALID}
    assert rows[3].handoff is None


def test_entries_beside_each_other_are_ordered_by_time(log: RealLog) -> None:
    """No entry stands above one that follows it."""
    branch = log.decide("alice", parents=(log.genesis,), time="2026-01-01T12:00:00Z", handoff="H-9")
    rows = read(log).rows
    assert rows[0].id == branch
    places = {row.id: number for number, row in enumerate(rows)}
    for one, entry in log.entries.items():
        assert all(places[one] < places[parent] for parent in entry.parents)
    assert sum(row.head for row in rows) == 2


@pytest.mark.parametrize(
    ("choice", "found"),
    [
        ({"handoff": "H-1"}, ["approve", "submit"]),
        ({"person": "bob"}, ["reject"]),
        ({"verb": "approve"}, ["approve"]),
        ({"verb": "policy"}, ["policy 1"]),
        ({"verb": "submit", "person": "claude"}, ["submit"]),
        ({"verb": "submit", "person": "alice"}, []),
        ({"handoff": "H-77"}, []),
    ],
)
def test_choice_narrows_the_list(log: RealLog, choice: dict[str, str], found: list[str]) -> None:
    """All that was asked for must fit; the total stays."""
    view = read(log, **choice)
    assert [row.what for row in view.rows] == found
    assert view.total == 4


def test_refused_entries_are_listed_with_their_reason(log: RealLog) -> None:
    """Those that can be read with their fields, those that cannot last, with nothing but the reason."""
    stranger = log.decide("mallory")
    garbage = log.store(b"{}\n")
    view = read(log)
    rows = {row.id: row for row in view.rows}
    assert (rows[stranger].state, rows[stranger].code, rows[stranger].actor) == (
        EntryState.REFUSED,
        "unknown-key",
        "mallory",
    )
    assert "not in the policy" in rows[stranger].why
    assert (view.rows[-1].id, view.rows[-1].code, view.rows[-1].time) == (garbage, "bad-envelope", None)
    assert rows[stranger].roles == ()


def test_void_entries_are_listed_with_their_reason(log: RealLog) -> None:
    """What a dropped key signed beside the policy that dropped it."""
    parents = log.heads()
    log.add_policy(build_policy_toml(reviewers=("alice",)), build_signers("alice", "claude"))
    hidden = log.decide("bob", parents=parents, policy_id=log.genesis)
    (row,) = (row for row in read(log).rows if row.state is EntryState.VOID)
    assert row.id == hidden
    assert log.policy in row.why


def test_orphan_is_refused_and_the_log_fatal(log: RealLog) -> None:
    """An entry whose parent is gone says so itself."""
    submission = next(one for one, entry in log.entries.items() if entry.actor == "claude")
    log.place(submission).unlink()
    view = read(log)
    assert view.fatal
    assert [row.code for row in view.rows] == ["parent-refused", "missing-parent", None]


def test_entry_by_a_policy_without_sense_has_no_roles(log: RealLog) -> None:
    """A policy that cannot be read gives nobody a role, and stops nothing."""
    log.add_policy("nonsense")
    row = read(log, verb="policy").rows[0]
    assert (row.code, row.roles) == ("bad-policy", ())


def test_repository_without_a_log_has_an_empty_list(builder: RepositoryBuilder) -> None:
    """Having no entries isn't a fault."""
    view = read(RealLog(builder))
    assert (view.total, view.rows, view.log, view.fatal) == (0, (), None, False)


@pytest.fixture
def two(builder: RepositoryBuilder) -> RealLog:
    """A policy, and an approval by alice that bob follows."""
    real = RealLog(builder)
    real.begin()
    real.decide("alice")
    real.decide("bob", handoff="H-2")
    return real


def show(two: RealLog, written: str) -> ShownEntry:
    return show_entry(open_log(open_repository(two.folder)), written)


def find(two: RealLog, actor: str) -> str:
    return [one for one, entry in two.entries.items() if entry.actor == actor][-1]


def run_readme(folder: Path) -> str:
    """Runs the commands of an extract's README, each of which must succeed."""
    commands = [line[4:] for line in (folder / "README.md").read_text("utf-8").split("\n") if line.startswith("    ")]
    done = subprocess.run(
        ["sh", "-e"], cwd=folder, input="\n".join(commands).encode(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.mark.parametrize("length", [4, 12, 64])
def test_entry_is_found_by_the_beginning_of_its_id(two: RealLog, length: int) -> None:
    """With and without the prefix, in any case."""
    wanted = find(two, "bob")
    digest = wanted.removeprefix("sha256:")[:length]
    for written in (digest, f"sha256:{digest}", digest.upper(), f" {digest} "):
        assert show(two, written).view.row.id == wanted


def test_beginning_that_fits_none_or_several_is_told() -> None:
    """No guess: nothing found, too short, no hex, more than one."""
    ids = tuple(f"sha256:aaaa{number:060x}" for number in range(8))
    for written, words in (
        ("bbbb", "no entry"),
        ("aaa", "not the beginning"),
        ("zzzz", "not the"),
        ("aaaa", "8 entries"),
    ):
        with pytest.raises(EntryNotFoundError, match=words):
            find_entry_id(ids, written)
    assert find_entry_id(ids, ids[3]) == ids[3]


def test_decision_is_shown_whole(two: RealLog) -> None:
    """Fields, signer, policy in force, parents, followers, places, evidence."""
    two.builder.commit()
    first = find(two, "alice")
    view = show(two, first).view
    assert view.entry is not None
    assert (view.row.state, view.entry.parents, view.followers) == (
        EntryState.VALID,
        (two.genesis,),
        (find(two, "bob"),),
    )
    assert (view.policy, view.places) == (two.genesis, ("work tree", "refs/heads/main"))
    (signature,) = view.signatures
    assert (signature.principal, signature.key_type, signature.hash) == ("alice", "ssh-ed25519", "sha512")
    assert signature.keyid == view.entry.keyids[0]
    assert [(one.name, one.present) for one in view.evidence] == [("snapshot", False), ("review", False)]
    assert view.size == len(two.read(first))


def test_evidence_that_is_stored_is_told(two: RealLog) -> None:
    """A snapshot and a baseline in the work tree, a review on a branch only."""
    digests = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("baseline", "snapshot", "review")}
    subject = SUBJECT.model_copy(update={"baseline": digests["baseline"], "snapshot": digests["snapshot"]})
    for name in ("baseline", "snapshot"):
        two.builder.write(f".handoff-tui/baselines/{digests[name]}.json", name)
    third = two.decide("alice", handoff="H-3", subject=subject)
    shown = {one.name: (one.digest, one.present) for one in show(two, third).view.evidence}
    assert shown["baseline"] == (digests["baseline"], True)
    assert shown["snapshot"] == (digests["snapshot"], True)
    assert shown["review"] == ("f" * 64, False)
    assert list_evidence(two.entries[two.genesis]) == ()


def test_entry_of_another_branch_is_shown(two: RealLog) -> None:
    """What only a branch has is found there."""
    two.builder.commit().step("branch", "aside")
    last = find(two, "bob")
    two.place(last).unlink()
    two.builder.commit()
    assert show(two, last).view.places == ("refs/heads/aside",)


def test_refused_entry_is_shown_with_its_reason(two: RealLog) -> None:
    """A stranger's entry with its fields; garbage without."""
    stranger = show(two, two.decide("mallory")).view
    assert (stranger.row.state, stranger.row.code, stranger.signatures[0].principal) == (
        EntryState.REFUSED,
        "unknown-key",
        None,
    )
    garbage = show(two, two.store(b"{}\n")).view
    assert (garbage.entry, garbage.row.code, garbage.signatures, garbage.policy) == (None, "bad-envelope", (), None)


def test_entry_whose_file_is_false_cannot_be_shown(two: RealLog) -> None:
    """A name without its content isn't an entry, also when an earlier look has seen it."""
    last = find(two, "bob")
    show(two, last)
    two.place(last).write_bytes(b"changed")
    with pytest.raises(EntryNotFoundError, match="no file has the content"):
        show(two, last)


def test_extract_can_be_checked_by_hand(two: RealLog, tmp_path: Path) -> None:
    """Payload, PAE, signature, signers and a README whose commands all succeed."""
    shown = show(two, find(two, "alice"))
    names = write_extract(shown, tmp_path / "out")
    assert names == (
        "entry.intoto.jsonl",
        "payload.json",
        "entry.pae",
        "signature-1.sig",
        "allowed_signers",
        "policy.toml",
        "README.md",
    )
    assert 'Good "handoff-log@handoff-tui" signature for alice' in run_readme(tmp_path / "out")
    (tmp_path / "out" / "entry.pae").write_bytes(b"other")
    with pytest.raises(AssertionError):
        run_readme(tmp_path / "out")


def test_extract_of_a_policy_has_the_former_signers_too(two: RealLog, tmp_path: Path) -> None:
    """A key that the new policy drops is checked against the one before."""
    policy = two.add_policy(signers=build_signers("alice/2", "bob", "claude"), keys=("alice", "alice/2"))
    shown = show(two, policy)
    parts = build_parts(shown)
    assert {"signature-2.sig", "allowed_signers.previous", "policy.previous.toml"} <= parts.keys()
    assert sorted((one.principal, one.former) for one in shown.view.signatures) == [("alice", False), ("alice", True)]
    write_extract(shown, tmp_path)
    assert run_readme(tmp_path).count("Good") == 2


def test_extract_of_a_strangers_entry_says_what_can_be_asked(two: RealLog, tmp_path: Path) -> None:
    """A key that nobody knows: whether its signature fits, and no more; of garbage, the file alone."""
    shown = show(two, two.decide("mallory"))
    write_extract(shown, tmp_path / "stranger")
    assert "Good" in run_readme(tmp_path / "stranger")
    garbage = show(two, two.store(b"{}\n"))
    assert write_extract(garbage, tmp_path / "garbage") == ("entry.intoto.jsonl", "README.md")
    assert "not an entry" in (tmp_path / "garbage" / "README.md").read_text(encoding="utf-8")
    run_readme(tmp_path / "garbage")


def test_extract_overwrites_nothing(two: RealLog, tmp_path: Path) -> None:
    """A file of one of the names keeps all of them from being written."""
    (tmp_path / "entry.pae").write_bytes(b"mine")
    with pytest.raises(StoreWriteError, match="is there already"):
        write_extract(show(two, find(two, "bob")), tmp_path)
    assert [place.name for place in tmp_path.iterdir() if place.is_file()] == ["entry.pae"]
