from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.core.errors import (
    KeyLockedError,
    SigningError,
    SigningKeyMissingError,
    SigningRefusedError,
    SshKeygenMissingError,
)
from handoff_tui.core.namespace import NAMESPACE
from handoff_tui.git.signing.ssh_keygen import (
    Prompt,
    SigningTool,
    build_signing_environment,
    generate_key,
    verify_with_ssh_keygen,
)
from handoff_tui.system.processes.programs import find_program
from tests.support.hostile import write_executable
from tests.support.ssh_keys import PASSPHRASE, add_to_agent, make_key, read_public, run_agent, write_askpass

MESSAGE = b"DSSEv1 the message\n\0 with any bytes \xff"


@pytest.fixture(autouse=True)
def without_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SSH_AUTH_SOCK", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)


def build_tool(key: Path, prompt: Prompt = Prompt.NOBODY) -> SigningTool:
    return SigningTool(read_public(key), key, prompt=prompt)


def is_right(key: Path, armored: bytes, message: bytes = MESSAGE) -> bool:
    signers = f'alice namespaces="{NAMESPACE}" {read_public(key)}\n'
    return verify_with_ssh_keygen(signers, "alice", message, armored)


@pytest.mark.parametrize("kind", ["ed25519", "ecdsa", "rsa"])
def test_key_signs_and_ssh_keygen_agrees(tmp_path: Path, kind: str) -> None:
    """Each type of key; another message, another person and another namespace are not accepted."""
    key = make_key(tmp_path / "key", kind=kind)
    armored = build_tool(key).sign(MESSAGE)
    assert armored.startswith(b"-----BEGIN SSH SIGNATURE-----\n")
    assert is_right(key, armored)
    assert not is_right(key, armored, MESSAGE + b"!")
    signers = f'alice namespaces="{NAMESPACE}" {read_public(key)}\n'
    assert not verify_with_ssh_keygen(signers, "bob", MESSAGE, armored)
    assert not verify_with_ssh_keygen(signers.replace(NAMESPACE, "git"), "alice", MESSAGE, armored)
    assert not verify_with_ssh_keygen(signers, "alice", MESSAGE, b"no signature")


def test_nothing_stays_in_temporary_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Message and signature are gone afterwards, and while they are there nobody else can look."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    seen = tmp_path / "seen"
    spy = write_executable(tmp_path / "spy", f'stat -c %a "$(dirname "$7")" >{seen}; exec ssh-keygen "$@"')
    key = make_key(tmp_path / "key")
    SigningTool(read_public(key), key, str(spy)).sign(MESSAGE)
    assert list(temporary.iterdir()) == []
    assert seen.read_text().strip() == "700"


def test_other_program_gets_the_words_that_git_uses(tmp_path: Path) -> None:
    """A program that stands in for ssh-keygen is called as git would call it, with an empty standard input."""
    log = tmp_path / "log"
    program = write_executable(tmp_path / "signer", f'echo "$@" >{log}; wc -c >>{log}; echo armored >"$7.sig"')
    key = make_key(tmp_path / "key")
    assert SigningTool(read_public(key), key, str(program)).sign(MESSAGE) == b"armored\n"
    words, stdin = log.read_text().splitlines()
    assert words.startswith(f"-Y sign -n {NAMESPACE} -f {key} ")
    assert stdin == "0"


def test_program_that_leaves_no_signature_is_told(tmp_path: Path) -> None:
    """An exit code alone isn't a signature."""
    key = make_key(tmp_path / "key")
    with pytest.raises(SigningError, match="left no signature"):
        SigningTool(read_public(key), key, str(write_executable(tmp_path / "signer", "exit 0"))).sign(MESSAGE)


def test_missing_program_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without OpenSSH the hint says what to install; a relative folder on PATH is not looked into."""
    write_executable(tmp_path / "ssh-keygen", "exit 0")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".:{tmp_path / 'nothing'}")
    with pytest.raises(SshKeygenMissingError, match="ssh-keygen is not installed"):
        find_program()
    with pytest.raises(SshKeygenMissingError):
        find_program("./ssh-keygen")


def test_missing_key_is_told(tmp_path: Path) -> None:
    """The path is named."""
    with pytest.raises(SigningKeyMissingError, match="nothing is not there"):
        SigningTool("ssh-ed25519 AAAA", tmp_path / "nothing").sign(MESSAGE)


def test_public_key_alone_cannot_sign(tmp_path: Path) -> None:
    """Neither a file nor an agent has the private half."""
    key = make_key(tmp_path / "key")
    key.unlink()
    with pytest.raises(SigningKeyMissingError, match="neither in a file nor in the ssh-agent"):
        build_tool(key).sign(MESSAGE)
    with pytest.raises(SigningKeyMissingError, match="neither in a file nor in the ssh-agent"):
        SigningTool(read_public(key)).sign(MESSAGE)


def test_key_that_others_can_read_is_told(tmp_path: Path) -> None:
    """ssh-keygen ignores it; the hint mends it."""
    key = make_key(tmp_path / "key")
    key.chmod(0o644)
    with pytest.raises(SigningKeyMissingError) as refused:
        build_tool(key).sign(MESSAGE)
    assert refused.value.hint == f"chmod 600 {key}"


def test_locked_key_without_anybody_to_ask_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No window opens and no terminal is asked, whatever the environment offers; the message isn't a passphrase."""
    key = make_key(tmp_path / "key", PASSPHRASE)
    canary = tmp_path / "canary"
    monkeypatch.setenv("SSH_ASKPASS", str(write_executable(tmp_path / "ask", f"touch {canary}; echo '{PASSPHRASE}'")))
    monkeypatch.setenv("SSH_ASKPASS_REQUIRE", "force")
    monkeypatch.setenv("DISPLAY", ":0")
    with pytest.raises(KeyLockedError, match="nobody to ask") as refused:
        build_tool(key).sign(PASSPHRASE.encode() + b"\n")
    assert f"ssh-add {key}" in refused.value.hint
    assert not canary.exists()


def test_locked_key_is_opened_by_askpass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked for by the caller, the user's own program answers; a wrong answer or none is told."""
    key = make_key(tmp_path / "key", PASSPHRASE)
    monkeypatch.setenv("SSH_ASKPASS", str(write_askpass(tmp_path / "right", PASSPHRASE)))
    assert is_right(key, build_tool(key, Prompt.ASKPASS).sign(MESSAGE))
    for answer in ("wrong", None):
        monkeypatch.setenv("SSH_ASKPASS", str(write_askpass(tmp_path / f"ask-{answer}", answer)))
        with pytest.raises(KeyLockedError, match="was not given, or is wrong"):
            build_tool(key, Prompt.ASKPASS).sign(MESSAGE)


def test_agent_signs_with_a_locked_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its file, and by its public text alone; an agent without the key does not help."""
    key = make_key(tmp_path / "key", PASSPHRASE)
    with run_agent() as socket:
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
        with pytest.raises(KeyLockedError):
            build_tool(key).sign(MESSAGE)
        add_to_agent(socket, key, askpass=write_askpass(tmp_path / "ask", PASSPHRASE))
        assert is_right(key, build_tool(key).sign(MESSAGE))
        assert is_right(key, SigningTool(read_public(key)).sign(MESSAGE))


def test_agent_that_asks_first_can_refuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ssh-add -c`: the person says no, and that is what the error says."""
    key = make_key(tmp_path / "key")
    with run_agent(write_askpass(tmp_path / "ask", None)) as socket:
        add_to_agent(socket, key, "-c")
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
        with pytest.raises(SigningRefusedError, match="ssh-agent refused"):
            SigningTool(read_public(key)).sign(MESSAGE)


def test_agent_that_is_gone_is_no_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stale SSH_AUTH_SOCK: the file still signs, a key that only the agent had does not."""
    key = make_key(tmp_path / "key")
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "gone"))
    assert is_right(key, build_tool(key).sign(MESSAGE))
    with pytest.raises(SigningKeyMissingError):
        SigningTool(read_public(key)).sign(MESSAGE)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Confirm user presence for key\\nsk_sign: fido_dev_get_assert: FIDO_ERR_ACTION_TIMEOUT", SigningRefusedError),
        ("Couldn't sign message: device not found", SigningRefusedError),
        ("Something else went wrong", SigningError),
    ],
)
def test_words_of_the_program_are_told_apart(tmp_path: Path, said: str, expected: type[SigningError]) -> None:
    """No security key is at hand in tests: a program says what ssh-keygen says without one."""
    program = write_executable(tmp_path / "signer", f'printf "{said}\\n" >&2; exit 255')
    key = make_key(tmp_path / "key")
    with pytest.raises(SigningError) as refused:
        SigningTool(read_public(key), key, str(program)).sign(MESSAGE)
    assert type(refused.value) is expected
    assert said.rpartition("\\n")[2] in refused.value.message


@pytest.mark.parametrize("prompt", [Prompt.NOBODY, Prompt.TERMINAL])
def test_interrupted_program_has_not_signed(tmp_path: Path, prompt: Prompt) -> None:
    """Whoever was asked pressed ctrl+c: that is said, instead of a number."""
    program = write_executable(tmp_path / "signer", "kill -INT $$")
    key = make_key(tmp_path / "key")
    with pytest.raises(SigningRefusedError, match="was interrupted before it signed"):
        SigningTool(read_public(key), key, str(program), prompt).sign(MESSAGE)


AT_TERMINAL = """
import fcntl, os, sys, termios
from pathlib import Path
from handoff_tui.git.signing.ssh_keygen import Prompt, SigningTool
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.namespace import NAMESPACE
if len(sys.argv) > 3:
    fcntl.ioctl(os.open(sys.argv[3], os.O_RDWR), termios.TIOCSCTTY, 0)
try:
    armored = SigningTool("ssh-ed25519 key", Path(sys.argv[1]), prompt=Prompt.TERMINAL).sign(b"message")
    Path(sys.argv[2]).write_bytes(armored)
except HandoffError as refused:
    Path(sys.argv[2]).write_text(f"{type(refused).__name__}: {refused}")
"""


def sign_at_terminal(key: Path, result: Path, typed: str) -> bytes:
    """Signs in a process that has a terminal of its own, at which a person types when asked."""
    terminal, other_end = pty.openpty()
    words = [sys.executable, "-c", AT_TERMINAL, str(key), str(result), os.ttyname(other_end)]
    with subprocess.Popen(words, start_new_session=True, stdin=subprocess.DEVNULL) as process:
        said = b""
        while b"passphrase" not in said:
            said += os.read(terminal, 1024)
        os.write(terminal, typed.encode() + b"\n")
        assert process.wait(timeout=150) == 0
    os.close(terminal)
    os.close(other_end)
    return result.read_bytes()


def test_locked_key_is_opened_at_the_terminal(tmp_path: Path) -> None:
    """ssh-keygen asks on the terminal itself; a wrong passphrase is told."""
    key = make_key(tmp_path / "key", PASSPHRASE)
    assert is_right(key, sign_at_terminal(key, tmp_path / "right", PASSPHRASE), b"message")
    assert sign_at_terminal(key, tmp_path / "wrong", "no").startswith(b"KeyLockedError: the passphrase of")


def test_terminal_that_is_not_there_is_a_locked_key(tmp_path: Path) -> None:
    """Told to use a terminal where there is none, it neither hangs nor reads a passphrase from elsewhere."""
    key = make_key(tmp_path / "key", PASSPHRASE)
    subprocess.run(
        [sys.executable, "-c", AT_TERMINAL, str(key), str(tmp_path / "result")],
        check=True,
        input=PASSPHRASE.encode(),
        start_new_session=True,
        timeout=150,
    )
    assert (tmp_path / "result").read_text().startswith("KeyLockedError")


def test_environment_is_only_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that could steer ssh-keygen passes; the agent's socket does."""
    monkeypatch.setenv("SSH_AUTH_SOCK", "/socket")
    monkeypatch.setenv("LD_PRELOAD", "/evil.so")
    monkeypatch.setenv("SSH_ASKPASS", "/ask")
    environment = build_signing_environment(Prompt.NOBODY)
    assert environment["SSH_AUTH_SOCK"] == "/socket"
    assert environment["SSH_ASKPASS_REQUIRE"] == "never"
    assert not {"LD_PRELOAD", "SSH_ASKPASS"} & environment.keys()
    asked = build_signing_environment(Prompt.ASKPASS)
    assert (asked["SSH_ASKPASS"], asked["SSH_ASKPASS_REQUIRE"]) == ("/ask", "force")


def test_generated_key_signs_and_nothing_is_overwritten(tmp_path: Path) -> None:
    """Made where nothing was, for its owner alone; a file of either name stops it, also a link to nowhere."""
    place = tmp_path / "new/key"
    text = generate_key(place, "ada@example.org")
    assert text.startswith("ssh-ed25519 ")
    assert text.endswith(" ada@example.org")
    assert place.stat().st_mode & 0o777 == 0o600
    assert is_right(place, build_tool(place).sign(MESSAGE))
    before = place.read_bytes()
    with pytest.raises(SigningError, match="is there already"):
        generate_key(place, "again")
    assert place.read_bytes() == before
    (tmp_path / "other.pub").symlink_to("nowhere")
    with pytest.raises(SigningError, match="is there already"):
        generate_key(tmp_path / "other", "again")
    assert not (tmp_path / "other").exists()
