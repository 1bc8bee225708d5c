"""What a reviewer writes: files of comments, drafts, and answers on the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import FileUnreadableError, UsageError
from handoff_tui.decisions.drafts import MOST_MARKS, StoredDrafts
from handoff_tui.decisions.threads import parse_comments, read_comment_file
from handoff_tui.log.person import ask_person, read_page_width
from handoff_tui.log.review_record import Comment
from handoff_tui.system.processes.terminal import has_terminal
from tests.support.diffs import build_change

COMMENT = Comment(text="why?", path="a.py", line=3)
CHANGE = build_change()


def test_comments_are_paragraphs_with_places() -> None:
    """A range, a line, a file, or the whole; further lines belong to the comment."""
    text = (
        "src/a.py:12-15: not\nhandled\n\n \nsrc/a.py:3: why?\r\n\r\nREADME.md: too short\n\nAll in all: good work.\n"
        "\nsee: the notes\n"
    )
    assert parse_comments(text) == (
        Comment(text="not\nhandled", path="src/a.py", line=12, end_line=15),
        Comment(text="why?", path="src/a.py", line=3),
        Comment(text="too short", path="README.md"),
        Comment(text="All in all: good work."),
        Comment(text="see: the notes"),
    )


@pytest.mark.parametrize("text", ["", "\n \n\n", "\r\n"])
def test_nothing_is_no_comment(text: str) -> None:
    """Blank text has none."""
    assert parse_comments(text) == ()


@pytest.mark.parametrize("text", ["a.py:0: x", "a.py:5-3: x"])
def test_impossible_lines_are_refused(text: str) -> None:
    """Said with the place as it was written."""
    with pytest.raises(UsageError, match="is not a range of lines"):
        parse_comments(text)


def test_file_is_read_as_text(tmp_path: Path) -> None:
    """Bytes that aren't UTF-8 do not stop it; a file that is not there does, with a hint."""
    place = tmp_path / "comments.txt"
    place.write_bytes(b"a.py: na\xefve\n")
    assert read_comment_file(place) == (Comment(text="na\ufffdve", path="a.py"),)
    with pytest.raises(UsageError, match="does not exist"):
        read_comment_file(tmp_path / "none.txt")
    with pytest.raises(FileUnreadableError):
        read_comment_file(tmp_path)


def test_comment_is_added_once_and_removed() -> None:
    """The same comment twice is one; a handoff without drafts leaves nothing behind."""
    stored = StoredDrafts().add_comment("H-1", COMMENT).add_comment("H-1", COMMENT)
    assert stored.get("H-1").comments == (COMMENT,)
    assert stored.get("H-2").comments == ()
    assert stored.remove_comment("H-1", COMMENT) == StoredDrafts()


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


def test_nobody_is_asked_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """No terminal: no question, no answer, no width."""
    monkeypatch.setattr("handoff_tui.system.processes.terminal._PLACE", "/nonexistent/tty")
    assert not has_terminal()
    assert ask_person("really? ") is None
    assert read_page_width() is None
