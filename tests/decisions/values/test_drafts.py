from __future__ import annotations

from handoff_tui.decisions.drafts import MOST_MARKS, StoredDrafts
from handoff_tui.log.review_record import Comment
from tests.support.diffs import build_change

REMARK = Comment(text="why?", path="a.py", line=3)
CHANGE = build_change()


def test_comment_is_added_once_and_removed() -> None:
    """The same remark twice is one; a handoff without drafts leaves nothing behind."""
    stored = StoredDrafts().add_comment("H-1", REMARK).add_comment("H-1", REMARK)
    assert stored.get("H-1").comments == (REMARK,)
    assert stored.get("H-2").comments == ()
    assert stored.remove_comment("H-1", REMARK) == StoredDrafts()


def test_reason_is_kept_by_verb_until_it_is_empty() -> None:
    """One reason does not touch another."""
    stored = StoredDrafts().keep_reason("H-1", "reject", "no tests").keep_reason("H-1", "approve", "fine")
    assert stored.get("H-1").reasons == {"reject": "no tests", "approve": "fine"}
    assert stored.keep_reason("H-1", "reject", "").get("H-1").reasons == {"approve": "fine"}


def test_mark_counts_for_just_that_content() -> None:
    """Another content on either side, or another mode, is unread; what was read before still counts when it returns."""
    stored = StoredDrafts().mark(CHANGE, viewed=True)
    assert stored.is_viewed(CHANGE)
    for other in (
        CHANGE._replace(new_id="c" * 40),
        CHANGE._replace(old_id="c" * 40),
        CHANGE._replace(new_mode="100755"),
        CHANGE._replace(path="b.py"),
    ):
        assert not stored.is_viewed(other)
    changed = CHANGE._replace(new_id="d" * 40)
    both = stored.mark(changed, viewed=True)
    assert both.is_viewed(CHANGE)
    assert both.is_viewed(changed)
    assert not both.mark(CHANGE, viewed=False).is_viewed(CHANGE)


def test_marks_of_a_path_are_not_kept_for_ever() -> None:
    """Only the latest; the others need reading again."""
    stored = StoredDrafts()
    for number in range(MOST_MARKS + 2):
        stored = stored.mark(CHANGE._replace(new_id=f"{number:040}"), viewed=True)
    assert len(stored.viewed["a.py"]) == MOST_MARKS
    assert not stored.is_viewed(CHANGE._replace(new_id=f"{0:040}"))


def test_opened_document_is_kept_with_its_content() -> None:
    """The last content that was on the screen."""
    assert StoredDrafts().note_opened("a.md", "1" * 64).note_opened("a.md", "2" * 64).opened == {"a.md": "2" * 64}
