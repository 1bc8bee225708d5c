from __future__ import annotations

import pytest

from handoff_tui.changes.comparison.drop_words import (
    Drop,
    find_drops,
    find_heading_drops,
    find_introduction_drops,
    find_row_drops,
    has_opposite,
    is_kept,
    split_clauses,
)


@pytest.mark.parametrize(
    ("words", "drop"),
    [
        ("test_a was removed", Drop.REMOVED),
        ("Deleted: test_a", Drop.REMOVED),
        ("test_a no longer runs", Drop.REMOVED),
        ("test_a was renamed to test_b", Drop.REMOVED),
        ("Since it was not stable, test_a was removed", Drop.REMOVED),
        ("test_a is skipped", Drop.SKIPPED),
        ("test_a is marked xfail", Drop.SKIPPED),
        ("coverage fell", Drop.LOWERED),
    ],
)
def test_word_tells_its_drop(words: str, drop: Drop) -> None:
    """In any of its forms."""
    assert drop in find_drops(words)


@pytest.mark.parametrize(
    "words",
    [
        "test_a was not removed",
        "No test was removed",
        "test_a wasn't removed",
        "None of test_a, test_b were removed",
        "test_a could be removed",
        "0 skipped",
        "added test_removed and src/removed-users.py",
        "see removed.py or mod:removed",
        "test_a works",
        "test_a is no longer patched",
    ],
)
def test_denied_word_or_part_of_a_name_tells_nothing(words: str) -> None:
    """A drop that is denied is no drop; a name is no word."""
    assert find_drops(words) == frozenset()


def test_disabled_test_may_be_gone_or_skipped() -> None:
    """What no longer runs is told by one word for both."""
    assert find_drops("disabled test_a") == {Drop.REMOVED, Drop.SKIPPED}


def test_heading_that_tells_of_other_things_as_well_tells_nothing() -> None:
    """Under «Added and removed» nobody knows which is which."""
    assert find_heading_drops("Removed tests") == find_heading_drops("Files deleted (3):") == {Drop.REMOVED}
    assert find_heading_drops("Added and removed tests") == frozenset()
    assert has_opposite("New tests")


def test_heading_that_is_a_sentence_tells_of_no_list() -> None:
    """It begins or ends with the word, and is short; a line before a list may say more."""
    assert find_heading_drops("How we moved things about") == frozenset()
    assert find_heading_drops("Remove the phantom gate and all that goes with it") == frozenset()
    assert find_introduction_drops("The following were removed, since nobody used them:") == {Drop.REMOVED}
    assert find_introduction_drops("Added, and others removed:") == frozenset()


def test_cell_of_a_table_begins_with_the_word() -> None:
    """Deep in another cell it says nothing of the row."""
    assert find_row_drops("| x | DELETE (old) |") == find_row_drops("| x | was removed | |") == {Drop.REMOVED}
    assert find_row_drops("| x | MODIFY (add supersedes, fix) |") == frozenset()


def test_clause_says_that_something_stays() -> None:
    """Still there, kept, passing, or «not»."""
    assert all(map(is_kept, ("test_a still runs", "test_a kept", "test_a passes", " not test_a")))
    assert not is_kept("test_a, which could not")


def test_clauses_end_at_punctuation_but_not_inside_names() -> None:
    """Colons and dots of an id belong to it."""
    words = "removed a.py::test_a, (b.py) – c"
    assert [words[start:stop].strip() for start, stop in split_clauses(words)] == [
        "removed a.py::test_a",
        "",
        "b.py",
        "",
        "c",
    ]
