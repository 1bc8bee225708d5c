from __future__ import annotations

import json

import pytest

from handoff_tui.changes.files.notices import find_change_notices, find_diff_notices
from handoff_tui.changes.files.page import (
    MOST_LISTED,
    add_file_diff,
    add_file_list,
    build_file_diff_json,
    build_tree_diff_json,
    label_change,
)
from handoff_tui.config.theme import TEXT_ROLES
from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.page import Grid, Line, Page
from handoff_tui.git.file_diff import BlobFacts, ChangedFile, FileDiff, FileKind, LineCounts
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


def test_list_has_status_counts_kind_and_path() -> None:
    """A rename shows both names and how alike they are; counts that are not there yet are a dash."""
    files = [
        ChangedFile(build_change("src/\x1ba.py", "A"), FileKind.TEXT, LineCounts(1_200, 0)),
        ChangedFile(build_change("new", "R", old_path="old"), FileKind.TEXT, LineCounts(1, 2)),
        ChangedFile(build_change("uv.lock"), FileKind.LOCK),
        ChangedFile(build_change("x.png"), FileKind.BINARY, LineCounts(None, None)),
    ]
    page = list_files(files, note="renames were not looked for")
    assert rows_of(page) == [
        ["A added", "1,200", "0", "", "src/␛a.py"],
        ["R renamed 96 %", "1", "2", "", "old → new"],
        ["M modified", "–", "–", "lock, folded", "uv.lock"],
        ["M modified", "–", "–", "binary", "x.png"],
    ]
    assert lines_of(page)[:2] == ["Files changed  4 files", "! renames were not looked for"]
    assert lines_of(page)[2].startswith("! src/␛a.py its name has hidden characters")


def test_counts_are_summed_when_all_are_there() -> None:
    """The heading has the sums, binary content counting nothing."""
    files = [
        ChangedFile(build_change("a"), FileKind.TEXT, LineCounts(1_000, 2)),
        ChangedFile(build_change("b"), FileKind.BINARY, LineCounts(None, None)),
    ]
    assert lines_of(list_files(files)) == ["Files changed  2 files, +1,000 -2"]
    assert lines_of(list_files([])) == ["Files changed  0 files"]


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


def test_narrow_split_is_unified() -> None:
    """With fewer columns than two sides need, it is one."""
    diff = build_diff(build_hunk("-a", "+b"))
    assert lines_of(show_diff(diff, split_width=99)) == lines_of(show_diff(diff))


def test_binary_content_is_told_by_size_and_hash() -> None:
    """Both sides; one that is not there is said not to be."""
    diff = FileDiff(change=build_change("x.png", "A"), kind=FileKind.BINARY, new_facts=BlobFacts(2_048, "ab" * 32))
    assert lines_of(show_diff(diff)) == [
        "x.png  added · binary",
        "old  missing",
        f"new  2,048 bytes, sha256 {'ab' * 32}",
    ]


def test_submodule_is_told_by_its_commits() -> None:
    """Both ids, whole."""
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


def test_unknown_status_is_shown() -> None:
    """A letter that a later git may bring is told, not dropped."""
    assert str(label_change("X")) == "? X"


def test_list_has_every_fact_of_a_change() -> None:
    """Counts are null where there are none, and a folded kind is marked."""
    files = [
        ChangedFile(build_change("uv.lock", "R", old_path="old.lock"), FileKind.LOCK, LineCounts(3, 1)),
        ChangedFile(build_change("a", "M", "100644", "100755"), FileKind.TEXT),
    ]
    value = json.loads(json.dumps(build_tree_diff_json(files, note="a note")))
    assert (value["note"], value["diffs"]) == ("a note", [])
    assert value["files"][0] == {
        "path": "uv.lock",
        "old_path": "old.lock",
        "status": "R",
        "similarity": 96,
        "kind": "lock",
        "folded": True,
        "old_mode": "100644",
        "new_mode": "100644",
        "old_id": "a" * 40,
        "new_id": "b" * 40,
        "added": 3,
        "deleted": 1,
        "remarks": [],
    }
    assert (value["files"][1]["added"], value["files"][1]["remarks"]) == (
        None,
        ["mode 100644 → 100755, now executable"],
    )


def test_hunks_are_given_as_they_are() -> None:
    """Text is not escaped for a terminal: the JSON writer does that; hidden characters are listed beside it."""
    value = json.loads(json.dumps(build_tree_diff_json([], [build_diff(build_hunk("-a", "+b\u202e", heading="f"))])))
    [diff] = value["diffs"]
    assert diff["hidden_characters"] == [{"line": 1, "characters": ["U+202E"]}]
    assert diff["hunks"] == [
        {
            "old_start": 1,
            "old_count": 1,
            "new_start": 1,
            "new_count": 1,
            "heading": "f",
            "lines": [
                {"mark": "-", "text": "a", "old": 1, "new": None, "ends_without_newline": False},
                {"mark": "+", "text": "b\u202e", "old": None, "new": 1, "ends_without_newline": False},
            ],
        }
    ]


def test_binary_content_has_its_facts() -> None:
    """Null for the side that is not there."""
    diff = FileDiff(change=build_change("x", "D"), kind=FileKind.BINARY, old_facts=BlobFacts(1, "c" * 64))
    value = build_file_diff_json(diff)
    assert (value["old"], value["new"], value["kind"]) == ({"size": 1, "sha256": "c" * 64}, None, "binary")


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


def test_generated_is_the_word_of_the_file() -> None:
    """It is told as what the file says, not as a fact."""
    assert find_diff_notices(build_diff(kind=FileKind.GENERATED)) == ["says it is generated"]
