"""The box that corrects a scope, driven as a person would."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from handoff_tui.config.settings.review import ScopeSettings
from handoff_tui.core.classes import replace
from handoff_tui.decisions.correct_scope import ScopeCorrection, ScopeMove, ScopePreview
from handoff_tui.handoffs.scope.scope import Scope
from handoff_tui.live.state.app import AppState, ComparisonPoint, CorrectionPart, CorrectionStage, ScopeRow, Trouble
from handoff_tui.tui.messages import (
    CorrectionConfirmed,
    CorrectionLeft,
    CorrectionPreviewWanted,
    CorrectionUndone,
    CorrectionWanted,
)
from tests.support.desk_app import StillApp, drive
from tests.support.desk_states import make_item, make_state
from tests.support.screens import get_app, settle

pytestmark = pytest.mark.usefixtures("still_clock")
DESK = make_state(reviewer="ada@example.org")
KEY = DESK.inbox[0].key
START = ComparisonPoint("a" * 40, "commit", "before it all", "2026-03-01")
PART = CorrectionPart(
    KEY,
    CorrectionStage.READY,
    rows=(ScopeRow("lamp.py", "commits"), ScopeRow("bulb.py", "span"), ScopeRow("ci.yml")),
    start="b" * 40,
    starts=(START,),
    wanted=("lamp.py", "bulb.py"),
)
PREVIEW = ScopePreview(
    ScopeCorrection("H-1", ScopeSettings(since="b" * 40, until="c" * 40, paths=("bulb.py", "ci.yml"))),
    Scope("H-1"),
    (ScopeMove("H-1", ("ci.yml",), ()), ScopeMove("", (), ("ci.yml",))),
)


def with_part(part: CorrectionPart) -> AppState:
    return replace(DESK, correction=part)


def test_box_shows_evidence_and_asks_what_a_change_would_do() -> None:
    """A guess is called one. Space asks for a preview, which names what moves and what is written."""

    async def script(pilot: Pilot[None]) -> None:
        app = get_app(pilot)
        await settle(pilot, "O")
        assert [one.key for one in app.asked if isinstance(one, CorrectionWanted)] == [KEY]
        app.give(with_part(PART))
        screen = await settle(pilot)
        assert "Own files of H-1" in screen
        assert "a guess: before its report" in screen
        screen = await settle(pilot, "ctrl+s")
        assert "Not written: nothing has changed yet" in screen
        await settle(pilot, "j", "j", "space")
        wanted = [one for one in app.asked if isinstance(one, CorrectionPreviewWanted)]
        assert wanted == [CorrectionPreviewWanted(("lamp.py", "bulb.py", "ci.yml"), None)]
        app.give(with_part(replace(PART, wanted=wanted[0].paths, preview=PREVIEW)))
        screen = await settle(pilot)
        assert "H-1  +1 file  ci.yml" in screen
        assert "unclaimed  -1 file  ci.yml" in screen
        await settle(pilot, "tab", "G")
        assert not any(isinstance(one, CorrectionConfirmed) for one in app.asked)
        await settle(pilot, "ctrl+s")
        assert any(isinstance(one, CorrectionConfirmed) for one in app.asked)
        app.give(with_part(replace(PART, stage=CorrectionStage.DONE)))
        assert "Own files of" not in await settle(pilot)
        assert any(isinstance(one, CorrectionLeft) for one in app.asked)

    drive(StillApp(DESK), script)


def test_start_is_chosen_from_commits_or_typed() -> None:
    """The typed name goes along as it is; the first row takes the usual start again."""

    async def script(pilot: Pilot[None]) -> None:
        app = get_app(pilot)
        await settle(pilot, "O")
        app.give(with_part(PART))
        await settle(pilot)
        assert "before it all" in await settle(pilot, "b")
        await settle(pilot, "down", "enter")
        await settle(pilot, "b", *"v1.2", "enter")
        wanted = [one.since for one in app.asked if isinstance(one, CorrectionPreviewWanted)]
        assert wanted == ["a" * 40, "v1.2"]

    drive(StillApp(DESK), script)


def test_undo_needs_something_to_undo_and_trouble_is_shown() -> None:
    """Escape leaves without writing."""

    async def script(pilot: Pilot[None]) -> None:
        app = get_app(pilot)
        await settle(pilot, "O")
        app.give(
            with_part(replace(PART, stage=CorrectionStage.REFUSED, trouble=Trouble("nothing changed in x", "Name y.")))
        )
        assert "✗ nothing changed in x" in await settle(pilot)
        assert "No correction to undo in this session" in await settle(pilot, "u")
        app.give(with_part(replace(PART, undoable="H-1")))
        assert "u undo H-1" in await settle(pilot)
        await settle(pilot, "u")
        assert any(isinstance(one, CorrectionUndone) for one in app.asked)
        await settle(pilot, "escape")
        assert not any(isinstance(one, CorrectionConfirmed) for one in app.asked)

    drive(StillApp(DESK), script)


def test_last_file_cannot_be_released() -> None:
    """An empty list would mean all files."""

    async def script(pilot: Pilot[None]) -> None:
        app = get_app(pilot)
        await settle(pilot, "O")
        app.give(with_part(replace(PART, rows=PART.rows[:1], wanted=("lamp.py",))))
        await settle(pilot)
        assert "keeps at least one file" in await settle(pilot, "space")
        assert not any(isinstance(one, CorrectionPreviewWanted) for one in app.asked)

    drive(StillApp(DESK), script)


def test_read_only_app_corrects_nothing() -> None:
    """The key says why."""

    async def script(pilot: Pilot[None]) -> None:
        assert "the app was opened with --read-only" in await settle(pilot, "O")

    drive(StillApp(replace(DESK, inbox=(make_item(root="/desk"),)), read_only=True), script)
