from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from handoff_tui.core.errors import CaptureError
from handoff_tui.git.objects.private_objects import OwnObjects, WrittenEntry
from handoff_tui.git.repository import open_repository
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder


def list_tree(builder: RepositoryBuilder, revision: str = "HEAD") -> dict[str, WrittenEntry]:
    rows = builder.git("ls-tree", "-r", "-z", revision).split("\0")
    pairs = (row.split("\t", 1) for row in rows if row)
    return {path: WrittenEntry(facts.split()[0], facts.split()[2]) for facts, path in pairs}


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_tree_is_the_one_that_git_would_write(tmp_path: Path, form: str) -> None:
    """Names, modes, folders and their order."""
    builder = RepositoryBuilder.init(tmp_path / "repository", f"--object-format={form}")
    for path in ("a", "a.b", "a-b/c", "a0/b/c/d", "z/é", "z/y"):
        builder.write(path, path)
    builder.link("link", "a").place("z/y").chmod(0o755)
    builder.commit()
    objects = OwnObjects(open_repository(builder.folder), tmp_path / "cache")
    assert objects.write_tree(list_tree(builder)) == (builder.head("HEAD^{tree}"), ())


def test_path_below_a_file_is_left_out_and_named(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """No tree holds both."""
    builder.write("a").commit()
    [entry] = list_tree(builder).values()
    objects = OwnObjects(open_repository(builder.folder), tmp_path / "cache")
    tree = objects.write_tree({"a": entry, "a/b/c": entry})
    assert (tree.id, tree.left_out) == (builder.head("HEAD^{tree}"), ("a/b/c",))


def test_contents_are_written_beside_the_repository(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Its own objects stay as they are; a content that has changed meanwhile is refused."""
    builder.write("a", "one\n").commit().write("a", "two\n").link("link", "a")
    repository = open_repository(builder.folder)
    before = read_fingerprint(builder.folder)
    objects = OwnObjects(repository, tmp_path / "cache")
    entry, link = build_entry("100644", b"two\n"), build_entry("120000", b"a")
    objects.write_contents([("a", entry), ("link", link)])
    read = repository.git.read("cat-file", "blob", entry.blob, extra=objects.variables)
    assert read == b"two\n"
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []
    with pytest.raises(CaptureError, match="changed while"):
        objects.write_contents([("a", build_entry("100644", b"three\n"))])
    with pytest.raises(CaptureError, match="can't be read"):
        objects.write_contents([("gone", build_entry("100644", b"four\n"))])


def build_entry(mode: str, content: bytes) -> WrittenEntry:
    return WrittenEntry(mode, hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest())
