"""What can be done about agents: put together, shown, and done as it was shown; without a desk that runs."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from handoff_tui.agents.runs.phase_locks import find_lock_place, list_locks, take_lock
from handoff_tui.agents.runs.run import RunKey
from handoff_tui.agents.step.end import finish_step
from handoff_tui.agents.step.prepare import PreparedStep
from handoff_tui.agents.step.report import StepOutcome
from handoff_tui.agents.step.step import follow
from handoff_tui.checks.run.commands import has_consent
from handoff_tui.core.errors import PhaseLockedError, ShownMovedError, UsageError
from handoff_tui.handoffs.session import open_session
from handoff_tui.live.acting.agent_proposals import AgentRequest, Ready, Watch, ready_proposal, ready_trust
from handoff_tui.live.state.agents import ProposalKind, StepPlan
from tests.support.gates import CODE, GateDesk
from tests.support.repositories import RepositoryBuilder
from tests.support.stepping import HANDOFF, Stepping


class Operator:
    """Somebody who asks, and what was begun for them."""

    def __init__(self, root: Path, handoff: str = HANDOFF) -> None:
        self.root, self.handoff = root, handoff
        self.begun: list[tuple[RunKey, bool]] = []

    def ask(self, kind: ProposalKind, phase: str | None = None) -> Ready:
        watch = Watch(open_session(self.root), lambda *_: None, self._begin, threading.Event())
        return ready_proposal(AgentRequest(kind, str(self.root), self.handoff, phase), watch)

    def _begin(self, _: PreparedStep, key: RunKey, loop: bool) -> None:  # noqa: FBT001 - called back with it
        self.begun.append((key, loop))

    def plan(self, kind: ProposalKind, phase: str | None = None) -> StepPlan:
        plan = self.ask(kind, phase).shown["plan"]
        assert isinstance(plan, StepPlan)
        return plan


def test_phase_before_is_gone_back_to(stepping: Stepping) -> None:
    """It is said where from; nobody is started by asking."""
    operator = Operator(stepping.root)
    plan = operator.plan(ProposalKind.BACK, "test")
    assert (plan.phase, plan.direction, plan.source) == ("build", "again", "build")
    assert operator.begun == []


def test_retries_of_the_agent_are_shown(stepping: Stepping) -> None:
    """With their waits, and where failed work goes back to."""
    plan = Operator(stepping.configure(retries=3, backoff_seconds=[1, 5]).root).plan(ProposalKind.LOOP, "build")
    assert (plan.waits, plan.failure_target, plan.demands) == ((1.0, 5.0, 5.0), "build", 0)


def test_one_try_beyond_the_budget_takes_its_name(stepping: Stepping) -> None:
    """Then it is started; a loop is told as one."""
    stepping.configure(budget=0).teach("exit 1")
    assert stepping.step().outcome is StepOutcome.NEEDS_HUMAN
    operator = Operator(stepping.teach().root)
    ready = operator.ask(ProposalKind.LOOP, "build")
    assert ready.shown["typed"] == "build"
    assert ready.shown["typed_why"] == "the only run of the loop is used up; this would be one more"
    ready.do()
    [(key, loop)] = operator.begun
    assert (key.number, loop) == (2, True)
    desk = stepping.desk()
    follow(desk, key)
    assert finish_step(desk, key).outcome is StepOutcome.READY


def test_lock_that_was_left_behind_is_broken_and_no_other(stepping: Stepping) -> None:
    """Who is at work keeps it."""
    place = find_lock_place(stepping.desk().repository.common_dir, RunKey(handoff=HANDOFF, phase="build"))
    place.parent.mkdir(parents=True)
    place.write_text("{}", encoding="utf-8")
    operator = Operator(stepping.root)
    with pytest.raises(PhaseLockedError, match="left behind"):
        operator.ask(ProposalKind.STEP, "build")
    assert operator.ask(ProposalKind.UNLOCK).do() == "the lock of build is broken"
    assert list_locks(stepping.desk().repository.common_dir) == ()
    take_lock(stepping.desk().repository.common_dir, RunKey(handoff=HANDOFF, phase="build"), "ada")
    with pytest.raises(PhaseLockedError, match="which is running"):
        operator.ask(ProposalKind.UNLOCK)


def test_rollback_is_done_as_it_was_shown_and_undone(gate_desk: GateDesk) -> None:
    """What has changed meanwhile is shown again first; undoing brings everything back."""
    gate_desk.begin_approved()
    code = gate_desk.builder.place("src/app.py")
    operator = Operator(gate_desk.root)
    shown = operator.ask(ProposalKind.ROLLBACK)
    gate_desk.change("worse\n")
    with pytest.raises(ShownMovedError):
        shown.do()
    assert "rolled back to" in operator.ask(ProposalKind.ROLLBACK).do()
    assert code.read_text(encoding="utf-8") == CODE
    assert "is undone" in operator.ask(ProposalKind.UNDO).do()
    assert code.read_text(encoding="utf-8") == "worse\n"


ASKS = '[checks.lint]\nrun = ["sh", "lint.sh"]\n'


@pytest.fixture
def asking(builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RepositoryBuilder:
    """A repository that asks to run a script of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return builder.write("handoff-tui.toml", ASKS).write("lint.sh", "exit 0\n").commit()


def test_what_is_shown_is_what_is_trusted(asking: RepositoryBuilder) -> None:
    """Words and script by digest; nothing is trusted before it is done, and then there is nothing to ask."""
    plan, do = ready_trust(asking.folder)
    [command] = plan.commands
    assert (command.id, command.argv, [path for path, _ in command.scripts]) == ("lint", ("sh", "lint.sh"), ["lint.sh"])
    assert not has_consent(open_session(asking.folder), plan.digest)
    do()
    assert has_consent(open_session(asking.folder), plan.digest)
    with pytest.raises(UsageError, match="already consented"):
        ready_trust(asking.folder)


def test_script_that_changed_since_it_was_shown_is_not_trusted(asking: RepositoryBuilder) -> None:
    """It is shown again instead."""
    plan, do = ready_trust(asking.folder)
    asking.write("lint.sh", "exit 1\n")
    with pytest.raises(ShownMovedError):
        do()
    again, _ = ready_trust(asking.folder)
    assert again.digest != plan.digest
    assert not has_consent(open_session(asking.folder), again.digest)


def test_repository_that_asks_for_nothing_has_nothing_to_trust(builder: RepositoryBuilder) -> None:
    """Said, not shown as an empty list."""
    with pytest.raises(UsageError, match="need consent"):
        ready_trust(builder.write("a.py").commit().folder)
