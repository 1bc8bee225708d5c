from __future__ import annotations

from handoff_tui.cli.exit_codes import ExitCode
from tests.support.gates import CODE, GateDesk
from tests.support.repositories import EMAIL


def test_rollback_is_shown_done_listed_and_undone(gate_desk: GateDesk) -> None:
    """A dry run by default; pages and JSON."""
    bo = gate_desk.person("bo")
    gate_desk.builder.config("user.email", EMAIL).config("user.name", "Ada")
    gate_desk.begin(bo)
    gate_desk.decide(bo, "approve", "--reason", "good")
    gate_desk.change("broken\n")

    def say(*options: str) -> tuple[int, str]:
        said = gate_desk.speaking(bo, "rollback", *options, "--repo", gate_desk.root)
        return said.code, said.stdout

    assert say("--dry-run")[1].startswith("dry run")
    assert '"applied": false' in say("--json")[1]
    code, page = say("--apply")
    assert (code, "refs/handoff-tui/saved/" in page) == (ExitCode.OK, True)
    assert gate_desk.builder.place("src/app.py").read_text(encoding="utf-8") == CODE
    assert "done" in say("--list")[1]
    assert '"rollbacks"' in say("--list", "--json")[1]
    assert '"undone"' in say("--undo", "--json")[1]
    assert say("--undo")[0] == ExitCode.BLOCKED
    assert gate_desk.builder.place("src/app.py").read_text(encoding="utf-8") == "broken\n"
