"""allowed_signers: OpenSSH's format, read more strictly than OpenSSH does."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from handoff_tui.core.errors import HandoffError, TrustPolicyError
from handoff_tui.core.namespace import NAMESPACE
from handoff_tui.log.policy.signers import build_line, parse_allowed_signers
from tests.support.logs import build_key, find_keyid

KEY = build_key("alice")


def test_signers_are_read() -> None:
    """Principal, key and times; comments and blank lines are passed over."""
    text = f"# people\n\n{build_line('alice@example.com', KEY, valid_after='2026-01-01T00:00:00Z')}"
    signer = parse_allowed_signers(text)[find_keyid("alice")]
    assert (signer.principal, signer.key, signer.valid_after) == ("alice@example.com", KEY, "2026-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("moment", "time"),
    [("20260131Z", "2026-01-31T00:00:00Z"), ("202601311215Z", "2026-01-31T12:15:00Z"),
     ("20260131121530Z", "2026-01-31T12:15:30Z")],
)  # fmt: skip
def test_validity_is_read_in_all_lengths(moment: str, time: str) -> None:
    """OpenSSH writes days, minutes or seconds; both ends are inside."""
    text = f'alice namespaces="{NAMESPACE}",valid-before="{moment}" {KEY}\n'
    signer = next(iter(parse_allowed_signers(text).values()))
    assert signer.valid_before == time
    assert signer.covers(time)
    assert not signer.covers("2026-02-01T00:00:00Z")


@pytest.mark.parametrize(
    "line",
    [
        f"alice {KEY}",
        f'alice namespaces="git" {KEY}',
        f'alice namespaces="{NAMESPACE},git" {KEY}',
        f'* namespaces="{NAMESPACE}" {KEY}',
        f'alice,bob namespaces="{NAMESPACE}" {KEY}',
        f'alice cert-authority,namespaces="{NAMESPACE}" {KEY}',
        f'alice namespaces="{NAMESPACE}",namespaces="{NAMESPACE}" {KEY}',
        f'alice namespaces="{NAMESPACE}",valid-after="20260131" {KEY}',
        f'alice namespaces="{NAMESPACE}",valid-after="20261331Z" {KEY}',
        f'alice  namespaces="{NAMESPACE}" {KEY}',
        f'alice\tnamespaces="{NAMESPACE}" {KEY}',
        f'alice namespaces="{NAMESPACE}" ssh-dss AAAA',
        f'alice namespaces="{NAMESPACE}" {KEY[:-4]}',
        f'alice namespaces="{NAMESPACE}"',
        f'alice namespaces="{NAMESPACE}" {KEY} \x1b[31m',
    ],
)
def test_line_outside_the_format_is_refused(line: str) -> None:
    """No wildcards, no lists, no certificates, no other namespace, no local times, no odd white space."""
    with pytest.raises(HandoffError):
        parse_allowed_signers(line + "\n")


def test_one_key_belongs_to_one_person() -> None:
    """The same key for two people would let one sign as the other."""
    with pytest.raises(TrustPolicyError, match="twice"):
        parse_allowed_signers(build_line("alice", KEY) + build_line("bob", KEY))


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_ssh_keygen_finds_the_principals_we_wrote(tmp_path: Path) -> None:
    """What we write is what OpenSSH reads."""
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    public = " ".join((tmp_path / "key.pub").read_text().split()[:2])
    signers = tmp_path / "allowed_signers"
    signers.write_text(build_line("alice@example.com", public, valid_before="2036-01-01T00:00:00Z"))
    message = tmp_path / "message"
    message.write_bytes(b"hello")
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", NAMESPACE, message], check=True)
    found = subprocess.run(
        ["ssh-keygen", "-Y", "find-principals", "-f", signers, "-s", tmp_path / "message.sig"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert found.stdout.strip() == "alice@example.com"
    assert next(iter(parse_allowed_signers(signers.read_text()).values())).principal == "alice@example.com"
