from __future__ import annotations

import json

from handoff_tui.changes.files.page import build_file_diff_json, build_tree_diff_json
from handoff_tui.git.file_diff import BlobFacts, ChangedFile, FileDiff, FileKind, LineCounts
from tests.support.diffs import build_change, build_diff, build_hunk


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
