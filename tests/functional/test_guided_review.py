"""The guided review, and how few keys the everyday things take."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

import pytest
from textual.pilot import Pilot

from handoff_tui.checks.problems import measure_gate
from handoff_tui.checks.report import Evidence, Finding, Outcome
from handoff_tui.core.classes import replace
from handoff_tui.git.file_diff import ChangedFile
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.live.state.app import AppState, DecisionPart, DecisionStage, Drafts, FilesView, Loaded
from handoff_tui.status.inbox_item import MeasuredGate
from handoff_tui.tui import messages
from handoff_tui.tui.guided import describe_progress, find_next, list_stops
from tests.functional.test_changes_view import DESK, FILES, PAIR, SESSION, show_file
from tests.functional.test_decision_screen import Hands
from tests.support.check_reports import build_report, build_result
from tests.support.desk_app import StillApp, drive
from tests.support.desk_states import make_item
from tests.support.diffs import build_shown
from tests.support.gate_views import build_decision_view
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
OTHER = make_item("H-99")
VIEW = build_decision_view(reason="")


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


class Counted:
    """Keys that are counted."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.pilot, self.app, self.count = pilot, get_app(pilot), 0

    async def press(self, *keys: str) -> str:
        self.count += len(keys)
        return await settle(self.pilot, *keys)

    async def give(self, state: AppState) -> str:
        self.app.give(state)
        return await settle(self.pilot)


KEYSTROKES: dict[str, tuple[int, AppState, Callable[[Counted], Awaitable[None]]]] = {}
"""How many keys each everyday thing may take, on what, and the keys themselves."""


def takes(
    most: int, name: str, state: AppState
) -> Callable[[Callable[[Counted], Awaitable[None]]], Callable[[Counted], Awaitable[None]]]:
    def keep(script: Callable[[Counted], Awaitable[None]]) -> Callable[[Counted], Awaitable[None]]:
        KEYSTROKES[name] = (most, state, script)
        return script

    return keep


MANY = tuple(
    ChangedFile(FILES[0].change._replace(path=f"src/part_{number:02}.py"), FILES[0].kind, FILES[0].counts)
    for number in range(1, 16)
)
OF_MANY = replace(CLEAN, files=Loaded(FilesView(PAIR, MANY, counted=True)), open_file=None, file=Loaded())


def open_one_of_many(path: str, read: Iterable[str] = ()) -> AppState:
    change = next(file.change for file in MANY if file.change.path == path)
    shown = show_file(path, build_shown(["a"], ["b"], change))
    return replace(
        OF_MANY, open_file=shown.open_file, file=shown.file, drafts=Drafts(viewed=frozenset(read)), chosen=shown.chosen
    )


@takes(0, "see why the top item waits", TROUBLED)
async def _see_why(keys: Counted) -> None:
    assert "The hash is wrong" in await keys.press()


@takes(2, "its changes", TROUBLED)
async def _see_changes(keys: Counted) -> None:
    await keys.press("enter", "2")
    assert keys.app.main_screen.view_name == "changes"


@takes(6, "comment in file 12 of the handoff in view", OF_MANY)
async def _comment(keys: Counted) -> None:
    await keys.press("enter")
    keys.count = 0
    await keys.press("2", "slash", "1", "2", "enter")
    wanted = [one.path for one in keys.app.asked if isinstance(one, messages.FileWanted)][-1]
    await keys.give(open_one_of_many(wanted))
    assert "Comment on src/part_12.py" in await keys.press("c")


@takes(16, "read fifteen files", OF_MANY)
async def _read_files(keys: Counted) -> None:
    await keys.press("enter")
    keys.count = 0
    await keys.press("2")
    read: list[str] = []
    for _ in MANY:
        await keys.press("m")
        read = [one.path for one in keys.app.asked if isinstance(one, messages.FileMarked)]
        wanted = [one.path for one in keys.app.asked if isinstance(one, messages.FileWanted)]
        await keys.give(open_one_of_many(wanted[-1], read))
    assert sorted(read) == [file.change.path for file in MANY]


async def _decide(keys: Counted, verb: str, *more: str) -> None:
    """Asks for a decision, is shown what would be signed, and signs."""
    await keys.press({"approve": "a", "reject": "x"}[verb])
    [asked] = [one for one in keys.app.asked if isinstance(one, messages.DecisionWanted)]
    assert asked.verb == verb
    state = keys.app.state
    assert state is not None
    assert state.chosen is not None
    part = DecisionPart(verb, state.chosen, DecisionStage.READY, needs_reason=verb == "reject", view=VIEW)
    await keys.give(replace(state, decision=part))
    hands = Hands(keys.app, keys.pilot)
    await hands.settle()
    for key in (*more, "ctrl+s", "ctrl+s"):
        if not hands.confirmed:
            await hands.press(key)
            keys.count += 1
    assert len(hands.confirmed) == 1


@takes(3, "approve a clean one", CLEAN)
async def _approve(keys: Counted) -> None:
    await _decide(keys, "approve")


@takes(3 + len("why"), "send back, with a reason", TROUBLED)
async def _send_back(keys: Counted) -> None:
    await _decide(keys, "reject", *"why")


@takes(1, "next handoff", replace(TROUBLED, inbox=(*TROUBLED.inbox, OTHER)))
async def _go_to_next(keys: Counted) -> None:
    await keys.press("enter")
    keys.count = 0
    await keys.press("J")
    opened = [one for one in keys.app.asked if isinstance(one, messages.HandoffOpened | messages.HandoffChosen)]
    assert opened[-1].key != TROUBLED.chosen


@takes(2, "find the commit that broke a check", TROUBLED)
async def _bisect(keys: Counted) -> None:
    assert "Find the commit that broke" in await keys.press("enter", "b")


@takes(1, "quit", TROUBLED)
async def _quit(keys: Counted) -> None:
    await keys.press("q")
    assert not keys.app.is_running or keys.app._exit


@pytest.mark.parametrize("name", KEYSTROKES)
def test_everyday_things_take_few_keys(name: str) -> None:
    """The table of the design, row by row."""
    most, state, keys_of = KEYSTROKES[name]

    async def script(pilot: Pilot[None]) -> None:
        keys = Counted(pilot)
        await settle(pilot)
        await keys_of(keys)
        assert keys.count <= most

    drive(StillApp(state), script)
