from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.handoffs.session import open_desk
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.policy.policy import Policy
from handoff_tui.log.policy.signer import DeskReviewer, read_reviewer
from handoff_tui.system.processes import run as processes
from tests.support.gates import GateDesk
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be started that could ask somebody."""

    def refuse(argv: list[str], *_rest: object, **_more: object) -> None:
        raise AssertionError(f"started {argv[0]}")

    monkeypatch.setattr(processes, "run_command", refuse)
    monkeypatch.setattr("handoff_tui.git.signing.signing_key.run_command", refuse)


def read(desk: GateDesk) -> DeskReviewer:
    opened = open_desk(desk.root)
    policy: Policy | None = LogGates(opened).policy
    return read_reviewer(opened, policy)


@pytest.mark.usefixtures("quiet")
def test_reviewer_is_the_owner_of_the_key_that_would_sign(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the key and the policy; nothing is started and nobody is asked."""
    bo, eve = gate_desk.person("bo"), gate_desk.person("eve")
    gate_desk.begin(bo)
    bo.become(monkeypatch)
    found = read(gate_desk)
    assert (found.principal, found.may_decide, found.note) == (bo.email, True, "")
    assert found.is_called(bo.email.upper())
    eve.become(monkeypatch)
    stranger = read(gate_desk)
    assert (stranger.principal, stranger.may_decide) == (None, False)
    assert "is not in the policy" in stranger.note


def test_guest_and_agent_may_not_decide(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key in the policy is not enough; the note says what is missing."""
    bo, guest, machine = gate_desk.person("bo"), gate_desk.person("guest"), gate_desk.person("machine")
    gate_desk.begin(bo, agents=(machine,), guests=(guest,))
    for person, words in ((guest, "in no role that decides"), (machine, "as an agent")):
        person.become(monkeypatch)
        found = read(gate_desk)
        assert (found.principal, found.may_decide) == (person.email, False)
        assert words in found.note


def test_without_a_log_nobody_is_kept_from_deciding(builder: RepositoryBuilder) -> None:
    """The note says how a log begins."""
    builder.write("a.txt").commit()
    found = read_reviewer(open_desk(builder.folder), None)
    assert (found.principal, found.may_decide) == (None, True)
    assert "handoff-tui init" in found.note


def test_missing_key_is_said(gate_desk: GateDesk, isolated_user: Path) -> None:
    """Nobody can sign without one; the hint comes along."""
    gate_desk.begin(gate_desk.person("bo"))
    assert isolated_user.is_dir()
    found = read(gate_desk)
    assert (found.principal, found.may_decide) == (None, False)
    assert "no key to sign with" in found.note
    assert "ssh-keygen" in found.note


@pytest.mark.usefixtures("quiet")
def test_command_that_names_the_key_is_not_run_for_looking(
    gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch, isolated_user: Path
) -> None:
    """It may ask for a passphrase; until somebody signs, their own address is what there is."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    configuration = isolated_user / "gitconfig"
    configuration.write_text(f'[user]\n\temail = {bo.email}\n[gpg "ssh"]\n\tdefaultKeyCommand = /bin/false\n')
    monkeypatch.setenv("HOME", str(isolated_user))
    found = read(gate_desk)
    assert (found.principal, found.may_decide) == (bo.email, True)
    assert "runs only when you sign" in found.note
