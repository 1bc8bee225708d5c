from __future__ import annotations

from datetime import timedelta

import pytest

from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.page import Cell
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.status.pipeline import PhaseProgress, PhaseView, PipelineView
from handoff_tui.tui.views.pipeline.rows import PipelineRows, build_chain, label_phase, parse_moment
from tests.support.inbox_items import MOMENT

VIEW = PipelineView(
    name="shop",
    phases=(
        PhaseView(
            name="plan",
            standing=PhaseProgress.DONE,
            who="nika",
            attempts=1,
            when=(MOMENT - timedelta(hours=3)).isoformat(),
        ),
        PhaseView(name="build", standing=PhaseProgress.HERE, gate=GateName.PENDING, who="reviewer", attempts=2),
        PhaseView(name="test", standing=PhaseProgress.AHEAD, agent="tester"),
    ),
)


def join(cells: tuple[Cell, ...]) -> str:
    return "".join(cell.text for cell in cells)


def test_row_tells_where_the_work_stands() -> None:
    """Who decided and when; what comes after what; never by colour alone."""
    rows = PipelineRows(VIEW, waits_on_me=True, now=MOMENT)
    lines = [join(rows.build_row(index, 100)) for index in range(3)]
    assert rows.keys == ["plan", "build", "test"]
    assert all(words in lines[0] for words in ("1", "plan", "✓ approved", "nika", "3h"))
    assert all(words in lines[1] for words in ("2", "build", "◆ needs you", "you"))
    assert all(words in lines[2] for words in ("3", "test", "○ after 2", "tester"))


def test_narrow_row_keeps_the_phase_and_the_state() -> None:
    """The rest goes first."""
    row = join(PipelineRows(VIEW, waits_on_me=True).build_row(1, 32))
    assert "build" in row
    assert "◆ needs you" in row


@pytest.mark.parametrize(
    ("phase", "mine", "words"),
    [
        (VIEW.phases[1], False, "● current"),
        (VIEW.phases[1].model_copy(update={"gate": GateName.HELD}), False, "‖ held"),
        (PhaseView(name="x", standing=PhaseProgress.BEHIND), True, "· undecided"),
        (PhaseView(name="x", standing=PhaseProgress.SENT_BACK), True, "✗ sent back"),
        (PhaseView(name="x", standing=PhaseProgress.SKIPPED), True, "↷ skipped"),
    ],
)
def test_label_follows_the_gate_and_the_standing(phase: PhaseView, *, mine: bool, words: str) -> None:
    """A phase the work left without a decision is not called approved."""
    assert str(label_phase(phase, waits_on_me=mine)) == words


def test_chain_has_the_gate_between_two_phases() -> None:
    """And under each phase who decided there."""
    upper, lower = build_chain(VIEW, 80, waits_on_me=True)
    assert join(upper) == "plan ──✓── build ──◆── test ○"
    assert join(lower).split() == ["nika", "you"]
    assert join(lower).index("you") == join(upper).index("build")


def test_chain_that_is_too_long_begins_near_the_work() -> None:
    """What lies far behind is a number."""
    before = tuple(PhaseView(name=f"phase-{number}", standing=PhaseProgress.DONE) for number in range(9))
    upper, lower = build_chain(VIEW.model_copy(update={"phases": (*before, *VIEW.phases)}), 60)
    assert join(upper).startswith("… 9 before  ✓ plan  ● build")
    assert lower == ()
    assert compute_width(join(upper)) <= 60


def test_moment_of_a_document_may_be_anything() -> None:
    """Only a time with its zone is one."""
    assert parse_moment("2026-03-06T12:00:00Z") == MOMENT
    assert [parse_moment(text) for text in (None, "", "yesterday", "2026-03-06", "2026-03-06T12:00:00")] == [None] * 5
