from __future__ import annotations

import pytest

from handoff_tui.changes.comment_changes import RemarkFiles, judge_remark
from handoff_tui.log.review_record import Comment

LINE = Comment(text="x", path="a.py", line=2)
FILE = Comment(text="x", path="a.py")
LOOK = "look whether that answers it"


@pytest.mark.parametrize(
    ("comment", "now", "changed", "why"),
    [
        (LINE, b"one\nTWO\n", True, "what it is about has changed in attempt 2"),
        (LINE, b"zero\none\ntwo\n", False, "what it is about is the same in attempt 2"),
        (LINE, b"one\n  two\n", False, "only white space of what it is about has changed in attempt 2"),
        (FILE, b"one\ntwo\nthree\n", True, "the file has changed in attempt 2"),
        (FILE, b"one two\n", False, "only white space of the file has changed in attempt 2"),
        (LINE, None, None, f"the file is gone from attempt 2: {LOOK}"),
    ],
)
def test_remark_is_judged_by_content(*, comment: Comment, now: bytes | None, changed: bool | None, why: str) -> None:
    """Only words that differ address it; a file that is gone is for a person to judge."""
    files = RemarkFiles(then={"a.py": b"one\ntwo\n"}, now={"a.py": now})
    assert judge_remark(comment, files, "attempt 2") == (changed, why)


def test_remark_follows_its_file() -> None:
    """Its lines are looked for under the new name; of a remark on the file a new name may be the answer."""
    files = RemarkFiles({"a.py": b"one\ntwo\n"}, {"a.py": b"one\ntwo\n"}, renamed={"a.py": "b.py"})
    same = (False, "what it is about is the same in attempt 2, where the file is b.py")
    assert judge_remark(LINE, files, "attempt 2") == same
    assert judge_remark(FILE, files, "attempt 2")[0] is None


def test_remark_is_not_measured_on_another_kind_of_file() -> None:
    """What a link says is no line of the file."""
    files = RemarkFiles({"a.py": b"one\ntwo\n"}, {"a.py": b"b.py"}, retyped=frozenset({"a.py"}))
    assert judge_remark(LINE, files, "attempt 2") == (None, f"it is another kind of file in attempt 2: {LOOK}")
