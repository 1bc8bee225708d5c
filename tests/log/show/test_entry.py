"""One entry: found by the beginning of its id, shown whole, written as files."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from handoff_tui.core.errors import EntryNotFoundError, StoreWriteError
from handoff_tui.git.repository import open_repository
from handoff_tui.log.open_log import open_log
from handoff_tui.log.show.entries import (
    ShownEntry,
    build_parts,
    find_entry_id,
    list_evidence,
    show_entry,
    write_extract,
)
from handoff_tui.log.show.view import EntryState
from tests.support.real_log import SUBJECT, RealLog, build_signers
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def log(builder: RepositoryBuilder) -> RealLog:
    """A policy, and an approval by alice that bob follows."""
    real = RealLog(builder)
    real.begin()
    real.decide("alice")
    real.decide("bob", handoff="H-2")
    return real


def show(log: RealLog, written: str) -> ShownEntry:
    return show_entry(open_log(open_repository(log.folder)), written)


def find(log: RealLog, actor: str) -> str:
    return [one for one, entry in log.entries.items() if entry.actor == actor][-1]


def run_readme(folder: Path) -> str:
    """Runs the commands of an extract's README, each of which must succeed."""
    commands = [line[4:] for line in (folder / "README.md").read_text("utf-8").split("\n") if line.startswith("    ")]
    done = subprocess.run(
        ["sh", "-e"], cwd=folder, input="\n".join(commands).encode(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.mark.parametrize("length", [4, 12, 64])
def test_entry_is_found_by_the_beginning_of_its_id(log: RealLog, length: int) -> None:
    """With and without the prefix, in any case."""
    wanted = find(log, "bob")
    digest = wanted.removeprefix("sha256:")[:length]
    for written in (digest, f"sha256:{digest}", digest.upper(), f" {digest} "):
        assert show(log, written).view.row.id == wanted


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


def test_decision_is_shown_whole(log: RealLog) -> None:
    """Fields, signer, policy in force, parents, followers, places, evidence."""
    log.builder.commit()
    first = find(log, "alice")
    view = show(log, first).view
    assert view.entry is not None
    assert (view.row.state, view.entry.parents, view.followers) == (
        EntryState.VALID,
        (log.genesis,),
        (find(log, "bob"),),
    )
    assert (view.policy, view.places) == (log.genesis, ("work tree", "refs/heads/main"))
    (signature,) = view.signatures
    assert (signature.principal, signature.key_type, signature.hash) == ("alice", "ssh-ed25519", "sha512")
    assert signature.keyid == view.entry.keyids[0]
    assert [(one.name, one.present) for one in view.evidence] == [("snapshot", False), ("review", False)]
    assert view.size == len(log.read(first))


def test_evidence_that_is_stored_is_told(log: RealLog) -> None:
    """A snapshot and a baseline in the work tree, a review on a branch only."""
    digests = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("baseline", "snapshot", "review")}
    subject = SUBJECT.model_copy(update={"baseline": digests["baseline"], "snapshot": digests["snapshot"]})
    for name in ("baseline", "snapshot"):
        log.builder.write(f".handoff-tui/baselines/{digests[name]}.json", name)
    third = log.decide("alice", handoff="H-3", subject=subject)
    shown = {one.name: (one.digest, one.present) for one in show(log, third).view.evidence}
    assert shown["baseline"] == (digests["baseline"], True)
    assert shown["snapshot"] == (digests["snapshot"], True)
    assert shown["review"] == ("f" * 64, False)
    assert list_evidence(log.entries[log.genesis]) == ()


def test_entry_of_another_branch_is_shown(log: RealLog) -> None:
    """What only a branch has is found there."""
    log.builder.commit().step("branch", "aside")
    last = find(log, "bob")
    log.place(last).unlink()
    log.builder.commit()
    assert show(log, last).view.places == ("refs/heads/aside",)


def test_refused_entry_is_shown_with_its_reason(log: RealLog) -> None:
    """A stranger's entry with its fields; garbage without."""
    stranger = show(log, log.decide("mallory")).view
    assert (stranger.row.state, stranger.row.code, stranger.signatures[0].principal) == (
        EntryState.REFUSED,
        "unknown-key",
        None,
    )
    garbage = show(log, log.store(b"{}\n")).view
    assert (garbage.entry, garbage.row.code, garbage.signatures, garbage.policy) == (None, "bad-envelope", (), None)


def test_entry_whose_file_is_false_cannot_be_shown(log: RealLog) -> None:
    """A name without its content is no entry, also when an earlier look has seen it."""
    last = find(log, "bob")
    show(log, last)
    log.place(last).write_bytes(b"changed")
    with pytest.raises(EntryNotFoundError, match="no file has the content"):
        show(log, last)


def test_extract_can_be_checked_by_hand(log: RealLog, tmp_path: Path) -> None:
    """Payload, PAE, signature, signers and a README whose commands all succeed."""
    shown = show(log, find(log, "alice"))
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


def test_extract_of_a_policy_has_the_former_signers_too(log: RealLog, tmp_path: Path) -> None:
    """A key that the new policy drops is checked against the one before."""
    policy = log.add_policy(signers=build_signers("alice/2", "bob", "claude"), keys=("alice", "alice/2"))
    shown = show(log, policy)
    parts = build_parts(shown)
    assert {"signature-2.sig", "allowed_signers.previous", "policy.previous.toml"} <= parts.keys()
    assert sorted((one.principal, one.former) for one in shown.view.signatures) == [("alice", False), ("alice", True)]
    write_extract(shown, tmp_path)
    assert run_readme(tmp_path).count("Good") == 2


def test_extract_of_a_strangers_entry_says_what_can_be_asked(log: RealLog, tmp_path: Path) -> None:
    """A key that nobody knows: whether its signature fits, and no more; of garbage, the file alone."""
    shown = show(log, log.decide("mallory"))
    write_extract(shown, tmp_path / "stranger")
    assert "Good" in run_readme(tmp_path / "stranger")
    garbage = show(log, log.store(b"{}\n"))
    assert write_extract(garbage, tmp_path / "garbage") == ("entry.intoto.jsonl", "README.md")
    assert "not an entry" in (tmp_path / "garbage" / "README.md").read_text(encoding="utf-8")
    run_readme(tmp_path / "garbage")


def test_extract_overwrites_nothing(log: RealLog, tmp_path: Path) -> None:
    """A file of one of the names keeps all of them from being written."""
    (tmp_path / "entry.pae").write_bytes(b"mine")
    with pytest.raises(StoreWriteError, match="is there already"):
        write_extract(show(log, find(log, "bob")), tmp_path)
    assert [place.name for place in tmp_path.iterdir() if place.is_file()] == ["entry.pae"]
