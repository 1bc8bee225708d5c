from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.facts.documents import (
    JsonBrokenError,
    describe_cut_off,
    find_line,
    find_unreadable,
    is_document_cut_off,
    parse_json,
    parse_strictly,
    read_json,
    walk_objects,
)
from tests.support.world import MemoryWorld

PATH = ".planning/HANDOFF.json"


def test_unreadable_documents_are_told_only_of_those_asked_for() -> None:
    """With their place; other files are other rules' business."""
    context = Context(Answers(MemoryWorld({PATH: "{"})))
    [found] = find_unreadable(context, [PATH])
    assert str(found.place) == f"{PATH}:1"
    assert list(find_unreadable(context, ["other.json"])) == []


def test_json_that_cannot_be_read_is_nothing() -> None:
    """Missing, broken, nested beyond measure; a byte order mark is no fault."""
    context = Context(Answers(MemoryWorld({"a.json": b'\xef\xbb\xbf{"a": 1}'})))
    assert read_json(context, "a.json") == {"a": 1}
    assert read_json(context, "none.json") is None
    assert parse_json(b"{") is None
    assert parse_json(b"[" * 100_000) is None


def test_walk_gives_every_object_in_order() -> None:
    """Through lists and objects."""
    value = {"n": 1, "a": [{"n": 2}, [{"n": 3}]], "b": {"n": 4}}
    assert [node["n"] for node in walk_objects(value)] == [1, 2, 3, 4]


def test_json_is_parsed() -> None:
    """Any JSON value, with or without a byte order mark."""
    assert parse_strictly(b'{"a": [1, "x", null]}') == {"a": [1, "x", None]}
    assert parse_strictly(b"\xef\xbb\xbf1") == 1


@pytest.mark.parametrize(
    ("content", "words", "line"),
    [
        (b"", "is empty", 5),
        (b" \n", "is empty", 5),
        (b'{"a":\n', "is not valid JSON", 6),
        (b'{\n"a": "\xe9"}', "is not UTF-8", 6),
        (b'{"a": {"b": 1, "b": 2}}', "b is given twice", None),
        (b"[Infinity]", "Infinity is not a JSON value", None),
        (b"1" * 5000, "can be relied on", None),
        (b"[" * 100_000, "nested too deeply", 5),
    ],
)
def test_what_is_no_json_is_refused(content: bytes, words: str, line: int | None) -> None:
    """The error says why and, where it is known, on which line, counted from where the text begins."""
    with pytest.raises(JsonBrokenError) as refused:
        parse_strictly(content, first_line=5)
    assert words in refused.value.message
    assert refused.value.line == line


@given(st.binary(max_size=200))
def test_parsing_raises_nothing_else(content: bytes) -> None:
    """Whatever the bytes are, there is a value or the one error, and the second reading is as the first."""
    assert _read(content) == _read(content)


def _read(content: bytes) -> object:
    try:
        return repr(parse_strictly(content))
    except JsonBrokenError as refused:
        return refused.message, refused.line


def test_line_of_a_member_is_found() -> None:
    """By its name, by its name and text, or not at all; a value of that text is no member."""
    content = '{\n"x": "id",\n"id": "B1",\n"id" : "Bé2"}'.encode()
    assert find_line(content, "id") == 3
    assert find_line(content, "id", "Bé2") == 4
    assert find_line(content, "id", "B3") is None
    assert find_line(b"\xff", "id") is None


def test_document_is_cut_off_with_its_commit() -> None:
    """One of another commit, and one of none, is not."""
    world = MemoryWorld(documents={"a.md": "a" * 40, "b.md": "b" * 40}, cut_off=frozenset({"a" * 40}))
    context = Context(Answers(world))
    assert [is_document_cut_off(context, path) for path in ("a.md", "b.md", "c.md")] == [True, False, False]


def test_documents_are_named_once_and_not_all() -> None:
    """Three, and how many more."""
    assert describe_cut_off(["a", "a"]).endswith("when a was written")
    assert describe_cut_off("abcde").endswith("when a, b, c and 2 more were written")
