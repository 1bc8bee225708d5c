from __future__ import annotations

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.facts.approvals import find_approvals, is_agent
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff
from tests.support.world import MemoryWorld


def build(path: str, text: str) -> tuple[Context, Handoff]:
    handoff = Handoff(
        id="T1", dialect="hub", documents=(Document(path=path, role=DocumentRole.NOTE),), producers=("Dunlin",)
    )
    return Context(Answers(MemoryWorld({path: text}))), handoff


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Approved by: Ingrid Moen", "Ingrid Moen"),
        ("- **Approved By:** Ingrid Moen", "Ingrid Moen"),
        ("> approved_by: Ingrid", "Ingrid"),
        ("1. Sign-off by: Ingrid", "Ingrid"),
        ("Human approval: yes", None),
    ],
)
def test_approval_is_found_however_it_is_written(text: str, name: str | None) -> None:
    """In bold, in lists, with underscores; without a name it names nobody."""
    [approval] = find_approvals(*build("a.md", f"# Top\n{text}\n"))
    assert (approval.name, approval.place.line) == (name, 2)


@pytest.mark.parametrize(
    "text",
    [
        "Approved by: none",
        "Approved by: awaiting Ingrid",
        "Approved by:",
        "Approved by: [ ] ___",
        "It was approved by Ingrid: yes",
        "```\nApproved by: Ingrid\n```",
    ],
)
def test_what_is_no_approval_is_not_found(text: str) -> None:
    """Refused, empty, a mention, or inside code."""
    assert list(find_approvals(*build("a.md", text))) == []


def test_approval_in_json_is_found_with_what_stands_beside_it() -> None:
    """At any depth; an object may hold the name."""
    text = '{"a": [{"approved_by": {"name": "Ingrid"}, "note": "simulated"}, {"approved_by": false}]}'
    [approval] = find_approvals(*build("a.json", text))
    assert approval.name == "Ingrid"
    assert "simulated" in approval.beside


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("Ingrid Moen", False),
        ("Ailsa Boty", False),
        ("Dunlin", True),
        ("dunlin (the builder)", True),
        ("release-bot", True),
        ("GPT-5", True),
        ("QA", True),
        ("Project manager", True),
    ],
)
def test_names_of_agents_are_known(name: str, *, answer: bool) -> None:
    """Words, roles and producers, each as a whole word."""
    context, handoff = build("a.md", "")
    assert is_agent(context, handoff, name) is answer
