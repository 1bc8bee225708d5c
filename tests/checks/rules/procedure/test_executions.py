from __future__ import annotations

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rules.procedure.records import Record
from handoff_tui.checks.rules.procedure.state_consistent import judge_execution, judge_session
from handoff_tui.core.place import Place
from tests.support.procedures import EXECUTION, SESSION
from tests.support.world import MemoryWorld

WHERE = Place(path="procedures/kiln.json", line=4)


def test_execution_and_session_that_agree_with_themselves_pass() -> None:
    """Nothing to find in either."""
    context = Context(Answers(MemoryWorld()))
    assert list(judge_execution(context, Record(EXECUTION, WHERE))) == []
    assert list(judge_session(context, Record(SESSION, WHERE))) == []


def test_session_takes_severities_from_the_configuration() -> None:
    """A rule that is critical there is so, though the session calls it low."""
    results = [{"rule_id": "VR001", "severity": "low", "passed": False}]
    results += [{"rule_id": f"X{number}", "severity": "low", "passed": True} for number in range(9)]
    session = Record({**SESSION, "validation_results": results}, WHERE)
    (found,) = judge_session(Context(Answers(MemoryWorld())), session)
    assert (found.subject, found.place) == ("look-8 overall result", WHERE)


def test_state_may_carry_the_name_of_its_enumeration() -> None:
    """As programs write it."""
    execution = Record({**EXECUTION, "status": "HandoffStatus.COMPLETED"}, WHERE)
    assert list(judge_execution(Context(Answers(MemoryWorld())), execution)) == []
