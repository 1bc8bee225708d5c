from __future__ import annotations

import json

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.mosaic.format import MOSAIC
from handoff_tui.handoffs.handoff import Handoff
from tests.support.memory_files import MemoryFiles, read_with

_STATE = {
    "version": 1,
    "last_agent": "robin",
    "last_mode": "BUILD",
    "last_session_start": "2031-02-03T04:00:00Z",
    "last_session_end": "2031-02-03T05:00:00Z",
    "last_commit": "0a1b2c3",
    "current_agent": "wren",
    "current_task": "Lay the cable",
    "handoff_message": "Cable laid. Committed 4d5e6f7. Suite: 12 passed, 1 failed. See the notes.",
    "briefing_acknowledgment": {"agent": "robin", "briefing_version": "3", "last_commit_known": "1111aaa"},
    "user_decisions": {"D1_colour": "green"},
    "implementation_progress": {
        "harbour_service_url": "https://harbour.example",
        "deployment_status": "live",
        "health_check": "passing",
        "deployment_commit": "2222bbb",
        "smoke_tests": "3/4 passed",
        "rollout_commit": "TBD",
        "connected": True,
    },
    "next_agent": "finch",
    "open_questions": ["Is the tide right?", 7],
}


def _read(state: dict[str, object]) -> tuple[Handoff, MemoryFiles]:
    shelf = MemoryFiles({".mosaic/agent_state.json": json.dumps(state, indent=1)})
    return read_with(MOSAIC, shelf).handoffs[0], shelf


def _claims(handoff: Handoff, kind: ClaimKind) -> list[tuple[str | None, object]]:
    return [(claim.subject, claim.value) for claim in handoff.claims if claim.kind is kind]


def test_agent_state_gives_the_people_and_the_words() -> None:
    """Who worked, who is next, in which mode, when and with what message."""
    handoff, _ = _read(_STATE)
    assert (handoff.id, handoff.dialect, handoff.title) == ("mosaic", "mosaic", "Lay the cable")
    assert (handoff.source_agent, handoff.target_agent, handoff.source_phase) == ("robin", "finch", "BUILD")
    assert handoff.created == "2031-02-03T05:00:00Z"
    assert handoff.message == _STATE["handoff_message"]
    assert handoff.producers == ("robin",)


def test_agent_state_falls_back_to_the_current_agent() -> None:
    """Without a next agent the current one is the target."""
    handoff, _ = _read({key: value for key, value in _STATE.items() if key != "next_agent"})
    assert handoff.target_agent == "wren"


def test_agent_state_claims_commits_from_fields_and_message() -> None:
    """The state's own commit is `head`; other fields and the message name further commits; TBD is a problem."""
    handoff, shelf = _read(_STATE)
    assert _claims(handoff, ClaimKind.COMMIT) == [
        ("head", "0a1b2c3"),
        (None, "1111aaa"),
        (None, "2222bbb"),
        (None, "4d5e6f7"),
    ]
    problems = shelf.source(".mosaic/agent_state.json").problems()
    assert any("rollout_commit is no commit id" in problem.message and problem.line for problem in problems)


def test_agent_state_claims_deployment_with_its_address() -> None:
    """Deployment status and health check are claims about the service's address."""
    handoff, _ = _read(_STATE)
    address = "https://harbour.example"
    assert _claims(handoff, ClaimKind.DEPLOYMENT) == [(address, "live"), (address, "passing")]


def test_agent_state_claims_counts_in_message_and_progress() -> None:
    """Test numbers in prose are claims with their scope."""
    handoff, _ = _read(_STATE)
    assert _claims(handoff, ClaimKind.COUNT) == [
        ("handoff_message.passed", 12),
        ("handoff_message.failed", 1),
        ("smoke_tests.total", 4),
        ("smoke_tests.passed", 3),
    ]


def test_agent_state_tells_briefing_decisions_and_questions() -> None:
    """They are facts, each with its line."""
    handoff, _ = _read(_STATE)
    facts = {(fact.name, fact.value) for fact in handoff.facts}
    assert ("briefing version", "3") in facts
    assert ("user decision", "D1_colour: green") in facts
    assert ("open question", "Is the tide right?") in facts
    assert ("open question", "7") in facts
    assert all(fact.where is not None and fact.where.line is not None for fact in handoff.facts)


def test_agent_state_of_wrong_types_is_reported_and_left_out() -> None:
    """A field of another type is a problem with its line, never a guess."""
    handoff, shelf = _read({"last_agent": 5, "next_agent": ["x"], "handoff_message": {}, "open_questions": "none"})
    assert (handoff.source_agent, handoff.target_agent, handoff.message) == (None, None, None)
    messages = [problem.message for problem in shelf.source(".mosaic/agent_state.json").problems()]
    assert len(messages) == 4
    assert "last_agent should be text, but is a number" in messages
