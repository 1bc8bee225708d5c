from __future__ import annotations

import pytest

from handoff_tui.log.review_record import Comment


@pytest.mark.parametrize(
    ("comment", "place"),
    [
        (Comment(text="x"), ""),
        (Comment(text="x", path="a.py"), "a.py"),
        (Comment(text="x", path="a.py", line=3), "a.py:3"),
        (Comment(text="x", path="a.py", line=3, end_line=3), "a.py:3"),
        (Comment(text="x", path="a.py", line=3, end_line=5), "a.py:3-5"),
    ],
)
def test_place_is_written_as_people_write_it(comment: Comment, place: str) -> None:
    """Path, line and range, as far as they are there."""
    assert comment.place == place
