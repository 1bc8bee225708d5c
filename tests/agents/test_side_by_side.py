"""Several agents at once: each in a work tree of its own, decided on where its work is, merged once it is approved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handoff_tui.agents.engine.listing import read_at_work
from handoff_tui.agents.runs.branches import find_overlaps, merge_work, preview_merge
from handoff_tui.agents.runs.folders import find_run, list_runs
from handoff_tui.agents.runs.reports import load_report
from handoff_tui.agents.runs.run import RunStatus
from handoff_tui.agents.step.end import finish_step
from handoff_tui.agents.step.prepare import StepRequest, prepare_step
from handoff_tui.agents.step.report import StepOutcome
from handoff_tui.agents.step.step import StepCallbacks, start_step, step, stop_step
from handoff_tui.core.errors import AgentRunError, DecisionForbiddenError
from handoff_tui.handoffs.session import open_session
from tests.support.gates import GateDesk
from tests.support.repositories import RepositoryBuilder
from tests.support.stepping import HANDOFF, WORK, Stepping
from tests.support.waiting import wait_until

_WAITS = "while [ ! -e done ]; do sleep 0.05; done"


@pytest.fixture
def stepping(builder: RepositoryBuilder, isolated_user: Path) -> Stepping:
    return Stepping(builder, isolated_user).teach()


def _start(stepping: Stepping, phase: str, *, alone: bool = False) -> Path:
    """Starts an agent and returns its folder; nobody follows it."""
    view = start_step(prepare_step(stepping.desk(), StepRequest(HANDOFF, phase)), alone=alone)
    assert view.state.plan is not None
    return Path(view.state.plan.folder)


def test_second_agent_gets_its_own_folder(stepping: Stepping) -> None:
    """Nobody works where another agent works; files that both change are reported while they run."""
    stepping.configure(gate=False)
    stepping.teach(f"echo one >> src/app.py; touch changed; {_WAITS}")
    stepping.teach(f"echo two >> src/app.py; touch changed; {_WAITS}", "tester")
    first = _start(stepping, "build")
    assert first == stepping.root
    other = StepRequest(HANDOFF, "build")
    prepared = prepare_step(stepping.desk(), other)
    assert prepared.worktree is not None
    keys = [state.key for state in list_runs(stepping.desk().repository.common_dir)]
    stop_step(stepping.desk(), keys[0])
    assert find_overlaps(stepping.desk()) == ()


def test_overlap_is_reported(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Two handoffs, two agents, one file: both are named while they run."""
    stepping = Stepping(builder, isolated_user)
    builder.write("docs/HANDOFF.md", "# Handoff: other\n\nStatus: COMPLETE\n").commit("another")
    stepping.teach(f"echo $$ >> src/app.py; touch changed; {_WAITS}")
    folders = []
    for handoff in (HANDOFF, "notes/docs/HANDOFF.md"):
        view = start_step(prepare_step(stepping.desk(), StepRequest(handoff, "build")))
        assert view.state.plan is not None
        folders.append(Path(view.state.plan.folder))
    assert len(set(folders)) == 2
    wait_until(lambda: all((folder / "changed").exists() for folder in folders))
    work = read_at_work(stepping.desk())
    assert {state.key.handoff for state in work.agents} == {HANDOFF, "notes/docs/HANDOFF.md"}
    assert len({overlap.path: overlap.runs for overlap in work.overlaps}["src/app.py"]) == 2
    for state in list_runs(stepping.desk().repository.common_dir):
        stop_step(stepping.desk(), state.key)


def test_nobody_is_blamed_for_what_another_agent_did_at_its_own_place(
    builder: RepositoryBuilder, isolated_user: Path
) -> None:
    """Branches, files and records of runs that others left meanwhile are in their reports."""
    stepping = Stepping(builder, isolated_user)
    builder.write("docs/HANDOFF.md", "# Handoff: other\n\nStatus: COMPLETE\n").commit("another")
    stepping.teach(f"{_WAITS}; {WORK}")
    handoffs = (HANDOFF, "notes/docs/HANDOFF.md")
    views = [start_step(prepare_step(stepping.desk(), StepRequest(handoff, "build"))) for handoff in handoffs]
    for view in views:
        assert view.state.plan is not None
        Path(view.state.plan.folder, "done").touch()
        wait_until(lambda: find_run(stepping.desk().repository.common_dir, view.state.key).is_over)  # noqa: B023
        finish_step(stepping.desk(), view.state.key)
    reports = [load_report(state) for state in list_runs(stepping.desk().repository.common_dir)]
    assert [[one.sign for one in report.notices] for report in reports if report is not None] == [[], []]


def test_repository_that_was_moved_goes_on_with_the_next_run(stepping: Stepping) -> None:
    """What its runs left counts as absent there, and is not written over."""
    stepping.configure(gate=False)
    assert stepping.step().key.number == 1
    moved = stepping.root.rename(stepping.root.with_name("moved"))
    report = step(open_session(moved), StepRequest(HANDOFF, "build"), StepCallbacks())
    assert (report.key.number, report.outcome) == (2, StepOutcome.READY)


def test_supervisor_reports_alone(stepping: Stepping) -> None:
    """Nobody follows the run; its end is examined and told all the same."""
    told = stepping.home / "told"
    hook = json.dumps(["sh", "-c", f'echo "$1" > {told}', "sh", "{text}"])
    stepping.configure(f"[notifications]\ncommand = {hook}\n")
    _start(stepping, "build", alone=True)
    common = stepping.desk().repository.common_dir
    wait_until(lambda: any(load_report(state) is not None for state in list_runs(common)))
    wait_until(told.exists)
    assert "needs you: decide on build" in told.read_text(encoding="utf-8")


def test_work_is_decided_where_it_is_and_merged(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator decides from the repository on the branch; only then can it be merged, and the approval stands.

    Work that was sent back goes on from its branch; the next phase starts only where the approved work is.
    """
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    gate_desk.commit_log()
    bo.become(monkeypatch)
    stepping = Stepping(gate_desk.builder, bo.home).configure(folder="worktree").teach()
    first = stepping.step()
    gate_desk.decide(bo, "reject", "--phase", "build", "--reason", "again")
    second = stepping.step()
    assert (first.outcome, second.outcome) == (StepOutcome.READY, StepOutcome.READY)
    assert (first.branch, second.head_before) != (second.branch, first.head_before)
    assert second.head_before == first.head_after

    def find_next() -> str:
        [told] = gate_desk.speaking(bo, "status", "--json", "--repo", gate_desk.root).json["handoffs"]
        return str(told["gate"]["next_move"]["what"])

    branch = (second.branch or "").removeprefix("refs/heads/")
    assert find_next() == f"its work is on {branch}; decide there: handoff-tui gate {HANDOFF}"
    with pytest.raises(DecisionForbiddenError, match="is pending"):
        merge_work(stepping.desk(), preview_merge(stepping.desk(), HANDOFF))
    said = gate_desk.decide(bo, "approve", "--phase", "build", "--reason", "good")
    assert "handoff-tui/notes-HANDOFF.md/build/a2" in said.stderr
    with pytest.raises(AgentRunError, match=r"work is on .*/build/a2, and not merged here"):
        stepping.step("test")
    preview = preview_merge(stepping.desk(), HANDOFF)
    assert (preview.gate, preview.conflicts) == ("approved", ())
    merge_work(stepping.desk(), preview)
    assert "more" in (stepping.root / "src/app.py").read_text(encoding="utf-8")
    with pytest.raises(AgentRunError, match="not merged yet"):
        preview_merge(stepping.desk(), HANDOFF)

    assert gate_desk.gate(bo, "--phase", "build").json["state"] == "approved"


def test_conflicts_are_shown_and_nothing_is_merged(stepping: Stepping) -> None:
    """The branch and the repository changed the same lines."""
    stepping.configure(folder="worktree").step()
    stepping.builder.write("src/app.py", "something else\n").commit("other work")
    head = stepping.builder.head()
    preview = preview_merge(stepping.desk(), HANDOFF)
    assert preview.conflicts == ("src/app.py",)
    with pytest.raises(AgentRunError, match="can't be merged automatically"):
        merge_work(stepping.desk(), preview.model_copy(update={"gate": "approved"}))
    assert stepping.builder.head() == head
    assert list_runs(stepping.desk().repository.common_dir)[0].status is RunStatus.FINISHED
