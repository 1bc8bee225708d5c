from __future__ import annotations

from dataclasses import replace

import pytest

from handoff_tui.changes.files.shown_file import ShownFile
from handoff_tui.git.file_diff import BlobFacts, DiffOptions, FileKind
from handoff_tui.tui.views.diff.head import build_head, find_file_remarks
from tests.support.diffs import build_change
from tests.support.patches import build_shown


def render(file: ShownFile, width: int = 80) -> list[str]:
    return ["".join(cell.text for cell in row.cells) for row in build_head(file, width).rows]


def list_doors(file: ShownFile) -> list[str]:
    return [row.door for row in build_head(file, 80).rows if row.door]


def test_plain_file_has_nothing_above_its_lines() -> None:
    """No news is no row."""
    head = build_head(build_shown(["a"], ["b"]), 80)
    assert (head.rows, head.shows_lines) == ((), True)


@pytest.mark.parametrize(
    ("file", "remark"),
    [
        (build_shown(["a"], ["b"], build_change(new_mode="100755")), "mode 100644 → 100755, now executable"),
        (build_shown([], ["b"], build_change("Jenkinsfile")), "controls what continuous integration runs"),
        (build_shown(["a"], ["b"], kind=FileKind.GENERATED), "says it's generated"),
        (build_shown([], ["\u200b", "\u202e"]), "hidden characters added: U+200B on line 1, U+202E on line 2"),
        (
            build_shown([], ["\u200b"] * 9),
            "hidden characters added: U+200B on line 1, U+200B on line 2, U+200B on line 3, and 6 more lines",
        ),
    ],
)
def test_what_to_notice_comes_first(file: ShownFile, remark: str) -> None:
    """Modes, steering files, generated ones, hidden characters."""
    assert find_file_remarks(file) == [remark]
    assert render(file, 200)[0] == f" ! {remark}"


def test_binary_is_told_by_its_facts_and_can_be_shown() -> None:
    """Size and digest of both sides; Enter reads it as text."""
    file = replace(build_shown([], [], build_change("x.png"), FileKind.BINARY), new_facts=BlobFacts(2_048, "ab" * 32))
    assert render(file) == [
        " old  absent",
        f" new  2,048 bytes, sha256 {'ab' * 32}",
        " ⋯ binary (↵ shows it as text)",
    ]
    assert list_doors(file) == ["as-text"]
    assert list_doors(replace(file, options=DiffOptions(as_text=True))) == []


def test_submodule_is_told_by_its_commits() -> None:
    """Both, whole."""
    file = build_shown([], [], build_change("lib", new_mode="160000"), FileKind.SUBMODULE)
    assert f" old  commit {'a' * 40}" in render(file)
    assert f" new  commit {'b' * 40}" in render(file)


def test_notebook_can_be_seen_both_ways() -> None:
    """As cells, and as it is stored."""
    file = build_shown(["a"], ["b"], kind=FileKind.NOTEBOOK, note="cells as text")
    assert render(file) == [" cells as text", " ⋯ a notebook (↵ shows it as stored)"]
    assert render(replace(file, options=DiffOptions(as_stored=True)))[-1] == " ⋯ a notebook (↵ shows it as cells)"
    assert list_doors(file) == ["as-stored"]


def test_file_that_is_being_read_says_so() -> None:
    """Until its first lines are there."""
    assert render(replace(build_shown([], []), complete=False)) == [" reading…"]


def test_long_notes_are_wrapped() -> None:
    """No row is wider than the screen."""
    file = build_shown(["a"], ["b"], build_change("a" + "\u200b" * 30), note="word " * 60)
    assert all(len(line) <= 60 for line in render(file, 60))
