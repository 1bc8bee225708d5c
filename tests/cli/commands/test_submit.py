from __future__ import annotations

from handoff_tui.cli.exit_codes import ExitCode
from tests.support.gates import HANDOFF, GateDesk


def test_submission_says_what_it_did(gate_desk: GateDesk) -> None:
    """Unsigned by default; signed with the configured key or with one that is named."""
    bo, robot = gate_desk.person("bo"), gate_desk.person("robot")
    gate_desk.begin(bo, agents=[robot])
    words = ("submit", HANDOFF, "--repo", gate_desk.root)
    plain = gate_desk.speaking(robot, *words)
    assert (plain.code, "nothing was written" in plain.stdout) == (ExitCode.OK, True)
    signed = gate_desk.speaking(robot, *words, "--sign", "--json")
    named = gate_desk.speaking(bo, *words, "--key", robot.key, "--json")
    assert [said.json["schema"] for said in (signed, named)] == ["handoff-tui/submit/v1"] * 2
    assert signed.json["entry"] != named.json["entry"]
    assert named.json["gate"]["producers"] == ["ada@example.org", robot.email]


def test_work_that_fails_its_checks_is_handed_over_all_the_same(gate_desk: GateDesk) -> None:
    """The agent is told by the exit code."""
    bo = gate_desk.person("bo")
    gate_desk.change("Status: COMPLETE\n\nAll in `src/gone.py`.\n", "HANDOFF.md")
    said = gate_desk.speaking(bo, "submit", HANDOFF, "--repo", gate_desk.root, "--json")
    assert (said.code, said.json["gate"]["checks"]["failing"]) == (ExitCode.BLOCKED, ["claims-hold"])
