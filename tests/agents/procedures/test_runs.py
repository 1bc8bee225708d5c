"""How a run of a procedure goes, is watched and shown, whatever engine carries it."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest

from handoff_tui.agents.engine.engine import GateAnswer, Json, StepResult
from handoff_tui.agents.engine.listing import find_engine_location, has_runs
from handoff_tui.agents.procedures.page import (
    build_follow_line,
    build_metrics,
    build_run_json,
    build_run_page,
    fold_gate_readings,
)
from handoff_tui.agents.procedures.report import ProcedureRun, ProcedureState, ProcedureTry, TryKind, TryResult
from handoff_tui.agents.procedures.run import FollowOptions, follow_run, submit_run, withdraw_run
from handoff_tui.agents.procedures.runner import StepExecutor
from handoff_tui.core.errors import HandoffError, ProcedureError, RepositoryError
from handoff_tui.core.place import Severity
from handoff_tui.handoffs.session import open_session
from tests.support.desk_states import list_lines
from tests.support.procedure_runs import (
    REQUEST,
    DiedError,
    ListEngine,
    MemoryDurable,
    ToldActions,
    build_plan,
    build_report,
    build_rule,
    build_run,
    build_step,
    build_try,
    build_undo,
    run,
)
from tests.support.repositories import RepositoryBuilder

UNDOS = (build_undo("undo-one", "one"), build_undo("undo-two", "two"), build_undo("undo-three", "three"))


def test_steps_are_done_in_order_and_the_rules_after_them_and_at_the_end() -> None:
    """Each step, then its own rules; when all are done, every rule once more."""
    plan = build_plan(build_step("one", "A"), build_step("two"), rules=(build_rule("A"), build_rule("B")))
    actions = ToldActions(plan)
    assert run(actions).state is ProcedureState.COMPLETED
    assert actions.calls == ["step one", "rule A", "step two", "rule A", "rule B"]


def test_step_is_tried_again_as_often_as_it_may() -> None:
    """Retries are tries after the first, with the waits between them; the last wait is used again."""
    plan = build_plan(build_step("one", retries=3)).model_copy(update={"backoff_seconds": (1.0, 2.0)})
    durable, actions = MemoryDurable(), ToldActions(plan, {"one": 3})
    assert run(actions, durable).state is ProcedureState.COMPLETED
    assert (actions.calls, durable.slept) == (["step one"] * 4, [1.0, 2.0, 2.0])


def test_failed_step_rolls_back_in_reverse_order() -> None:
    """What had begun is undone, the latest first, and after a fence; what had not begun is not."""
    actions = ToldActions(build_plan(rollback=UNDOS), {"two": 9})
    end = run(actions)
    assert actions.calls == ["step one", "step two", "fence", "undo undo-two", "undo undo-one"]
    assert (end.state, end.needs_human) == (ProcedureState.ROLLBACK, False)
    assert "two failed: told to fail" in end.reason


def test_rollback_that_undoes_no_step_in_particular_comes_first() -> None:
    """One without a step is due whenever anything has begun."""
    actions = ToldActions(build_plan(rollback=(*UNDOS, build_undo("whole"))), {"one": 9})
    run(actions)
    assert actions.calls == ["step one", "fence", "undo whole", "undo undo-one"]


def test_rollback_that_fails_stops_for_a_person() -> None:
    """It is tried again first; then it says so, and leaves the rest alone."""
    undos = (build_undo("undo-one", "one"), build_undo("undo-two", "two", retries=1))
    actions = ToldActions(build_plan(rollback=undos), {"three": 9, "undo-two": 9})
    end = run(actions)
    assert actions.calls[-2:] == ["undo undo-two", "undo undo-two"]
    assert (end.state, end.needs_human, end.left) == (ProcedureState.FAILED, True, ("undo-two", "undo-one"))
    assert "the rollback undo-two failed after 2 attempts" in end.reason


def test_critical_rule_fails_the_run_where_it_is_broken() -> None:
    """The steps behind it are not done."""
    plan = build_plan(build_step("one", "A"), build_step("two"), rules=(build_rule("A"),), rollback=UNDOS[:1])
    actions = ToldActions(plan, {"A": 9})
    end = run(actions)
    assert actions.calls == ["step one", "rule A", "fence", "undo undo-one"]
    assert "A (A holds) after one failed" in end.reason


@pytest.mark.parametrize(("rules", "state"), [(5, ProcedureState.COMPLETED), (4, ProcedureState.FAILED)])
def test_share_of_rules_that_hold_decides_at_the_end(rules: int, state: ProcedureState) -> None:
    """One of five may be broken when none is critical; one of four is too many."""
    named = tuple(build_rule(f"R{number}", Severity.HIGH) for number in range(rules))
    assert run(ToldActions(build_plan(build_step("one", "R0"), rules=named), {"R0": 9})).state is state


def test_rule_that_breaks_by_the_end_fails_the_run() -> None:
    """A critical rule that held after its step must still hold at the end."""
    plan = build_plan(build_step("one", "A"), rules=(build_rule("A"),), rollback=UNDOS[:1])
    actions = ToldActions(plan)
    actions.works["A"] = lambda _: actions.failures.update({"A": 0 if actions.calls.count("rule A") == 1 else 9})
    assert run(actions).state is ProcedureState.ROLLBACK


def test_error_of_a_step_is_a_failed_try_with_its_words() -> None:
    """It is never an exception that ends the run without undoing."""
    actions = ToldActions(build_plan(rollback=UNDOS), faults={"two": ProcedureError("the disk is full")})
    end = run(actions)
    assert (end.state, "two could not run: the disk is full" in end.reason) == (ProcedureState.ROLLBACK, True)


def test_gate_waits_until_somebody_has_decided() -> None:
    """Each look is at git; a wake-up changes nothing by itself."""
    looks = [
        GateAnswer(None, "pending"),
        GateAnswer(None, "unreadable"),
        GateAnswer(open=True, why="approved", entry="sha256:1"),
    ]
    durable, actions = MemoryDurable(), ToldActions(build_plan(build_step("one", gate=True)), gate=looks)
    assert run(actions, durable).state is ProcedureState.COMPLETED
    assert actions.calls == ["gate", "gate", "gate", "step one"]
    assert durable.received == [5.0, 10.0]


def test_gate_that_is_refused_rolls_back() -> None:
    """A rejection is a failure of the run, with the words of the gate; its step is not begun."""
    plan = build_plan(build_step("one"), build_step("two", gate=True), rollback=UNDOS[:2])
    actions = ToldActions(plan, gate=[GateAnswer(open=False, why="rejected: not like this")])
    end = run(actions)
    assert actions.calls == ["step one", "gate", "fence", "undo undo-one"]
    assert "the gate before two failed: rejected: not like this" in end.reason


def test_gate_that_nobody_answers_expires() -> None:
    """Silence is neither yes nor no: the run is undone, and says that it has expired."""
    plan = build_plan(build_step("one", gate=True), rollback=UNDOS[:1], gate_timeout_seconds=1e-9)
    durable = MemoryDurable()
    end = run(ToldActions(plan, gate=[GateAnswer(None, "pending")]), durable)
    assert (end.state, "expired without an answer" in end.reason) == (ProcedureState.FAILED, True)


def test_withdrawn_run_does_no_further_step_and_is_undone() -> None:
    """The way back is gone to its end although somebody asked the run to end."""
    watch = StepExecutor(grace_seconds=1.0)
    actions = ToldActions(build_plan(rollback=UNDOS))
    actions.works["two"] = lambda _: watch.withdrawn.set()
    end = run(actions, watch=watch)
    assert actions.calls[-3:] == ["fence", "undo undo-two", "undo undo-one"]
    assert "step three" not in actions.calls
    assert (end.state, "withdrawn" in end.reason) == (ProcedureState.ROLLBACK, True)


def test_nothing_is_undone_while_something_is_at_work() -> None:
    """A fence that does not hold leaves everything to a person."""
    actions = ToldActions(build_plan(rollback=UNDOS), {"two": 9}, faults={"fence": ProcedureError("it does not end")})
    end = run(actions)
    assert (end.needs_human, end.left) == (True, ("undo-two", "undo-one"))
    assert "nothing was undone: it does not end" in end.reason


@pytest.mark.parametrize("failing", [{}, {"three": 9}], ids=["completes", "rolls back"])
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("number", range(8))
def test_run_that_dies_anywhere_goes_on_where_it_was(number: int, moment: str, failing: dict[str, int]) -> None:
    """No step that was written down is done again, and the end is the same as without the death."""
    plan = build_plan(
        build_step("one", "A"), build_step("two"), build_step("three"), rules=(build_rule("A"),), rollback=UNDOS
    )
    unharmed = ToldActions(plan, dict(failing))
    expected = run(unharmed)
    actions = ToldActions(plan, dict(failing))
    durable = MemoryDurable(
        die_before=number if moment == "before" else None, die_after=number if moment == "after" else None
    )
    try:
        end = run(actions, durable)
    except DiedError:
        written = [name for name, _ in durable.written]
        before = list(actions.calls)
        end = run(actions, durable.replay())
        again = actions.calls[len(before) :]
        assert len(again) == len(unharmed.calls) - (len(written) - 1 if written else 0)
    assert end == expected


class AgentDurable(MemoryDurable):
    """Agents that all end in one way; how often one was started is counted by its name."""

    result = TryResult.FAIL

    def run_limited(self, name: str, order: Json) -> Json:
        def work() -> Json:
            return {"kind": "step", "name": order["name"], "number": order["number"], "result": self.result.value}

        return self.step(name, work)


@pytest.mark.parametrize(
    ("result", "tries", "for_person"),
    [(TryResult.FAIL, 3, False), (TryResult.STOPPED, 1, False), (TryResult.NEEDS_HUMAN, 1, True)],
)
def test_agent_that_only_a_person_can_judge_is_not_started_again(
    result: TryResult, tries: int, *, for_person: bool
) -> None:
    """What was begun is undone, and the run ends for a person; so it does when it is replayed."""
    agent = build_step("two", retries=2).model_copy(update={"agent": True})
    actions = ToldActions(build_plan(build_step("one"), agent, build_step("three"), rollback=UNDOS))
    durable = AgentDurable()
    durable.result = result
    end = run(actions, durable)
    assert (end.state, end.needs_human) == (ProcedureState.ROLLBACK, for_person)
    assert [name for name, _ in durable.written if name.startswith("step two")] == [
        f"step two {number + 1}" for number in range(tries)
    ]
    assert actions.calls == ["step one", "fence", "undo undo-two", "undo undo-one"]
    again = AgentDurable(written=durable.written)
    assert run(actions, again) == end


DRAFT = ProcedureTry(kind=TryKind.STEP, name="one", result=TryResult.ERROR)


def test_work_that_takes_too_long_is_told_to_end() -> None:
    """The try is over at its time, and whoever works is told by the event."""
    told = Event()

    def work(cancel: Event) -> StepResult:
        cancel.wait(10)
        told.set()
        return StepResult(passed=True)

    watch = StepExecutor()
    found = watch.run(DRAFT, 0.05, work)
    assert (found.result, found.detail) == (TryResult.TIMEOUT, "not done within 0.05 s")
    assert watch.fence(DRAFT, lambda: None).passed
    assert told.is_set()


def test_fence_does_not_hold_while_work_goes_on() -> None:
    """A step that does not listen keeps everything from being undone under it."""
    end = Event()
    watch = StepExecutor(grace_seconds=0.05)
    watch.run(DRAFT, 0.01, lambda _: StepResult(passed=end.wait(10)))
    found = watch.fence(DRAFT, lambda: None)
    assert (found.result, "still at work" in found.detail) == (TryResult.FAIL, True)
    end.set()


def test_work_of_a_withdrawn_run_is_cut_short() -> None:
    """It ends before its time, as withdrawn and not as out of time."""
    watch = StepExecutor()

    def work(cancel: Event) -> StepResult:
        watch.withdrawn.set()
        return StepResult(passed=cancel.wait(200))

    assert watch.run(DRAFT, 200.0, work).result is TryResult.WITHDRAWN


def test_withdrawn_run_begins_nothing_but_its_way_back() -> None:
    """A step is not begun; a rollback is done."""
    watch = StepExecutor()
    watch.withdrawn.set()
    found = watch.run(DRAFT, 1.0, lambda _: StepResult(passed=True))
    assert (found.result, found.begun) == (TryResult.WITHDRAWN, False)
    assert watch.run(DRAFT, 1.0, lambda _: StepResult(passed=True), to_the_end=True).passed


def test_look_that_cannot_be_made_is_waited_for() -> None:
    """A repository in the middle of a rebase may be readable a minute later."""

    def look() -> GateAnswer:
        raise ProcedureError("a lock is held")

    found = StepExecutor().read_gate(DRAFT, look)
    assert (found.result, found.detail) == (TryResult.WAITING, "a lock is held")


def test_run_that_is_under_way_or_completed_is_that_run() -> None:
    """Nothing new is asked for."""
    for state in (ProcedureState.WAITING, ProcedureState.COMPLETED):
        engine = ListEngine((build_run(state),))
        assert submit_run(engine, REQUEST, 50).id == "H-1:build:1:P:1"
        assert engine.asked == []


def test_run_after_one_that_failed_is_a_new_one() -> None:
    """With the next number, and when it was asked for."""
    engine = ListEngine((build_run(ProcedureState.FAILED), build_run(ProcedureState.ROLLBACK, number=2, finished=True)))
    found = submit_run(engine, REQUEST, 50)
    assert found.id == "H-1:build:1:P:3"
    assert found.request is not None
    assert found.request.asked is not None


def test_run_after_one_that_stopped_for_a_person_must_be_meant() -> None:
    """Somebody has to clean up first, and says so."""
    engine = ListEngine((build_run(ProcedureState.FAILED, needs_human=True, reason="it broke"),))
    with pytest.raises(ProcedureError, match="needs you: it broke") as refused:
        submit_run(engine, REQUEST, 50)
    assert "--again" in refused.value.hint
    assert submit_run(engine, REQUEST, 50, again=True).id == "H-1:build:1:P:2"


def test_no_more_runs_than_allowed_are_under_way() -> None:
    """Those that have ended do not count."""
    busy = tuple(build_run(ProcedureState.WAITING, number=number) for number in range(11, 14))
    engine = ListEngine((*busy, build_run(number=20)))
    with pytest.raises(ProcedureError, match="3 runs are under way already"):
        submit_run(engine, REQUEST, 3)
    assert submit_run(engine, REQUEST, 4).state is ProcedureState.PENDING


def test_watching_a_run_that_waits_already_has_it_look_once_more() -> None:
    """A decision may have come meanwhile; watching ends at its time when nothing is new."""
    run = build_run(ProcedureState.WAITING)
    engine = ListEngine((run,))
    assert follow_run(engine, run, FollowOptions(timeout=0.0)) == run
    assert engine.asked == [f"wake {run.id}"]


def test_run_that_is_only_asked_for_is_watched_until_a_worker_has_it() -> None:
    """A worker is seen to at every look: the last one may just have gone."""
    engine = ListEngine((build_run(ProcedureState.PENDING),))
    kept: list[int] = []

    def keep() -> None:
        kept.append(1)
        if len(kept) == 2:
            engine.runs = (build_run(ProcedureState.IN_PROGRESS),)

    found = follow_run(engine, engine.runs[0], FollowOptions(until_taken=True, keep_worker=keep))
    assert (found.state, len(kept)) == (ProcedureState.IN_PROGRESS, 2)


def test_withdrawn_run_is_told_unless_it_has_ended() -> None:
    """One that has ended is shown as it is."""
    for told, asked in ((build_run(), []), (build_run(ProcedureState.WAITING), ["cancel H-1:build:1:P:1"])):
        engine = ListEngine((told,))
        assert withdraw_run(engine, told.id).id == told.id
        assert engine.asked == asked
    with pytest.raises(ProcedureError, match="there is no run"):
        withdraw_run(ListEngine(), "x")


def test_engine_is_a_file_beside_gits_own_unless_the_user_names_a_database(
    builder: RepositoryBuilder, isolated_user: Path
) -> None:
    """On a database the runs of a repository are told apart by its first commit."""
    with pytest.raises(HandoffError):
        open_session(builder.folder / "nothing")
    first = builder.write("a").commit().head()
    desk = open_session(builder.folder)
    assert not has_runs(desk)
    place = find_engine_location(desk)
    assert (place.shared, place.address) == (False, f"sqlite:///{builder.folder}/.git/handoff-tui/engine.sqlite")
    write_address(isolated_user)
    place = find_engine_location(open_session(builder.folder))
    assert (place.shared, place.application) == (True, f"handoff-tui-{first[:16]}")
    assert place.address == "postgresql+psycopg://ada@db/x"


def test_database_needs_a_commit_to_tell_repositories_apart(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Nothing is sent anywhere before there is one."""
    write_address(isolated_user)
    with pytest.raises(RepositoryError, match="no commit yet"):
        find_engine_location(open_session(builder.folder))


def write_address(home: Path) -> None:
    place = home / "config" / "handoff-tui" / "config.toml"
    place.parent.mkdir(parents=True)
    place.write_text('[engine]\naddress = "postgresql://ada@db/x"\n', encoding="utf-8")


WAITING = build_try(TryKind.GATE, "two", TryResult.WAITING, detail="pending: nobody has decided")


def test_run_whose_record_cannot_be_read_is_null_and_not_guessed() -> None:
    """What was asked is unknown then."""
    value = build_run_json(ProcedureRun(id="x", request=None, state=ProcedureState.FAILED))
    assert (value["procedure"], value["handoff"], value["attempt"]) == (None, None, None)


def test_looks_at_a_gate_that_found_nothing_new_are_told_once() -> None:
    """A run that waited for days has looked a thousand times."""
    opened = build_try(TryKind.GATE, "two", number=9)
    folded = fold_gate_readings([build_try(TryKind.STEP, "one"), WAITING, WAITING, WAITING, opened])
    assert [(one.kind, one.result) for one in folded] == [
        (TryKind.STEP, TryResult.PASS),
        (TryKind.GATE, TryResult.PASS),
    ]
    assert len(fold_gate_readings([WAITING, WAITING])) == 1


def test_words_of_agents_cannot_draw_on_the_terminal() -> None:
    """Details are text that somebody else wrote."""
    run = build_run(ProcedureState.FAILED, reason="\x1b[2Jgone", tries=(build_try(TryKind.STEP, "o\x07ne"),))
    assert not any(ord(character) < 32 for line in list_lines(build_run_page(run)) for character in line)


def test_line_for_whoever_watches_counts_the_steps() -> None:
    """Done of all, and the one at hand."""
    run = build_run(ProcedureState.IN_PROGRESS, tries=(build_try(TryKind.STEP, "one"),), current="two")
    assert build_follow_line(run) == "in progress: 1/2 steps, at two"
    assert build_follow_line(build_run(ProcedureState.PENDING, plan=None)) == "pending: 0 steps"


def test_runs_are_counted_by_how_they_ended() -> None:
    """By procedure; the average is over those that have ended."""
    runs = (
        build_run(),
        build_run(ProcedureState.FAILED, number=2),
        build_run(ProcedureState.ROLLBACK, number=3, finished=True, ended=105.0),
        build_run(ProcedureState.WAITING, number=4),
    )
    [found] = build_metrics(runs).types
    assert (found.runs, found.completed, found.rolled_back, found.failed, found.open) == (4, 1, 1, 1, 1)
    assert found.mean_seconds == (3.0 + 3.0 + 5.0) / 3


def test_every_judgement_of_a_rule_counts() -> None:
    """Further tries and the last validation among them; the severity is the planned one."""
    tries = (
        build_try(TryKind.RULE, "A", TryResult.FAIL),
        build_try(TryKind.RULE, "A", number=2),
        build_try(TryKind.RULE, "A", final=True),
        build_try(TryKind.STEP, "one"),
    )
    [found] = build_metrics((build_run(tries=tries),)).rules
    assert (found.rule, found.severity, found.judged, found.held) == ("A", Severity.CRITICAL, 3, 2)


@pytest.mark.parametrize(
    ("changes", "held"),
    [
        ({}, True),
        ({"completed": 94, "stopped": 6}, False),
        ({"completed": 60, "rolled_back": 40, "injected": 40}, True),
        ({"completed": 60, "rolled_back": 30, "stopped": 10, "injected": 40}, False),
        ({"completed": 60, "failed": 40, "injected": 40}, True),
        ({"repeated": 1}, False),
    ],
    ids=["all complete", "too many fail", "failures undone", "rollbacks fail", "nothing to undo", "done twice"],
)
def test_profile_holds_by_success_and_rollback(changes: dict[str, int], held: bool) -> None:  # noqa: FBT001 - a case
    """Runs that were made to fail count for the rollbacks, all others for the success."""
    assert build_report(**changes).held is held
