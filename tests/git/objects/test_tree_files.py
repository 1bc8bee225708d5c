from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.objects.tree_files import (
    BlobHash,
    TreeFile,
    append_blob_hashes,
    list_converted,
    load_blob_hashes,
    read_path_blobs,
    read_tree_contents,
    read_tree_file_changes,
    read_tree_files,
)
from handoff_tui.git.repository import open_repository
from tests.support.repositories import RepositoryBuilder


def test_files_of_a_tree_are_listed_with_sizes(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Files and links, whatever their names; a submodule is none."""
    library = RepositoryBuilder.init(tmp_path / "library").write("x").commit()
    builder.write("a\nb", "1234").link("link", "a").submodule(library, "lib")
    repository = open_repository(builder.folder)
    files = read_tree_files(repository.git, "HEAD", offer_objects(repository, tmp_path / "cache"))
    assert [(file.path, file.link, file.size) for file in files if file.path != ".gitmodules"] == [
        ("a\nb", False, 4),
        ("link", True, 1),
    ]


def test_moves_between_trees_are_listed(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Added, changed and deleted; a file that becomes a link is another one."""
    builder.write("kept").write("changed", "1\n").write("gone").write("turned").commit()
    (builder.folder / "gone").unlink()
    (builder.folder / "turned").unlink()
    builder.write("changed", "2\n").write("new").link("turned", "kept").commit()
    repository = open_repository(builder.folder)
    moves = read_tree_file_changes(repository.git, "HEAD~1", "HEAD", offer_objects(repository, tmp_path / "cache"))
    assert [(move.path, move.old is not None, move.new is not None) for move in moves] == [
        ("changed", True, True),
        ("gone", True, False),
        ("new", False, True),
        ("turned", True, True),
    ]
    assert moves[-1].new == TreeFile("turned", builder.head("HEAD:turned"), link=True, size=None)


def test_contents_are_read_up_to_a_size(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """What is larger, by its listed or its true size, or missing, is nothing."""
    builder.write("small", "12").write("large", "123456").commit()
    small, large, missing = builder.head("HEAD:small"), builder.head("HEAD:large"), "0" * 40
    repository = open_repository(builder.folder)
    asked = [(small, 2), (large, None), (missing, None), (large, 6)]
    found = list(read_tree_contents(repository.git, asked, 5, offer_objects(repository, tmp_path / "cache")))
    assert dict(found) == {small: b"12", large: None, missing: None}


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
