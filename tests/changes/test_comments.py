from __future__ import annotations

import pytest

from handoff_tui.changes.comments import CommentFiles, has_changed, judge_comment, quote
from handoff_tui.log.review_record import Comment

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


def test_white_space_alone_is_no_change() -> None:
    """Indented, padded, joined, broken, with blank lines in between: the same, unless that is asked for."""
    comment = Comment(text="x", path="a", line=2, end_line=3)
    for same in (b"one\n  two\n\tthree \n", b"two three\n", b"two\r\n\r\nthree\r\n", b"t wo\nthr\nee\n"):
        assert not has_changed(comment, CONTENT, same)
        assert has_changed(comment, CONTENT, same, white_space=True)
    assert has_changed(comment, CONTENT, b"one two\nthree\n")
    assert not has_changed(Comment(text="x", path="a"), CONTENT, CONTENT.replace(b"\n", b"\r\n"))


def test_white_space_counts_where_there_is_nothing_else() -> None:
    """In binary content a byte is a byte; blank lines are what a remark on them is about."""
    assert has_changed(Comment(text="x", path="a"), b"\0a b", b"\0ab")
    blank = Comment(text="x", path="a", line=2)
    assert has_changed(blank, b"a\n\nb\n", b"a\nb\n")
    assert not has_changed(blank, b"a\n\nb\n", b"a\nb\n\nc\n")


def test_remark_on_a_file_is_about_all_of_it() -> None:
    """Any difference counts; so it does for a line that was never there."""
    assert not has_changed(Comment(text="x", path="a"), CONTENT, CONTENT)
    assert has_changed(Comment(text="x", path="a"), CONTENT, CONTENT + b"eight\n")
    assert has_changed(Comment(text="x", path="a", line=99), CONTENT, b"")
    assert not has_changed(Comment(text="x", path="a", line=99), CONTENT, CONTENT)


LINE = Comment(text="x", path="a.py", line=2)

FILE = Comment(text="x", path="a.py")

LOOK = "check whether that answers it"


@pytest.mark.parametrize(
    ("comment", "now", "changed", "why"),
    [
        (LINE, b"one\nTWO\n", True, "what it is about changed in attempt 2"),
        (LINE, b"zero\none\ntwo\n", False, "what it is about is the same in attempt 2"),
        (LINE, b"one\n  two\n", False, "only white space in what it is about changed in attempt 2"),
        (FILE, b"one\ntwo\nthree\n", True, "the file changed in attempt 2"),
        (FILE, b"one two\n", False, "only white space in the file changed in attempt 2"),
        (LINE, None, None, f"the file is gone from attempt 2: {LOOK}"),
    ],
)
def test_remark_is_judged_by_content(*, comment: Comment, now: bytes | None, changed: bool | None, why: str) -> None:
    """Only words that differ address it; a file that is gone is for a person to judge."""
    files = CommentFiles(then={"a.py": b"one\ntwo\n"}, now={"a.py": now})
    assert judge_comment(comment, files, "attempt 2") == (changed, why)


def test_remark_follows_its_file() -> None:
    """Its lines are looked for under the new name; of a remark on the file a new name may be the answer."""
    files = CommentFiles({"a.py": b"one\ntwo\n"}, {"a.py": b"one\ntwo\n"}, renamed={"a.py": "b.py"})
    same = (False, "what it is about is the same in attempt 2, where the file is b.py")
    assert judge_comment(LINE, files, "attempt 2") == same
    assert judge_comment(FILE, files, "attempt 2")[0] is None


def test_remark_is_not_measured_on_another_kind_of_file() -> None:
    """What a link says is no line of the file."""
    files = CommentFiles({"a.py": b"one\ntwo\n"}, {"a.py": b"b.py"}, retyped=frozenset({"a.py"}))
    assert judge_comment(LINE, files, "attempt 2") == (None, f"it is a different kind of file in attempt 2: {LOOK}")
