from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from handoff_tui.changes.snapshots.capture import FileHashes, build_blob_id, load_file_hashes
from handoff_tui.changes.snapshots.snapshot import Unread
from handoff_tui.core.errors import TreeMovedError
from handoff_tui.git.repository import open_repository
from handoff_tui.git.work_tree.capture import offer_objects, write_work_tree
from handoff_tui.system.files.reader import FileReader
from tests.support.repositories import RepositoryBuilder

LIMIT = 1_000


def load(builder: RepositoryBuilder, cache: Path, *paths: str, tree: str | None = None) -> FileHashes:
    repository = open_repository(builder.folder)
    tree = tree or write_work_tree(repository, cache).tree
    return load_file_hashes(repository, tree, paths, offer_objects(repository, cache), cache, LIMIT)


def hash_text(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def test_files_are_hashed_as_they_are_on_disk(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Committed, modified, untracked, ignored, and through a link; what cannot be read is named."""
    builder.write("a", "1\n").write("b").write(".gitignore", "*.log\n").commit()
    builder.write("b", "2\n").write("c", "3\n").write("d.log", "4\n").link("e", "a").write("large", "x" * 2_000)
    found = load(builder, tmp_path / "cache", "a", "b", "c", "d.log", "e", "large", "missing")
    texts = {"a": "1\n", "b": "2\n", "c": "3\n", "d.log": "4\n", "e": "1\n"}
    assert found.hashes == {path: hash_text(text) for path, text in texts.items()}
    assert [(unread.path, unread.reason.split(":")[0]) for unread in found.unread] == [
        ("large", "is too large"),
        ("missing", "does not exist"),
    ]
    assert load(builder, tmp_path / "cache", "a", "b", "c", "d.log", "e", "large", "missing") == found


def test_content_is_read_once(builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when another file has it."""
    builder.write("a", "1\n").commit()
    expected = load(builder, tmp_path / "cache", "a").hashes["a"]
    builder.write("copy", "1\n")
    monkeypatch.setattr(FileReader, "read_bytes", None)
    assert load(builder, tmp_path / "cache", "a", "copy").hashes == {"a": expected, "copy": expected}


@pytest.mark.parametrize("attributes", ["* text=auto eol=crlf\n", "* ident\n", "* working-tree-encoding=UTF-16LE\n"])
def test_converted_file_is_not_taken_for_its_blob(builder: RepositoryBuilder, tmp_path: Path, attributes: str) -> None:
    """The hash is that of the file, though the blob's content was hashed before."""
    builder.write("plain", "$Id$\n").commit()
    cache = tmp_path / "cache"
    load(builder, cache, "plain")
    texts = {"* text": "$Id$\r\n", "* ident": "$Id: 1 $\n", "* working": "$Id$\n".encode("utf-16-le").decode("latin-1")}
    text = next(text for beginning, text in texts.items() if attributes.startswith(beginning))
    builder.write(".gitattributes", attributes).write("other", text.encode("latin-1"))
    found = load(builder, cache, "other", "plain")
    assert found.hashes["other"] == f"sha256:{hashlib.sha256(text.encode('latin-1')).hexdigest()}"
    assert load(builder, cache, "other", "plain") == found


def test_file_that_changed_after_the_tree_is_an_error(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A snapshot does not mix two states."""
    builder.write("a", "1\n").commit()
    tree = write_work_tree(open_repository(builder.folder), tmp_path / "cache").tree
    builder.write("a", "22\n")
    with pytest.raises(TreeMovedError, match="changed while it was captured: a"):
        load(builder, tmp_path / "cache", "a", tree=tree)


def test_path_that_leads_out_is_named(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Nothing outside the repository is read."""
    builder.write("a").commit()
    found = load(builder, tmp_path / "cache", "../outside", "/etc/passwd", "odd\udcff")
    assert found.hashes == {}
    assert [unread.path for unread in found.unread] == ["../outside", "/etc/passwd", "odd\\udcff"]
    assert isinstance(found.unread[0], Unread)


def test_blob_id_is_that_of_git(builder: RepositoryBuilder) -> None:
    """In either object format."""
    assert build_blob_id(b"x\n", 40) == builder.git("hash-object", "--stdin", stdin=b"x\n")
    assert build_blob_id(b"", 64) == "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
