"""Signs with ssh-keygen, and asks it for a second opinion. No private key and no passphrase enters this process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import KeyLockedError, SigningError, SigningKeyMissingError, SigningRefusedError
from handoff_tui.core.namespace import NAMESPACE
from handoff_tui.system.processes.programs import build_search_path, find_program
from handoff_tui.system.processes.run import Bounds, run_command

_PROGRAM = "ssh-keygen"
_SIGN_SECONDS = 300.0
"""Long enough to look for a security key and touch it."""
_CHECK_SECONDS = 30.0
_GRACE_SECONDS = 2.0
_KEPT_OUTPUT = 16 * 1024
_KEPT = ("HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK", "SSH_SK_PROVIDER", "TMPDIR")
_KEPT_FOR_ASKPASS = (
    *("SSH_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"),
    *("DBUS_SESSION_BUS_ADDRESS", "LANG"),
)
_MAX_SIGNATURE_BYTES = 64 * 1024
_FAILURES: tuple[tuple[type[SigningError], tuple[str, ...], str, str], ...] = (
    (
        SigningRefusedError,
        ("agent refused", "communication with agent failed"),
        "the ssh-agent refused to sign with {shown}",
        "Was a confirmation or a touch not given in time? ssh-add -l shows what the agent holds.",
    ),
    (
        SigningRefusedError,
        ("device not found", "fido_err", "user presence", "sk_sign", "pin required", "incorrect pin"),
        "the security key did not sign with {shown}: {last}",
        "Is it plugged in, and was it touched when it blinked?",
    ),
    (
        SigningKeyMissingError,
        ("no private key found", "couldn't load public key", "couldn't load identity", "no such file"),
        "the private key of {shown} is neither in a file nor in the ssh-agent",
        "Add it with ssh-add, or plug in the security key.",
    ),
)
"""What ssh-keygen says at the end, and what that means."""


class Prompt(StrEnum):
    """Who may be asked for a passphrase."""

    NOBODY = "nobody"
    TERMINAL = "terminal"
    """ssh-keygen asks on /dev/tty itself."""
    ASKPASS = "askpass"
    """The program in SSH_ASKPASS asks, in a window of its own."""


class SigningTool(NamedTuple):
    """What signs: the program, and the key as a file or, for one that only the agent holds, as text."""

    public_text: str
    file: Path | None = None
    program: str = _PROGRAM
    prompt: Prompt = Prompt.NOBODY

    def sign(self, message: bytes) -> bytes:
        """Returns the armored signature over a message, as the program wrote it."""
        program = find_program(self.program)
        if self.file is not None and not _has_key_file(self.file):
            raise SigningKeyMissingError(f"the key {self.file} is not there", "Check user.signingkey in ~/.gitconfig.")
        with _private_folder() as folder:
            target = folder / "entry"
            target.write_bytes(message)
            words = _build_sign_words(program, self._place_key(folder), target)
            code, said = _run(words, folder, self.prompt)
            if code != 0:
                raise self._explain(code, said)
            return _read_signature(folder / "entry.sig")

    def _place_key(self, folder: Path) -> Path:
        if self.file is not None:
            return self.file
        place = folder / "key.pub"
        place.write_text(f"{self.public_text}\n", encoding="utf-8")
        return place

    def _explain(self, code: int | None, said: str) -> SigningError:
        """Explains a failure by the last line; earlier messages may have been overcome."""
        shown = str(self.file) if self.file is not None else self.public_text.split(" ", 1)[0] + " key"
        last = _last_line(said)
        if code is None:
            return SigningRefusedError(f"{self.program} did not finish: {said}", "Try again.")
        if code < 0:  # ended by a signal: the person who was asked pressed ctrl+c
            return SigningRefusedError(f"{self.program} was interrupted before it signed with {shown}", "Try again.")
        if "passphrase" in last.casefold():
            return self._explain_lock(shown)
        if "too open" in said:
            return SigningKeyMissingError(f"the key {shown} can be read by others and is ignored", f"chmod 600 {shown}")
        for kind, signs, message, hint in _FAILURES:
            if any(sign in last.casefold() for sign in signs):
                return kind(message.format(shown=shown, last=last), hint)
        return SigningError(f"{self.program} could not sign with {shown}: {last or f'exit code {code}'}")

    def _explain_lock(self, shown: str) -> KeyLockedError:
        hint = f"Give it to the agent first: ssh-add {shown}. Or decide at a terminal."
        if self.prompt is Prompt.NOBODY:
            return KeyLockedError(
                f"{shown} is protected by a passphrase, the ssh-agent does not hold it, and there is nobody to ask",
                hint,
            )
        return KeyLockedError(
            f"the passphrase of {shown} was not given, or is wrong",
            f"Try again, or load the key first: ssh-add {shown}",
        )


def verify_with_ssh_keygen(
    allowed_signers: str, principal: str, message: bytes, armored: bytes, time: str | None = None
) -> bool:
    """Tells whether ssh-keygen agrees that a principal of these signers signed the message for this log.

    Keys that count for some time only are judged as of `time`, 14 digits in UTC; else as of now.
    """
    with _private_folder() as folder:
        signers = folder / "allowed_signers"
        signers.write_text(allowed_signers, encoding="utf-8")
        when = () if time is None else ("-O", f"verify-time={time}")
        return _ask_about(folder, message, armored, "verify", "-f", str(signers), "-I", principal, *when)


def check_with_ssh_keygen(message: bytes, armored: bytes) -> bool:
    """Tells whether ssh-keygen agrees that a signature matches a message for this log, whoever made it."""
    with _private_folder() as folder:
        return _ask_about(folder, message, armored, "check-novalidate")


def _ask_about(folder: Path, message: bytes, armored: bytes, *question: str) -> bool:
    import subprocess  # noqa: PLC0415 - who looks asks nothing of it

    signature = folder / "entry.sig"
    signature.write_bytes(armored)
    try:
        done = subprocess.run(
            [find_program(), "-q", "-Y", *question, "-n", NAMESPACE, "-s", str(signature)],
            input=message,
            capture_output=True,
            check=False,
            timeout=_CHECK_SECONDS,
            # times without a zone are in UTC then, for versions that do not know the letter Z
            env={**build_signing_environment(Prompt.NOBODY), "TZ": "UTC"},
            cwd=folder,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired as late:
        raise SigningError(f"ssh-keygen did not answer within {_CHECK_SECONDS:g} seconds") from late
    return done.returncode == 0


def generate_key(place: Path, comment: str, *, kind: str = "ed25519", prompt: Prompt = Prompt.NOBODY) -> str:
    """Makes a key and returns its public text; asks for a passphrase (or a touch) if somebody may be asked.

    Never overwrites a file.
    """
    public = place.with_name(place.name + ".pub")
    for taken in (place, public):
        if os.path.lexists(taken):
            raise SigningError(f"{taken} is there already", "It is left alone; choose another name for the new key.")
    passphrase = ("-N", "") if prompt is Prompt.NOBODY else ()
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    words = [find_program(), "-q", "-t", kind, *passphrase, "-C", comment, "-f", str(place)]
    code, said = _run(words, place.parent, prompt)
    if code != 0:
        raise SigningError(f"ssh-keygen could not make {place}: {_last_line(said)}")
    return public.read_text(encoding="utf-8").strip()


def build_signing_environment(prompt: Prompt) -> dict[str, str]:
    """Passes on only what ssh-keygen needs. A display alone must not make it open a window that nobody asked for."""
    names = (*_KEPT, *_KEPT_FOR_ASKPASS) if prompt is Prompt.ASKPASS else _KEPT
    environment = {name: value for name in names if (value := os.environ.get(name)) is not None}
    environment["PATH"] = build_search_path()
    environment["LC_ALL"] = "C"
    environment["SSH_ASKPASS_REQUIRE"] = "force" if prompt is Prompt.ASKPASS else "never"
    return environment


def _build_sign_words(program: str, key: Path, target: Path) -> list[str]:
    """Builds the call. Substitutes for ssh-keygen know only the arguments that git uses."""
    quiet = ("-q",) if Path(program).name == _PROGRAM else ()
    return [program, *quiet, "-Y", "sign", "-n", NAMESPACE, "-f", str(key), str(target)]


def _run(words: list[str], folder: Path, prompt: Prompt) -> tuple[int | None, str]:
    """Returns exit code and error output. Stdin is always empty: ssh-keygen would read a passphrase from it."""
    environment = build_signing_environment(prompt)
    if prompt is not Prompt.TERMINAL:
        end = run_command(words, folder, environment, Bounds(_SIGN_SECONDS, _GRACE_SECONDS, _KEPT_OUTPUT))
        said = end.failure or end.output.decode("utf-8", "replace")
        return (None, "it ran out of time") if end.timed_out else (end.code, said)
    import subprocess  # noqa: PLC0415

    try:  # in our own session, which has the terminal
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
            timeout=_SIGN_SECONDS,
            env=environment,
            cwd=folder,
        )
    except subprocess.TimeoutExpired:
        return None, "it ran out of time"
    except OSError as refused:
        return None, str(refused)
    return done.returncode, done.stderr.decode("utf-8", "replace")


@contextmanager
def _private_folder() -> Iterator[Path]:
    import tempfile  # noqa: PLC0415 - reading commands sign nothing

    with tempfile.TemporaryDirectory(prefix="handoff-tui-sign-") as name:  # 0700 by itself
        yield Path(name)


def _has_key_file(file: Path) -> bool:
    return file.exists() or file.with_name(file.name + ".pub").exists()


def _read_signature(place: Path) -> bytes:
    try:
        with place.open("rb") as file:
            return file.read(_MAX_SIGNATURE_BYTES)
    except OSError as refused:
        raise SigningError("the signing program said that it signed, and left no signature") from refused


def _last_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1] if lines else ""
