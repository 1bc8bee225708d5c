from __future__ import annotations

import base64
from pathlib import Path

import pytest

from handoff_tui.core.errors import NoHumanError, SigningError, SigningKeyMissingError, SshKeygenMissingError
from handoff_tui.git.command import Git
from handoff_tui.git.signing.signing_key import (
    KeySource,
    is_encrypted,
    is_locked,
    parse_private_text,
    read_agent_keys,
    read_identity,
    read_signing_key,
    write_new_key,
)
from handoff_tui.git.signing.ssh_keygen import Prompt, verify_with_ssh_keygen
from tests.support.hostile import write_executable
from tests.support.repositories import RepositoryBuilder
from tests.support.ssh_keys import PASSPHRASE, add_to_agent, make_key, read_public, run_agent, write_askpass


@pytest.fixture(autouse=True)
def without_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)


@pytest.fixture
def git(builder: RepositoryBuilder) -> Git:
    return Git(builder.folder)


def configure(home: Path, *lines: str) -> None:
    """The user's own git configuration, `section.key = value` by line."""
    text = ""
    for line in lines:
        key, _, value = line.partition(" = ")
        section, _, name = key.rpartition(".")
        first, _, rest = section.partition(".")
        head = f'[{first} "{rest}"]' if rest else f"[{first}]"
        text += f'{head}\n\t{name} = "{value}"\n'
    (home / "gitconfig").write_text(text)


def test_configured_key_signs(isolated_user: Path, git: Git) -> None:
    """user.signingkey, with gpg.format=ssh: a path below home, of the private half or the public one."""
    key = make_key(isolated_user / "keys/mine")
    make_key(isolated_user / ".ssh/id_ed25519")
    for value in ("~/keys/mine", "~/keys/mine.pub", str(key)):
        configure(isolated_user, "gpg.format = ssh", f"user.signingkey = {value}")
        found = read_signing_key(git)
        assert (found.public_text, found.source) == (read_public(key), KeySource.SIGNING_KEY)
        armored = found.build_tool(Prompt.NOBODY).sign(b"message")
        signers = f'ada namespaces="handoff-log@handoff-tui" {found.public_text}\n'
        assert verify_with_ssh_keygen(signers, "ada", b"message", armored)


@pytest.mark.parametrize("prefix", ["key::", ""])
def test_literal_key_is_one_that_the_agent_has(isolated_user: Path, git: Git, prefix: str) -> None:
    """Both ways of writing it that git knows; the comment isn't part of the key."""
    text = read_public(make_key(isolated_user / "keys/mine"))
    configure(isolated_user, "gpg.format = ssh", f"user.signingkey = {prefix}{text} a comment")
    found = read_signing_key(git)
    assert (found.public_text, found.file) == (text, None)


def test_key_of_another_format_is_not_taken(isolated_user: Path, git: Git) -> None:
    """Without gpg.format=ssh, user.signingkey names an OpenPGP key."""
    key = make_key(isolated_user / ".ssh/id_ed25519")
    configure(isolated_user, "user.signingkey = 0xDEADBEEF")
    found = read_signing_key(git)
    assert (found.public_text, found.source, found.file) == (read_public(key), KeySource.DEFAULT, key)


@pytest.mark.parametrize("value", ["~/nothing", "key::ssh-ed25519 AAAA", "ssh-ed25519 !!", "id_ed25519", "~/text"])
def test_configured_key_that_is_none_is_told(isolated_user: Path, git: Git, value: str) -> None:
    """No other key is taken in its place: missing, malformed, no key at all, or a path into the repository."""
    make_key(isolated_user / ".ssh/id_ed25519")
    (isolated_user / "text").write_text("no key")
    configure(isolated_user, "gpg.format = ssh", f"user.signingkey = {value}")
    with pytest.raises(SigningKeyMissingError, match=r"user\.signingkey"):
        read_signing_key(git)


@pytest.mark.parametrize("how", ["local", "worktree", "environment", "parameters"])
def test_what_an_agent_can_plant_is_not_seen(
    isolated_user: Path, builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, how: str
) -> None:
    """Neither the repository's configuration nor the environment chooses key, program or identity."""
    key = make_key(isolated_user / ".ssh/id_ed25519")
    other = make_key(tmp_path / "planted")
    canary = tmp_path / "canary"
    evil = str(write_executable(tmp_path / "evil", f"touch {canary}"))
    planted = {
        "gpg.format": "ssh",
        "user.signingkey": str(other),
        "gpg.ssh.program": evil,
        "gpg.ssh.defaultKeyCommand": evil,
        "user.email": "evil@example.org",
    }
    if how == "worktree":
        builder.config("extensions.worktreeConfig", "true")
    for number, (name, value) in enumerate(planted.items()):
        if how in {"local", "worktree"}:
            builder.git("config", f"--{how}", name, value)
        elif how == "environment":
            monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", name)
            monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
            monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(planted)))
    if how == "parameters":
        monkeypatch.setenv("GIT_CONFIG_PARAMETERS", " ".join(f"'{name}'='{value}'" for name, value in planted.items()))
    git = Git.open(builder.folder)
    found = read_signing_key(git)
    assert (found.public_text, found.program) == (read_public(key), "ssh-keygen")
    found.build_tool(Prompt.NOBODY).sign(b"message")
    assert read_identity(git).email is None
    assert not canary.exists()


def test_key_command_of_the_user_is_asked(isolated_user: Path, git: Git, tmp_path: Path) -> None:
    """gpg.ssh.defaultKeyCommand prints a key; it runs at home, without a shell, and its first line counts."""
    text = read_public(make_key(tmp_path / "mine"))
    program = write_executable(isolated_user / "command", f'pwd >{tmp_path}/where; echo "$1"; echo second')
    configure(isolated_user, f"gpg.ssh.defaultKeyCommand = {program} 'key::{text}'")
    found = read_signing_key(git)
    assert (found.public_text, found.source) == (text, KeySource.KEY_COMMAND)
    assert Path((tmp_path / "where").read_text().strip()).samefile(isolated_user)


@pytest.mark.parametrize(
    ("command", "error"),
    [("false", SigningKeyMissingError), ("true", SigningKeyMissingError), ("'open", SigningError),
     ("./planted", SshKeygenMissingError)],
)  # fmt: skip
def test_key_command_that_names_no_key_is_told(
    isolated_user: Path, builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, command: str,
    error: type[SigningError]
) -> None:  # fmt: skip
    """It fails, prints nothing, cannot be read, or would be looked for in the repository."""
    make_key(isolated_user / ".ssh/id_ed25519")
    write_executable(builder.place("planted"), "echo key::x")
    monkeypatch.chdir(builder.folder)
    configure(isolated_user, f"gpg.ssh.defaultKeyCommand = {command}")
    with pytest.raises(error):
        read_signing_key(Git.open(builder.folder))


def test_enrolled_key_in_the_agent_comes_before_default_keys(
    isolated_user: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of several keys in the agent the enrolled one signs; without an enrolled one the default key does."""
    default = make_key(isolated_user / ".ssh/id_ed25519")
    keys = [make_key(tmp_path / name) for name in ("one", "two")]
    with run_agent() as socket:
        for key in keys:
            add_to_agent(socket, key)
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
        assert read_agent_keys() == tuple(map(read_public, keys))
        found = read_signing_key(git, [read_public(keys[1]) + " comment"])
        assert (found.public_text, found.source, found.file) == (read_public(keys[1]), KeySource.AGENT, None)
        assert read_signing_key(git, ["ssh-ed25519 AAAA"]).public_text == read_public(default)


def test_enrolled_default_key_comes_before_others(isolated_user: Path, git: Git) -> None:
    """ed25519 first, unless another one is enrolled."""
    first = make_key(isolated_user / ".ssh/id_ed25519")
    second = make_key(isolated_user / ".ssh/id_ecdsa", kind="ecdsa")
    assert read_signing_key(git).public_text == read_public(first)
    assert read_signing_key(git, [read_public(second)]).public_text == read_public(second)


def test_locked_key_without_its_public_file_is_known_by_its_open_part(isolated_user: Path, git: Git) -> None:
    """The public half stands unencrypted in an OpenSSH private key."""
    key = make_key(isolated_user / ".ssh/id_ed25519", PASSPHRASE)
    expected = read_public(key)
    key.with_name("id_ed25519.pub").unlink()
    assert read_signing_key(git).public_text == expected


def test_no_key_at_all_is_told_with_a_way_out(
    isolated_user: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hint says how to make one, and counts what the agent has."""
    with pytest.raises(SigningKeyMissingError, match="no key to sign with") as refused:
        read_signing_key(git)
    assert "ssh-keygen -t ed25519" in refused.value.hint
    with run_agent() as socket:
        add_to_agent(socket, make_key(tmp_path / "one"))
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
        with pytest.raises(SigningKeyMissingError) as refused:
            read_signing_key(git)
    assert "The ssh-agent holds 1" in refused.value.hint


def test_agent_that_is_gone_has_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stale socket isn't an error."""
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "gone"))
    assert read_agent_keys() == ()


def test_identity_is_the_one_of_the_user(isolated_user: Path, builder: RepositoryBuilder) -> None:
    """Name and address by the user's own configuration, whatever the repository says."""
    builder.config("user.email", "evil@example.org").config("user.name", "Evil")
    assert read_identity(Git.open(builder.folder)) == (None, None)
    configure(isolated_user, "user.email = ada@example.org", "user.name = Ada")
    assert read_identity(Git.open(builder.folder)) == ("Ada", "ada@example.org")


def test_identity_may_depend_on_the_folder(isolated_user: Path, builder: RepositoryBuilder) -> None:
    """A conditional include of the user's is theirs."""
    (isolated_user / "work").write_text("[user]\n\temail = ada@work.example\n")
    (isolated_user / "gitconfig").write_text(f'[includeIf "gitdir:{builder.folder}/"]\n\tpath = {isolated_user}/work\n')
    assert read_identity(Git.open(builder.folder)).email == "ada@work.example"


def test_security_key_is_known_to_need_a_touch(isolated_user: Path, git: Git) -> None:
    """By its type, so that the person can be told before it blinks."""
    kind = "sk-ssh-ed25519@openssh.com"
    blob = base64.b64encode(len(kind).to_bytes(4, "big") + kind.encode() + b"\0" * 40).decode()
    configure(isolated_user, "gpg.format = ssh", f"user.signingkey = key::{kind} {blob}")
    assert read_signing_key(git).needs_touch


@pytest.mark.parametrize("body", ["", "AAAA", "not base64", "b3BlbnNzaC1rZXktdjEA", "b3BlbnNzaC1rZXktdjEA/////w=="])
def test_private_file_that_is_cut_off_has_no_public_half(body: str) -> None:
    """Lengths that point behind the end aren't a key."""
    text = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{body}\n-----END OPENSSH PRIVATE KEY-----\n"
    assert parse_private_text(text) is None


def test_locked_key_is_known_without_asking(isolated_user: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its file, named by either half, until the agent holds it; a key that only the agent has asks for nothing."""
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    key = make_key(isolated_user / ".ssh" / "id_ed25519", PASSPHRASE)
    found = read_signing_key(git)
    assert is_locked(found)
    assert is_locked(found._replace(file=key.with_name("id_ed25519.pub")))
    assert not is_locked(found._replace(file=None))
    with run_agent() as socket:
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
        add_to_agent(socket, key, askpass=write_askpass(isolated_user / "askpass", PASSPHRASE))
        assert not is_locked(found)
    key.unlink()
    assert not is_locked(found)


def test_open_and_older_keys_are_told_from_encrypted_ones(tmp_path: Path) -> None:
    """The older form says in words whether it is encrypted."""
    assert not is_encrypted(make_key(tmp_path / "open").read_text(encoding="utf-8"))
    older = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----\n"
    assert is_encrypted(older)
    assert not is_encrypted(older.replace("Proc-Type: 4,ENCRYPTED\n", ""))
    assert not is_encrypted("ssh-ed25519 AAAA ENCRYPTED")


def test_open_key_is_made_only_when_it_was_spelled_out(isolated_user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal and without that consent nothing is made; a key that is there is never overwritten."""
    monkeypatch.setattr("handoff_tui.system.processes.terminal._PLACE", "/nonexistent/tty")
    with pytest.raises(NoHumanError, match="no terminal to ask for a passphrase"):
        write_new_key("ada", protected=True)
    assert not (isolated_user / ".ssh").exists()
    place = write_new_key("ada", protected=False)
    assert place == isolated_user / ".ssh/id_ed25519"
    assert place.stat().st_mode & 0o077 == 0
    before = place.read_bytes()
    with pytest.raises(SigningError, match="there already"):
        write_new_key("ada", protected=False)
    assert place.read_bytes() == before


def test_key_without_the_passphrase_that_was_asked_for_is_thrown_away(
    isolated_user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who just presses Enter has no key afterwards."""

    def generate(place: Path, _comment: str, *, prompt: Prompt) -> str:
        assert prompt is Prompt.TERMINAL
        make_key(place)
        return ""

    monkeypatch.setattr("handoff_tui.git.signing.signing_key.has_terminal", lambda: True)
    monkeypatch.setattr("handoff_tui.git.signing.signing_key.generate_key", generate)
    with pytest.raises(NoHumanError, match="thrown away"):
        write_new_key("ada", protected=True)
    assert list((isolated_user / ".ssh").iterdir()) == []
