from __future__ import annotations

from pathlib import Path
from threading import Timer

import pytest

from handoff_tui.agents.step.follow import list_views
from handoff_tui.agents.step.report import Direction, RunView, StepOutcome, StepReport
from handoff_tui.agents.step.step import StepCallbacks
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.core.errors import AgentRunError
from handoff_tui.log.open_log import open_log
from tests.support.gates import GateDesk
from tests.support.stepping import WORK, Stepping


def test_next_phase_waits_for_a_person(
    gate_desk: GateDesk, isolated_user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step starts nobody behind a closed gate; an approval by a person opens it, and a rejection leads back."""
    stepping = Stepping(gate_desk.builder, isolated_user).teach().teach(WORK, "tester")

    def decide(verb: str, reason: str) -> None:
        gate_desk.decide(bo, verb, "--phase", "build", "--reason", reason)
        monkeypatch.setenv("HOME", str(isolated_user))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(isolated_user / "config"))

    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    assert stepping.step().next_move == "needs you: decide at the gate behind build"
    with pytest.raises(AgentRunError, match="waits at the gate behind build"):
        stepping.step(None)
    with pytest.raises(AgentRunError, match="gate behind build is not open"):
        stepping.step("test")
    decide("reject", "no tests at all")
    again = stepping.step(None)
    assert (again.key.phase, again.key.attempt, again.route.direction) == ("build", 2, Direction.AGAIN)
    assert "no tests at all" in (Path(again.proof).parent / "prompt.md").read_text(encoding="utf-8")
    decide("approve", "good")
    forward = stepping.step(None)
    assert (forward.key.phase, forward.route.direction) == ("test", Direction.FORWARD)


def test_agent_can_work_in_a_tree_of_its_own(stepping: Stepping) -> None:
    """On its own branch; the repository's files stay as they are, and the checks look at its work."""
    before = stepping.builder.head()
    report = stepping.configure(folder="worktree").step()
    assert (report.outcome, stepping.builder.head()) == (StepOutcome.READY, before)
    assert report.branch == "refs/heads/handoff-tui/notes-HANDOFF.md/build/a1"
    assert [file.path for file in report.files] == ["src/app.py"]
    assert stepping.builder.git("status", "--porcelain") == ""


def test_decisions_are_not_missed_in_a_tree_of_its_own(gate_desk: GateDesk, isolated_user: Path) -> None:
    """A log that is in no commit yet is there, too."""
    stepping = Stepping(gate_desk.builder, isolated_user).teach().configure(folder="worktree")
    gate_desk.begin(gate_desk.person("bo"))
    report = stepping.step()
    assert (report.outcome, report.gate) == (StepOutcome.READY, "pending")


def test_agent_that_fails_by_itself_is_retried(stepping: Stepping) -> None:
    """As often as its configuration says."""
    flag = stepping.root.parent / "flag"
    stepping.configure(retries=2, backoff_seconds=[0]).teach(
        f"if [ ! -e {flag} ]; then touch {flag}; exit 1; fi; {WORK}"
    )
    reports: list[StepReport] = []
    report = stepping.step(callbacks=StepCallbacks(on_report=reports.append))
    assert [(one.key.number, one.outcome) for one in reports] == [(1, StepOutcome.FAILED), (2, StepOutcome.READY)]
    assert (report.budget.used, len(report.trail)) == (1, 2)


@pytest.mark.short
def test_budget_counts_every_failure_and_ends_with_a_person(stepping: Stepping) -> None:
    """Then nothing starts any more, until a person says so; the trail tells of all of it."""
    stepping.configure(budget=1).teach("exit 1")
    assert stepping.step().outcome is StepOutcome.FAILED
    spent = stepping.step()
    assert (spent.outcome, spent.why[-1]) == (StepOutcome.NEEDS_HUMAN, "the retry budget of 2 runs is used up")
    assert [entry.counted for entry in spent.trail] == [True, True]
    with pytest.raises(AgentRunError, match="needs you") as refused:
        stepping.step()
    assert "--beyond-budget" in refused.value.hint
    assert stepping.teach(WORK).step(beyond_budget=True).outcome is StepOutcome.READY


def test_loop_goes_back_along_the_failure_edge(stepping: Stepping) -> None:
    """From the tester to the maker, with what is to be mended, and forward again; no decision is made."""
    flag = stepping.root.parent / "flag"
    stepping.configure(gate=False).teach()
    stepping.teach(f"if [ ! -e {flag} ]; then touch {flag}; exit 1; fi; {WORK}", "tester")
    reports: list[StepReport] = []
    report = stepping.step(callbacks=StepCallbacks(on_report=reports.append), loop=True)
    assert report.next_move == "needs you: start release"
    assert [(one.key.phase, one.outcome.value) for one in reports] == [
        ("build", "ready"),
        ("test", "failed"),
        ("build", "ready"),
        ("test", "ready"),
    ]
    assert open_log(stepping.desk().repository).verify().entries == ()


def test_loop_stops_where_a_person_decides(stepping: Stepping) -> None:
    """A gate is never opened by it."""
    reports: list[StepReport] = []
    stepping.step(callbacks=StepCallbacks(on_report=reports.append), loop=True)
    assert [one.key.phase for one in reports] == ["build"]


def test_loop_stops_when_the_budget_is_spent(stepping: Stepping) -> None:
    """After the runs of all phases."""
    reports: list[StepReport] = []
    report = (
        stepping.configure(budget=2).teach("exit 1").step(callbacks=StepCallbacks(on_report=reports.append), loop=True)
    )
    assert (len(reports), report.outcome) == (3, StepOutcome.NEEDS_HUMAN)


def test_cancelled_step_stops_its_agent_and_still_looks(stepping: Stepping) -> None:
    """What it did until then is told."""
    stepping.teach("echo more >> src/app.py; sleep 60")
    checks = ProgressCallbacks()
    views: list[RunView] = []
    callbacks = StepCallbacks(checks, on_start=lambda _: Timer(0.5, checks.cancel.set).start(), on_look=views.append)
    report = stepping.step(callbacks=callbacks)
    assert (report.outcome, [file.path for file in report.files]) == (StepOutcome.STOPPED, ["src/app.py"])
    assert views
    assert report.budget.used == 0


@pytest.mark.short
def test_cancel_during_the_checks_starts_nobody(stepping: Stepping) -> None:
    """What was cut short is no ground for a start."""
    checks = ProgressCallbacks()
    checks.cancel.set()
    with pytest.raises(KeyboardInterrupt):
        stepping.step(callbacks=StepCallbacks(checks))
    assert list_views(stepping.desk()) == ()
