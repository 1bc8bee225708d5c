from __future__ import annotations

import dataclasses
from datetime import timedelta

import pytest

from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice, ComparedPair, DiffScope
from handoff_tui.checks.report import Outcome
from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.page import Cell
from handoff_tui.git.file_diff import ChangedFile, FileChange, FileKind
from handoff_tui.live.state.app import AppState, Drafts, FilesView, Loaded, RepositoryPart
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.log.show.view import LogView
from handoff_tui.status.pipeline import AttemptView, PhaseProgress, PhaseView, PipelineView
from handoff_tui.tui.views.pipeline.page import build_pipeline_page
from handoff_tui.tui.views.pipeline.rows import PipelineRows, build_chain, label_phase, parse_moment
from tests.support.check_reports import build_report, build_result
from tests.support.desk_states import MOMENT, list_lines, make_state

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


def read(state: AppState, phase: str | None = None) -> list[str]:
    return list_lines(build_pipeline_page(state, phase))


def test_page_tells_the_next_move_and_what_is_not_run() -> None:
    """Checks that did not run are not called passed."""
    lines = read(make_state())
    assert lines[0] == "next    you: review and decide"
    assert "checks  not run yet" in lines


def test_page_names_the_checks_that_block() -> None:
    """The first few, with what they found."""
    results = [build_result(f"check-{number}", Outcome.FAIL, blocking=True) for number in range(6)]
    state = dataclasses.replace(make_state(), checks=Loaded(build_report(*results)))
    lines = read(state)
    assert any(line.startswith("checks  ■ blocked") for line in lines)
    assert sum("✗ fail  check-" in line for line in lines) == 4
    assert "        … and 2 more" in lines


def test_page_tells_how_much_was_read_and_whether_the_log_is_sound() -> None:
    """Files by their marks; a log that is not intact before all others."""
    files = tuple(ChangedFile(FileChange("M", name, None, "", "", "", ""), FileKind.TEXT) for name in ("a", "b"))
    pair = ComparedPair(scope=DiffScope.SINCE_BASELINE, before=BaselineChoice(reason="x"))
    log = LogView(fatal=False, log=None, policy=None, heads=(), total=41, rows=(), problems=())
    state = dataclasses.replace(
        make_state(),
        files=Loaded(FilesView(pair, files, counted=True)),
        drafts=Drafts(viewed=frozenset({"a"})),
        log=Loaded(log),
    )
    lines = read(state)
    assert "read    1 of 2 changed files read" in lines
    assert "log     ✓ intact  41 signed entries" in lines
    broken = dataclasses.replace(state, repositories=(RepositoryPart("/desk", "desk", fatal=("an entry is gone",)),))
    assert "log     ✗ not intact: an entry is gone" in read(broken)


def test_page_lists_tries_and_says_which_are_signed() -> None:
    """What a file tells is not what was signed; one phase alone where it is named."""
    tries = (
        AttemptView(phase="build", number=1, outcome="PASS", who="heron"),
        AttemptView(phase="build", number=1, outcome="reject", who="nika", reason="no tests", entry="sha256:1"),
        AttemptView(phase="plan", number=1, outcome="approve", who="nika", entry="sha256:2"),
    )
    view = PipelineView(attempts=tries, retry_budget=1, spent=1, failure_target="build")
    state = dataclasses.replace(make_state(), pipeline=Loaded(view))
    text = "\n".join(read(state))
    assert "PASS (claimed)  build · heron" in text
    assert "reject (signed)  build · nika  no tests" in text
    assert "1 of 1 used; a person must decide now; failed work goes back to build" in text
    assert "approve" not in "\n".join(read(state, "BUILD"))
