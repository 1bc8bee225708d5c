from __future__ import annotations

import pytest

from handoff_tui.checks.rules.procedure.records import is_path_like, list_named


def test_named_texts_are_found_in_every_shape() -> None:
    """A text, a list, objects with a path, an object of texts; the outer ones first."""
    value = {
        "files": ["a", {"path": "b", "size": "3"}, 7, " "],
        "deep": [{"File": "c"}],
        "paths": {"in": "d", "out": "e"},
        "note": "f",
    }
    assert [text for _, text in list_named(value, ("files", "file", "paths"))] == ["a", "b", "d", "e", "c"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a/b", True),
        ("a.txt", True),
        ("shards/", True),
        ("two kilns", False),
        ("water", False),
        ("https://x.y/z", False),
    ],
)
def test_path_like_texts_have_a_slash_or_an_ending(text: str, expected: object) -> None:
    """Words and addresses are none."""
    assert is_path_like(text) is expected
