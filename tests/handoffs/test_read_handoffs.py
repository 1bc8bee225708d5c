from __future__ import annotations

from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import open_desk
from tests.support.repositories import RepositoryBuilder


def test_reading_has_the_handoffs_and_their_shelf(builder: RepositoryBuilder) -> None:
    """What was read stays on the shelf, and is what others read."""
    builder.write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit("x")
    desk = open_desk(builder.folder)
    reading = read_repository(desk)
    assert [handoff.id for handoff in reading.result.handoffs] == ["notes/HANDOFF.md"]
    builder.write("HANDOFF.md", "something else\n")
    assert "Status: COMPLETE" in reading.files.source("HANDOFF.md").text
    builder.step("checkout", "--quiet", "HANDOFF.md")
    assert read_repository(desk).result == reading.result
