from __future__ import annotations

from handoff_tui.models.review_record import Comment
from handoff_tui.review.quoting import has_changed, quote

CONTENT = b"one\ntwo\nthree\nfour\nfive\nsix\nseven\n"


def test_lines_meant_are_marked_and_have_neighbours() -> None:
    """Three before and after, as far as the file goes."""
    assert quote(Comment(text="x", path="a", line=5, end_line=6), CONTENT) == (
        "     2  two",
        "     3  three",
        "     4  four",
        ">    5  five",
        ">    6  six",
        "     7  seven",
    )


def test_nothing_is_quoted_where_nothing_is() -> None:
    """No line, no content, or a line behind the end."""
    assert quote(Comment(text="x", path="a"), CONTENT) == ()
    assert quote(Comment(text="x", path="a", line=1), None) == ()
    assert quote(Comment(text="x", path="a", line=99), CONTENT) == ()


def test_moved_lines_have_not_changed() -> None:
    """A remark is answered by changing the lines, not by pushing them down."""
    comment = Comment(text="x", path="a", line=2, end_line=3)
    assert not has_changed(comment, CONTENT, b"zero\n" + CONTENT)
    assert has_changed(comment, CONTENT, CONTENT.replace(b"three", b"3"))
    assert has_changed(comment, CONTENT, b"two\n")
    assert has_changed(comment, CONTENT, None)


def test_remark_on_a_file_is_about_all_of_it() -> None:
    """Any difference counts; so it does for a line that was never there."""
    assert not has_changed(Comment(text="x", path="a"), CONTENT, CONTENT)
    assert has_changed(Comment(text="x", path="a"), CONTENT, CONTENT + b"eight\n")
    assert has_changed(Comment(text="x", path="a", line=99), CONTENT, b"")
    assert not has_changed(Comment(text="x", path="a", line=99), CONTENT, CONTENT)
