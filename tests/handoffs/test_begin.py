"""Handoffs are begun from templates that are read back; work cycles move as their rules allow."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.begin import begin_handoff, choose_system
from handoff_tui.handoffs.formats.hub.layout import FOREIGN_RUN
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.migrate import apply_migration, plan_migration
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import open_session
from handoff_tui.handoffs.work_cycles import CycleAction, CycleReport, move_cycle
from tests.support.builder_story import build_results, build_spec
from tests.support.repositories import RepositoryBuilder

SYSTEMS = {
    "mosaic": ("S-1", "mosaic", "work"),
    "builder": ("H-6", "H-6", "questions"),
    "procedure": ("P-1", "P-1", "source"),
    "tdd": ("TDD-1", "TDD-1", "PLAN"),
    "hub": ("T-7", "T-7", "DEV"),
    "notes": ("N-1", "notes/docs/handoffs/N-1.md", "work"),
}


def begin(root: Path, system: str | None, name: str) -> str:
    desk = open_session(root)
    known = read_repository(desk).result.handoffs
    return begin_handoff(desk, choose_system(desk, known, system), name, "Rate limiter", known).handoff


def find(root: Path, name: str) -> Handoff:
    return next(one for one in read_repository(open_session(root)).result.handoffs if one.id == name)


def test_every_system_reads_what_it_begins(builder: RepositoryBuilder) -> None:
    """In its first phase, without a problem; the second time it is refused, and nothing is overwritten."""
    builder.config("user.email", "ada@example.org").config("user.name", "Ada").write("a.txt", "a").commit()
    for system, (name, expected, phase) in SYSTEMS.items():
        assert begin(builder.folder, system, name) == expected
        assert find(builder.folder, expected).source_phase == phase
    assert read_repository(open_session(builder.folder)).result.problems == ()
    for system, (name, _, _) in SYSTEMS.items():
        with pytest.raises(UsageError, match=r"exists already|has a note already"):
            begin(builder.folder, system, name)


def test_second_task_of_the_hub_has_a_run_of_its_own(builder: RepositoryBuilder) -> None:
    """A run belongs to one task, so no task is told by a context of another one."""
    builder.config("user.email", "ada@example.org").config("user.name", "Ada").write("a.txt", "a").commit()
    for name in ("T-7", "T-8", "T-9"):
        begin(builder.folder, "hub", name)
    facts = [fact for name in ("T-7", "T-8", "T-9") for fact in find(builder.folder, name).facts]
    assert [fact.value for fact in facts if fact.name == "run id"] == ["1", "2", "3"]
    assert FOREIGN_RUN not in {fact.name for fact in facts}


@pytest.mark.parametrize("name", ["../x", "", "a b", "x/../../y"])
def test_id_that_leads_elsewhere_is_refused(builder: RepositoryBuilder, name: str) -> None:
    """Nothing is written."""
    builder.write("a.txt", "a").commit()
    with pytest.raises(UsageError):
        begin(builder.folder, "hub", name)
    assert builder.git("status", "--porcelain") == ""


def test_system_is_the_one_that_is_used_here(builder: RepositoryBuilder) -> None:
    """Without any, it must be named."""
    builder.write("a.txt", "a").commit()
    with pytest.raises(UsageError, match="say which format it has"):
        begin(builder.folder, None, "T-7")
    begin(builder.folder, "hub", "T-7")
    assert begin(builder.folder, None, "T-8") == "T-8"
    assert find(builder.folder, "T-8").dialect == "hub"


def test_work_cycle_moves_as_its_rules_allow(builder: RepositoryBuilder) -> None:
    """Accepted while pending, completed while in progress, failed at any time; completed is not passed."""
    builder.write("a.txt", "a").commit()
    begin(builder.folder, "hub", "T-7")

    def move(action: CycleAction, report: str | None = None) -> str:
        return move_cycle(open_session(builder.folder), find(builder.folder, "T-7"), action, CycleReport(report)).status

    with pytest.raises(UsageError, match="can't be completed"):
        move(CycleAction.COMPLETE)
    assert move(CycleAction.ACCEPT) == "in_progress"
    with pytest.raises(UsageError, match="can't be accepted"):
        move(CycleAction.ACCEPT)
    with pytest.raises(UsageError, match="can't be 'fine'"):
        move(CycleAction.COMPLETE, "fine")
    assert move(CycleAction.COMPLETE, "fail") == "completed"
    cycle = json.loads((builder.folder / "tasks/T-7/work_cycle.json").read_bytes())
    assert (cycle["report_status"], cycle["accepted_at"] <= cycle["completed_at"]) == ("fail", True)
    assert move(CycleAction.FAIL) == "failed"


def test_flat_files_of_builder_handoffs_are_moved_into_folders(builder: RepositoryBuilder) -> None:
    """Shown first; a place that is taken keeps a file where it is, and the handoff stays the same."""
    builder.write("handoffs/BUILDER_HANDOFF_7_lamp.md", build_spec("H-7")).write(
        "handoffs/RESULTS_HANDOFF_7.md", build_results("H-7")
    )
    builder.write("handoffs/BUILDER_HANDOFF_8_oil.md", build_spec("H-8")).write("handoffs/H-8/H-8_RESULTS.md", "x")
    builder.write("handoffs/RESULTS_HANDOFF_8.md", build_results("H-8")).commit()
    desk = open_session(builder.folder)
    moves = plan_migration(desk, read_repository(desk).result.handoffs)
    assert {move.source: move.target for move in moves if not move.problem} == {
        "handoffs/BUILDER_HANDOFF_7_lamp.md": "handoffs/H-7/H-7_BUILDER_HANDOFF.md",
        "handoffs/RESULTS_HANDOFF_7.md": "handoffs/H-7/H-7_RESULTS.md",
        "handoffs/BUILDER_HANDOFF_8_oil.md": "handoffs/H-8/H-8_BUILDER_HANDOFF.md",
    }
    assert [move.problem for move in moves if move.problem] == ["the place is taken"]
    apply_migration(desk, moves)
    assert {document.path for document in find(builder.folder, "H-7").documents} == {
        "handoffs/H-7/H-7_BUILDER_HANDOFF.md",
        "handoffs/H-7/H-7_RESULTS.md",
    }
    with pytest.raises(UsageError, match="nothing to move"):
        apply_migration(desk, ())
