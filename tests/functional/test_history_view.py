"""The attempts, driven as a person would."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.core.classes import replace
from handoff_tui.live.state.app import AttemptHistories, DiffRange, Loaded, Part, Trouble
from handoff_tui.status.pipeline import AttemptView, PipelineView
from handoff_tui.tui.messages import ComparisonWanted, CopyWanted, FailureWanted, ScopeWanted, ViewWanted
from tests.support.desk_app import StillApp
from tests.support.screens import at_desk, compare_looks, get_app, list_asked, settle
from tests.support.view_states import COMPARISON, FAILURE, build_desk

pytestmark = pytest.mark.usefixtures("still_clock")
DESK = build_desk()
SENT_BACK = PipelineView(attempts=(AttemptView(phase="build", number=1, outcome="reject", entry="e", reason="no"),))


@at_desk(DESK)
async def test_attempts_look_as_committed(pilot: Pilot[None]) -> None:
    """One row per attempt, and the selected one in full."""
    await settle(pilot, "enter", "6")
    await compare_looks(pilot, "history")


@at_desk(DESK, size=(120, 40))
async def test_attempt_is_shown_whole_under_the_list(pilot: Pilot[None]) -> None:
    """What was asked for stands beside whether it was addressed; output is never a control code."""
    screen = await settle(pilot, "enter", "6")
    assert "▸      2  ○ submitted" in screen
    assert "fix: the tests" in screen
    assert "done ␛[31m" in screen
    screen = await settle(pilot, "j")
    assert "✓ addressed  check tests-unit: 2 failed" in screen
    assert "✗ NOT addressed  comment src/a.py:3: name it" in screen
    assert Part.ATTEMPTS in get_app(pilot).main_screen.parts


@at_desk(build_desk(pipeline=Loaded(SENT_BACK)), size=(120, 40))
async def test_overview_counts_what_was_asked_for_as_the_list_of_attempts_does(pilot: Pilot[None]) -> None:
    """It is measured where something was sent back, and nowhere else."""
    assert "asked for  1 of 2 addressed" in await settle(pilot, "enter")
    assert Part.ATTEMPTS in get_app(pilot).main_screen.parts
    assert "1 of 2 addressed" in await settle(pilot, "6")
    get_app(pilot).give(build_desk(pipeline=Loaded(PipelineView())))
    assert "asked for" not in await settle(pilot, "1")
    assert Part.ATTEMPTS not in get_app(pilot).main_screen.parts


@at_desk(DESK, size=(120, 40))
async def test_attempt_is_compared_with_the_one_before_or_the_marked_one(pilot: Pilot[None], app: StillApp) -> None:
    """The older one first; the first attempt has none before it, and says so."""
    await settle(pilot, "enter", "6", "D")
    app.give(replace(DESK, comparison=Loaded(COMPARISON)))
    screen = await settle(pilot)
    assert "Two attempts compared" in screen
    assert "H-1:build:1 → H-1:build:2" in screen
    assert "no earlier attempt" in await settle(pilot, "j", "D")
    screen = await settle(pilot, "v", "k", "D")
    assert "H-1:build:1 selected" in screen
    pairs = [(one.before, one.after) for one in list_asked(pilot, ComparisonWanted)]
    assert pairs == [("H-1:build:1", "H-1:build:2")] * 2
    await settle(pilot, "v", "v", "j", "j", "y")
    assert [one.text for one in list_asked(pilot, CopyWanted)] == ["H-1:plan:1"]


@at_desk(DESK, size=(120, 40))
async def test_difference_of_two_attempts_opens_in_the_diff(pilot: Pilot[None], app: StillApp) -> None:
    """Of the handoff's own files; where the commit of one is not known, that is said."""
    await settle(pilot, "enter", "6", "enter")
    asked = [one for one in app.asked if isinstance(one, ScopeWanted | ViewWanted)]
    assert asked[0] == ScopeWanted(DiffRange(DiffScope.BETWEEN_ATTEMPTS, "H-1:build:1", "H-1:build:2"))
    assert app.main_screen.view_name == "changes"
    screen = await settle(pilot, "6", "v", "j", "j", "enter")
    assert "the commit of H-1:plan:1 isn't known" in screen


@at_desk(DESK, size=(120, 50))
async def test_failure_is_explained_on_request(pilot: Pilot[None], app: StillApp) -> None:
    """The first failing check, its error lines, the rest folded; the page can be read at once."""
    assert "Examining every failing check…" in await settle(pilot, "enter", "6", "E")
    assert any(isinstance(one, FailureWanted) for one in app.asked)
    app.give(replace(DESK, failure=Loaded(FAILURE)))
    screen = await settle(pilot)
    assert "look first at tests-unit" in screen
    assert "⋯ 39 lines" in screen
    assert "40 ✗ E  boom" in screen
    app.give(replace(DESK, failure=Loaded(trouble=Trouble("the settings are wrong", "Mend them."))))
    assert "✗ the settings are wrong" in await settle(pilot)


@at_desk(DESK)
async def test_list_is_narrowed_by_words_and_emptiness_is_explained(pilot: Pilot[None], app: StillApp) -> None:
    """Reading, trouble, nobody tried: each in words."""
    assert "1 attempt matches" in await settle(pilot, "enter", "6", "slash", *"red")
    assert 'No matches for "redx"' in await settle(pilot, "x")
    await settle(pilot, "escape")
    for part, words in (
        (Loaded(), "Reading log, commits and runs…"),
        (Loaded(trouble=Trouble("the log is gone", "Look.")), "✗ the log is gone. Look."),
        (Loaded(AttemptHistories(())), "No attempts yet"),
    ):
        app.give(replace(DESK, attempts=part))
        assert words in await settle(pilot)
    assert "Copy: no attempt selected" in await settle(pilot, "y")
