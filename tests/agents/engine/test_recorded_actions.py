"""Steps that only write down that they were done."""

from __future__ import annotations

from pathlib import Path
from threading import Event

from handoff_tui.agents.engine.engine import AgentOrder
from handoff_tui.agents.engine.trial import (
    RecordedActions,
    Trial,
    count_repeated,
    has_made_to_fail,
    is_made_to_fail,
    read_records,
)
from handoff_tui.agents.procedures.report import TryKind
from tests.support.procedure_runs import REQUEST, build_plan

NOTHING = Event()


def build_trial(rate: float) -> Trial:
    return Trial(plan=build_plan(), failure_rate=rate, application="x", address="sqlite://")


def test_every_piece_of_work_leaves_its_beginning_and_its_end(tmp_path: Path) -> None:
    """Steps and rollbacks alike, with whether they passed."""
    actions = RecordedActions(tmp_path, build_trial(0.0))
    assert actions.act(REQUEST, "one", NOTHING).passed
    assert actions.undo(REQUEST, "back", NOTHING).passed
    moments = [(record["name"], record["moment"], record.get("passed")) for record in read_records(tmp_path)]
    assert moments == [("one", "begin", None), ("one", "end", True), ("back", "begin", None), ("back", "end", True)]


def test_share_of_steps_that_fail_is_the_one_that_was_asked_for() -> None:
    """By the names alone: about a tenth of a thousand, and the same ones each time."""
    trial = build_trial(0.1)
    requests = [REQUEST.model_copy(update={"handoff": f"H-{number}"}) for number in range(1000)]
    failing = [request for request in requests if is_made_to_fail(request, "one", trial)]
    assert 70 < len(failing) < 130
    assert failing == [request for request in requests if is_made_to_fail(request, "one", trial)]


def test_rate_of_nothing_fails_nothing_and_of_all_everything() -> None:
    """The ends of the scale."""
    assert not has_made_to_fail(REQUEST, build_trial(0.0))
    assert has_made_to_fail(REQUEST, build_trial(1.0))


def test_step_that_is_made_to_fail_fails_in_every_try(tmp_path: Path) -> None:
    """Otherwise its retries would hide it."""
    actions = RecordedActions(tmp_path, build_trial(1.0))
    assert [actions.act(REQUEST, "one", NOTHING).passed for _ in range(3)] == [False] * 3
    assert not actions.run_agent(REQUEST, AgentOrder(TryKind.STEP, "one", 1, 1.0), NOTHING).passed


def test_finished_work_that_is_begun_again_is_counted() -> None:
    """A failed one may be begun again; so may one that was cut short."""
    begin = {"run": "r", "kind": "step", "name": "one", "moment": "begin"}
    passed, failed = ({**begin, "moment": "end", "passed": word} for word in (True, False))
    assert count_repeated([begin, failed, begin, begin, passed]) == 0
    assert count_repeated([begin, passed, begin, passed]) == 1
