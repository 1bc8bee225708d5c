from __future__ import annotations

import pytest

from handoff_tui.cli.commands.decide import VERBS
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.log.record import DecisionVerb
from tests.support.gates import HANDOFF, GateDesk


def test_every_verb_of_the_log_is_offered() -> None:
    """Eight, no more."""
    assert list(VERBS) == [verb.value for verb in DecisionVerb]


@pytest.mark.parametrize("words", [("accept", HANDOFF), ("approve",), ()])
def test_other_words_are_a_usage_error(gate_desk: GateDesk, words: tuple[str, ...]) -> None:
    """Nothing is guessed."""
    bo = gate_desk.person("bo")
    assert gate_desk.speaking(bo, "decide", *words, "--repo", gate_desk.root).code == ExitCode.USAGE


def test_receipt_is_a_page_or_json(gate_desk: GateDesk) -> None:
    """Both name the entry and the gate; the shape of the gate inside is that of `gate`."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    digest = gate_desk.digest(bo)
    page = gate_desk.speaking(bo, "decide", "approve", HANDOFF, "--repo", gate_desk.root, "--subject", digest)
    assert page.code == ExitCode.OK
    assert ("✓ stored  sha256:" in page.stdout, "✓ approved" in page.stdout) == (True, True)
    again = gate_desk.decide(bo, "hold", "--reason", "wait")
    assert again.json["gate"].keys() == gate_desk.gate(bo).json.keys()


def test_remarks_file_that_is_not_there_stops_it(gate_desk: GateDesk) -> None:
    """Before anything is signed."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    said = gate_desk.decide(bo, "reject", "--reason", "x", "--comments", gate_desk.folder / "none.txt")
    assert (said.code, "is not there" in said.stderr) == (ExitCode.USAGE, True)


def test_answer_at_the_terminal_is_the_word_itself(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page and the question go to the terminal, not to stdout."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    asked: list[str] = []
    answers = ["yes", None, "approve"]

    def answer(question: str) -> str | None:
        asked.append(question)
        return answers[len(asked) - 1]

    monkeypatch.setattr("handoff_tui.cli.commands.decide.can_ask", lambda: True)
    monkeypatch.setattr("handoff_tui.cli.commands.decide.ask_person", answer)
    words = ("decide", "approve", HANDOFF, "--repo", gate_desk.root, "--json")
    for _ in range(2):
        said = gate_desk.speaking(bo, *words)
        assert (said.code, said.stdout, "was not confirmed" in said.stderr) == (ExitCode.NO_HUMAN, "", True)
    assert gate_desk.speaking(bo, *words).code == ExitCode.OK
    assert "Type approve to sign this" in asked[0]
    assert bo.email in asked[0]
