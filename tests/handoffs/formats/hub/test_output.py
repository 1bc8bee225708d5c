from __future__ import annotations

import pytest

from handoff_tui.handoffs.formats.hub.reports import find_contradiction

_BANNER = "starting session | provider: lamp model: wick\n    session id: 3\n    working directory: .\n"


@pytest.mark.parametrize(
    ("output", "summary", "words", "line"),
    [
        (_BANNER + "Server said: 503 Service Unavailable", "done", "an HTTP 503 error", 3),
        ("GET / HTTP/1.1 502", "done", "an HTTP 502 error", 0),
        ("ok\nTraceback (most recent call last):", "done", "a traceback", 1),
        ("ok\nRan into this error: wet wick", "done", "an error", 1),
        (_BANNER, "done", "empty apart from a banner", 0),
        ("", "done", "empty apart from a banner", 0),
        (None, "DEV agent execution completed", "shows no work", 0),
        (None, None, "shows no work", 0),
    ],
)
def test_output_speaks_against_a_pass(output: str | None, summary: str | None, words: str, line: int) -> None:
    """Server errors, tracebacks, errors and empty output contradict a pass, at their line."""
    found = find_contradiction(output, summary)
    assert found is not None
    assert words in found[0]
    assert found[1] == line


@pytest.mark.parametrize(
    ("output", "summary"),
    [
        ("12 passed, 0 errors", "done"),
        ("No errors found; error handling covered", None),
        ('{"status": "pass", "errors": []}', None),
        ("served 500 rows", None),
        (None, "Wick trimmed and tested"),
    ],
)
def test_output_of_honest_work_is_not_doubted(output: str | None, summary: str | None) -> None:
    """Words that only resemble errors, and a real summary, raise no doubt."""
    assert find_contradiction(output, summary) is None
