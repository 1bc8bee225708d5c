from __future__ import annotations

import pytest

from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.reading.claim_words import (
    canonical_hash,
    clean_path,
    find_commits,
    find_paths,
    parse_counts,
    parse_number,
    parse_status,
    parse_verdict,
    quote,
)


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("PASS", "PASS"),
        ("PASS (with pre-existing failures)", "PASS"),
        ("**COMPLETE** -- 13/13 tests pass", "COMPLETE"),
        ("✅ COMPLETED", "COMPLETE"),
        ("in-progress", "IN_PROGRESS"),
        ("Passed", "PASS"),
        ("PASSWORD reset", None),
        ("the tests pass", None),
        ("", None),
        ("REJECT", "REJECTED"),
    ],
)
def test_status_is_the_first_token(text: str, token: str | None) -> None:
    """Only a word at the beginning counts, in its canonical form."""
    assert parse_status(text) == token


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("Review verdict: RETRY", "RETRY"),
        ("**Final verdict:** PASS", "PASS"),
        ("- Verdict: ESCALATE", "ESCALATE"),
        ("the verdict is open", None),
    ],
)
def test_verdict_is_read_from_a_closing_line(text: str, token: str | None) -> None:
    """A line that names a verdict gives its token."""
    assert parse_verdict(text) == token


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("553 passed, 26 failed, 17 skipped", TestCounts(passed=553, failed=26, skipped=17)),
        ("13 passed in 0.17s", TestCounts(passed=13)),
        ("PASS 28/28", TestCounts(total=28, passed=28)),
        ("1031/1031 tests passing", TestCounts(total=1031, passed=1031)),
        ("1,204 tests passed and 3 errors", TestCounts(passed=1204, failed=3)),
        ("page 3/7", None),
        ("12/3 tests", None),
        ("no numbers", None),
    ],
)
def test_counts_are_read_from_prose(text: str, counts: TestCounts | None) -> None:
    """Numbers with their words, or a fraction where tests are spoken of."""
    assert parse_counts(text) == counts


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("37 tests", 37),
        ("N/A (collection interrupted)", None),
        ("319 collected before", 319),
        ("~1,200", 1200),
        ("", None),
    ],
)
def test_number_is_the_leading_one(text: str, number: int | None) -> None:
    """A value that does not begin with a number has none."""
    assert parse_number(text) == number


def test_commits_are_hex_words_with_digit_and_letter() -> None:
    """Plain numbers, words and parts of longer ids are no commits."""
    assert find_commits("at 1a2b3c4, not 1234567, not defaced, not 1a2b3c4-x, `9f8e7d6c5b`") == [
        "1a2b3c4",
        "9f8e7d6c5b",
    ]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("src/a.py", "src/a.py"),
        ("./run.sh", "run.sh"),
        ("src/a.py:12", "src/a.py"),
        ("docs/", "docs/"),
        ("https://example.com/a.md", None),
        ("python3 -m pytest", None),
        ("/etc/passwd", None),
        ("../up.md", None),
        ("<id>_RESULTS.md", None),
        ("*.py", None),
        ("$TMPDIR/x.txt", None),
        ("--flag", None),
        ("word", None),
    ],
)
def test_path_is_told_from_other_code_spans(text: str, path: str | None) -> None:
    """Only what can be a path inside the repository is one."""
    assert clean_path(text) == path


def test_paths_are_found_in_code_spans_only() -> None:
    """Prose with a slash is not taken for a path."""
    assert find_paths("and/or `src/a.py` then `b.md`") == ["src/a.py", "b.md"]


def test_hash_gets_its_canonical_form() -> None:
    """Bare or prefixed, upper or lower case; other text is left as it is."""
    digest = "AB" * 32
    assert canonical_hash(digest) == canonical_hash(f"sha256:{digest}") == f"sha256:{digest.lower()}"
    assert canonical_hash("not captured") == "not captured"


def test_quote_is_one_short_line() -> None:
    """A claim's words fit on a line."""
    assert quote("a\n  b " + "x" * 300).startswith("a b xxx")
    assert len(quote("x" * 300)) == 200
