"""The status is found where it is stated."""

from __future__ import annotations

import pytest

from handoff_tui.handoffs.formats.builder.results import find_status
from handoff_tui.handoffs.reading.format import Source


@pytest.mark.parametrize(
    ("text", "token", "line"),
    [
        ("# R\n\n## Status: PASS\n", "PASS", 3),
        ("# R\n\n**Status**: PASS (with pre-existing failures)\n", "PASS", 3),
        ("# R\n\n**Date**: today\n**Status**: COMPLETE — 4/4 tests pass\n", "COMPLETE", 4),
        ("# R\n\n## Status\n\n**FAIL**\n", "FAIL", 5),
        ("# R\n\nText.\n\n## End\n\nVerdict: PASS\n", "PASS", 7),
        ("# R\n\n## Status — partial, see below\n", "PARTIAL", 3),
    ],
)
def test_status_is_read_wherever_it_stands(text: str, token: str, line: int) -> None:
    """Heading, field, section and closing verdict all state it."""
    status = find_status(Source.of_text("r.md", text))
    assert status is not None
    assert (status.token, status.line, status.claim.value) == (token, line, token)


def test_status_with_more_words_keeps_them() -> None:
    """What is said beside the token is a fact of its own."""
    status = find_status(Source.of_text("r.md", "## Status: PASS (with known failures)\n"))
    assert status is not None
    assert [fact.value for fact in status.facts] == ["PASS (with known failures)"]


@pytest.mark.parametrize("text", ["## Status: PASS | FAIL | PARTIAL\n", "**Status**: splendid\n"])
def test_status_that_is_none_is_reported(text: str) -> None:
    """A template left as it was, or an unknown word, is a problem and no status."""
    source = Source.of_text("r.md", f"# R\n\n{text}")
    assert find_status(source) is None
    assert [problem.line for problem in source.problems()] == [3]


def test_status_of_a_silent_document_is_nothing() -> None:
    """Nothing said, nothing read."""
    source = Source.of_text("r.md", "# R\n\nA result: good.\n")
    assert find_status(source) is None
    assert source.problems() == []
