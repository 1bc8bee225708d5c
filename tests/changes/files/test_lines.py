from __future__ import annotations

import time

import pytest

from handoff_tui.changes.files.lines import (
    MOST_PAIRS,
    HunkRow,
    LineRow,
    PairRow,
    build_line_row,
    build_split_rows,
    build_unified_rows,
    find_hidden_lines,
    find_hunk_spans,
    find_word_spans,
    pair_lines,
)
from handoff_tui.git.file_diff import DiffLine, FileKind
from tests.support.diffs import build_diff, build_hunk


def draw(text: str, mark: str = "+", *spans: tuple[int, int]) -> list[tuple[str, str]]:
    return [(cell.text, cell.role) for cell in build_line_row(DiffLine(mark, text, None, 1), spans).cells]


def test_words_stand_out() -> None:
    """Inside a span the word role, outside the role of the mark."""
    assert draw("a = 1", "+", (4, 5)) == [("a = ", "added"), ("1", "added-word")]
    assert draw("a = 1", "-", (0, 1)) == [("a", "removed-word"), (" = 1", "removed")]
    assert draw("a = 1", " ") == [("a = 1", "text")]


@pytest.mark.parametrize(
    ("text", "spans", "expected"),
    [
        ("a  ", (), [("a", "added"), ("··", "added-word")]),
        ("a\t", (), [("a", "added"), ("→   ", "added-word")]),
        ("\ta", ((0, 1),), [("→   ", "added-word"), ("a", "added")]),
        ("    a", ((0, 4),), [("····", "added-word"), ("a", "added")]),
        ("   ", (), [("···", "added-word")]),
        ("\ta", (), [("    a", "added")]),
        ("a\r", (), [("a", "added"), ("␍", "muted")]),
        ("a\r", ((1, 2),), [("a", "added"), ("␍", "added-word")]),
        ("", (), []),
    ],
)
def test_blanks_that_differ_can_be_seen(
    text: str, spans: tuple[tuple[int, int], ...], expected: list[tuple[str, str]]
) -> None:
    """At the end of a changed line, and where only blanks differ; elsewhere they are blanks."""
    assert draw(text, "+", *spans) == expected


def test_blanks_of_context_are_left_alone() -> None:
    """What did not change does not stand out."""
    assert draw("a  ", " ") == [("a  ", "text")]


def test_hidden_characters_stand_out() -> None:
    """They are drawn in a role of their own, inside words too, and named."""
    row = build_line_row(DiffLine("+", "admin\u202e\x1b[0m", None, 1), ((0, 7),))
    assert [(cell.text, cell.role) for cell in row.cells] == [
        ("admin", "added-word"),
        ("⟨U+202E⟩", "hidden"),
        ("␛", "hidden"),
        ("[0m", "added"),
    ]
    assert row.hidden == ("U+202E", "U+001B")


def test_long_line_is_cut_and_says_so() -> None:
    """What is cut off is counted, and what it hides is still named."""
    row = build_line_row(DiffLine("+", "x" * 5_000 + "\u200b", None, 1), ((0, 4_000),))
    assert [(len(cell.text), cell.role) for cell in row.cells[:1]] == [(2_000, "added-word")]
    assert row.cells[1].text == "… 3,001 more characters"
    assert row.hidden == ("U+200B",)


def test_missing_newline_is_said() -> None:
    """The line that has none says so."""
    row = build_line_row(DiffLine("-", "a", 1, None, ends_without_newline=True))
    assert row.cells[-1].text == "  (no newline at the end)"


def test_target_of_a_link_needs_no_newline() -> None:
    """No target has one, so nothing is said of it."""
    hunk = build_hunk("+target")
    ended = hunk._replace(lines=(hunk.lines[0]._replace(ends_without_newline=True),))
    for kind, cells in ((FileKind.SYMLINK, 1), (FileKind.TEXT, 2)):
        [_, row] = build_unified_rows(build_diff(ended, kind=kind))
        assert len(row.cells) == cells


def test_unified_rows_follow_the_patch() -> None:
    """A heading for each hunk with what lies before it, then its lines in order."""
    diff = build_diff(build_hunk(" a", "-b", "+c", start=4), build_hunk("+d", start=20, heading="def f\x1b():"))
    rows = list(build_unified_rows(diff))
    assert [row.line.mark for row in rows if isinstance(row, LineRow)] == [" ", "-", "+", "+"]
    headings = ["".join(cell.text for cell in row.cells) for row in rows if isinstance(row, HunkRow)]
    assert headings == ["@@ -4,2 +4,2 @@  3 equal lines before", "@@ -20,0 +20,1 @@ def f␛():  15 equal lines before"]


def test_split_rows_pair_the_sides() -> None:
    """Context on both sides, a deleted line beside the added one, nothing where there is no counterpart."""
    diff = build_diff(build_hunk(" a", "-b = 1", "+b = 2", "+c"))
    heading, *pairs = build_split_rows(diff)
    assert isinstance(heading, HunkRow)
    texts = [
        (pair.left and pair.left.line.text, pair.right and pair.right.line.text)
        for pair in pairs
        if isinstance(pair, PairRow)
    ]
    assert texts == [("a", "a"), ("b = 1", "b = 2"), (None, "c")]
    changed = pairs[1]
    assert isinstance(changed, PairRow)
    assert changed.left is not None
    assert [cell.role for cell in changed.left.cells] == ["removed", "removed-word"]


def test_hidden_characters_are_found_in_added_lines() -> None:
    """With the number that the line has now; deleted lines and the CR of a line end are no cause."""
    diff = build_diff(build_hunk("-a\u202e", "+b\r", "+c\u200b", " d\u200b"))
    assert find_hidden_lines(diff) == [(2, ("U+200B",))]


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
