from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.git.repository import open_repository
from handoff_tui.git.work_tree.patched_tree import ContentRules, is_stored_as_is, read_content_rules
from tests.support.repositories import RepositoryBuilder


def read(builder: RepositoryBuilder) -> ContentRules:
    return read_content_rules(open_repository(builder.folder))


def is_plain(builder: RepositoryBuilder, path: str = "folder/a.txt", content: bytes = b"text\n") -> bool:
    return is_stored_as_is(read(builder), builder.folder, path, content)


def test_plain_text_is_stored_as_it_is(builder: RepositoryBuilder) -> None:
    """Also where rules about line ends hold: without a carriage return they change nothing."""
    assert is_plain(builder)
    builder.write(".gitattributes", "* text=auto\n")
    assert is_plain(builder)
    assert not is_plain(builder, content=b"one\r\n")


@pytest.mark.parametrize("place", [".gitattributes", "folder/.gitattributes", ".git/info/attributes"])
@pytest.mark.parametrize("rule", ["*.txt filter=lfs", "* ident", "*.txt working-tree-encoding=UTF-16"])
def test_converting_attributes_are_left_to_git(builder: RepositoryBuilder, place: str, rule: str) -> None:
    """Wherever they stand above the file."""
    builder.write(place, f"{rule}\n")
    assert not is_plain(builder)


def test_attributes_beside_the_path_do_not_count(builder: RepositoryBuilder) -> None:
    """Those of another folder say nothing about it."""
    builder.write("other/.gitattributes", "* filter=lfs\n")
    assert is_plain(builder)


def test_attributes_of_the_user_count(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """In their usual place, and where the configuration names another."""
    usual = isolated_user / "config" / "git" / "attributes"
    usual.parent.mkdir(parents=True)
    usual.write_text("* filter=mine\n", encoding="utf-8")
    assert not is_plain(builder)
    usual.unlink()
    assert is_plain(builder)
    named = isolated_user / "named"
    named.write_text("* ident\n", encoding="utf-8")
    (isolated_user / "gitconfig").write_text(f"[core]\n\tattributesFile = {named}\n", encoding="utf-8")
    assert not is_plain(builder)


def test_attributes_that_cannot_be_read_are_left_to_git(builder: RepositoryBuilder) -> None:
    """What cannot be told is not guessed."""
    builder.place(".gitattributes").mkdir()
    assert not is_plain(builder)


def test_modes_count_unless_told_otherwise(builder: RepositoryBuilder) -> None:
    """By core.fileMode."""
    assert read(builder).modes_count
    builder.config("core.fileMode", "false")
    assert not read(builder).modes_count
