from __future__ import annotations

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.facts.changed_files import ChangedFile, is_match, read_changed
from tests.support.changed_world import build_changed_world


@pytest.mark.parametrize(
    ("path", "pattern", "answer"),
    [
        ("a/b/test_row.py", "test_*.py", True),
        ("a/b/row_test.py", "test_*.py", False),
        ("tests/a/row.py", "tests/*.py", True),
        ("sub/tests/row.py", "tests/*.py", True),
        ("contests/row.py", "tests/*.py", False),
        (".github/workflows/a.yml", ".github/workflows/*", True),
        ("Jenkinsfile", "jenkinsfile", False),
    ],
)
def test_patterns_match_names_or_ends_of_paths(path: str, pattern: str, *, answer: bool) -> None:
    """With a slash the folder must be whole."""
    assert is_match(path, [pattern]) is answer


def test_changed_files_are_read_on_both_sides() -> None:
    """Added, deleted, modified and renamed; others are left out."""
    before = {"a.txt": "1", "b.txt": "2", "old.txt": "3", "x.md": "4"}
    now = {"a.txt": "5", "c.txt": "6", "new.txt": "7", "x.md": "8"}
    context = Context(Answers(build_changed_world(before, now, {"new.txt": "old.txt"})))
    found = {file.path: file for file in read_changed(context, ["*.txt"])}
    assert found == {
        "a.txt": ChangedFile("a.txt", "a.txt", "1", "5"),
        "b.txt": ChangedFile("b.txt", None, "2", ""),
        "c.txt": ChangedFile(None, "c.txt", "", "6"),
        "new.txt": ChangedFile("old.txt", "new.txt", "3", "7"),
    }


def test_file_renamed_out_of_the_pattern_has_no_new_side() -> None:
    """It is no longer of the kind asked for."""
    context = Context(Answers(build_changed_world({"a.txt": "1"}, {"a.md": "1"}, {"a.md": "a.txt"})))
    assert read_changed(context, ["*.txt"]) == [ChangedFile("a.txt", None, "1", "")]
