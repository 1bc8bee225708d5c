"""Texts as formats see them: JSON, frontmatter, Markdown and words."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as some

from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.grammar.counts import parse_counts
from handoff_tui.handoffs.grammar.tokens import clean_path, find_commits
from handoff_tui.handoffs.reading import json_document
from handoff_tui.handoffs.reading.claim_words import parse_status
from handoff_tui.handoffs.reading.json_document import (
    JsonDocument,
    JsonNode,
    parse_json,
    parse_json_lines,
    parse_yaml,
    split_frontmatter,
)
from handoff_tui.handoffs.reading.markdown import parse_field, parse_markdown

JSON_TEXT = """{
  "name": "tide",
  "list": [1,
    {"deep": true}],
  "wrong": 3,
  "none": null
}"""


def root_of(text: str) -> JsonNode:
    root = JsonDocument(parse_json("a.json", text)).root
    assert root is not None
    return root


def test_typed_read_reports_another_type_with_its_line() -> None:
    """A number where text should be is a problem, not an exception, and not the text `3`."""
    root = root_of(JSON_TEXT)
    assert root.text("wrong") is None
    [problem] = root.document.problems
    assert (problem.line, problem.message) == (5, "wrong should be text, but is a number")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("  \n ", "is empty"),
        ('{"a": 1', "is not valid JSON: Expecting ',' delimiter"),
        ("[NaN]", "NaN is not a JSON value"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 5_000, "a number of 5000 digits"),
        ('{"a": 1} x', "Extra data"),
    ],
)
def test_malformed_text_is_a_problem(text: str, words: str) -> None:
    """Whatever is wrong with a file is said, and there is no root."""
    document = JsonDocument(parse_json("a.json", text))
    assert document.root is None
    assert words in document.problems[0].message


def test_duplicate_key_is_reported_where_it_stands() -> None:
    """The last value counts, and the second place is named."""
    root = root_of('{"a": {"b": 1,\n "b": 2}}')
    inner = root.object("a")
    assert inner is not None
    assert inner.integer("b") == 2
    assert [(problem.line, problem.message) for problem in root.document.problems] == [
        (2, "a.b is given twice; the last one is used")
    ]


def test_half_a_surrogate_pair_is_replaced() -> None:
    """A text that could not be printed is made printable."""
    assert root_of('{"a": "x\\ud800y"}').text("a") == "x\ufffdy"


def test_json_lines_keep_their_line_numbers() -> None:
    """A broken line is a problem with its own number; the others are read."""
    documents = [*map(JsonDocument, parse_json_lines("log.jsonl", '{"a": 1}\n\n{"b"\n{"c": 3}\n'))]
    assert [document.root is not None for document in documents] == [True, False, True]
    assert documents[1].problems[0].line == 3


def test_frontmatter_is_read_and_lines_stay() -> None:
    """Values have their lines, and the body keeps its own."""
    document, body = split_frontmatter("a.md", "---\nphase: 2\ntags: [x, y]\ndate: 2026-01-02\n---\n# T\n")
    assert document is not None
    assert document.value == {"phase": 2, "tags": ["x", "y"], "date": "2026-01-02"}
    assert document.line_of(("tags",)) == 3
    assert body.split("\n")[5] == "# T"


_WORDS = (
    "a",
    "Yes",
    "null",
    "~",
    "012",
    "0x1F",
    "1_000",
    "7",
    "1.5",
    "2026-01-02",
    "2026-01-02T03:04:05Z",
    "x y",
    "a: b",
)
_ODD = (
    "- a",
    "'a'",
    "[a]",
    "a #b",
    "a#b",
    "&a",
    "1:30",
    "a ",
    "",
    "e1",
    "6d67e8c",
    "02-page",
    "é",
    "=",
    "<<",
    "._",
    "_",
)


@given(some.lists(some.tuples(some.sampled_from(["a", "b-c", "on", "x_y", "1"]), some.sampled_from(_WORDS + _ODD))))
def test_plain_frontmatter_is_read_as_yaml_reads_it(members: list[tuple[str, str]]) -> None:
    """Nearly all of it needs no YAML parser; what is read without one has the same values and lines."""
    source = "\n".join(f"{name}: {value}" for name, value in members)
    with patch.object(json_document, "_read_plain", return_value=None):
        expected = parse_yaml("a.yaml", source)
    found = parse_yaml("a.yaml", source)
    assert (found.value, found.valid, found.lines) == (expected.value, expected.valid, expected.lines)


def test_broken_yaml_is_a_problem_with_its_line() -> None:
    """The body is still read."""
    document, body = split_frontmatter("a.md", "---\na: 1\nb: [1\n---\nbody\n")
    assert document is not None
    assert not document.valid
    assert document.problems[0].line in {3, 4}
    assert body.endswith("body\n")


def test_alias_that_refers_to_itself_is_refused() -> None:
    """A structure without end is a problem, not a hang."""
    document, _ = split_frontmatter("a.md", "---\na: &x [*x]\n---\n")
    assert document is not None
    assert not document.valid
    assert document.problems


def test_aliases_that_multiply_are_refused() -> None:
    """A few lines that would expand to billions of values are a problem at once."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    document, _ = split_frontmatter("a.md", "---\n" + "\n".join(lines) + "\n---\n")
    assert document is not None
    assert "it uses aliases" in document.problems[0].message


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
    """Bold or not, colon inside or outside; an address isn't a field."""
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


def test_commits_are_hex_words_with_digit_and_letter() -> None:
    """Plain numbers, words and parts of longer ids aren't commits."""
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
