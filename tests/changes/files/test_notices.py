from __future__ import annotations

import pytest

from handoff_tui.changes.files.notices import find_change_remarks, find_diff_remarks
from handoff_tui.git.file_diff import FileKind
from tests.support.diffs import build_change, build_diff, build_hunk


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
    assert find_change_remarks(build_change("a", status, old_mode, new_mode)) == remarks


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
    [remark] = find_change_remarks(build_change(path))
    assert remark.startswith("steers ")


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
    assert find_change_remarks(build_change(name)) == remarks


def test_hidden_characters_are_remarked() -> None:
    """In a name, and in lines that were added, as many as fit."""
    assert find_change_remarks(build_change("a\u202eb")) == ["its name has hidden characters: U+202E"]
    hunk = build_hunk(*["+x\u200b"] * 7)
    [remark] = find_diff_remarks(build_diff(hunk))
    assert remark.startswith("hidden characters added: U+200B on line 1, U+200B on line 2")
    assert remark.endswith("on line 5, and 2 more lines")


def test_generated_is_the_word_of_the_file() -> None:
    """It is told as what the file says, not as a fact."""
    assert find_diff_remarks(build_diff(kind=FileKind.GENERATED)) == ["says that it is generated"]
