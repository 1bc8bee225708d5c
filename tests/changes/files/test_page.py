from __future__ import annotations

import time

import pytest

from handoff_tui.changes.files.file_kinds import find_change_notices, find_diff_notices
from handoff_tui.changes.files.lines import (
    MOST_PAIRS,
    build_line_row,
    build_unified_rows,
    find_hunk_spans,
    find_word_spans,
    pair_lines,
)
from handoff_tui.changes.files.page import (
    MOST_LISTED,
    add_file_diff,
    add_file_list,
)
from handoff_tui.config.theme import TEXT_ROLES
from handoff_tui.core.text.columns import compute_width
from handoff_tui.core.text.page import Grid, Line, Page
from handoff_tui.git.file_diff import BlobFacts, ChangedFile, DiffLine, FileDiff, FileKind
from tests.support.diffs import build_change, build_diff, build_hunk


def list_files(files: list[ChangedFile], note: str | None = None, *, everything: bool = False) -> Page:
    page = Page()
    add_file_list(page, files, note, everything=everything)
    return page


def show_diff(diff: FileDiff, split_width: int | None = None, *, expanded: bool = False) -> Page:
    page = Page()
    add_file_diff(page, diff, split_width=split_width, expanded=expanded)
    return page


def lines_of(page: Page) -> list[str]:
    return ["".join(cell.text for cell in part.cells) for part in page.parts if isinstance(part, Line)]


def rows_of(page: Page) -> list[list[str]]:
    return [[cell.text for cell in row] for part in page.parts if isinstance(part, Grid) for row in part.rows]


def test_long_list_says_what_it_leaves_out() -> None:
    """Some are listed, the rest is counted; all of them when asked for."""
    files = [ChangedFile(build_change(f"f{number}"), FileKind.TEXT) for number in range(MOST_LISTED + 5)]
    page = list_files(files)
    assert len(rows_of(page)) == MOST_LISTED
    assert "… and 5 more files" in lines_of(page)
    assert len(rows_of(list_files(files, everything=True))) == MOST_LISTED + 5


def test_unified_hunks_have_numbers_and_marks() -> None:
    """Old number, new number, mark, text; a hidden character is pointed at."""
    page = show_diff(build_diff(build_hunk(" a", "-b", "+c\u202e", start=9)))
    assert lines_of(page) == [
        "a.py  modified",
        "! hidden characters added: U+202E on line 10",
        "@@ -9,2 +9,2 @@  8 equal lines before",
        "   9    9 │   a",
        "  10      │ - b",
        "       10 │ + c⟨U+202E⟩  ! hidden character",
    ]


def test_split_hunks_stand_side_by_side() -> None:
    """Each side takes half the width, long lines go on below their text, and a gap is filled."""
    diff = build_diff(build_hunk("-b = 1", "+" + "漢" * 60, "+d"))
    lines = lines_of(show_diff(diff, split_width=101))[2:]
    assert [compute_width(line) for line in lines] == [101] * 4
    assert lines[0].startswith("   1 - b = 1 ")
    assert " │    1 + 漢漢" in lines[0]
    assert lines[1].startswith(" " * 49 + " │ " + " " * len("   1 + ") + "漢")
    assert lines[3].startswith("╱" * 49 + " │    2 + d")


def test_binary_content_is_told_by_size_and_hash() -> None:
    """Both sides; one that is not there is said not to be."""
    diff = FileDiff(change=build_change("x.png", "A"), kind=FileKind.BINARY, new_facts=BlobFacts(2_048, "ab" * 32))
    assert lines_of(show_diff(diff)) == [
        "x.png  added · binary",
        "old  missing",
        f"new  2,048 bytes, sha256 {'ab' * 32}",
    ]


def test_submodule_is_told_by_its_commits() -> None:
    """Both ids in full."""
    diff = FileDiff(
        change=build_change("m", "M", "160000", "160000"), kind=FileKind.SUBMODULE, note="not what is in it"
    )
    assert lines_of(show_diff(diff))[1:] == [
        f"commit {'a' * 40}",
        f"commit {'b' * 40}",
        "not what is in it",
    ]


def test_lock_file_is_folded_until_asked_for() -> None:
    """The fact and the number of lines stay visible."""
    diff = build_diff(build_hunk("-a", "+b"), change=build_change("uv.lock"), kind=FileKind.LOCK)
    assert lines_of(show_diff(diff))[-1] == "folded: 2 lines not shown"
    assert lines_of(show_diff(diff, expanded=True))[-1].endswith("│ + b")


@pytest.mark.parametrize("split_width", [None, 120])
def test_every_role_is_one_of_the_themes(split_width: int | None) -> None:
    """A front end finds a colour for each cell."""
    files = [ChangedFile(build_change("a", status), FileKind.TEXT) for status in "ACDMRTX"]
    diff = build_diff(build_hunk(" a", "-b = 1", "+b = 2\u202e  ", heading="x"))
    parts = [*list_files(files, "note").parts, *show_diff(diff, split_width).parts]
    cells = [cell for part in parts for row in ([part.cells] if isinstance(part, Line) else part.rows) for cell in row]
    assert {cell.role for cell in cells} <= set(TEXT_ROLES)
    assert all(cell.text.isprintable() for cell in cells)


@pytest.mark.parametrize(
    ("status", "old_mode", "new_mode", "remarks"),
    [
        ("M", "100644", "100755", ["mode 100644 → 100755, now executable"]),
        ("M", "100755", "100644", ["mode 100755 → 100644, no longer executable"]),
        ("T", "100644", "120000", ["type changed, mode 100644 → 120000"]),
        ("A", "000000", "100755", ["new, and executable"]),
        ("A", "000000", "120000", ["a new symbolic link"]),
        ("A", "000000", "160000", ["a new submodule"]),
        ("A", "000000", "100644", []),
        ("M", "100644", "100644", []),
    ],
)
def test_modes_are_remarked(status: str, old_mode: str, new_mode: str, remarks: list[str]) -> None:
    """What runs, leads elsewhere or changed its type is said."""
    assert find_change_notices(build_change("a", status, old_mode, new_mode)) == remarks


@pytest.mark.parametrize(
    "path",
    [
        ".gitattributes",
        "a/.gitattributes",
        ".gitmodules",
        ".github/workflows/ci.yml",
        "handoff-tui.toml",
        "Jenkinsfile",
    ],
)
def test_files_that_steer_are_remarked(path: str) -> None:
    """They change what git, the machines or the review do."""
    [remark] = find_change_notices(build_change(path))
    assert remark.startswith("controls ")


@pytest.mark.parametrize(
    ("name", "remarks"),
    [
        ("new\nline.txt", ["its name has hidden characters: U+000A"]),
        ("tab\there", ["its name has hidden characters: U+0009"]),
        ("handoffs/H-\u0417/x.md", ["its name has letters that look like others: \u0417 is U+0417"]),
        ("\u043f\u0440\u0438\u0432\u0435\u0442-v2.md", []),
        ("plain name.txt", []),
    ],
)
def test_names_that_look_like_others_are_remarked(name: str, remarks: list[str]) -> None:
    """Tabs and line ends in a name are told, and letters of another alphabet among Latin ones."""
    assert find_change_notices(build_change(name)) == remarks


def test_hidden_characters_are_remarked() -> None:
    """In a name, and in lines that were added, as many as fit."""
    assert find_change_notices(build_change("a\u202eb")) == ["its name has hidden characters: U+202E"]
    hunk = build_hunk(*["+x\u200b"] * 7)
    [remark] = find_diff_notices(build_diff(hunk))
    assert remark.startswith("hidden characters added: U+200B on line 1, U+200B on line 2")
    assert remark.endswith("on line 5, and 2 more lines")


def draw(text: str, mark: str = "+", *spans: tuple[int, int]) -> list[tuple[str, str]]:
    return [(cell.text, cell.role) for cell in build_line_row(DiffLine(mark, text, None, 1), spans).cells]


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


def test_target_of_a_link_needs_no_newline() -> None:
    """No target has one, so nothing is said of it."""
    hunk = build_hunk("+target")
    ended = hunk._replace(lines=(hunk.lines[0]._replace(ends_without_newline=True),))
    for kind, cells in ((FileKind.SYMLINK, 1), (FileKind.TEXT, 2)):
        [_, row] = build_unified_rows(build_diff(ended, kind=kind))
        assert len(row.cells) == cells


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


def test_spans_are_given_by_line() -> None:
    """Lines with a counterpart have spans; a hunk with very many pairs has none."""
    hunk = build_hunk("-value = 1", "+value = 2", "+alone", " kept")
    spans = find_hunk_spans(pair_lines(hunk))
    assert {line.text: found for line, found in spans.items()} == {"value = 1": ((8, 9),), "value = 2": ((8, 9),)}
    many = MOST_PAIRS + 1
    assert find_hunk_spans(pair_lines(build_hunk(*["-value = 1"] * many, *["+value = 2"] * many))) == {}
