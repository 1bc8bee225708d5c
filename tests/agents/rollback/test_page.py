from __future__ import annotations

from handoff_tui.agents.rollback.report import (
    RollbackState,
    build_done_page,
    build_preview_json,
    build_preview_page,
    build_rollback_json,
    build_rollbacks_page,
)
from tests.support.reviewed import find_section, list_lines
from tests.support.rollbacks import PREVIEW, RECORD


def test_preview_tells_what_would_change_and_what_is_in_the_way() -> None:
    """Long lists are cut unless everything is wanted."""
    page = build_preview_page(PREVIEW)
    assert list_lines(page)[0] == "dry run  back to aaaaaaaaaaaa"
    assert find_section(page, "Files")[0] == "  deleted  x␛"
    assert "  and 10 more" in list_lines(page)
    assert "  and 10 more" not in list_lines(build_preview_page(PREVIEW, everything=True))
    assert find_section(page, "In the way: not the work of an agent") == ["  y"]


def test_json_says_whether_it_was_done() -> None:
    """One schema for both."""
    assert build_preview_json(PREVIEW)["applied"] is False
    done = build_rollback_json((RECORD,))
    assert (done["applied"], done["schema"]) == (True, "handoff-tui/rollback/v1")


def test_record_tells_where_everything_is_saved() -> None:
    """In the list, too; an empty one says so."""
    assert "saved    refs/handoff-tui/saved/1" in list_lines(build_done_page(RECORD))
    assert list_lines(build_done_page(RECORD))[0] == "done  back to aaaaaaaaaaaa"
    assert "refs/handoff-tui/saved/1" in list_lines(build_rollbacks_page((RECORD,)))[0]
    assert list_lines(build_rollbacks_page(())) == ["No rollbacks yet"]


def test_undone_rollback_says_where_head_is() -> None:
    """Not where the rollback had led; the commit it had made is named as left."""
    undone = RECORD.model_copy(update={"state": RollbackState.UNDONE})
    lines = list_lines(build_done_page(undone))
    assert lines[0] == "undone  everything is back; HEAD is g"
    assert "left     i, the commit it had made" in lines
    files_only = undone.model_copy(update={"commit": undone.saved.head})
    assert not any("left" in line for line in list_lines(build_done_page(files_only)))
