from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from handoff_tui.git.repository import open_repository
from handoff_tui.log.storage.blobs import MAX_ENTRY_BYTES, LogBlobs, LogListing
from tests.support.repositories import RepositoryBuilder


def name(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def path_of(content: bytes) -> str:
    digest = hashlib.sha256(content).hexdigest()
    return f".handoff-tui/log/{digest[:2]}/{digest}.intoto.jsonl"


def look(builder: RepositoryBuilder) -> tuple[LogBlobs, LogListing]:
    blobs = LogBlobs(open_repository(builder.folder))
    return blobs, blobs.read_listing()


def read_all(builder: RepositoryBuilder) -> tuple[dict[str, bytes], set[tuple[str, str]]]:
    """Contents, and path and place of all that is unsuitable."""
    blobs, listing = look(builder)
    read = blobs.read_contents(listing, listing.ids)
    return read.contents, {(one.path, one.where) for one in (*listing.unsuitable, *read.unsuitable)}


def test_repository_without_a_log_has_no_entries(builder: RepositoryBuilder) -> None:
    """On an unborn branch, and after a commit."""
    assert read_all(builder) == ({}, set())
    builder.write("file").commit()
    assert read_all(builder) == ({}, set())


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_entries_come_from_work_tree_and_all_branches(tmp_path: Path, object_format: str) -> None:
    """Local and remote-tracking branches, the work tree, each entry once, with all its places."""
    builder = RepositoryBuilder.init(tmp_path / "repository", f"--object-format={object_format}")
    builder.write(path_of(b"one\n"), b"one\n").commit()
    builder.step("checkout", "--quiet", "-b", "side").write(path_of(b"two\n"), b"two\n").commit()
    builder.ref("refs/remotes/origin/far").step("checkout", "--quiet", "main").step("branch", "-D", "side")
    builder.write(path_of(b"three\n"), b"three\n")
    contents, unsuitable = read_all(builder)
    assert contents == {name(content): content for content in (b"one\n", b"two\n", b"three\n")}
    assert unsuitable == set()
    _, listing = look(builder)
    assert listing.find_places(name(b"one\n")) == ("work tree", "refs/heads/main", "refs/remotes/origin/far")
    assert listing.find_places(name(b"two\n")) == ("refs/remotes/origin/far",)
    assert listing.find_places(name(b"three\n")) == ("work tree",)
    assert listing.find_places(name(b"none\n")) == ()


def test_tags_and_other_refs_are_not_asked(builder: RepositoryBuilder) -> None:
    """The union is over branches; a note or a tag adds nothing."""
    builder.write("file").commit().step("checkout", "--quiet", "-b", "side")
    builder.write(path_of(b"one\n"), b"one\n").commit().tag("v1").step("checkout", "--quiet", "main")
    builder.step("branch", "-D", "side")
    assert read_all(builder) == ({}, set())


def test_only_what_is_asked_for_is_read(builder: RepositoryBuilder) -> None:
    """Names are listed without contents; a damaged file is noticed when it is read."""
    builder.write(path_of(b"one\n"), b"one\n").write(path_of(b"two\n"), b"changed\n")
    blobs, listing = look(builder)
    assert listing.ids == tuple(sorted([name(b"one\n"), name(b"two\n")]))
    assert listing.unsuitable == ()
    assert blobs.read_contents(listing, [name(b"one\n")]) == ({name(b"one\n"): b"one\n"}, ())


def test_true_copy_on_a_branch_serves_where_the_work_tree_has_a_false_one(builder: RepositoryBuilder) -> None:
    """An edit in place is named; the entry itself is not lost."""
    builder.write(path_of(b"one\n"), b"one\n").commit().write(path_of(b"one\n"), b"edited\n")
    assert read_all(builder) == ({name(b"one\n"): b"one\n"}, {(path_of(b"one\n"), "work tree")})


def test_false_copy_on_a_branch_is_named_beside_the_true_one(builder: RepositoryBuilder) -> None:
    """Every branch that has it is named."""
    builder.write(path_of(b"one\n"), b"one\n").commit().step("checkout", "--quiet", "-b", "side")
    builder.write(path_of(b"one\n"), b"edited\n").commit().step("checkout", "--quiet", "main")
    assert read_all(builder) == ({name(b"one\n"): b"one\n"}, {(path_of(b"one\n"), "refs/heads/side")})


def test_entry_deleted_from_the_work_tree_is_still_on_its_branch(builder: RepositoryBuilder) -> None:
    """What was committed once stays part of the log."""
    builder.write(path_of(b"one\n"), b"one\n").commit()
    builder.place(path_of(b"one\n")).unlink()
    assert read_all(builder)[0] == {name(b"one\n"): b"one\n"}


def test_unsuitable_things_in_the_work_tree_are_named(builder: RepositoryBuilder) -> None:
    """Link, pipe, wrong shard, wrong name, too large: no entry, and a reason for each."""
    large = b"x" * (MAX_ENTRY_BYTES + 1)
    builder.write(path_of(large), large).write(".handoff-tui/log/zz/file").write(".handoff-tui/log/00/name")
    builder.link(path_of(b"one\n"), "/etc/passwd")
    builder.place(path_of(b"two\n")).parent.mkdir(exist_ok=True)
    os.mkfifo(builder.place(path_of(b"two\n")))
    contents, unsuitable = read_all(builder)
    assert contents == {}
    paths = (path_of(large), ".handoff-tui/log/zz", ".handoff-tui/log/00/name", path_of(b"one\n"), path_of(b"two\n"))
    assert unsuitable == {(path, "work tree") for path in paths}


def test_unsuitable_things_on_a_branch_are_named(builder: RepositoryBuilder) -> None:
    """The same for what was committed."""
    large = b"x" * (MAX_ENTRY_BYTES + 1)
    builder.write(path_of(large), large).write(".handoff-tui/log/zz/file").write(".handoff-tui/log/00/name")
    builder.link(path_of(b"one\n"), "/etc/passwd").write(".handoff-tui/log/.tmp-1", "torn").commit()
    builder.step("rm", "-r", "-q", ".handoff-tui")
    contents, unsuitable = read_all(builder)
    assert contents == {}
    paths = (path_of(large), ".handoff-tui/log/zz", ".handoff-tui/log/00/name", path_of(b"one\n"))
    assert unsuitable == {(path, "refs/heads/main") for path in paths}


@pytest.mark.parametrize("linked", [".handoff-tui", ".handoff-tui/log"])
def test_linked_folder_is_named_and_branches_still_count(builder: RepositoryBuilder, linked: str) -> None:
    """A link in the work tree hides nothing that was committed."""
    builder.write(path_of(b"one\n"), b"one\n").commit()
    builder.place(linked).rename(builder.place("away"))
    builder.link(linked, "away")
    contents, unsuitable = read_all(builder)
    assert contents == {name(b"one\n"): b"one\n"}
    assert unsuitable == {(".handoff-tui/log", "work tree")}


def test_replaced_object_is_not_followed(builder: RepositoryBuilder) -> None:
    """`git replace` puts nothing else in the place of a commit, a folder or an entry."""
    builder.write(path_of(b"one\n"), b"one\n").commit()
    blob = builder.git("rev-parse", f"HEAD:{path_of(b'one' + bytes([10]))}")
    other = builder.git("hash-object", "-w", "--stdin", stdin=b"forged\n")
    builder.step("replace", blob, other)
    builder.step("update-ref", "refs/heads/keep", "HEAD").place(path_of(b"one\n")).unlink()
    assert read_all(builder) == ({name(b"one\n"): b"one\n"}, set())


def test_missing_object_is_named(builder: RepositoryBuilder) -> None:
    """A clone that lacks the blob says so; nothing is fetched or guessed."""
    builder.write(path_of(b"one\n"), b"one\n").commit()
    blob = builder.git("rev-parse", f"HEAD:{path_of(b'one' + bytes([10]))}")
    builder.place(f".git/objects/{blob[:2]}/{blob[2:]}").unlink()
    builder.place(path_of(b"one\n")).unlink()
    contents, unsuitable = read_all(builder)
    assert contents == {}
    assert unsuitable == {(path_of(b"one\n"), "refs/heads/main")}


def test_branch_that_moves_is_seen_by_who_looked_before(builder: RepositoryBuilder) -> None:
    """What is remembered is bound to commits, not to names of branches."""
    builder.write(path_of(b"one\n"), b"one\n").commit()
    blobs, before = look(builder)
    builder.step("checkout", "--quiet", "-b", "side").write(path_of(b"two\n"), b"two\n").commit()
    builder.step("checkout", "--quiet", "main")
    after = blobs.read_listing()
    assert set(after.ids) - set(before.ids) == {name(b"two\n")}
    assert blobs.read_contents(after, after.ids).contents.keys() == set(after.ids)


def test_one_tree_under_two_shards_is_right_in_one_only(builder: RepositoryBuilder) -> None:
    """The same folder committed under another shard's name holds no entries there."""
    builder.write(path_of(b"one\n"), b"one\n").commit()
    shard = path_of(b"one\n").split("/")[2]
    tree = builder.git("rev-parse", f"HEAD:.handoff-tui/log/{shard}")
    builder.step("read-tree", "--prefix=.handoff-tui/log/00/", tree)
    builder.git("commit", "--quiet", "-m", "twice")
    contents, unsuitable = read_all(builder)
    assert contents == {name(b"one\n"): b"one\n"}
    assert {where for _, where in unsuitable} == {"refs/heads/main"}


def test_look_changes_nothing(builder: RepositoryBuilder) -> None:
    """Reading the log writes neither into the work tree nor into the git folder."""
    builder.write(path_of(b"one\n"), b"one\n").commit()
    before = {path: path.stat().st_mtime_ns for path in builder.folder.rglob("*")}
    read_all(builder)
    assert {path: path.stat().st_mtime_ns for path in builder.folder.rglob("*")} == before
