from __future__ import annotations

import pytest

from handoff_tui.handoffs.formats.hub.stages import find_next_stage, is_done, parse_stage


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        ("PM", "DEV"),
        ("DEV", "QA"),
        ("QA", "SEC"),
        ("SEC", "DOCS"),
        ("DOCS", "COMPLETE"),
        ("COMPLETE", None),
        ("QA_FAILED", "DEV"),
        ("DOCS_FAILED", "DOCS"),
        ("MERGED", None),
        (None, None),
    ],
)
def test_next_stage_follows_the_order_and_loops_back_on_failure(stage: str | None, expected: str | None) -> None:
    """Stages follow each other; a failed one goes back; an unknown one leads nowhere."""
    assert find_next_stage(stage) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("security", "SEC"), ("Docs", "DOCS"), ("qa_failed", "QA_FAILED"), ("NONE", None), ("", None), (None, None)],
)
def test_parse_stage_uses_one_name_per_stage(text: str | None, expected: str | None) -> None:
    """Roles and states are stages in capitals; none is no stage."""
    assert parse_stage(text) == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [("done", True), ("Completed", True), ("in progress", False), ("brewing", None), (None, None)],
)
def test_is_done_knows_words_or_says_nothing(status: str | None, *, expected: bool | None) -> None:
    """An unknown word is neither done nor undone."""
    assert is_done(status) is expected
