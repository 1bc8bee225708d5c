"""The claims, driven as a person would."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from textual.pilot import Pilot

from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind, Verdict, VerdictState
from handoff_tui.live.state.app import Loaded
from handoff_tui.status.review_state import ShownHandoff
from handoff_tui.tui.messages import CopyWanted, EditorWanted
from tests.support.desk_app import StillApp, drive
from tests.support.desk_states import MOMENT, build_reviewed, make_state, read_desk
from tests.support.screens import at_desk, compare_screen, cut_view, get_app, list_asked, settle

pytestmark = pytest.mark.usefixtures("still_clock")


def claim(state: VerdictState, subject: str, evidence: str, path: str = "results.md") -> Verdict:
    said = Claim(
        text=f"- {subject} is done", kind=ClaimKind.FILE_CREATED, where=Place(path=path, line=12), subject=subject
    )
    return Verdict(claim=said, state=state, evidence=evidence)


SHOWN = ShownHandoff(
    reviewed=build_reviewed(),
    verdicts=(
        claim(VerdictState.HOLDS, "a.py", "it is there"),
        claim(VerdictState.CONTRADICTED, "b.py", "no such file"),
        claim(VerdictState.UNVERIFIED, "c.py", "no report", "notes:refs/notes/handoff/1"),
    ),
)
DESK = dataclasses.replace(make_state(), shown=Loaded(SHOWN, at=MOMENT))


@at_desk(DESK)
async def test_contradiction_stands_first_beside_its_measurement(pilot: Pilot[None]) -> None:
    """The page has its words, and enter leads to the line where it is said."""
    screen = await settle(pilot, "8")
    assert "▸ ✗ false         file-created b.py" in screen
    assert "says    - b.py is done" in screen
    assert "✗ 1 false  ? 1 not measured  ✓ 1 holds" in screen
    await settle(pilot, "enter", "y", "Y")
    assert [(one.path, one.line) for one in list_asked(pilot, EditorWanted)] == [("results.md", 12)]
    assert [one.text for one in list_asked(pilot, CopyWanted)] == ["- b.py is done", "results.md:12"]


@at_desk(DESK)
async def test_list_is_narrowed_to_contradictions_and_by_words(pilot: Pilot[None]) -> None:
    """Nothing fits is said."""
    screen = cut_view(pilot, await settle(pilot, "8", "f"))
    assert "b.py" in screen
    assert "a.py" not in screen
    screen = await settle(pilot, "f", "slash", *"report")
    assert "1 claims match" in screen
    assert 'No matches for "reportx"' in await settle(pilot, "x")


@at_desk(DESK)
async def test_claim_that_is_said_in_git_cannot_be_edited(pilot: Pilot[None]) -> None:
    """The refusal says why."""
    assert "it's claimed in git, not in a file" in await settle(pilot, "8", "j", "e")


@at_desk(make_state())
async def test_measuring_and_claiming_nothing_are_said(pilot: Pilot[None]) -> None:
    """Each in words."""
    assert "measuring…" in await settle(pilot, "8")
    silent = ShownHandoff(reviewed=build_reviewed())
    get_app(pilot).give(dataclasses.replace(make_state(), shown=Loaded(silent)))
    assert "claims nothing that can be measured" in await settle(pilot)
    assert "copy: no claim selected" in await settle(pilot, "y")
    assert "✓ No false claims" in await settle(pilot, "f")


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=["80x24", "160x50"])
def test_claims_of_the_sample_look_as_committed(sample_repository: Path, size: tuple[int, int]) -> None:
    """The same in a theme without colours: nothing is said by colour alone."""
    state = read_desk(sample_repository, "H-3", MOMENT)

    async def script(pilot: Pilot[None]) -> None:
        screen = await settle(pilot, "8")
        compare_screen(f"claims-{size[0]}x{size[1]}", cut_view(pilot, screen))

    for theme in ("dark", "monochrome"):
        drive(StillApp(state, theme), script, size=size)
