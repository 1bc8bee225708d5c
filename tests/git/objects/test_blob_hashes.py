from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.objects.tree_files import (
    BlobHash,
    append_blob_hashes,
    list_converted,
    load_blob_hashes,
    read_path_blobs,
)
from handoff_tui.git.repository import open_repository
from tests.support.repositories import RepositoryBuilder

ONE, TWO = BlobHash("a" * 40, 3, "1" * 64), BlobHash("b" * 64, 0, "2" * 64)


def test_hashes_are_added_and_found_again(tmp_path: Path) -> None:
    """Only those that are wanted come back; earlier lines stay."""
    place = tmp_path / "cache" / "hashes"
    append_blob_hashes(place, [ONE])
    append_blob_hashes(place, [])
    append_blob_hashes(place, [TWO])
    assert load_blob_hashes(place, {ONE.blob, TWO.blob, "c"}) == {ONE.blob: ONE, TWO.blob: TWO}
    assert load_blob_hashes(place, {TWO.blob}) == {TWO.blob: TWO}


@pytest.mark.parametrize("line", [b"\xff\xfe\n", b"a" * 40 + b" x " + b"1" * 64, b"a" * 40 + b" 3 11\n", b"\n"])
def test_damaged_line_counts_as_absent(tmp_path: Path, line: bytes) -> None:
    """Half a line, or something else, gives no hash."""
    place = tmp_path / "hashes"
    place.write_bytes(line)
    assert load_blob_hashes(place, {ONE.blob}) == {}


def test_table_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    """A folder in its place is no error."""
    append_blob_hashes(tmp_path, [ONE])
    assert load_blob_hashes(tmp_path, {ONE.blob}) == {}


def test_blobs_of_paths_are_found_in_a_tree(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Folders, what is missing, and names that cannot be asked about have none."""
    builder.write("a b", "x").write("dir/c").write("new\nline").commit()
    repository = open_repository(builder.folder)
    tree = builder.head("HEAD^{tree}")
    objects = offer_objects(repository, tmp_path / "cache")
    found = read_path_blobs(repository.git, tree, ["a b", "dir", "dir/c", "missing", "new\nline", "@{x}"], objects)
    assert found == {"a b": builder.head("HEAD:a b"), "dir/c": builder.head("HEAD:dir/c")}
    assert read_path_blobs(repository.git, tree, [], objects) == {}


def test_converted_paths_are_known(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Filters, keyword expansion and encodings; line ends show in the size."""
    attributes = "f filter=x\ni ident\ne working-tree-encoding=UTF-16\nn -filter\nt text\n"
    builder.write(".gitattributes", attributes)
    git = open_repository(builder.folder).git
    assert list_converted(git, ["e", "f", "i", "n", "odd\nname", "t"], tmp_path) == {"e", "f", "i"}
    assert list_converted(git, [], tmp_path) == frozenset()
