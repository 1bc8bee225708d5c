from __future__ import annotations

from handoff_tui.cli.exit_codes import ExitCode
from tests.support.gates import HANDOFF, GateDesk


def test_gate_page_and_json_say_the_same(gate_desk: GateDesk) -> None:
    """The page ends up with the digest that scripts read from the JSON."""
    bo = gate_desk.person("bo")
    page = gate_desk.speaking(bo, "gate", HANDOFF, "--repo", gate_desk.root)
    assert page.code == ExitCode.BLOCKED
    assert gate_desk.digest(bo) in page.stdout
    assert "there is no signed log yet" in page.stdout


def test_gate_of_another_phase_is_another_gate(gate_desk: GateDesk) -> None:
    """Also fresh."""
    bo = gate_desk.person("bo")
    said = gate_desk.gate(bo, "--phase", "release", "--fresh")
    assert (said.code, said.json["phase"]) == (ExitCode.BLOCKED, "release")


def test_unknown_handoff_is_a_usage_error(gate_desk: GateDesk) -> None:
    """With a hint."""
    bo = gate_desk.person("bo")
    said = gate_desk.speaking(bo, "gate", "H-99", "--repo", gate_desk.root)
    assert (said.code, said.stdout, "hint" in said.stderr) == (ExitCode.USAGE, "", True)
