from __future__ import annotations

import pytest

from handoff_tui.handoffs.claims.path_finder import PathFinder

FINDER = PathFinder.over(
    [
        "README.md",
        "src/a.py",
        "src/deep/b.py",
        "stage/PKG-1/kernel/shell.py",
        "stage/docs/RESULTS.md",
        "x/same.py",
        "y/same.py",
    ]
)


@pytest.mark.parametrize(
    ("wanted", "document", "path"),
    [
        ("src/a.py", "HANDOFF.md", "src/a.py"),
        ("./src/a.py", "HANDOFF.md", "src/a.py"),
        ("RESULTS.md", "stage/docs/OTHER.md", "stage/docs/RESULTS.md"),
        ("PKG-1/kernel/shell.py", "stage/docs/RESULTS.md", "stage/PKG-1/kernel/shell.py"),
        ("kernel/shell.py", "README.md", "stage/PKG-1/kernel/shell.py"),
        ("project/src/deep/b.py", "README.md", "src/deep/b.py"),
        ("src/deep/", "README.md", "src/deep"),
        ("absent.py", "README.md", None),
        ("other/a.py", "README.md", None),
        ("../secret", "README.md", None),
        ("", "README.md", None),
    ],
)
def test_path_is_found_as_a_reader_would(wanted: str, document: str, path: str | None) -> None:
    """From the root, from the document upwards, or by a unique tail; never by another folder's file."""
    assert FINDER.find(wanted, document).path == path


def test_ambiguous_name_is_not_guessed() -> None:
    """Two files that fit are both named, and none is taken."""
    found = FINDER.find("same.py", "README.md")
    assert (found.path, found.candidates) == (None, ("x/same.py", "y/same.py"))
