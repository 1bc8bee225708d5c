from __future__ import annotations

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.facts.documents import find_unreadable, parse_json, read_json, walk_objects
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
