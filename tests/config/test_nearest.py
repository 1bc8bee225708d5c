from __future__ import annotations

from handoff_tui.config.nearest import find_nearest, suggest


def test_nearest_overlooks_case_and_hyphens() -> None:
    """A slip of case or of the word's joint is near."""
    assert find_nearest("File-Bytes", ["file_bytes", "commits"]) == "file_bytes"


def test_nearest_is_nothing_for_another_word() -> None:
    """A word like none of them is not guessed."""
    assert find_nearest("zzz", ["file_bytes", "commits"]) is None


def test_suggestion_lists_all_when_nothing_is_near() -> None:
    """The known words are named, up to a number."""
    assert suggest("zzz", ["one", "two"]) == "known are one, two"
    assert suggest("zzz", [f"name{number}" for number in range(50)]).endswith("name39 and 10 more")
    assert suggest("zzz", []) == "nothing can be set here"
