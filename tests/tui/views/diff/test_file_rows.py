from __future__ import annotations

import pytest

from handoff_tui.git.file_diff import ChangedFile, FileKind, LineCounts
from handoff_tui.log.review_record import Comment
from handoff_tui.tui.views.diff.file_rows import ChangedFileRows, count_read, filter_files, shorten_path
from tests.support.diffs import build_change

FILES = (
    ChangedFile(build_change("src/lamp.py"), FileKind.TEXT, LineCounts(12, 3)),
    ChangedFile(build_change("uv.lock", "A"), FileKind.LOCK, LineCounts(250_000, 0)),
    ChangedFile(build_change("new.sh", "A", new_mode="100755"), FileKind.TEXT),
    ChangedFile(build_change("b.py", "R", old_path="a.py"), FileKind.TEXT, LineCounts(1, 1)),
    ChangedFile(build_change("x\u202ey"), FileKind.BINARY, LineCounts(None, None)),
)


def render(rows: ChangedFileRows, width: int = 100) -> list[str]:
    return ["".join(cell.text for cell in rows.build_row(index, width)).rstrip() for index in range(len(rows.keys))]


def test_rows_tell_all_of_a_file() -> None:
    """Read or not, what became of it, how much, its name, its kind, what to notice, what was said of it."""
    comments = (Comment(text="a", path="b.py", line=1), Comment(text="b", path="b.py"))
    rows = ChangedFileRows(FILES, frozenset({"src/lamp.py"}), comments, "b.py")
    assert render(rows) == [
        "✓ read   M     +12     -3  src/lamp.py",
        "○ unread A   +250k     -0  uv.lock   lock",
        "○ unread A                 new.sh   ! new, and executable",
        "○ unread R      +1     -1  a.py → b.py ◂ ┊ 2 comments",
        "○ unread M                 x⟨U+202E⟩y   binary ! its name has hidden characters: U+202E",
    ]
    assert rows.keys == tuple(file.change.path for file in FILES)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_long_names_keep_their_end(width: int) -> None:
    """The file's own name is what tells it from others."""
    file = ChangedFile(build_change("deep/" * 30 + "lamp.py"), FileKind.TEXT)
    (row,) = render(ChangedFileRows((file,)), width)
    assert row.endswith("/lamp.py")
    assert shorten_path("abcdef", 4) == "…def"
    assert shorten_path("abc", 4) == "abc"


def test_files_are_filtered_by_all_words() -> None:
    """In any case and order."""
    assert [file.change.path for file in filter_files(FILES, "PY src")] == ["src/lamp.py"]
    assert filter_files(FILES, "") == FILES
    assert filter_files(FILES, "nothing") == ()


def test_read_files_are_counted() -> None:
    """Only those that are in the list."""
    assert count_read(FILES, frozenset({"b.py", "elsewhere"})) == 1
