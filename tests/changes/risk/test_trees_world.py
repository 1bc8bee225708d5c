from __future__ import annotations

from handoff_tui.changes.risk import TreesWorld
from handoff_tui.git.objects.tree_diff import read_tree_changes
from handoff_tui.handoffs.session import open_desk
from tests.support.repositories import RepositoryBuilder


def make(builder: RepositoryBuilder) -> TreesWorld:
    desk = open_desk(builder.folder)
    old = builder.head("HEAD~1^{tree}")
    changes = read_tree_changes(desk.repository.git, old, builder.head("HEAD^{tree}")).changes
    return TreesWorld(desk, old, changes, {})


def test_changed_file_is_read_from_the_two_trees(builder: RepositoryBuilder) -> None:
    """Not from the work tree, whatever lies there now."""
    builder.write("tests/test_a.py", "before\n").write("same.toml", "kept\n").commit()
    builder.write("tests/test_a.py", "after\n").commit()
    builder.write("tests/test_a.py", "later\n")
    world = make(builder)
    assert world.read("tests/test_a.py") == b"after\n"
    assert world.read_at("", "tests/test_a.py") == b"before\n"
    assert world.read("same.toml") == world.read_at("", "same.toml") == b"kept\n"
    assert [change.path for change in world.changes()] == ["tests/test_a.py"]


def test_renamed_file_is_read_under_both_names(builder: RepositoryBuilder) -> None:
    """Before under the old one, now under the new one; an added one was not there."""
    text = "def test_a():\n    assert 1\n" * 5
    builder.write("tests/test_a.py", text).commit()
    builder.step("mv", "tests/test_a.py", "tests/test_b.py").write("tests/test_c.py", "new\n").commit()
    world = make(builder)
    assert world.read("tests/test_b.py") == world.read_at("", "tests/test_a.py") == text.encode()
