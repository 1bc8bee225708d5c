from __future__ import annotations

from handoff_tui.tui.views.diff.rows import Highlighter, split_words
from tests.support.patches import parse_patch, render_patch


def test_each_side_is_read_by_itself() -> None:
    """A text that was opened on a deleted line does not colour the added ones."""
    lines = parse_patch(render_patch(['"""open', "x = 1"], ["y = 2", "x = 1"]))
    highlighter = Highlighter("a.py", lines)
    assert highlighter.find_tokens(0) == ((0, 7, "syntax-string"),)
    assert highlighter.find_tokens(1) == ((4, 5, "syntax-number"),)
    assert highlighter.find_tokens(2) == ((4, 5, "syntax-number"),)


def test_text_of_several_lines_is_one() -> None:
    """Also where it began before the lines that are read together."""
    new = ["x = 1", *["y"] * 50, '"""', *["inside"] * 20, '"""', "def f"]
    highlighter = Highlighter("a.py", parse_patch(render_patch([], new)))
    assert highlighter.find_tokens(65) == ((0, 6, "syntax-string"),)
    assert highlighter.find_tokens(73) == ((0, 3, "syntax-keyword"), (4, 5, "syntax-name"))


def test_unknown_language_and_long_lines_have_no_colours() -> None:
    """A line that nobody wrote by hand is left alone, the one after it is not."""
    lines = parse_patch(render_patch([], ["1 " * 2_000, "2"]))
    assert Highlighter("a.txt", lines).find_tokens(0) == ()
    assert Highlighter("a.py", lines).find_tokens(0) == ()
    assert Highlighter("a.py", lines).find_tokens(1) == ((0, 1, "syntax-number"),)


def test_little_is_kept() -> None:
    """Reading through a long file does not keep all of it."""
    highlighter = Highlighter("a.py", parse_patch(render_patch([], ["1"] * 10_000)))
    for index in range(0, 10_000, 64):
        assert highlighter.find_tokens(index)
    assert len(highlighter._windows) <= 64


def test_words_are_split_at_line_ends() -> None:
    """A word over three lines is three, without the ends."""
    assert split_words([(1, 7, "syntax-string")], ["ab", "cd", "ef"]) == [
        [(1, 2, "syntax-string")],
        [(0, 2, "syntax-string")],
        [(0, 1, "syntax-string")],
    ]
