from __future__ import annotations

import json

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.procedure import PROCEDURE
from handoff_tui.handoffs.handoff import DocumentRole, HandoffType
from handoff_tui.handoffs.reading.format import Confidence, Source
from tests.support.memory_files import MemoryFiles, read_with

CONTEXT = {
    "handoff_id": "lamp-7",
    "source_phase": "wiring",
    "target_phase": "shading",
    "source_agent": "electrician",
    "target_agent": "tailor",
    "handoff_type": "agent_handoff",
    "metadata": {"volts": 12, "dimmable": True, "parts": ["wire"]},
    "timestamp": 1900000000.5,
    "priority": "high",
}
EXECUTIONS = [
    {
        "execution_id": "e1",
        "handoff_id": "lamp-7",
        "procedure_id": "LAMP_STANDARD",
        "status": "rollback",
        "errors": ["short circuit"],
        "validation_results": [{"rule_id": "VR001", "passed": False}],
    },
    {
        "execution_id": "e2",
        "handoff_id": "lamp-7",
        "procedure_id": "LAMP_STANDARD",
        "current_state": "completed",
        "step_results": [
            {"step_id": "s1", "name": "check wires", "success": True},
            {"name": "sew", "status": "failed"},
        ],
    },
]
SESSION = {"session_id": "v1", "handoff_id": "lamp-7", "results": {"VR004": True, "VR005": "skipped"}}
DEFINITION = {
    "procedure_id": "LAMP_STANDARD",
    "name": "Lamp",
    "steps": [{"name": "a", "timeout": 30, "retries": 2}, {"name": "b", "timeout": 12.5, "retry_count": 1}],
    "validation_rules": [{"id": "VR001"}],
    "rollback_procedures": [],
    "estimated_duration": 42.5,
}
REPORT = """# Lamp Report

**Contract ID**: LAMP-009
**Title**: A Lamp That Works
**Agent**: Agent-3 (TAILOR)
**Difficulty**: LOW
**Status**: ✅ COMPLETED

## Quality
- **Success Rate**: 97%+ on good days
- **Wiring**: ✅ all fine
- **Code**: see `src/lamp.py`

## Deliverables
### ✅ Required Deliverables
1. **Shade** - sewn
### Other
- [ ] Bulb
"""


def shelf_of(**files: object) -> MemoryFiles:
    return MemoryFiles({f"handoffs/{name}.json": json.dumps(content, indent=2) for name, content in files.items()})


def test_procedure_context_gives_phases_agents_type_and_priority() -> None:
    """A context file is a handoff with its id as written."""
    (handoff,) = read_with(PROCEDURE, shelf_of(a=CONTEXT)).handoffs
    assert handoff.id == "lamp-7"
    assert handoff.type is HandoffType.AGENT_HANDOFF
    assert (handoff.source_phase, handoff.target_phase) == ("wiring", "shading")
    assert (handoff.source_agent, handoff.target_agent) == ("electrician", "tailor")
    assert handoff.priority == "high"
    assert handoff.created == "1900000000.5"
    assert [(fact.name, fact.value) for fact in handoff.facts] == [("volts", "12"), ("dimmable", "true")]


def test_procedure_executions_are_attempts_of_their_handoff() -> None:
    """The last execution gives the status; each is an attempt with its place."""
    (handoff,) = read_with(PROCEDURE, shelf_of(a=CONTEXT, b={"executions": EXECUTIONS}, c=SESSION)).handoffs
    assert handoff.status == "COMPLETE"
    assert handoff.attempt == 2
    assert [(attempt.number, attempt.status, attempt.summary) for attempt in handoff.attempts] == [
        (1, "ROLLBACK", "short circuit"),
        (2, "COMPLETE", "e2"),
    ]
    assert handoff.blockers == ()
    assert [(task.id, task.title, task.done) for task in handoff.tasks] == [
        ("s1", "check wires", True),
        ("step-2", "sew", False),
    ]
    assert len(handoff.documents) == 3


def test_procedure_rule_results_are_check_claims() -> None:
    """Rules in lists and rules as names are both found."""
    (handoff,) = read_with(PROCEDURE, shelf_of(a=CONTEXT, b=EXECUTIONS, c=SESSION)).handoffs
    checks = [(claim.subject, claim.value) for claim in handoff.claims if claim.kind is ClaimKind.CHECK]
    assert checks == [("VR001", False), ("VR004", True), ("VR005", "skipped")]
    (status,) = [claim for claim in handoff.claims if claim.kind is ClaimKind.STATUS]
    assert (status.value, status.where.path) == ("COMPLETE", "handoffs/b.json")


def test_procedure_finds_contexts_in_lists_and_under_names() -> None:
    """A bare list, `handoffs`, and an object of objects."""
    second = {**CONTEXT, "handoff_id": "lamp-8"}
    third = {**CONTEXT, "handoff_id": "lamp-9"}
    shelf = shelf_of(a=[CONTEXT], b={"handoffs": [second]}, c={"active_handoffs": {"x": third}})
    assert [handoff.id for handoff in read_with(PROCEDURE, shelf).handoffs] == ["lamp-7", "lamp-8", "lamp-9"]


def test_procedure_definitions_are_listed_with_their_sums() -> None:
    """A procedure without a handoff is one fact."""
    (handoff,) = read_with(PROCEDURE, shelf_of(a={"procedures": [DEFINITION]})).handoffs
    assert handoff.id == "procedures"
    (fact,) = handoff.facts
    assert fact.name == "LAMP_STANDARD"
    assert fact.value == "2 steps, 42.5 s of timeouts, 3 retries, 1 rules, 0 rollbacks, estimated 42.5 s"


def test_procedure_reports_unknown_words() -> None:
    """Type, priority and state outside the lists are problems; the words are kept where they can be."""
    shelf = shelf_of(a={**CONTEXT, "handoff_type": "gift", "priority": "asap", "status": "sleeping"})
    (handoff,) = read_with(PROCEDURE, shelf).handoffs
    assert (handoff.priority, handoff.status) == ("asap", "SLEEPING")
    assert {problem.line for problem in shelf.problems()} == {7, 16, 17}
    assert len(shelf.problems()) == 3


def test_procedure_reports_a_context_given_twice() -> None:
    """The first one is used."""
    shelf = shelf_of(a=CONTEXT, b={**CONTEXT, "target_agent": "nobody"})
    (handoff,) = read_with(PROCEDURE, shelf).handoffs
    assert handoff.target_agent == "tailor"
    assert [problem.path for problem in shelf.problems()] == ["handoffs/b.json"]


def test_procedure_contract_report_claims_status_and_unproven_figures() -> None:
    """Status is a claim; percentages and ticks are checks nobody has seen."""
    shelf = MemoryFiles({"docs/LAMP_REPORT.md": REPORT})
    (handoff,) = read_with(PROCEDURE, shelf).handoffs
    assert (handoff.id, handoff.title) == ("LAMP-009", "A Lamp That Works")
    assert handoff.type is HandoffType.CONTRACT_HANDOFF
    assert handoff.status == "COMPLETE"
    assert handoff.producers == ("Agent-3 (TAILOR)",)
    assert handoff.documents[0].role is DocumentRole.REPORT
    found = [(claim.kind, claim.subject, claim.value, claim.where.line) for claim in handoff.claims]
    assert found == [
        (ClaimKind.STATUS, None, "COMPLETE", 7),
        (ClaimKind.CHECK, "Success Rate", "97%+", 10),
        (ClaimKind.CHECK, "Wiring", "pass", 11),
        (ClaimKind.FILE_REFERENCED, "src/lamp.py", None, 12),
    ]


def test_procedure_contract_report_lists_deliverables() -> None:
    """A tick in the heading or a box says whether each is done."""
    (handoff,) = read_with(PROCEDURE, MemoryFiles({"docs/LAMP_REPORT.md": REPORT})).handoffs
    assert [(task.title, task.done, task.where.line) for task in handoff.tasks] == [
        ("Shade - sewn", True, 16),
        ("Bulb", False, 18),
    ]


def test_procedure_recognises_by_content() -> None:
    """Fields decide; a broken file counts at its place or with the format's own words."""
    assert PROCEDURE.recognise(Source.of_text("handoffs/a.json", json.dumps(CONTEXT))) == Confidence.CERTAIN
    assert PROCEDURE.recognise(Source.of_text("docs/LAMP_REPORT.md", REPORT)) == Confidence.LIKELY
    assert PROCEDURE.recognise(Source.of_text("docs/OTHER_REPORT.md", "# Report\n**Status**: fine\n")) == Confidence.NO
    assert PROCEDURE.recognise(Source.of_text("procedures/a.json", "{")) == Confidence.POSSIBLE
    assert PROCEDURE.recognise(Source.of_text("x/handoff.json", '{"handoff_id": "a", ')) == Confidence.POSSIBLE
    assert PROCEDURE.recognise(Source.of_text("x/handoff.json", "{")) == Confidence.NO
    assert PROCEDURE.recognise(Source.of_text("handoffs/a.json", '{"handoff_id": "a", "from": "b"}')) == Confidence.NO
    assert not PROCEDURE.may_own("handoffs/handoff.schema.json")
    assert not PROCEDURE.may_own("package.json")
