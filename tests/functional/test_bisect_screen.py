"""The search for the commit where a check began to fail, followed as a person would."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.checks.report import Outcome
from handoff_tui.core.classes import replace
from handoff_tui.live.state.app import BisectPart, DiffRange, Loaded, Trouble
from handoff_tui.tui.messages import BisectCancelled, BisectWanted, ScopeWanted
from tests.support.check_reports import build_report, build_result, build_rule
from tests.support.desk_app import StillApp, drive
from tests.support.screens import at_desk, compare_screen, get_app, list_asked, settle
from tests.support.view_states import FIRST, REPORT, SECOND, TRIALS, build_desk

pytestmark = pytest.mark.usefixtures("still_clock")
DESK = build_desk()
PART = BisectPart(1, "tests-unit", "H-1", TRIALS)


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
def test_search_looks_as_committed(size: tuple[int, int]) -> None:
    """While it goes on and when it has ended; the same in a theme without colours."""

    async def script(pilot: Pilot[None]) -> None:
        await settle(pilot, "enter", "3", "b")
        for name, part in (("search", PART), ("found", replace(PART, report=REPORT))):
            get_app(pilot).give(replace(DESK, bisect=part))
            screen = await settle(pilot)
            region = get_app(pilot).screen.query_one("#bisect").region
            lines = [line.ljust(region.right)[region.x : region.right] for line in screen.splitlines()]
            compare_screen(f"bisect-{name}-{size[0]}x{size[1]}", "\n".join(lines[region.y : region.bottom]))

    for theme in ("dark", "monochrome"):
        drive(StillApp(DESK, theme), script, size=size)


@at_desk(DESK)
async def test_search_is_asked_for_on_a_failing_check(pilot: Pilot[None], app: StillApp) -> None:
    """One that passes has nothing to search for."""
    screen = await settle(pilot, "enter", "3", "b")
    assert "Find the commit that broke tests-unit" in screen
    assert "Checking the newest commit…" in screen
    assert [one.check for one in list_asked(pilot, BisectWanted)] == ["tests-unit"]
    app.give(replace(DESK, bisect=replace(PART, trouble=Trouble("no"))))
    await settle(pilot, "escape")
    assert "Since when: this one doesn't fail" in await settle(pilot, "f", "f", "G", "b")


def test_command_is_shown_and_runs_by_its_own_key_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither Enter nor a key that was typed ahead starts it; who leaves has started nothing."""
    rule = build_rule("tests-unit", system="command").model_copy(update={"holds": "`pytest -q \x1b[2J` succeeds."})
    report = build_report(build_result("tests-unit", Outcome.FAIL), rules=(rule,))
    desk = replace(DESK, checks=Loaded(report), bisect=replace(PART, report=REPORT))

    async def script(pilot: Pilot[None]) -> None:
        app = get_app(pilot)
        monkeypatch.setattr("handoff_tui.tui.dialogs.box.PAUSE_SECONDS", 3_600.0)
        screen = await settle(pilot, "enter", "3", "b", "ctrl+s", "enter")
        assert "a commit is good if `pytest -q ␛[2J` succeeds." in screen
        assert "Nothing started yet" in screen
        assert not any(isinstance(one, BisectWanted) for one in app.asked)
        monkeypatch.setattr("handoff_tui.tui.dialogs.box.PAUSE_SECONDS", 0.0)
        screen = await settle(pilot, "ctrl+s")
        assert [one.check for one in list_asked(pilot, BisectWanted)] == ["tests-unit"]
        assert "Checking the newest commit…" in screen

    drive(StillApp(desk), script)


@at_desk(DESK)
async def test_escape_stops_the_search_and_leaves_when_it_is_over(pilot: Pilot[None], app: StillApp) -> None:
    """Once more leaves at once, should the check not end."""
    await settle(pilot, "enter", "3", "b")
    app.give(replace(DESK, bisect=PART))
    screen = await settle(pilot)
    assert "step 3 of about 6 · 5 commits left" in screen
    await settle(pilot, "escape")
    assert app.screen is not app.main_screen
    assert any(isinstance(one, BisectCancelled) for one in app.asked)
    app.give(replace(DESK, bisect=replace(PART, cancelling=True)))
    assert "stopping…" in await settle(pilot)
    await settle(pilot, "X")
    assert app.screen is app.main_screen


@at_desk(DESK)
async def test_enter_opens_the_diff_that_did_it(pilot: Pilot[None], app: StillApp) -> None:
    """From the commit's parent to the commit."""
    await settle(pilot, "enter", "3", "b", "enter")
    assert app.screen is not app.main_screen
    app.give(replace(DESK, bisect=replace(PART, report=REPORT)))
    assert "b2b2b2b broke" in await settle(pilot)
    await settle(pilot, "enter")
    assert app.main_screen.view_name == "changes"
    scopes = [one.scope for one in list_asked(pilot, ScopeWanted)]
    assert scopes == [DiffRange(DiffScope.BETWEEN, FIRST, SECOND)]
