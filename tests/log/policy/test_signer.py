"""Who signs here, and whether they may decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import NoHumanError
from handoff_tui.git.signing.signing_key import KeySource, SigningKey
from handoff_tui.git.signing.ssh_keygen import Prompt
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.policy.policy import Policy, parse_policy
from handoff_tui.log.policy.signer import LocalReviewer, Signing, choose_prompt, find_signing, read_reviewer
from handoff_tui.log.policy.texts import build_first_texts, build_policy_text
from handoff_tui.system.processes import run as processes
from tests.support.gates import GateDesk
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person, make_person


def test_signer_has_the_name_that_the_policy_gives_the_key(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the name that they give themselves; a key that was named on the call is taken instead."""
    bo, robot = make_person(tmp_path, "bo"), make_person(tmp_path, "robot")
    texts = build_first_texts("the.boss@example.org", bo.public_text, {"robot": robot.public_text})
    policy = parse_policy(build_policy_text(texts, 1, nonce="0" * 32))
    desk = open_session(builder.write("a").commit().folder)
    bo.become(monkeypatch)
    signing = find_signing(desk, policy)
    assert (signing.principal, signing.key.file) == ("the.boss@example.org", bo.key)
    assert find_signing(desk, policy, robot.key).principal == "robot"


def test_unknown_key_is_refused(builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the way to have it enrolled."""
    bo, cy = make_person(tmp_path, "bo"), make_person(tmp_path, "cy")
    texts = build_first_texts(bo.email, bo.public_text, {})
    policy = parse_policy(build_policy_text(texts, 1, nonce="0" * 32))
    cy.become(monkeypatch)
    with pytest.raises(NoHumanError, match="is not in the policy") as refused:
        find_signing(open_session(builder.write("a").commit().folder), policy)
    assert "keys enroll" in refused.value.hint


@pytest.mark.parametrize(
    ("terminal", "askpass", "expected"),
    [("tty", "/bin/x", Prompt.TERMINAL), ("", "/bin/x", Prompt.ASKPASS), ("", "", Prompt.NOBODY)],
)
def test_passphrase_is_asked_for_where_somebody_can_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, terminal: str, askpass: str, expected: Prompt
) -> None:
    """The terminal first, then the user's own window, else nobody."""
    (tmp_path / "tty").touch()
    monkeypatch.setattr("handoff_tui.system.processes.terminal._PLACE", str(tmp_path / (terminal or "none")))
    monkeypatch.setenv("SSH_ASKPASS", askpass)
    assert choose_prompt() is expected


@pytest.mark.parametrize(
    ("prompt", "touch", "waits"),
    [(Prompt.NOBODY, False, False), (Prompt.NOBODY, True, True), (Prompt.TERMINAL, False, True)],
)
def test_signing_waits_where_a_person_may_be_asked(tmp_path: Path, prompt: Prompt, touch: bool, waits: bool) -> None:  # noqa: FBT001
    """For a passphrase at a terminal, or for a touch of a security key."""
    kind = "sk-ssh-ed25519@openssh.com" if touch else "ssh-ed25519"
    key = SigningKey(f"{kind} AAAA", KeySource.DEFAULT, tmp_path / "key")
    assert Signing("bo", "SHA256:x", key, key.build_tool(prompt)).waits is waits


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be started that could ask somebody."""

    def refuse(argv: list[str], *_rest: object, **_more: object) -> None:
        raise AssertionError(f"started {argv[0]}")

    monkeypatch.setattr(processes, "run_command", refuse)
    monkeypatch.setattr("handoff_tui.git.signing.signing_key.run_command", refuse)


def read(desk: GateDesk) -> LocalReviewer:
    opened = open_session(desk.root)
    policy: Policy | None = LogGates(opened, ()).policy
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
    found = read_reviewer(open_session(builder.folder), None)
    assert (found.principal, found.may_decide) == (None, True)
    assert "no signed log" in found.note


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
    gate_desk: GateDesk, bo: Person, monkeypatch: pytest.MonkeyPatch, isolated_user: Path
) -> None:
    """It may ask for a passphrase; until somebody signs, their own address is what there is."""
    configuration = isolated_user / "gitconfig"
    configuration.write_text(f'[user]\n\temail = {bo.email}\n[gpg "ssh"]\n\tdefaultKeyCommand = /bin/false\n')
    monkeypatch.setenv("HOME", str(isolated_user))
    found = read(gate_desk)
    assert (found.principal, found.may_decide) == (bo.email, True)
    assert "runs only when you sign" in found.note
