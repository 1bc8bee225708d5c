"""What changed, driven as a person would."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from handoff_tui.changes.comparison.snapshot_diff import (
    BaselineChoice,
    ComparedItem,
    ComparedPair,
    ComparedSection,
    DiffScope,
    ItemChange,
    SnapshotDiff,
)
from handoff_tui.changes.files.shown_file import ShownFile
from handoff_tui.core.classes import replace
from handoff_tui.decisions.threads import Reply, Thread
from handoff_tui.git.file_diff import ChangedFile, DiffOptions, FileKind, LineCounts, Whitespace
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.live.state.app import (
    AppState,
    ComparisonPoint,
    DifferenceView,
    DiffRange,
    Drafts,
    FilesView,
    Loaded,
    OpenFile,
    RepositoryPart,
    Trouble,
)
from handoff_tui.log.review_record import Comment
from handoff_tui.tui import messages
from handoff_tui.tui.dialogs.lists import ScopeScreen
from handoff_tui.tui.views.changes.lines_view import DiffLinesView
from handoff_tui.tui.widgets.row_list import RowList
from tests.support.desk_app import StillApp, drive
from tests.support.desk_states import ROOT, build_state, make_item
from tests.support.diffs import build_change, build_shown, number_lines
from tests.support.screens import at_desk, compare_looks, cut_view, get_app, list_asked, settle

OPTIONS = DiffOptions(most_lines=None)
PAIR = ComparedPair(scope=DiffScope.SINCE_BASELINE, before=BaselineChoice(commit="7c1e9a2" * 6, reason="approved"))
OLD = [
    "import time",
    "",
    "def refresh(self, claims):",
    '    """Seconds until expiry."""',
    "    if not claims: return 0",
    "    return claims.get('exp', 0) - time.time()",
    "",
    *(f"UNCHANGED_{number} = {number}" for number in range(30)),
    "def is_admin(user):",
    '    return user.role == "admin"',
]
NEW = [
    *OLD[:4],
    "    if claims is None:",
    '        raise SessionError("no claims")',
    "    return claims['exp'] - now()",
    *OLD[6:-1],
    '    return user.role == "admin\u202e"',
]
SESSION, LOCK, SCRIPT, LAMP = "src/session.py", "uv.lock", "run.sh", "src/lamp.py"
FILES = (
    ChangedFile(build_change(LAMP), FileKind.TEXT, LineCounts(1, 1)),
    ChangedFile(build_change(SESSION), FileKind.TEXT, LineCounts(4, 3)),
    ChangedFile(build_change(LOCK, "A"), FileKind.LOCK, LineCounts(300, 0)),
    ChangedFile(build_change(SCRIPT, "A", new_mode="100755"), FileKind.TEXT, LineCounts(2, 0)),
)
RECORD = SnapshotDiff(
    tests=ComparedSection(
        items=(ComparedItem("test_session.py::test_expiry", ItemChange.VANISHED, "pass", explained=False),),
        before_total=12,
        after_total=11,
        unchanged=11,
    )
)
REMARK = Comment(text="KeyError when exp is missing", path=SESSION, line=7)


def show_file(path: str, file: ShownFile | None = None, **changes: object) -> AppState:
    """A desk with this file in view."""
    if file is None:
        change = next(one.change for one in FILES if one.change.path == path)
        file = build_shown(OLD, NEW, change) if path == SESSION else build_shown(["old"], ["new"], change)
    item = make_item("H-1")
    desk = AppState(
        repositories=(RepositoryPart(ROOT, "lamp", Loaded(build_state()), Watching.LIVE),),
        inbox=(item,),
        chosen=item.key,
        files=Loaded(FilesView(PAIR, FILES, counted=True, points=(ComparisonPoint("abc1234", "commit", "a commit"),))),
        difference=Loaded(DifferenceView(PAIR, RECORD, (), ())),
        open_file=OpenFile(path, file.options),
        file=Loaded(file),
    )
    return replace(desk, **changes)  # type: ignore[arg-type]


DESK = show_file(SESSION, drafts=Drafts((REMARK,), frozenset({LAMP})))


def get_lines(pilot: Pilot[None]) -> DiffLinesView:
    return get_app(pilot).main_screen.view.query_one(DiffLinesView)


def get_text(pilot: Pilot[None]) -> str:
    """The line under the cursor."""
    view = get_lines(pilot)
    line = view.rows.find_line(view.index) if view.rows is not None else None
    return line.text if line is not None else ""


@at_desk(DESK)
async def test_files_look_as_committed(pilot: Pilot[None]) -> None:
    """The record's sum, the files with marks, kinds, counts and warnings, and the selected one beside or below."""
    await settle(pilot, "enter", "2")
    await compare_looks(pilot, "changes-files")


@at_desk(DESK)
async def test_lines_look_as_committed(pilot: Pilot[None]) -> None:
    """Unified where it is narrow, side by side where there is room; folds, comments, hidden characters."""
    await settle(pilot, "enter", "2", "enter")
    await compare_looks(pilot, "changes")


@at_desk(DESK)
async def test_record_is_a_page_of_its_own(pilot: Pilot[None]) -> None:
    """`i` opens it, `i` or escape closes it; the sum stays above all."""
    screen = await settle(pilot, "enter", "2")
    assert "compared  ✗ 1 unexplained drop" in screen
    screen = await settle(pilot, "I")
    assert "UNEXPLAINED DROPS" in screen
    assert "test_session.py::test_expiry" in screen
    assert LOCK not in screen
    assert "Files · 1 of 4 read" in await settle(pilot, "escape")
    await settle(pilot, "I")
    assert "Files · 1 of 4 read" in await settle(pilot, "I")


@at_desk(DESK)
async def test_changes_and_folds_are_stepped_through(pilot: Pilot[None]) -> None:
    """Brackets go from change to change; Enter opens a fold, and the cursor stands on its first line."""
    await settle(pilot, "enter", "2", "enter", "right_square_bracket")
    assert get_text(pilot) == OLD[4]
    await settle(pilot, "right_square_bracket")
    assert get_text(pilot) == OLD[-1]
    assert "No more changes" in await settle(pilot, "right_square_bracket")
    await settle(pilot, "left_square_bracket")
    assert get_text(pilot) == OLD[4]
    screen = await settle(pilot, *"jjjjjjjjj")
    assert "▸ ⋯ 26 lines hidden" in screen
    screen = await settle(pilot, "enter")
    assert get_text(pilot) == "UNCHANGED_2 = 2"
    assert "lines hidden" not in screen


@at_desk(DESK)
async def test_context_grows_and_shrinks(pilot: Pilot[None]) -> None:
    """More lines around each change, up to the whole file, and fewer, down to none; the cursor keeps its line."""
    await settle(pilot, "enter", "2", "enter", "right_square_bracket")
    assert "context 6" in await settle(pilot, "plus")
    assert get_text(pilot) == OLD[4]
    assert "whole file" in await settle(pilot, *["plus"] * 9)
    assert "context 0" in await settle(pilot, *["minus"] * 9)
    assert get_text(pilot) == OLD[4]


@at_desk(DESK)
async def test_files_are_stepped_through_and_the_unread_found(pilot: Pilot[None]) -> None:
    """Braces start again at the end; `m` marks and goes on to what was not read yet, from here on."""
    await settle(pilot, "enter", "2", "right_curly_bracket", "left_curly_bracket", "m")
    paths = [one.path for one in list_asked(pilot, messages.FileWanted)]
    assert paths[:2] == [LOCK, LAMP]
    everything = frozenset(file.change.path for file in FILES)
    get_app(pilot).give(replace(DESK, generation=2, drafts=Drafts(viewed=everything)))
    await settle(pilot)
    assert "Every file is marked as read" in await settle(pilot, "m")


MANY = tuple(
    ChangedFile(build_change(f"src/many_{number}.py"), FileKind.TEXT, LineCounts(1, 1)) for number in range(60)
)


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (100, 30)])
@at_desk(show_file(SESSION, files=Loaded(FilesView(PAIR, (*FILES, *MANY), counted=True))))
async def test_lines_are_in_view_however_many_files_there_are(pilot: Pilot[None], size: tuple[int, int]) -> None:
    """Where there is no room beside the list, they are below it, and follow the cursor in it."""
    screen = await settle(pilot, "enter", "2")
    assert "src/lamp.py" in screen
    assert "def refresh(self, claims)" in screen
    await settle(pilot, "j", "j")
    assert list_asked(pilot, messages.FileWanted)[-1].path == SCRIPT
    assert "src/lamp.py" in await settle(pilot, "g")
    assert "Files" not in await settle(pilot, "enter") or size[0] == 100


def test_first_unread_file_is_asked_for_once() -> None:
    """Whoever opens the view sees a file without asking; also when another scope has other files."""
    nothing = replace(DESK, open_file=None, file=Loaded())

    async def script(pilot: Pilot[None]) -> None:
        await settle(pilot, "enter", "2")
        get_app(pilot).give(replace(nothing, generation=2))
        await settle(pilot)
        assert list_asked(pilot, messages.FileWanted) == [messages.FileWanted(SESSION, OPTIONS)]
        other = FilesView(PAIR, FILES[3:], counted=True)
        get_app(pilot).give(
            replace(DESK, scope=DiffRange(DiffScope.SINCE_MY_REVIEW), files=Loaded(other), generation=3)
        )
        await settle(pilot)
        assert list_asked(pilot, messages.FileWanted)[1:] == [messages.FileWanted(SCRIPT, OPTIONS)]

    drive(StillApp(nothing), script)


@at_desk(DESK)
async def test_marks_are_asked_for_the_file_under_the_cursor(pilot: Pilot[None]) -> None:
    """In the list the one under the cursor, in the lines the one in view."""
    await settle(pilot, "enter", "2", "j", "M", "k", "enter", "m")
    assert list_asked(pilot, messages.FileMarked) == [
        messages.FileMarked(LOCK, viewed=False),
        messages.FileMarked(SESSION, viewed=True),
    ]


@at_desk(DESK)
async def test_remarks_are_written_on_lines_ranges_and_remarks(pilot: Pilot[None]) -> None:
    """A line, a range of lines, a deleted line, and one that is there already; an emptied one is taken back."""
    await settle(pilot, "enter", "2", "enter", "right_square_bracket", *"jj", "v", *"jj")
    assert "3 rows selected" in await settle(pilot)
    screen = await settle(pilot, "c")
    assert f"Comment on {SESSION}:5-7" in screen
    await settle(pilot, *"why", "enter")
    assert list_asked(pilot, messages.CommentWritten) == [
        messages.CommentWritten(Comment(text="why", path=SESSION, line=5, end_line=7))
    ]
    await settle(pilot, "j", "c", *["backspace"] * len(REMARK.text), "enter")
    assert list_asked(pilot, messages.CommentRemoved) == [messages.CommentRemoved(REMARK)]
    assert len(list_asked(pilot, messages.CommentWritten)) == 1
    await settle(pilot, "left_square_bracket", "c", "escape")
    wanted = list_asked(pilot, messages.CommentWanted)[-1]
    assert wanted == messages.CommentWanted(SESSION, 5, None, "(deleted line 5) ")
    assert len(list_asked(pilot, messages.CommentWritten)) == 1


THREAD = Thread(
    id="0123abcd.1",
    comment=Comment(text="who checks exp?", path=SESSION, line=5),
    author="tomas@example.org",
    attempt=1,
    time="2026-03-01T00:00:00Z",
    entry="sha256:0123abcd",
    replies=(Reply(author="heron", text="now() does\x1b[2J", time="2026-03-02T00:00:00Z"),),
    path=SESSION,
    line=7,
    changed=False,
)
SETTLED = THREAD.model_copy(update={"id": "0123abcd.2", "resolved_by": "tomas@example.org"})
ANSWER = Comment(text="it may be missing", thread=THREAD.id, path=SESSION, line=7)


@at_desk(show_file(SESSION, threads=Loaded((THREAD, SETTLED)), drafts=Drafts((ANSWER,))), size=(100, 30))
async def test_threads_stand_at_their_lines_and_are_answered_and_settled(pilot: Pilot[None]) -> None:
    """`c` on a thread replies, `d` settles it: both are drafts. `C` lists them."""
    screen = await settle(pilot, "enter", "2", "enter", "right_square_bracket", *"jjjj")
    assert screen.count("tomas@example.org, attempt 1: who checks exp?") == 1
    assert "heron: now() does␛[2J" in screen
    assert "your draft reply: it may be missing" in screen
    await settle(pilot, "d")
    settles = Comment(text="", path=SESSION, line=7, thread=THREAD.id, resolves=True)
    assert list_asked(pilot, messages.CommentWritten) == [messages.CommentWritten(settles)]
    get_app(pilot).give(show_file(SESSION, threads=Loaded((THREAD,)), drafts=Drafts((settles,))))
    assert "your draft settles it" in await settle(pilot)
    await settle(pilot, "d")
    assert list_asked(pilot, messages.CommentRemoved) == [messages.CommentRemoved(settles)]
    assert "Reply to the comment on" in await settle(pilot, "j", "c")
    await settle(pilot, *"no", "enter")
    written = list_asked(pilot, messages.CommentWritten)[-1].comment
    assert (written.text, written.thread, written.resolves) == ("no", THREAD.id, False)
    screen = await settle(pilot, "C")
    assert "1 draft, 1 thread" in screen


@at_desk(DESK)
async def test_text_is_found_in_the_lines_also_where_they_are_folded(pilot: Pilot[None]) -> None:
    """The fold that hides it opens; `n` and `N` go on; escape ends the search."""
    await settle(pilot, "enter", "2", "enter", "slash", *"unchanged_1", "enter")
    assert get_text(pilot) == "UNCHANGED_1 = 1"
    await settle(pilot, "n")
    assert get_text(pilot) == "UNCHANGED_10 = 10"
    await settle(pilot, "N")
    assert get_text(pilot) == "UNCHANGED_1 = 1"
    assert "in this file" in await settle(pilot, "slash", *"zzz")


@at_desk(DESK)
async def test_files_are_filtered_in_the_list(pilot: Pilot[None]) -> None:
    """Lists filter: only the paths that have the words are left."""
    screen = await settle(pilot, "enter", "2", "slash", *"lock")
    assert "uv.lock" in screen
    assert LAMP not in screen
    assert 'No matches for "lockz"' in await settle(pilot, "z")
    assert LAMP in await settle(pilot, "escape")


def test_lines_go_sideways_and_wrap() -> None:
    """What is cut can be seen either way; numbers and marks stay."""
    change = FILES[1].change
    long = build_shown(["a"], ["a", "x" * 100 + "END"], change)

    async def script(pilot: Pilot[None]) -> None:
        screen = await settle(pilot, "enter", "2", "enter")
        assert "END" in screen
        assert "wrapped" in screen
        assert "END" not in await settle(pilot, "W")
        screen = await settle(pilot, *"lllll")
        assert "2 │ + " in screen
        assert "END" in screen
        screen = await settle(pilot, *"hhhhh", "W")
        assert "END" in screen
        assert "wrapped" in screen
        await settle(pilot, "G")
        assert get_text(pilot).endswith("END")

    drive(StillApp(show_file(SESSION, long)), script)


def test_wrapped_lines_scroll_to_the_last_one() -> None:
    """However long the lines are, the end comes into view, and paging back returns to the start."""
    change = FILES[1].change
    long = build_shown([], [f"{number} {'x' * 300}" for number in range(60)], change)

    async def script(pilot: Pilot[None]) -> None:
        await settle(pilot, "enter", "2", "enter")
        screen = await settle(pilot, "G")
        assert "  60 │ + 59 xxx" in screen
        assert get_text(pilot).startswith("59 ")
        screen = await settle(pilot, "g")
        assert "   1 │ + 0 xxx" in screen

    drive(StillApp(show_file(SESSION, long)), script)


@at_desk(show_file(SESSION, build_shown([], [], FILES[1].change, FileKind.BINARY)))
async def test_white_space_and_doors_read_the_file_again(pilot: Pilot[None]) -> None:
    """`=` goes through what counts as a difference; Enter on a binary file's row asks for it as text."""
    assert "whitespace: ignore-at-end" in await settle(pilot, "enter", "2", "enter", "equals_sign")
    wanted = list_asked(pilot, messages.FileWanted)[-1]
    assert wanted == messages.FileWanted(SESSION, OPTIONS._replace(whitespace=Whitespace.IGNORE_AT_END))
    await settle(pilot, "G", "enter")
    last = list_asked(pilot, messages.FileWanted)[-1]
    assert last.options.as_text


@at_desk(show_file(LOCK, build_shown([], ["a = 1"], FILES[2].change, FileKind.LOCK)))
async def test_lock_file_opens_when_it_is_asked_for(pilot: Pilot[None]) -> None:
    """Enter on its row shows the lines."""
    screen = await settle(pilot, "enter", "2", "enter")
    assert "a lock file, folded: 1 line" in screen
    assert "a = 1" in await settle(pilot, "enter")


@at_desk(DESK, ascii_only=True, size=(160, 50))
async def test_terminal_without_our_glyphs_gets_others(pilot: Pilot[None]) -> None:
    """Everything around the lines is drawn in ASCII, folds and missing sides too."""
    screen = cut_view(pilot, await settle(pilot, "enter", "2", "enter", "v", "j"))
    assert screen.isascii()
    assert "26 lines hidden" in screen


def test_mode_is_chosen_where_there_is_room() -> None:
    """Side by side and back; a narrow screen says what it lacks."""

    async def wide(pilot: Pilot[None]) -> None:
        assert "side by side" in await settle(pilot, "enter", "2")
        assert "unified ·" in await settle(pilot, "V")
        assert "side by side" in await settle(pilot, "V")

    async def narrow(pilot: Pilot[None]) -> None:
        assert "side by side needs 160 columns" in await settle(pilot, "enter", "2", "enter", "V")

    drive(StillApp(DESK), wide, (240, 50))
    drive(StillApp(DESK), narrow)


@at_desk(DESK)
async def test_resizing_keeps_the_line_under_the_cursor(pilot: Pilot[None]) -> None:
    """From narrow to wide and back, folded and unfolded, the cursor's line stays and is in view."""
    await settle(pilot, "enter", "2", "enter", *["plus"] * 6, "G", *"kkkkkk")
    text = get_text(pilot)
    assert text == "UNCHANGED_26 = 26"
    for size in ((160, 50), (100, 30), (80, 24), (64, 18)):
        await pilot.resize_terminal(*size)
        screen = await settle(pilot)
        assert get_text(pilot) == text
        assert text in screen


@at_desk(show_file(SESSION))
async def test_place_is_kept_while_the_file_changes(pilot: Pilot[None]) -> None:
    """New content arrives: the cursor stays on its line number; nothing scrolls."""
    await settle(pilot, "enter", "2", "enter", *["plus"] * 9, *"jjjjjjjjjjjjjjjjjjjjjjjj")
    view = get_lines(pilot)
    text, top = get_text(pilot), view.scroll_offset.y
    changed = build_shown(OLD, [*NEW, "one more"], FILES[1].change._replace(new_id="e" * 40))
    get_app(pilot).give(replace(show_file(SESSION, changed), generation=2))
    await settle(pilot)
    assert (get_text(pilot), view.scroll_offset.y) == (text, top)


@at_desk(show_file(SESSION))
async def test_file_that_is_read_in_another_way_stays_until_then(pilot: Pilot[None]) -> None:
    """White space is left out: the lines stay on the screen while git is asked, and the cursor on its line."""
    options = OPTIONS._replace(whitespace=Whitespace.IGNORE)
    await settle(pilot, "enter", "2", "enter", "right_square_bracket", "equals_sign")
    assert get_text(pilot) == OLD[4]
    asked = replace(show_file(SESSION), open_file=OpenFile(SESSION, options), file=Loaded(loading=True))
    get_app(pilot).give(replace(asked, generation=2))
    assert OLD[4] in await settle(pilot)
    arrived = replace(build_shown(OLD, NEW, FILES[1].change), options=options)
    get_app(pilot).give(replace(asked, file=Loaded(arrived), generation=3))
    await settle(pilot)
    assert get_text(pilot) == OLD[4]


def test_lines_arrive_while_they_are_read() -> None:
    """What is there is shown at once, and that more comes is said; the cursor stays."""
    change = FILES[1].change
    whole = build_shown([], number_lines(500), change)
    part = replace(build_shown([], number_lines(40), change), complete=False)

    async def script(pilot: Pilot[None]) -> None:
        screen = await settle(pilot, "enter", "2", "enter", *"jjj")
        assert "reading…" in screen
        assert get_text(pilot) == "line 4"
        get_app(pilot).give(replace(show_file(SESSION, whole), generation=2))
        screen = await settle(pilot)
        assert "reading…" not in screen
        assert get_text(pilot) == "line 4"
        await settle(pilot, "G")
        assert get_text(pilot) == "line 500"

    drive(StillApp(show_file(SESSION, part)), script)


@at_desk(DESK)
async def test_scope_is_chosen_typed_or_made_of_two(pilot: Pilot[None], app: StillApp) -> None:
    """From the list, by any name, as one..other, or one after the other."""
    screen = await settle(pilot, "enter", "2", "D")
    assert "since my last review" in screen
    assert "commit abc1234  a commit" in screen
    await settle(pilot, "down", "down", "enter")
    await settle(pilot, "D", *"v1.0", "enter")
    await settle(pilot, "D", *"v1..v2", "enter")
    await settle(pilot, "D", "down", "down", "down", "down", "enter")
    assert isinstance(app.screen, ScopeScreen)
    await settle(pilot, "enter", *"v9", "enter")
    scopes = [one.scope for one in list_asked(pilot, messages.ScopeWanted)]
    assert scopes == [
        DiffRange(DiffScope.SINCE_MY_REVIEW),
        DiffRange(DiffScope.BETWEEN, "v1.0"),
        DiffRange(DiffScope.BETWEEN, "v1", "v2"),
        DiffRange(DiffScope.BETWEEN, "abc1234", "v9"),
    ]


@at_desk(DESK)
async def test_lines_paths_and_places_can_be_taken_along(pilot: Pilot[None]) -> None:
    """`y` the line or the range, `Y` the path, `o` the editor at the line as it is now."""
    await settle(pilot, "enter", "2", "enter", "right_square_bracket", *"jj", "y", "v", "j", "y", "Y", "escape", "o")
    copied = list_asked(pilot, messages.CopyWanted)
    assert copied == [
        messages.CopyWanted(NEW[4], "1 line"),
        messages.CopyWanted(f"{NEW[4]}\n{NEW[5]}", "2 lines"),
        messages.CopyWanted(SESSION, "the path"),
    ]
    assert list_asked(pilot, messages.EditorWanted) == [messages.EditorWanted(SESSION, 6)]


@at_desk(show_file(LAMP))
async def test_place_from_elsewhere_is_shown_when_its_file_has_come(pilot: Pilot[None], app: StillApp) -> None:
    """Another view names a file and a line: the file is asked for, and then shown there."""
    await settle(pilot, "enter", "2")
    app.main_screen.post_message(messages.PlaceWanted(SESSION, 30))
    await settle(pilot)
    assert list_asked(pilot, messages.FileWanted) == [messages.FileWanted(SESSION, OPTIONS)]
    app.give(replace(DESK, generation=2))
    await settle(pilot)
    assert get_text(pilot) == NEW[29]
    app.main_screen.post_message(messages.PlaceWanted(SESSION, 3))
    await settle(pilot)
    assert get_text(pilot) == NEW[2]


@at_desk(DESK, size=(100, 40))
async def test_empty_loading_and_failed_states_are_told(pilot: Pilot[None]) -> None:
    """In words, in their place, with what to do."""
    nowhere = ComparedPair(scope=DiffScope.SINCE_BASELINE, before=BaselineChoice(reason="nothing was approved yet"))
    states = {
        "Comparing the files…": replace(DESK, files=Loaded(loading=True), file=Loaded(), open_file=None),
        "No changes": replace(DESK, files=Loaded(FilesView(PAIR, (), counted=True)), file=Loaded(), open_file=None),
        "Nothing to compare with: nothing was approved yet": replace(
            DESK, files=Loaded(FilesView(nowhere, (), counted=True)), open_file=None
        ),
        "no such commit Name another.": replace(DESK, files=Loaded(trouble=Trouble("no such commit", "Name another."))),
        "no handoff selected": replace(DESK, chosen=None, files=Loaded(), open_file=None),
    }
    await settle(pilot, "enter", "2")
    for number, (words, state) in enumerate(states.items(), start=2):
        get_app(pilot).give(replace(state, generation=number))
        assert words in await settle(pilot)
    get_app(pilot).give(replace(DESK, file=Loaded(trouble=Trouble("it is gone", "Look again.")), generation=99))
    assert "it is gone Look again." in await settle(pilot)


@at_desk(DESK, size=(160, 50))
async def test_list_previews_the_file_under_the_cursor_where_both_are_in_view(pilot: Pilot[None]) -> None:
    """Moving through the list shows each file below; Enter goes into its lines, a click on a row chooses it."""
    await settle(pilot, "enter", "2", "j")
    paths = [one.path for one in list_asked(pilot, messages.FileWanted)]
    assert paths[-1] == LOCK
    assert isinstance(get_app(pilot).focused, RowList)
    await settle(pilot, "enter")
    assert isinstance(get_app(pilot).focused, DiffLinesView)
    await pilot.click("#lines", offset=(10, 4))
    await settle(pilot)
    assert get_lines(pilot).index == get_lines(pilot).scroll_offset.y + 4


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_hostile_names_and_lines_are_shown_and_not_obeyed(size: tuple[int, int]) -> None:
    """Markup, escape codes, overrides and a line of ten megabytes: all of it is text, and the screen stays intact."""
    change = build_change("src/[@click=app.exit]x\x1b]52;c;aGk=\x07.py", old_path="\u202eold")
    lines = ["[red]a[/]", "\x1b[2J\x1b[31mPASS", "\x9b31m", "a\u202eb\u200bc", "x" * 10_000_000]
    shown = build_shown([], lines, change)
    view = FilesView(PAIR, (ChangedFile(change, FileKind.TEXT, LineCounts(5, 0)),), counted=True)
    remark = Comment(text="[bold]why\x1b[0m", path=change.path, line=1)
    desk = show_file(change.path, shown, files=Loaded(view), drafts=Drafts((remark,)))

    async def script(pilot: Pilot[None]) -> None:
        screen = await settle(pilot, "enter", "2")
        assert "x␛]52;c;aGk=␇.py" in screen
        screen = await settle(pilot, "enter")
        assert "[red]a[/]" in screen
        assert "␛[2J␛[31mPASS" in screen
        assert "[bold]why␛[0m" in screen
        await settle(pilot, "G")
        rows = get_lines(pilot).rows
        assert rows is not None
        assert "more bytes or so" in rows.build(len(rows) - 1)[-1].content[-1].text
        await settle(pilot, "g", "W", "G")
        screen = await settle(pilot)
        assert all(line.isprintable() for line in screen.split("\n"))
        assert not any(character in screen for character in "\x1b\x9b\u202e\u200b")

    drive(StillApp(desk), script, size)
