from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.system.files.addressed_files import FolderListing, ListedFolder
from handoff_tui.system.files.atomic_write import FOLDER_FLAGS, SYSTEM
from tests.support.failing_calls import FailingCalls

SUFFIX = ".json"
LONG_AGO = 1_000_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, FOLDER_FLAGS)
    yield descriptor
    os.close(descriptor)


def add(root: Path, digest: str, shard: str | None = None) -> Path:
    place = root / (shard or digest[:2]) / f"{digest}{SUFFIX}"
    place.parent.mkdir(exist_ok=True)
    place.write_text("content")
    return place


def build_digest(beginning: str) -> str:
    return beginning.ljust(64, "0")


def list_digests(found: list[ListedFolder]) -> list[str]:
    return [digest for one in found for digest in one.digests]


def test_shards_come_in_their_order(tmp_path: Path, folder: int) -> None:
    """All digests together are sorted."""
    digests = [build_digest(beginning) for beginning in ("ff", "00", "7a1", "7a0")]
    for digest in digests:
        add(tmp_path, digest)
    assert list_digests(FolderListing("shown", SUFFIX, SYSTEM).look_at_shards(folder)) == sorted(digests)


def test_change_is_seen_at_once(tmp_path: Path, folder: int) -> None:
    """New, removed and replaced files, also when the look before was a moment ago."""
    listing = FolderListing("shown", SUFFIX, SYSTEM)
    first = add(tmp_path, build_digest("aa1"))
    for number in range(50):
        listing.look_at_shards(folder)
        digest = build_digest(f"aa{number + 2:03}")
        add(tmp_path, digest)
        assert digest in list_digests(listing.look_at_shards(folder))
    first.unlink()
    assert build_digest("aa1") not in list_digests(listing.look_at_shards(folder))
    shutil.rmtree(tmp_path / "aa")
    assert list_digests(listing.look_at_shards(folder)) == []


def test_shard_that_has_settled_is_not_read_again(tmp_path: Path, folder: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it is older than the coarsest clock, its times tell whether it changed; then it is read again."""
    calls = FailingCalls()
    listing = FolderListing("shown", SUFFIX, calls)
    add(tmp_path, build_digest("aa"))
    now = (tmp_path / "aa").stat().st_ctime_ns
    monkeypatch.setattr("handoff_tui.system.files.addressed_files.time.time_ns", lambda: now + 3 * LONG_AGO)
    first = listing.look_at_shards(folder)
    assert calls.made.count("open") == 1
    assert listing.look_at_shards(folder)[0] is first[0]
    assert calls.made.count("open") == 1
    add(tmp_path, build_digest("aa1"))
    assert list_digests(listing.look_at_shards(folder)) == sorted([build_digest("aa"), build_digest("aa1")])


def test_times_that_were_set_back_deceive_nobody(tmp_path: Path, folder: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted file, and the folder's time of change put back as it was: the time that nobody can set tells."""
    listing = FolderListing("shown", SUFFIX, SYSTEM)
    add(tmp_path, build_digest("aa"))
    status = (tmp_path / "aa").stat()
    monkeypatch.setattr(
        "handoff_tui.system.files.addressed_files.time.time_ns", lambda: status.st_ctime_ns + 3 * LONG_AGO
    )
    listing.look_at_shards(folder)
    add(tmp_path, build_digest("aa1"))
    os.utime(tmp_path / "aa", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert len(list_digests(listing.look_at_shards(folder))) == 2


def test_foreign_things_have_their_reasons(tmp_path: Path, folder: int) -> None:
    """Between the shards and inside them."""
    add(tmp_path, build_digest("bb"), shard="aa")
    (tmp_path / "aa" / "notes").touch()
    (tmp_path / "aa" / f"{build_digest('aa')}{SUFFIX}").mkdir()
    (tmp_path / "AA").mkdir()
    (tmp_path / ".tmp-1").touch()
    found = FolderListing("shown", SUFFIX, SYSTEM).look_at_shards(folder)
    reasons = {foreign.path: foreign.reason for one in found for foreign in one.foreign}
    assert reasons == {
        "shown/AA": "not a shard of this store",
        f"shown/aa/{build_digest('bb')}{SUFFIX}": "it is in the wrong shard",
        "shown/aa/notes": f"its name is not a SHA-256 digest and {SUFFIX}",
        f"shown/aa/{build_digest('aa')}{SUFFIX}": "it is a link, a folder, a pipe or a device, not a regular file",
    }


def test_folder_without_shards_is_one(tmp_path: Path, folder: int) -> None:
    """Its files lie in it directly."""
    (tmp_path / f"{build_digest('cc')}{SUFFIX}").touch()
    found = FolderListing("shown", SUFFIX, SYSTEM).look_at_files(folder)
    assert list_digests(found) == [build_digest("cc")]
