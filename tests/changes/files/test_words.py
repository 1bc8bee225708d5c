from __future__ import annotations

import time

import pytest

from handoff_tui.changes.files.words import MOST_PAIRS, find_hunk_spans, find_word_spans, pair_lines
from tests.support.diffs import build_hunk


def cut(old: str, new: str) -> tuple[list[str], list[str]]:
    spans = find_word_spans(old, new)
    return [old[start:end] for start, end in spans.old], [new[start:end] for start, end in spans.new]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("return int(time())", "return int(time.time())", ([], [".time"])),
        ("value = 1", "value = 2", (["1"], ["2"])),
        ("call(a, b, c)", "call(a, x, c)", (["b"], ["x"])),
        ("one two three four", "one 2 3 four", (["two three"], ["2 3"])),
        ("    indented = 1", "\tindented = 1", (["    "], ["\t"])),
        ("ends = 1", "ends = 1  ", ([], ["  "])),
        ("same", "same", ([], [])),
        ("nothing in common", "x = y", ([], [])),
        ("", "added", ([], [])),
    ],
)
def test_words_that_differ_are_found(old: str, new: str, expected: tuple[list[str], list[str]]) -> None:
    """Whole words; none where two lines are simply different lines."""
    assert cut(old, new) == expected


def test_long_lines_have_no_marks() -> None:
    """Beyond the limit nothing is compared."""
    assert find_word_spans("a " * 1_001, "a " * 1_001 + "b") == ((), ())


@pytest.mark.parametrize(
    ("old", "new"),
    [("(" * 2_000, ")(" * 1_000), ("a " * 999, " a" * 999 + "b"), ("ab " * 600, "ba " * 600), ("x." * 900, ".x" * 900)],
)
def test_no_pair_takes_long(old: str, new: str) -> None:
    """Lines made to be slow are bounded by the number of words that are compared: far below a whole second."""
    started = time.process_time()
    find_word_spans(old, new)
    assert time.process_time() - started < 1


def test_many_words_are_one_span() -> None:
    """Where too much lies between the first and the last difference, all of it is marked."""
    middle = " ".join(str(number) for number in range(150))
    old, new = f"{'begin' * 100} x {middle} y", f"{'begin' * 100} 1 {middle} 2"
    assert cut(old, new) == ([f"x {middle} y"], [f"1 {middle} 2"])


def test_lines_are_paired_in_order() -> None:
    """Deleted with added, context with itself, nothing where one side has more."""
    hunk = build_hunk(" c", "-a", "-b", "+x", " d", "+y", "-e", "+f")
    pairs = [(old and old.text, new and new.text) for old, new in pair_lines(hunk)]
    assert pairs == [("c", "c"), ("a", "x"), ("b", None), ("d", "d"), (None, "y"), ("e", "f")]


def test_spans_are_given_by_line() -> None:
    """Lines with a counterpart have spans; a hunk with very many pairs has none."""
    hunk = build_hunk("-value = 1", "+value = 2", "+alone", " kept")
    spans = find_hunk_spans(pair_lines(hunk))
    assert {line.text: found for line, found in spans.items()} == {"value = 1": ((8, 9),), "value = 2": ((8, 9),)}
    many = MOST_PAIRS + 1
    assert find_hunk_spans(pair_lines(build_hunk(*["-value = 1"] * many, *["+value = 2"] * many))) == {}
