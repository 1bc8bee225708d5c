"""Trials: steps that only record that they ran."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest

from handoff_tui.agents.engine.engine import AgentOrder
from handoff_tui.agents.engine.trial import (
    RecordedActions,
    Trial,
    append_record,
    count_repeated,
    is_made_to_fail,
    is_ready,
    load_trial,
    make_trial,
    mark_ready,
    read_records,
    remove_trial,
    write_trial,
)
from handoff_tui.agents.procedures.report import TryKind
from handoff_tui.core.errors import EngineError
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


def test_trial_is_told_and_taken_away_again() -> None:
    """It is outside every repository, and leaves nothing."""
    folder = make_trial()
    write_trial(folder, {"plan": 1})
    assert (load_trial(folder), is_ready(folder)) == ({"plan": 1}, False)
    mark_ready(folder)
    assert is_ready(folder)
    remove_trial(folder)
    assert not folder.exists()


def test_trial_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    """Not a crash in the middle."""
    (tmp_path / "file").touch()
    with pytest.raises(EngineError, match="can't write"):
        write_trial(tmp_path / "file", {})


def test_records_are_those_that_were_written_whole(tmp_path: Path) -> None:
    """The last line of a process that was killed while it wrote is none."""
    assert read_records(tmp_path) == []
    append_record(tmp_path, {"name": "one"})
    append_record(tmp_path, {"name": "two"})
    with (tmp_path / "record.jsonl").open("ab") as file:
        file.write(b'{"name": "thr')
    assert [record["name"] for record in read_records(tmp_path)] == ["one", "two"]
