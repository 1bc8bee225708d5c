from __future__ import annotations

import time

import pytest

from handoff_tui.changes.comparison.drop_words import Drop
from handoff_tui.changes.comparison.explain import find_named_drops, find_named_drops_in_line


def find(text: str, drop: Drop = Drop.REMOVED) -> dict[str, int]:
    """Names with an underscore that are spoken of as dropped, with their lines."""
    found: dict[str, int] = {}
    for named in find_named_drops(text):
        if drop in named.drops and "_" in named.name:
            found.setdefault(named.name, named.line)
    return found


def test_name_and_word_stand_in_one_sentence() -> None:
    """A name in the next sentence is only mentioned."""
    assert find("Removed test_a. The others, such as test_b, are fine.") == {"test_a": 1}


def test_sentence_may_run_over_lines() -> None:
    """The line is that of the name."""
    assert find("First line.\ntest_a and\ntest_b were\nremoved.") == {"test_a": 2, "test_b": 3}


@pytest.mark.parametrize(
    "text",
    [
        "## Removed\n\n- test_a\n",
        "## Removed\n\n### Tests\n\n1. test_a: obsolete\n",
        "**Removed:**\n\n- test_a\n",
        "**Removed**\n- test_a\n",
        "The following were deleted:\n\n* test_a\n",
        "- Removed:\n  - test_a\n",
        "## Deleted\n\n| name | why |\n|---|---|\n| test_a | old |\n",
        "| test_a | removed | old |\n",
        "```\ndeleted: test_a\n```\n",
        "- [x] Removed test_a\n",
        "# Results: remove test_a\n",
        "### Replaced test_a with `another`\n",
    ],
)
def test_list_under_a_word_tells_of_its_items(text: str) -> None:
    """Headings, lines that introduce a list, tables, code blocks, ticked boxes."""
    assert list(find(text)) == ["test_a"]


@pytest.mark.parametrize(
    "text",
    [
        "test_a is there.",
        "## Removed\n\nNothing. See also test_a.\n",
        "## Removed\n\n- old thing\n\n## Tests\n\n- test_a\n",
        "## Removed and added\n\n- test_a\n",
        "## Removed\n\n### Added\n\n- test_a\n",
        "**Removed:**\n\n- old thing\n\nThen we ran:\n\n- test_a\n",
        "- Removed:\n  - old thing\n- test_a\n",
        "- [ ] Remove test_a\n",
        "Should we remove test_a?\n",
        "Removed all but test_a.\n",
        "Removed the old cache, test_a still passes.\n",
        "Added `removed` to test_a.\n",
        "## Removed\n\n- old thing, not test_a\n",
        "# Remove the gate\n\n## Tests\n\n- test_a\n",
        "A shell that replaces the loop. It does three things:\n\n- test_a\n",
        "| test_a | modify (it supersedes others) |\n",
        "Replaced the old loop by test_a.\n",
        "The old loop was moved to `test_a`.\n",
    ],
)
def test_mere_mention_tells_nothing(text: str) -> None:
    """Nor does an intention, a question, or a word in a name."""
    assert find(text) == {}


def test_names_keep_their_brackets_and_lose_their_marks() -> None:
    """Bold, struck out, linked, called."""
    names = find("Removed **test_a**, ~~test_b~~, [test_c](t.py), test_d(), ./test_e, test_f[1], 'test_g'.")
    assert {"test_a", "test_b", "test_c", "test_d", "test_e", "test_f[1]", "test_g"} <= set(names)


def test_marked_names_are_told_apart() -> None:
    """In code marks or quotes, or at the head of an item; only there can a plain word be a name."""
    text = 'Removed `alpha` and beta and "gamma delta".\n\n## Removed\n\n- epsilon zeta\n'
    marked = {named.name for named in find_named_drops(text) if named.marked}
    assert {"alpha", "gamma delta", "epsilon"} <= marked
    assert not {"beta", "zeta", "gamma"} & marked


def test_line_alone_is_read_with_what_is_known_of_it() -> None:
    """A claim that a file was deleted needs no word of its own."""
    assert "test_a.py" in {named.name for named in find_named_drops_in_line("test_a.py", frozenset({Drop.REMOVED}))}
    assert not list(find_named_drops_in_line("test_a.py"))


@pytest.mark.parametrize("text", ["not removed, " * 40_000, "`" * 200_000, "a_b, " * 60_000 + "removed", '"' * 100_000])
def test_long_line_takes_no_long_time(text: str) -> None:
    """The time grows with the length and not with its square."""
    start = time.process_time()
    list(find_named_drops(f"## Removed\n\n- {text}"))
    assert time.process_time() - start < 10
