"""The guided review, and how few keys the everyday things take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from textual.pilot import Pilot

from handoff_tui.checks.problems import measure_gate
from handoff_tui.checks.report import Evidence, Finding, Outcome
from handoff_tui.git.file_diff import ChangedFile
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.live.state.app import AppState, Drafts, FilesView, Loaded
from handoff_tui.status.inbox_item import MeasuredGate
from handoff_tui.tui import messages
from handoff_tui.tui.guided import describe_progress, find_next, list_stops
from tests.functional.test_changes_view import DESK, FILES, PAIR, SESSION, show_file
from tests.support.check_reports import build_report, build_result
from tests.support.desk_app import StillApp, drive
from tests.support.diffs import build_shown
from tests.support.screens import at_desk, get_app, list_asked, settle

pytestmark = pytest.mark.usefixtures("still_clock")
WRONG = Finding(message="the hash is wrong", fingerprint="1", evidence=(Evidence(path=SESSION, line=5),))
ODD = Finding(message="a name is odd", fingerprint="2", evidence=(Evidence(path=SESSION, line=9),))
REPORT = build_report(build_result("hashes", Outcome.FAIL, WRONG), build_result("style", Outcome.FAIL, ODD))
PROBLEMS = measure_gate(REPORT)
PART = replace(DESK.repositories[0], reviewer="ada@example.org", watching=Watching.LIVE)
CLEAN = replace(DESK, repositories=(PART,), problems=Loaded(MeasuredGate(12, 12)), drafts=Drafts())
TROUBLED = replace(
    CLEAN,
    problems=Loaded(PROBLEMS),
    checks=Loaded(REPORT),
    inbox=tuple(item._replace(measured=PROBLEMS) for item in CLEAN.inbox),
)


def read_files(state: AppState, paths: Iterable[str]) -> AppState:
    return replace(state, drafts=Drafts(viewed=frozenset(paths)))


def test_problems_come_first_then_risky_files_then_the_others() -> None:
    """What was looked at is counted; a file by its mark, a problem by its key."""
    stops = list_stops(TROUBLED)
    assert [stop.key for stop in stops[:2]] == [problem.key for problem in PROBLEMS.problems]
    assert {stop.key for stop in stops[2:]} == {file.change.path for file in FILES}
    assert stops[2].key == "run.sh"  # it became executable
    assert describe_progress(TROUBLED, ()) == "0 of 6 looked at"
    seen = read_files(TROUBLED, ["uv.lock"])
    assert describe_progress(seen, {stops[0].key}) == "2 of 6 looked at"
    assert find_next(seen, {stops[0].key}) == stops[1]
    everything = read_files(TROUBLED, [file.change.path for file in FILES])
    assert find_next(everything, {stop.key for stop in stops[:2]}) is None
    assert describe_progress(replace(TROUBLED, files=Loaded()), ()) == "…"


@at_desk(TROUBLED, size=(100, 30))
async def test_space_leads_through_everything_to_the_decision(pilot: Pilot[None], app: StillApp) -> None:
    """From the queue: the problems one by one, then each file, marked behind; at the end the box to send it back."""
    screen = await settle(pilot, "space")
    assert app.main_screen.view_name == "overview"
    assert "0 of 6 looked at" in screen
    assert "▸ ✗ The hash is wrong" in screen
    screen = await settle(pilot, "space")
    assert "1 of 6 looked at" in screen
    assert "▸ ✗ A name is odd" in screen or "▸ ! A name is odd" in screen
    await settle(pilot, "space")
    assert app.main_screen.view_name == "changes"
    for _ in range(20):
        await settle(pilot, "space")
        marked = [one.path for one in list_asked(pilot, messages.FileMarked)]
        wanted = list_asked(pilot, messages.FileWanted)[-1].path
        shown = build_shown(["a"], ["b"], next(file.change for file in FILES if file.change.path == wanted))
        app.give(replace(show_file(wanted, shown), **_keep(TROUBLED, marked)))  # type: ignore[arg-type]
        await settle(pilot)
        if list_asked(pilot, messages.DecisionWanted):
            break
    assert {one.path for one in list_asked(pilot, messages.FileMarked)} == {file.change.path for file in FILES}
    [decision] = list_asked(pilot, messages.DecisionWanted)
    assert decision.verb == "reject"
    assert decision.looked >= {"hashes"}


def _keep(state: AppState, marked: list[str]) -> dict[str, object]:
    drafts = Drafts(viewed=frozenset(marked))
    return {"repositories": state.repositories, "problems": state.problems, "checks": state.checks, "drafts": drafts}


@at_desk(read_files(CLEAN, [file.change.path for file in FILES]))
async def test_clean_and_read_leads_straight_to_the_approval(pilot: Pilot[None]) -> None:
    """Nothing is signed by it."""
    await settle(pilot, "space", "space")
    assert [one.verb for one in list_asked(pilot, messages.DecisionWanted)] == ["approve"]
    assert list_asked(pilot, messages.DecisionConfirmed) == []


def count(*keys: str) -> int:
    return len(keys)


@at_desk(TROUBLED)
async def test_keys_that_the_everyday_things_take(pilot: Pilot[None], app: StillApp) -> None:
    """Why the top item waits 0, its changes 2, send back 3 and the text, next handoff 1, since when 2, quit 1."""
    assert "The hash is wrong" in await settle(pilot)
    changes = ("enter", "2")
    await settle(pilot, *changes)
    assert app.main_screen.view_name == "changes"
    assert count(*changes) <= 2
    await settle(pilot, "escape", "enter")
    await settle(pilot, "b")
    assert "enter b".count(" ") + 1 <= 2
    assert "Find the commit that broke" in await settle(pilot)
    app.post_message(messages.BisectCancelled())
    await settle(pilot, "escape", "escape")
    await settle(pilot, "J")
    await settle(pilot, "q")
    assert not app.is_running or app._exit


def test_comment_in_the_twelfth_file_takes_six_keys() -> None:
    """Changes, find it, enter, comment."""
    many = tuple(
        ChangedFile(FILES[0].change._replace(path=f"src/part_{number:02}.py"), FILES[0].kind, FILES[0].counts)
        for number in range(15)
    )
    view = FilesView(PAIR, many, counted=True)
    state = replace(CLEAN, files=Loaded(view), open_file=None, file=Loaded())

    async def script(pilot: Pilot[None]) -> None:
        app = get_app(pilot)
        keys = ("enter", "2", "slash", "1", "1", "enter")
        await settle(pilot, *keys[:5])
        await settle(pilot, "enter", "enter")
        wanted = list_asked(pilot, messages.FileWanted)[-1].path
        assert wanted == "src/part_11.py"
        shown = build_shown(["a"], ["b"], many[11].change)
        app.give(replace(show_file(wanted, shown), files=Loaded(view)))
        assert "Comment on src/part_11.py" in await settle(pilot, "c")

    drive(StillApp(state), script)
