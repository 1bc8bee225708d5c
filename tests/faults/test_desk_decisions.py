"""Decisions in the app at a real terminal: keys, passphrases, keys that are pulled, and others who decide meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.gates import CODE, GateDesk
from tests.support.hostile import write_executable
from tests.support.signed import Person, list_entries, write_identity
from tests.support.ssh_keys import PASSPHRASE, add_to_agent, run_agent
from tests.support.tmux import Terminal, open_terminal

ARMED = "Ready: ^s signs"


def open_session(desk: GateDesk, terminal: Terminal, person: Person, **environment: str) -> None:
    """The app as this person has it, with the one handoff in view."""
    terminal.start({**person.environment, **environment}, "--repo", desk.root, width=100, height=30)
    terminal.wait_for("▸ adding")


def reject(terminal: Terminal, reason: str) -> None:
    """Up to the moment before it is signed."""
    terminal.press_slowly("x")
    terminal.wait_for("Can't sign yet: give a reason")
    terminal.type_slowly(reason)
    terminal.press_slowly("Tab")
    terminal.wait_for(ARMED)


def leave(terminal: Terminal) -> None:
    terminal.press_slowly("Escape", "q")
    assert terminal.wait_for_end()[0] == 0


def test_typed_ahead_keys_sign_nothing(desk: GateDesk, bo: Person, terminal: Terminal) -> None:
    """A whole burst with the very key in it, typed while the box opens; afterwards one press signs."""
    open_session(desk, terminal, bo)
    terminal.press_slowly("x")
    for _ in range(5):
        terminal.press("C-s")
        terminal.press("Enter")
    terminal.wait_for("Can't sign yet: give a reason")
    assert len(list_entries(desk.root)) == 1
    terminal.type_slowly("no tests")
    terminal.insist("C-s", "again to sign")
    assert len(list_entries(desk.root)) == 1
    shown = terminal.insist("C-s", "✓ Signed")
    assert any(entry in shown for entry in list_entries(desk.root))
    leave(terminal)
    assert desk.gate(bo).json["state"] == "rejected"


def test_passphrase_is_typed_on_the_terminal_itself(desk: GateDesk, terminal: Terminal) -> None:
    """The screen is given back for it. Interrupted or wrong, it is said in the box and can be tried again."""
    bo = desk.person("bo", PASSPHRASE)
    desk.begin(desk.person("cy"), bo)
    open_session(desk, terminal, bo)
    reject(terminal, "no tests")
    assert "asks for the passphrase" in terminal.read()
    terminal.insist("C-s", "Enter passphrase")
    terminal.press_slowly("C-c")
    terminal.wait_for("was interrupted before it signed")
    terminal.wait_for(ARMED)
    terminal.insist("C-s", "Enter passphrase")
    terminal.type_slowly("wrong")
    terminal.press("Enter")
    terminal.wait_for("was not given, or is wrong")
    terminal.wait_for(ARMED)
    terminal.insist("C-s", "Enter passphrase")
    terminal.type_slowly(PASSPHRASE)
    terminal.press("Enter")
    terminal.wait_for("✓ Signed")
    leave(terminal)
    assert desk.gate(bo).json["approvals"][0]["principal"] == bo.email


def test_agent_that_is_gone_signs_nothing(desk: GateDesk, bo: Person, terminal: Terminal) -> None:
    """The key was held by an ssh-agent only, and the agent ends between choosing and confirming."""
    with run_agent() as socket:
        add_to_agent(socket, bo.key)
        bo.key.unlink()
        write_identity(bo.home, bo.name, bo.email, bo.key.with_name("id_ed25519.pub"))
        open_session(desk, terminal, bo, SSH_AUTH_SOCK=str(socket))
        reject(terminal, "no tests")
    shown = terminal.insist("C-s", "Not signed: ")
    assert "the private key of" in shown
    assert "no tests" in shown
    assert len(list_entries(desk.root)) == 1
    leave(terminal)


def test_decision_of_somebody_else_disarms_and_a_saved_file_does_not(desk: GateDesk, terminal: Terminal) -> None:
    """A rejection is about what was shown; but who decides second looks again before anything is signed."""
    bo, cy = desk.person("bo"), desk.person("cy")
    desk.begin(bo, cy)
    open_session(desk, terminal, bo)
    reject(terminal, "no tests")
    Path(desk.root / "src/app.py").write_text(CODE + "# later\n", encoding="utf-8")
    assert desk.decide(cy, "hold", "--reason", "wait for me").code == 0
    terminal.wait_for("something changed")
    shown = terminal.wait_for("the log has a new entry: hold")  # the box is drawn row by row
    assert cy.email in shown
    terminal.insist("C-s", "look again first")
    assert len(list_entries(desk.root)) == 2
    terminal.press_slowly("C-r")
    terminal.wait_for(ARMED)
    terminal.insist("C-s", "✓ Signed")
    assert len(list_entries(desk.root)) == 3
    leave(terminal)


@pytest.mark.slow
def test_reason_outlives_the_editor_the_box_and_the_app(desk: GateDesk, bo: Person, tmp_path: Path) -> None:
    """Written in the user's own editor, left with escape, the terminal closed under the app: it is still there."""
    editor = write_executable(tmp_path / "editor", 'printf "%s at all" "$(cat "$1")" > "$1"')
    with open_terminal() as first:
        open_session(desk, first, bo, EDITOR=str(editor))
        first.press_slowly("x")
        first.wait_for("Can't sign yet: give a reason")
        first.type_slowly("no tests")
        first.press_slowly("C-e")
        first.wait_for("no tests at all")
        first.press_slowly("Escape", "x")
        first.wait_for("no tests at all")
    with open_terminal() as second:
        open_session(desk, second, bo)
        second.press_slowly("x")
        second.wait_for("no tests at all")
    assert len(list_entries(desk.root)) == 1
