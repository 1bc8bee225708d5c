"""A log that was changed in place after it was verified."""

from __future__ import annotations

import pytest

from handoff_tui.live.state.desk import DeskState
from tests.support.gates import GateDesk
from tests.support.live_desks import looking


def has_fatal(state: DeskState) -> bool:
    return bool(state.repository and state.repository.fatal)


def test_entry_changed_in_place_closes_the_gates_and_mended_opens_them(
    gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who remembers the entry would not read it again; the desk does, and notices also that it is mended."""
    bob = gate_desk.person("bob")
    gate_desk.begin(bob)
    bob.become(monkeypatch)
    entry = next(path for path in (gate_desk.root / ".handoff-tui" / "log").rglob("*") if path.is_file())
    content = entry.read_bytes()
    with looking(gate_desk.root) as onlooker:
        assert not has_fatal(onlooker.wait_until_live())
        entry.chmod(0o644)
        entry.write_bytes(content + b" ")
        onlooker.wait_for(has_fatal)
        entry.write_bytes(content)
        onlooker.wait_for(lambda state: not has_fatal(state))
