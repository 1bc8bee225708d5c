from __future__ import annotations

from handoff_tui.handoffs.formats.hub.format import HubDrafts
from handoff_tui.handoffs.handoff import DocumentRole
from handoff_tui.handoffs.reading.format import Source


def test_desk_finds_a_handoff_by_task_then_run() -> None:
    """The task decides; a run helps where the task is unknown; lists are no work."""
    desk = HubDrafts("hub")
    work = desk.open_work("T007", "12")
    desk.open_draft("todo")
    assert desk.find_by_name("T007", None) is work
    assert desk.find_by_name("T999", "12") is work
    assert desk.find_by_name("todo", None) is None
    assert desk.find_by_name(None, "13") is None


def test_desk_finds_the_only_handoff_of_a_folder() -> None:
    """Where two handoffs share a folder, neither is meant."""
    desk = HubDrafts("hub")
    first = desk.open_work("T1", None)
    first.documents.append(Source.of_text("a/x.md", "").document(DocumentRole.CONTEXT))
    assert desk.find_by_folder("a") is first
    second = desk.open_work("T2", None)
    second.documents.append(Source.of_text("a/y.md", "").document(DocumentRole.CONTEXT))
    assert desk.find_by_folder("a") is None
    assert desk.find_by_folder("") is None


def test_desk_newest_compares_both_ways_of_writing_time() -> None:
    """A time with a T and one with a space are compared as times."""
    desk = HubDrafts("hub")
    desk.open_work("T1", None).created = "2031-02-03T09:00:00Z"
    desk.open_work("T2", None).created = "2031-02-03 10:00:00"
    newest = desk.find_newest()
    assert newest is not None
    assert newest.id == "T2"
    assert HubDrafts("hub").find_newest() is None
