from __future__ import annotations

from pathlib import Path

from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.objects.tree_files import TreeFile, read_tree_contents, read_tree_file_changes, read_tree_files
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
