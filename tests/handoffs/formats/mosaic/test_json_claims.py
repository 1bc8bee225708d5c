from __future__ import annotations

import pytest

from handoff_tui.core.place import Place
from handoff_tui.handoffs.formats.mosaic.fields import (
    claim_commit_fields,
    claim_commits_in_prose,
    claim_count_fields,
    claim_document_fields,
    parse_commit,
)
from handoff_tui.handoffs.reading.json_document import JsonDocument, JsonNode, parse_json


def _parse(text: str) -> JsonNode:
    root = JsonDocument(parse_json("a.json", text)).root
    assert root is not None
    return root


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1234567", "1234567"), ("abc1234 (pushed)", "abc1234"), ("TBD", None), ("abc12", None), ("ongoing", None)],
)
def test_parse_commit_reads_the_leading_id(text: str, expected: str | None) -> None:
    """A field begins with a commit id, of digits only too, or holds none."""
    assert parse_commit(text) == expected


def test_commit_fields_are_found_at_any_depth() -> None:
    """Fields ending in commit are claims; only the named one at the top is the head."""
    root = _parse('{"last_commit": "aaa1111", "a": [{"last_commit": "bbb2222"}], "commit_count": "ccc3333"}')
    assert [(claim.subject, claim.value) for claim in claim_commit_fields(root, head="last_commit")] == [
        ("head", "aaa1111"),
        (None, "bbb2222"),
    ]


def test_commits_in_prose_need_a_sentence_about_commits() -> None:
    """A hexadecimal word elsewhere is no commit."""
    where = Place(path="a.json", line=1)
    text = "Ticket aaa1111 is closed. Pushed bbb2222."
    assert [claim.value for claim in claim_commits_in_prose(text, where)] == ["bbb2222"]


def test_count_and_document_fields_are_found_at_any_depth() -> None:
    """Numbers in words and in fields, and paths in document fields; booleans are no numbers."""
    root = _parse('{"x": {"smoke": "1/2 passed", "failed_tests": 4, "skipped": true}, "plan_document": "a/b.md"}')
    assert [(claim.subject, claim.value) for claim in claim_count_fields(root)] == [
        ("smoke.total", 2),
        ("smoke.passed", 1),
        ("x.failed", 4),
    ]
    assert [claim.subject for claim in claim_document_fields(root)] == ["a/b.md"]
