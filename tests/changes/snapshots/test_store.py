from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from handoff_tui.changes.snapshots.snapshot import ClaimedTotals, PackageRecord, Snapshot, TestOutcome, Unread
from handoff_tui.changes.snapshots.store import (
    build_digest,
    build_path,
    encode_snapshot,
    find_snapshot,
    list_foreign,
    list_snapshots,
    parse_snapshot,
    read_snapshot,
    write_snapshot,
)
from handoff_tui.core.errors import SnapshotUnusableError, StoredFileDamagedError, StoredFileMissingError, UsageError

SNAPSHOT = Snapshot(
    tree="a" * 40,
    commit="b" * 40,
    branch="mäin",
    packages={"node:x": PackageRecord(kind="node", name="x", where="package.json", dependencies={"y": ""})},
    tests={"a::b": TestOutcome.FAIL},
    claimed={"H-1": ClaimedTotals(where="r.md", tests={"total": 3})},
    measures={"files": 1},
    unread=(Unread(path="z", reason="is missing"),),
)


def store(root: Path, content: bytes) -> str:
    """A file with the right name, whatever is in it."""
    digest = hashlib.sha256(content).hexdigest()
    place = root / ".handoff-tui" / "baselines" / f"{digest}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    return digest


def test_snapshot_comes_back_as_it_was(tmp_path: Path) -> None:
    """Stored under its digest, and the same one twice is one file."""
    digest = write_snapshot(tmp_path, SNAPSHOT)
    assert write_snapshot(tmp_path, SNAPSHOT) == digest == build_digest(SNAPSHOT)
    assert read_snapshot(tmp_path, digest) == SNAPSHOT
    assert list_snapshots(tmp_path) == (digest,)


def test_form_is_canonical_and_readable_by_hand() -> None:
    """Sorted keys, ASCII, one thing a line, no nulls, nothing that is empty by default; versions are always there."""
    content = encode_snapshot(SNAPSHOT)
    lines = content.decode("ascii").split("\n")
    value = json.loads(content)
    assert (lines[0], lines[-2:]) == ("{", ["}", ""])
    assert list(value) == sorted(value)
    assert (value["schema_version"], value["object_format"]) == (1, "sha1")
    assert "upstream" not in value
    assert value["packages"]["node:x"]["dependencies"] == {"y": ""}
    assert "null" not in content.decode("ascii")
    assert content == encode_snapshot(parse_snapshot(content, "x"))


def test_order_of_the_parts_does_not_change_the_digest() -> None:
    """Tables are sorted when they are written."""
    tests = {"a": TestOutcome.PASS, "b": TestOutcome.FAIL}
    turned = dict(reversed(tests.items()))
    first, second = (SNAPSHOT.model_copy(update={"tests": value}) for value in (tests, turned))
    assert build_digest(first) == build_digest(second)


def test_missing_snapshot_is_an_error(tmp_path: Path) -> None:
    """Its file is named."""
    with pytest.raises(StoredFileMissingError, match="0000"):
        read_snapshot(tmp_path, "0" * 64)


def test_changed_snapshot_is_an_error(tmp_path: Path) -> None:
    """Content and name disagree."""
    digest = write_snapshot(tmp_path, SNAPSHOT)
    place = tmp_path / ".handoff-tui" / "baselines" / f"{digest}.json"
    place.chmod(0o644)
    place.write_bytes(place.read_bytes().replace(b"fail", b"pass"))
    with pytest.raises(StoredFileDamagedError, match=digest):
        read_snapshot(tmp_path, digest)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"\xff{}", "is not JSON"),
        (b"[]", "no schema version"),
        (b"{}", "no schema version"),
        (b'{"schema_version": 2, "tree": "a"}', "schema version 2; this handoff-tui reads version 1"),
        (b'{"schema_version": "1", "tree": "a"}', "schema version '1'"),
        (b'{"schema_version": 1}', "no snapshot: tree"),
        (b'{"schema_version": 1, "tree": "a", "mood": 1}', "unknown field: mood"),
        (b'{"schema_version": 1, "tree": "a", "measures": {"files": 1.5}}', "no snapshot: measures.files"),
        (b'{"schema_version": 1, "tree": "a", "tests": {"x": "vanished"}}', "no snapshot: tests.x"),
    ],
)
def test_file_that_is_no_snapshot_says_why(tmp_path: Path, content: bytes, words: str) -> None:
    """Though its name fits its content."""
    digest = store(tmp_path, content)
    with pytest.raises(SnapshotUnusableError) as caught:
        read_snapshot(tmp_path, digest)
    assert words in caught.value.message
    assert f"{digest}.json" in caught.value.message
    assert caught.value.hint


def test_snapshot_is_found_by_its_first_digits(tmp_path: Path) -> None:
    """Six are enough, with or without the name of the algorithm; a whole one is taken as it is."""
    digest = write_snapshot(tmp_path, SNAPSHOT)
    assert find_snapshot(tmp_path, digest[:6]) == digest
    assert find_snapshot(tmp_path, f" sha256:{digest[:8].upper()}".lower()) == digest
    assert find_snapshot(tmp_path, "0" * 64) == "0" * 64
    with pytest.raises(StoredFileMissingError, match="begins with 000000"):
        find_snapshot(tmp_path, "000000")


@pytest.mark.parametrize("written", ["", "12345", "xyzxyz", "../../a", "1" * 65])
def test_what_begins_no_digest_is_refused(tmp_path: Path, written: str) -> None:
    """Too short, too long, or no hexadecimal digits."""
    with pytest.raises(UsageError, match="not the beginning of a digest"):
        find_snapshot(tmp_path, written)


def test_beginning_of_two_snapshots_is_refused(tmp_path: Path) -> None:
    """Both are shown."""
    folder = tmp_path / ".handoff-tui" / "baselines"
    folder.mkdir(parents=True)
    for last in "01":
        (folder / f"{'a' * 63}{last}.json").touch()
    with pytest.raises(UsageError, match="any of 2 snapshots: aaaaaaaaaaaa, aaaaaaaaaaaa"):
        find_snapshot(tmp_path, "aaaaaa")


@pytest.mark.parametrize("change", [{"tree": "--batch"}, {"tree": "HEAD"}, {"commit": "v1.0"}, {"commit": "a" * 41}])
def test_id_that_is_none_is_refused(change: dict[str, str]) -> None:
    """Git would be asked for it, and might take it for an option or a name."""
    content = encode_snapshot(SNAPSHOT.model_copy(update=change))
    with pytest.raises(SnapshotUnusableError, match="is no object id"):
        parse_snapshot(content, "x.json")


def test_foreign_files_are_listed(tmp_path: Path) -> None:
    """What is no snapshot by its name; the path of one that is can be built."""
    digest = write_snapshot(tmp_path, SNAPSHOT)
    (tmp_path / ".handoff-tui" / "baselines" / "notes.txt").touch()
    assert list_foreign(tmp_path) == (".handoff-tui/baselines/notes.txt",)
    assert (tmp_path / build_path(digest)).is_file()
