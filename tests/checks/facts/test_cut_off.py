"""Documents whose time of writing a shallow clone does not show."""

from __future__ import annotations

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.facts.documents import describe_cut_off, is_document_cut_off
from tests.support.world import MemoryWorld


def test_document_is_cut_off_with_its_commit() -> None:
    """One of another commit, and one of none, is not."""
    world = MemoryWorld(documents={"a.md": "a" * 40, "b.md": "b" * 40}, cut_off=frozenset({"a" * 40}))
    context = Context(Answers(world))
    assert [is_document_cut_off(context, path) for path in ("a.md", "b.md", "c.md")] == [True, False, False]


def test_documents_are_named_once_and_not_all() -> None:
    """Three, and how many more."""
    assert describe_cut_off(["a", "a"]).endswith("when a was written")
    assert describe_cut_off("abcde").endswith("when a, b, c and 2 more were written")
