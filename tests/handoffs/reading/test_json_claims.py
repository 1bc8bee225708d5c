from __future__ import annotations

import pytest

from handoff_tui.handoffs.reading.json_claims import build_unique_id, claim_commit, normalise_status, parse_path
from handoff_tui.handoffs.reading.json_document import JsonDocument, parse_json


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("paused", "PAUSED"),
        ("paused mid discuss", "PAUSED"),
        ("code-delivered", "CODE_DELIVERED"),
        ("It is, well.", None),
    ],
)
def test_normalise_status_keeps_words_and_drops_sentences(text: str, token: str | None) -> None:
    """A known token wins, an unknown word is kept in capitals, a sentence is nothing."""
    assert normalise_status(text) == token


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("./src/a.py:12", "src/a.py"),
        ("app/[id]/page.tsx", "app/[id]/page.tsx"),
        ("my file.txt", "my file.txt"),
        ("Makefile", "Makefile"),
        ("../up.py", None),
        ("/etc/hosts", None),
        ("https://x.test/a", None),
        ("src/*.py", None),
        ("", None),
    ],
)
def test_parse_path_accepts_only_paths_inside(text: str, path: str | None) -> None:
    """Line numbers are cut off; addresses, patterns and ways out are no paths."""
    assert parse_path(text) == path


def test_claim_commit_reports_what_is_no_id() -> None:
    """An id becomes a claim, null is nothing, other words are a problem."""
    document = JsonDocument(parse_json("x.json", '{"a": "1234567", "b": null, "c": "soon"}'))
    assert document.root is not None
    assert [claim.value for claim in claim_commit(document.root, "a")] == ["1234567"]
    assert claim_commit(document.root, "b") == []
    assert claim_commit(document.root, "c") == []
    assert [problem.message for problem in document.problems] == ["c is no commit id"]


def test_build_unique_id_never_repeats() -> None:
    """The path is added first, then a number."""
    taken: set[str] = set()
    ids = [build_unique_id(taken, "a.json", "task") for _ in range(3)]
    assert ids == ["task", "task/a.json", "task/a.json-2"]
