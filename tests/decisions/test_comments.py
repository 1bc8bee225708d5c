from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import FileUnreadableError, UsageError
from handoff_tui.decisions.comments import parse_comments, read_comments
from handoff_tui.log.review_record import Comment


def test_remarks_are_paragraphs_with_places() -> None:
    """A range, a line, a file, or the whole; further lines belong to the remark."""
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
def test_nothing_is_no_remark(text: str) -> None:
    """Blank text has none."""
    assert parse_comments(text) == ()


@pytest.mark.parametrize("text", ["a.py:0: x", "a.py:5-3: x"])
def test_impossible_lines_are_refused(text: str) -> None:
    """Said with the place as it was written."""
    with pytest.raises(UsageError, match="is no range of lines"):
        parse_comments(text)


def test_file_is_read_as_text(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 do not stop it; a file that is not there does, with a hint."""
    place = tmp_path / "remarks.txt"
    place.write_bytes(b"a.py: na\xefve\n")
    assert read_comments(place) == (Comment(text="na\ufffdve", path="a.py"),)
    with pytest.raises(UsageError, match="is not there"):
        read_comments(tmp_path / "none.txt")
    with pytest.raises(FileUnreadableError):
        read_comments(tmp_path)
