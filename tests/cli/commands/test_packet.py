from __future__ import annotations

from handoff_tui.cli.exit_codes import ExitCode
from tests.support.gates import HANDOFF, GateDesk


def test_packet_is_markdown_or_json(gate_desk: GateDesk) -> None:
    """The same content, for a prompt and for a program."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    gate_desk.decide(bo, "retry", "--reason", "once more, with tests")
    words = ("packet", HANDOFF, "--repo", gate_desk.root)
    text, value = gate_desk.speaking(bo, *words), gate_desk.speaking(bo, *words, "--json")
    assert (text.code, value.code) == (ExitCode.OK, ExitCode.OK)
    assert text.stdout.startswith(f"# {HANDOFF}: what attempt 2 of review must do\n")
    assert "once more, with tests" in text.stdout
    assert value.json["demands"][0]["reason"] == "once more, with tests"


def test_packet_of_work_that_nobody_sent_back_is_empty(gate_desk: GateDesk) -> None:
    """Also without a log."""
    bo = gate_desk.person("bo")
    said = gate_desk.speaking(bo, "packet", HANDOFF, "--repo", gate_desk.root)
    assert (said.code, "Nobody has sent this work back" in said.stdout) == (ExitCode.OK, True)
