from __future__ import annotations

import pytest

from handoff_tui.changes.comparison.snapshot_diff import (
    BaselineChoice,
    ComparedItem,
    ComparedPair,
    ComparedSection,
    DiffScope,
    ItemChange,
    SnapshotDiff,
)
from handoff_tui.core.classes import replace
from handoff_tui.core.text.columns import compute_width
from handoff_tui.core.text.page import Cell, Line
from handoff_tui.git.file_diff import ChangedFile, FileKind, LineCounts, Whitespace
from handoff_tui.live.state.app import AppState, DifferenceView, Drafts, FilesView, Loaded, Trouble
from handoff_tui.log.review_record import Comment
from handoff_tui.tui.views.changes.bars import (
    Shown,
    build_file_title,
    build_pair,
    build_record_page,
    build_record_sum,
    build_status,
)
from handoff_tui.tui.views.changes.file_rows import ChangedFileRows, filter_files, shorten_path
from tests.support.diffs import build_change

PAIR = ComparedPair(scope=DiffScope.SINCE_BASELINE, before=BaselineChoice(commit="7" * 40, reason="approved"))
LOST = SnapshotDiff(
    tests=ComparedSection(items=(ComparedItem("t::a", ItemChange.VANISHED, "pass", explained=False),), before_total=1)
)
RECORD = Loaded(DifferenceView(PAIR, LOST, (), ("a note",)))


def join(cells: tuple[Cell, ...]) -> str:
    return "".join(cell.text for cell in cells)


def test_sum_is_the_first_line_of_the_record() -> None:
    """What was lost without a word, where to see it, and that it is old where it is."""
    assert join(build_record_sum(RECORD, 3, "i")) == " compared  ✗ 1 unexplained drop  i shows it"
    stale = Loaded(RECORD.value, stale=True)
    assert "(older than the files; reading again)" in join(build_record_sum(stale, 3, "i"))


def test_record_that_is_not_there_says_why() -> None:
    """While it is made, and when it could not be."""
    assert "Comparing tests, packages" in join(build_record_sum(Loaded(), None, "i"))
    trouble: Loaded[DifferenceView] = Loaded(trouble=Trouble("no such commit", "Name another."))
    lines = [join(part.cells) for part in build_record_page(trouble, None).parts if isinstance(part, Line)]
    assert lines == ["✗ no such commit", "Name another."]


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (PAIR, "baseline 7777777 → now"),
        (PAIR.model_copy(update={"scope": DiffScope.SINCE_MY_REVIEW}), "my last review 7777777 → now"),
        (
            ComparedPair(
                scope=DiffScope.BETWEEN,
                before=BaselineChoice(snapshot="ab" * 32, reason=""),
                after=BaselineChoice(commit="c" * 40, reason=""),
            ),
            "abababababab → ccccccc",
        ),
        (ComparedPair(scope=DiffScope.SINCE_BASELINE, before=BaselineChoice(reason="none")), "baseline nothing → now"),
    ],
)
def test_pair_is_told_in_few_words(pair: ComparedPair, words: str) -> None:
    """What is compared with what."""
    assert build_pair(pair) == words


@pytest.mark.parametrize("width", [60, 80, 113, 200])
def test_title_fits_and_keeps_what_matters(width: int) -> None:
    """The end of a long name, the counts and the mark are there at any width; the pair where there is room."""
    change = build_change("a/very/long/path/that/goes/on/and/on/for/more/than/sixty/columns/lamp.py")
    row = build_file_title(change, LineCounts(41, 12), (2, 7), PAIR, read=False, width=width)
    text = join(row)
    assert compute_width(text) <= width
    assert "lamp.py  modified  +41 -12" in text
    assert text.endswith("○ unread  2/7 ")
    assert ("baseline" in text) is (width >= 200)
    short = build_file_title(build_change("a.py"), None, (1, 1), PAIR, read=True, width=width)
    assert compute_width(join(short)) == width
    assert "✓ read" in join(short)


def test_status_tells_how_and_where() -> None:
    """The mode, the file, what was read, the change; whatever is unusual is named."""
    files = tuple(ChangedFile(build_change(name), FileKind.TEXT) for name in ("a.py", "b.py"))
    drafts = Drafts((Comment(text="a"),), frozenset({"a.py"}))
    state = AppState(files=Loaded(FilesView(PAIR, files, counted=False)), drafts=drafts)
    rest = "1 of 2 files read · change 3 of 9 · your drafts: 1 comment"
    assert join(build_status(state, (2, 2), Shown(width=80, change=3, changes=9))) == f" unified · {rest}"
    usual = join(build_status(replace(state, drafts=Drafts()), (2, 2), Shown(width=80, change=3, changes=9)))
    assert usual == " unified (split needs 100 columns) · 0 of 2 files read · change 3 of 9"
    unusual = Shown(
        split=True, width=120, wrap=True, whitespace=Whitespace.IGNORE, context=None, changes=0, reading=True
    )
    assert join(build_status(AppState(), (0, 0), unusual)) == (
        " side by side · wrapped · whitespace: ignore · whole file · reading…"
    )
    assert join(build_status(AppState(), (0, 0), Shown(wanted="unified", width=120))) == " unified"
    assert join(build_status(AppState(), (0, 0), Shown(width=120))) == " unified"


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
        "✓ read   M   +12 -3  src/lamp.py",
        "○ unread A +250k     uv.lock  lock",
        "○ unread A           new.sh  ! new, and executable",
        "○ unread R    +1 -1  a.py → b.py  ┊ 2 comments",
        "○ unread M           x⟨U+202E⟩y  binary ! its name has hidden characters: U+202E",
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
