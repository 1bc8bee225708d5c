from __future__ import annotations

from handoff_tui.handoffs.reading.path_words import find_below, find_naming

PATHS = ("a/b/c", "a/b/d", "a/e", "b/PROOFS/x.png", "b/c", "proof.md", "x/\u017fcreenshots/y.png")


def test_words_are_found_in_letters_of_any_size() -> None:
    """In order, and none where no path has any of them."""
    assert find_naming(PATHS, ("proof", "screenshots")) == ["b/PROOFS/x.png", "proof.md", "x/\u017fcreenshots/y.png"]
    assert find_naming(PATHS, ("evidence",)) == []


def test_paths_below_folders_are_found_once() -> None:
    """Also where one folder lies in another."""
    assert find_below(PATHS, ["a/b", "a", "none"]) == ["a/b/c", "a/b/d", "a/e"]
    assert find_below(PATHS, []) == []
