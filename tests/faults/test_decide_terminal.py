"""Decisions at a real terminal: what is shown before, what is typed, and what is no answer."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.support import builder_story as builder
from tests.support.gates import HANDOFF, GateDesk
from tests.support.signed import Person, list_entries
from tests.support.ssh_keys import PASSPHRASE
from tests.support.tmux import Terminal

QUESTION = "anything else to cancel:"
_FLUSHED_SECONDS = 0.6
"""Longer than keys are thrown away after the question was drawn: a person reads before they type."""


def start(desk: GateDesk, terminal: Terminal, person: Person, *words: str | Path) -> None:
    terminal.start({**person.environment, "NO_COLOR": "1"}, "decide", *words, "--repo", desk.root)


def answer(terminal: Terminal, text: str, then: str = "ended with") -> None:
    terminal.wait_for(QUESTION)
    terminal.answer(text, then)


def test_typed_verb_signs_what_was_shown(desk: GateDesk, bo: Person, terminal: Terminal) -> None:
    """Everything that is signed stands on the page before the question, the comments in full."""
    remarks = desk.folder / "remarks.txt"
    remarks.write_text("src/app.py:2: add is not tested\n\nAll in all too thin.\n", encoding="utf-8")
    subject = desk.gate(bo).json["subject"]
    start(
        desk, terminal, bo, "reject", HANDOFF, "--reason", "no tests", "--comments", remarks, "--viewed", "src/app.py"
    )
    shown = terminal.wait_for(QUESTION)
    for value in (*subject.values(), bo.email, "no tests", "src/app.py:2: add is not tested", "All in all too thin."):
        if value.strip("0"):
            assert value in shown
    answer(terminal, HANDOFF)
    code, shown = terminal.wait_for_end()
    assert code == 0
    entries = list_entries(desk.root)
    assert len(entries) == 2
    assert any(entry in shown for entry in entries)
    assert desk.gate(bo).json["state"] == "rejected"


@pytest.mark.parametrize(("typed", "state"), [("y", "APPROVED"), ("", "DISPATCHED")])
def test_decision_offers_to_bring_the_registry_up_to_date(
    desk: GateDesk, bo: Person, terminal: Terminal, typed: str, state: str
) -> None:
    """The row is shown, and written only with a yes; the decision is stored before."""
    row = "| ID | Status |\n|---|---|\n| H-5 | {} |\n"
    desk.builder.write("handoffs/REGISTRY.md", row.format("DISPATCHED"))
    desk.builder.write("handoffs/BUILDER_PROMPT_CONTRACT.md", builder.build_contract())
    desk.builder.write(builder.spec_path("H-5"), builder.build_spec("H-5"))
    desk.builder.write(builder.answers_path("H-5"), builder.build_answers("H-5", by="")).commit("H-5: answers")
    start(desk, terminal, bo, "override", "H-5", "--phase", "questions", "--reason", "answered by mail")
    answer(terminal, "H-5", "Write it?")
    assert "DISPATCHED → APPROVED" in terminal.wait_for("Write it?")
    assert len(list_entries(desk.root)) == 2
    terminal.answer(typed, "ended with")
    assert terminal.wait_for_end()[0] == 0
    assert (desk.root / "handoffs" / "REGISTRY.md").read_text(encoding="utf-8") == row.format(state)


@pytest.mark.parametrize("typed", ["", "yes", "approve", "y"])
def test_anything_else_leaves_it(desk: GateDesk, bo: Person, terminal: Terminal, typed: str) -> None:
    """No default and no short cut: only the id itself signs."""
    start(desk, terminal, bo, "approve", HANDOFF)
    answer(terminal, typed)
    code, shown = terminal.wait_for_end()
    assert (code, "was not confirmed" in shown) == (4, True)
    assert len(list_entries(desk.root)) == 1


def test_what_was_typed_before_the_question_decides_nothing(desk: GateDesk, bo: Person, terminal: Terminal) -> None:
    """Keys pressed while the checks run are thrown away; the question waits for an answer of its own."""
    start(desk, terminal, bo, "approve", HANDOFF)
    terminal.type(HANDOFF)
    terminal.press("Enter")
    terminal.wait_for(QUESTION)
    time.sleep(_FLUSHED_SECONDS)
    assert len(list_entries(desk.root)) == 1
    answer(terminal, HANDOFF)
    assert terminal.wait_for_end()[0] == 0
    assert len(list_entries(desk.root)) == 2


def test_interrupt_leaves_it(desk: GateDesk, bo: Person, terminal: Terminal) -> None:
    """Ctrl-C at the question: exit 130, and nothing is stored."""
    start(desk, terminal, bo, "approve", HANDOFF)
    terminal.wait_for(QUESTION)
    terminal.press("C-c")
    assert terminal.wait_for_end()[0] == 130
    assert len(list_entries(desk.root)) == 1


def test_passphrase_is_asked_for_after_the_decision(desk: GateDesk, terminal: Terminal) -> None:
    """A locked key: ssh-keygen asks at the same terminal, and the right answer signs."""
    bo = desk.person("bo", PASSPHRASE)
    cy = desk.person("cy")
    desk.begin(cy, bo)
    start(desk, terminal, bo, "approve", HANDOFF)
    answer(terminal, HANDOFF, then="passphrase")
    terminal.answer(PASSPHRASE)
    assert terminal.wait_for_end()[0] == 0
    assert len(list_entries(desk.root)) == 2
