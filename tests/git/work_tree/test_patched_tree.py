from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.git.repository import open_repository, read_work_tree
from handoff_tui.git.work_tree.patched_tree import (
    ContentRules,
    PatchedTree,
    find_gone,
    is_stored_as_is,
    patch_work_tree,
    read_content_rules,
)
from tests.support.repositories import RepositoryBuilder

Act = Callable[[RepositoryBuilder], object]


def unlink(path: str) -> Act:
    return lambda builder: builder.place(path).unlink()


def write(path: str, text: str) -> Act:
    return lambda builder: builder.write(path, text)


def make_executable(path: str, mode: int) -> Act:
    return lambda builder: builder.place(path).chmod(mode)


SAVES: list[tuple[str, Act]] = [
    ("a.py", write("a.py", "changed\n")),
    ("a.py", write("a.py", "changed again\n")),
    ("a.py", write("a.py", "one\n")),
    ("folder/b.py", unlink("folder/b.py")),
    ("folder/b.py", write("folder/b.py", "two\n")),
    ("new.txt", write("new.txt", "new\n")),
    ("new.txt", write("new.txt", "newer\n")),
    ("folder/ähm.txt", write("folder/ähm.txt", "more\n")),
    ("new.txt", unlink("new.txt")),
    ("out.log", write("out.log", "ignored\n")),
    ("staged.py", write("staged.py", "in the index\n")),
    ("staged.py", write("staged.py", "beyond the index\n")),
    ("run.sh", make_executable("run.sh", 0o644)),
    ("run.sh", make_executable("run.sh", 0o755)),
    ("windows.txt", write("windows.txt", "one\r\ntwo\r\n")),
    ("empty.txt", write("empty.txt", "")),
]


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    builder.write("a.py", "one\n").write("folder/b.py", "two\n").write("staged.py", "old\n").write("empty.txt", "x\n")
    builder.write("run.sh", "true\n").write("windows.txt", "one\ntwo\n").write(".gitignore", "*.log\n")
    builder.place("run.sh").chmod(0o755)
    builder.commit().write("staged.py", "in the index\n").step("add", "staged.py")
    return builder


def patch(builder: RepositoryBuilder, *paths: str, act: Act) -> PatchedTree | None:
    """What a save makes of the tree as it was before."""
    repository = open_repository(builder.folder)
    tree = read_work_tree(repository)
    gone = find_gone(repository, tree)
    rules = read_content_rules(repository)
    act(builder)
    return patch_work_tree(repository, tree, gone, rules, paths)


@pytest.mark.parametrize("attributes", ["", "* text=auto\n", "*.py filter=none\n", "* text=auto eol=crlf\n"])
def test_patched_tree_is_what_git_would_say(work: RepositoryBuilder, attributes: str) -> None:
    """After every save, whatever attributes there are: changed, untracked and known paths as by a full look."""
    if attributes:
        work.write(".gitattributes", attributes).step("add", ".gitattributes")
    repository = open_repository(work.folder)
    tree = read_work_tree(repository)
    gone, rules = find_gone(repository, tree), read_content_rules(repository)
    for path, act in SAVES:
        act(work)
        patched = patch_work_tree(repository, tree, gone, rules, [path])
        assert patched is not None, path
        now = read_work_tree(repository)
        assert patched.tree.facts == now.facts, path
        assert patched.tree.paths == now.paths, path
        assert patched.gone == find_gone(repository, now), path
        tree, gone = patched.tree, patched.gone


@pytest.mark.parametrize(
    ("path", "act"),
    [("a.py", unlink("a.py")), ("new.txt", write("new.txt", "new\n")), ("out.log", write("out.log", "ignored\n"))],
)
def test_coming_and_going_is_said(work: RepositoryBuilder, path: str, act: Act) -> None:
    """Also of a file that git ignores: a claim may name it."""
    patched = patch(work, path, act=act)
    assert patched is not None
    assert patched.presence


def test_file_that_comes_back_is_said(work: RepositoryBuilder) -> None:
    """A tracked file that was away counts as come, though the list had its name all the time."""
    work.place("a.py").unlink()
    patched = patch(work, "a.py", act=write("a.py", "one\n"))
    assert patched is not None
    assert patched.presence
    assert "a.py" not in patched.gone


def test_new_file_of_an_atomic_save_vanishes(work: RepositoryBuilder) -> None:
    """It is in no list, and nothing has become of it."""
    patched = patch(work, "a.py", "a.py.new", act=write("a.py", "changed\n"))
    assert patched is not None
    assert (patched.paths, patched.vanished) == (frozenset({"a.py"}), frozenset({"a.py.new"}))
    assert not patched.presence


@pytest.mark.parametrize(
    ("path", "act"),
    [
        (".gitignore", write(".gitignore", "*.py\n")),
        ("folder/.gitattributes", write("folder/.gitattributes", "* -text\n")),
        (".handoff-tui/log/aa/x", write(".handoff-tui/log/aa/x", "entry\n")),
        ("folder", write("folder/c.py", "three\n")),
        ("link", lambda builder: builder.link("link", "a.py")),
        ("staged.py", lambda builder: builder.step("update-index", "--assume-unchanged", "staged.py")),
    ],
    ids=["ignore", "attributes", "own", "folder", "link", "overlooked"],
)
def test_what_is_out_of_the_ordinary_needs_a_full_look(work: RepositoryBuilder, path: str, act: Act) -> None:
    """Rules of git, our own files, folders, links, and what git was told to overlook."""
    if path == "staged.py":
        act(work)
    assert patch(work, path, act=act) is None


def test_planted_filter_does_not_run(work: RepositoryBuilder) -> None:
    """Configuration that was written after the repository was opened is disarmed before git is asked."""

    def plant(builder: RepositoryBuilder) -> None:
        builder.write("a.py", "one\r\n").write("mark.txt", "")
        builder.config("filter.evil.clean", f"touch {builder.folder}/ran; cat")
        builder.place(".git/info").mkdir(exist_ok=True)
        builder.place(".git/info/attributes").write_text("*.py filter=evil\n", encoding="utf-8")

    assert patch(work, "a.py", "mark.txt", act=plant) is not None
    assert not work.place("ran").exists()


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
