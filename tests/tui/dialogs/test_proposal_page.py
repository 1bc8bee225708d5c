"""What is about to be done, as it is read before it is confirmed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from handoff_tui.agents.rollback.report import Rollback, RollbackPreview, RollbackState, SavedWork
from handoff_tui.agents.runs.run import RunStatus
from handoff_tui.agents.step.report import TouchedFile
from handoff_tui.core.text.page_layout import lay_out
from handoff_tui.live.state.agents import Breakpoint, Proposal, ProposalKind, ProposalStage
from handoff_tui.live.state.app import Trouble
from handoff_tui.tui.dialogs.proposal import TITLES, VERBS, build_proposal_page, describe_obstacle
from tests.support.agent_states import PLAN, make_lock, make_run

READY = Proposal(1, ProposalKind.STEP, ProposalStage.READY, plan=PLAN)
PREVIEW = RollbackPreview(
    target="a" * 40, reason="ada approved it", head="b" * 40, files=(TouchedFile(path="src/x.py", change="deleted"),)
)
RECORD = Rollback(
    id="1",
    time="2026-03-05T10:00:00Z",
    owner="ada",
    state=RollbackState.DONE,
    target="a" * 40,
    saved=SavedWork(ref="refs/handoff-tui/saved/1", commit="c", tree="t", index_tree="i", head="h"),
    tree="t",
    commit="c",
)


def read(proposal: Proposal) -> str:
    return "\n".join("".join(cell.text for cell in row) for row in lay_out(build_proposal_page(proposal), 100))


@pytest.mark.parametrize(
    ("proposal", "words"),
    [
        (READY, ("maker.sh", "{prompt_file}", "/desk", "HOME, PATH", "10:00", "Then say so.", "attempt 1, run 2")),
        (Proposal(1, ProposalKind.STEP, ProposalStage.PREPARING), ("looking…",)),
        (
            Proposal(1, ProposalKind.STEP, ProposalStage.REFUSED, trouble=Trouble("it is locked by ada", "Wait.")),
            ("✗ it is locked by ada", "Wait."),
        ),
        (
            Proposal(1, ProposalKind.STOP, ProposalStage.READY, run=make_run(3, RunStatus.RUNNING)),
            ("run 3", "Sends TERM, waits 5 s, then KILLs"),
        ),
        (Proposal(1, ProposalKind.UNLOCK, ProposalStage.READY, lock=make_lock(stale=True)), ("ada on vm", "stale")),
        (
            Proposal(1, ProposalKind.ROLLBACK, ProposalStage.READY, rollback=PREVIEW),
            ("ada approved it", "deleted  src/x.py"),
        ),
        (Proposal(1, ProposalKind.UNDO, ProposalStage.READY, record=RECORD), ("refs/handoff-tui/saved/1",)),
        (replace(READY, note="it is not what was shown"), ("! it is not what was shown",)),
        (
            replace(READY, plan=PLAN._replace(waits=(5.0, 30.0), demands=2)),
            ("2 automatic if it crashes, after 5 s, 30 s", "2 points from the reviewer who sent the work back"),
        ),
        (
            replace(READY, kind=ProposalKind.LOOP, plan=PLAN._replace(failure_target="plan")),
            ("goes back to plan", "3", "every gate: a person decides", "Then say so."),
        ),
        (
            replace(READY, kind=ProposalKind.LOOP, breakpoints=frozenset({Breakpoint("test", before=True)})),
            ("goes back to build", "your breakpoints: before test"),
        ),
    ],
)
def test_page_says_what_would_be_done(proposal: Proposal, words: tuple[str, ...]) -> None:
    """Word for word, or why it cannot be."""
    text = read(proposal)
    assert all(word in text for word in words), text


def test_page_does_not_name_the_command_line() -> None:
    """The rollback is confirmed here."""
    assert "--apply" not in read(Proposal(1, ProposalKind.ROLLBACK, ProposalStage.READY, rollback=PREVIEW))


def test_hostile_prompt_is_shown_as_text() -> None:
    """What an agent is told may quote anybody."""
    text = read(replace(READY, plan=PLAN._replace(prompt="\x1b[2J\u202etxet", argv=("sh", "\x1b]0;x\x07"))))
    assert "\x1b" not in text
    assert "␛[2J⟨U+202E⟩txet" in text


def test_obstacle_is_told_until_it_can_be_confirmed() -> None:
    """Only what is ready can be, and only with what must be typed."""
    assert describe_obstacle(READY, "") == ""
    asks = replace(READY, typed="release", typed_why="release may only be started by a person")
    assert describe_obstacle(asks, "relase") == "type release: release may only be started by a person"
    assert describe_obstacle(asks, " release ") == ""
    for stage in set(ProposalStage) - {ProposalStage.READY}:
        assert describe_obstacle(replace(READY, stage=stage), "") != ""


def test_every_kind_has_its_words() -> None:
    """A title and a verb."""
    assert set(TITLES) == set(VERBS) == set(ProposalKind)
