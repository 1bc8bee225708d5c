from __future__ import annotations

import pytest

from handoff_tui.handoffs.reading.json_document import JsonDocument, JsonNode, parse_json, parse_json_lines

TEXT = """{
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


def test_node_knows_its_line() -> None:
    """Every value, in objects and lists, has the line it stands on."""
    lines = {node.name: node.where.line for node in root_of(TEXT).walk()}
    assert lines == {"": 1, "name": 2, "list": 3, "list[0]": 3, "list[1]": 4, "list[1].deep": 4, "wrong": 5}


def test_typed_read_reports_another_type_with_its_line() -> None:
    """A number where text should be is a problem, not an exception, and not the text `3`."""
    root = root_of(TEXT)
    assert root.text("wrong") is None
    [problem] = root.document.problems
    assert (problem.line, problem.message) == (5, "wrong should be text, but is a number")


def test_typed_read_of_absent_or_null_is_silent() -> None:
    """What is not there is nothing, and no problem."""
    root = root_of(TEXT)
    assert (root.text("absent"), root.text("none"), root.items("absent")) == (None, None, [])
    assert root.document.problems == []


def test_same_problem_is_reported_once() -> None:
    """Reading a wrong field twice gives one problem."""
    root = root_of(TEXT)
    root.text("wrong")
    root.text("wrong")
    assert len(root.document.problems) == 1


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


def test_boolean_is_no_number() -> None:
    """`true` is not 1."""
    root = root_of('{"a": true, "b": 1}')
    assert (root.integer("a"), root.boolean("b")) == (None, None)
    assert len(root.document.problems) == 2


def test_scalar_reads_what_is_written_either_way() -> None:
    """Fields that are text in one file and a number in another read as text."""
    root = root_of('{"a": 2, "b": "2", "c": true, "d": [1]}')
    assert [root.scalar(key) for key in "abcd"] == ["2", "2", "true", None]
