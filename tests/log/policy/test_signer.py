from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import NoHumanError
from handoff_tui.git.signing.signing_key import KeySource, SigningKey
from handoff_tui.git.signing.ssh_keygen import Prompt
from handoff_tui.handoffs.session import open_desk
from handoff_tui.log.policy.policy import parse_policy
from handoff_tui.log.policy.signer import Signing, choose_prompt, find_signing
from handoff_tui.log.policy.texts import build_policy_text, build_solo_texts
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import make_person


def test_signer_has_the_name_that_the_policy_gives_the_key(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the name that they give themselves; a key that was named on the call is taken instead."""
    bo, robot = make_person(tmp_path, "bo"), make_person(tmp_path, "robot")
    texts = build_solo_texts("the.boss@example.org", bo.public_text, {"robot": robot.public_text})
    policy = parse_policy(build_policy_text(texts, 1, nonce="0" * 32))
    desk = open_desk(builder.write("a").commit().folder)
    bo.become(monkeypatch)
    signing = find_signing(desk, policy)
    assert (signing.principal, signing.key.file) == ("the.boss@example.org", bo.key)
    assert find_signing(desk, policy, robot.key).principal == "robot"


def test_unknown_key_is_refused(builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the way to have it enrolled."""
    bo, cy = make_person(tmp_path, "bo"), make_person(tmp_path, "cy")
    texts = build_solo_texts(bo.email, bo.public_text, {})
    policy = parse_policy(build_policy_text(texts, 1, nonce="0" * 32))
    cy.become(monkeypatch)
    with pytest.raises(NoHumanError, match="is not in the policy") as refused:
        find_signing(open_desk(builder.write("a").commit().folder), policy)
    assert "keys enroll" in refused.value.hint


@pytest.mark.parametrize(
    ("terminal", "askpass", "expected"),
    [("tty", "/bin/x", Prompt.TERMINAL), ("", "/bin/x", Prompt.ASKPASS), ("", "", Prompt.NOBODY)],
)
def test_passphrase_is_asked_for_where_somebody_can_answer(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    terminal: str,
    askpass: str,
    expected: Prompt,
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
