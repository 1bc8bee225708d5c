from __future__ import annotations

import pytest

from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.reading.claim_words import (
    clean_path,
    find_commits,
    find_paths,
    parse_counts,
    parse_number,
    parse_status,
    parse_verdict,
    says_nothing,
)
from handoff_tui.handoffs.reading.json_claims import build_unique_id, claim_commit, normalise_status, parse_path
from handoff_tui.handoffs.reading.json_document import JsonDocument, parse_json
from handoff_tui.handoffs.reading.markdown import Item, parse_field, parse_markdown

TEXT = """# Title of `it`

Intro line.

## 1. Mission

- [x] done thing
- [ ] open thing
  - nested

```sh
# not a heading
echo hi
```

## Files

| File | SHA256 |
|------|--------|
| `a.py` | abc |
| `b.py` | def |

### Sub

last
"""


def test_headings_have_level_number_name_and_line() -> None:
    """A heading inside a code fence is none."""
    outline = parse_markdown(TEXT)
    assert [(part.level, part.line, part.name, part.number) for part in outline.sections if part.level] == [
        (1, 1, "Title of it", None),
        (2, 5, "Mission", "1"),
        (2, 16, "Files", None),
        (3, 23, "Sub", None),
    ]
    assert outline.title == "Title of it"


def test_items_know_checkbox_depth_and_line() -> None:
    """Checkboxes are read; a nested item is deeper."""
    mission = parse_markdown(TEXT).sections[2]
    assert mission.items() == [
        Item(7, "done thing", 1, checked=True),
        Item(8, "open thing", 1, checked=False),
        Item(9, "nested", 2),
    ]


def test_table_rows_keep_their_lines() -> None:
    """Cells keep their markup, headings lose it."""
    [table] = parse_markdown(TEXT).sections[3].tables()
    assert table.header == ("File", "SHA256")
    assert [(row.line, row.cells) for row in table.rows] == [(20, ("`a.py`", "abc")), (21, ("`b.py`", "def"))]
    assert (table.column("sha"), table.column("nothing")) == (1, None)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("**Status**: PASS", ("Status", "PASS")),
        ("**Status:** PASS", ("Status", "PASS")),
        ("Total: 12 tests", ("Total", "12 tests")),
        ("- Total", None),
        ("see https://example.com", None),
        ("SHA256 before: x, after: y", ("SHA256 before", "x, after: y")),
    ],
)
def test_field_is_a_name_and_a_value(text: str, field: tuple[str, str] | None) -> None:
    """Bold or not, colon inside or outside; an address is no field."""
    assert parse_field(text) == field


def test_empty_item_does_not_swallow_the_paragraph_after_it() -> None:
    """A list item without text is none, and what follows the list is prose."""
    section = parse_markdown("-\nprose").sections[0]
    assert section.items() == []
    assert [paragraph.text for paragraph in section.paragraphs()] == ["prose"]


def test_empty_fence_stays_inside_the_text() -> None:
    """A fence that nothing follows has no line after the last one."""
    assert [line.number for line in parse_markdown("```").lines()] == [1]


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


@pytest.mark.parametrize(
    "text", ["None", "- none", "N/A", "No known blockers.", "**None** at this time", "", "nothing yet"]
)
def test_says_nothing_knows_the_words_for_nothing(text: str) -> None:
    """Entries that only say there is nothing."""
    assert says_nothing(text)


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
