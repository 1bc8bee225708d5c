"""Which key signs, and who owns it: from the user's configuration, never from the repository's."""

from __future__ import annotations

import binascii
import os
from collections.abc import Collection, Iterator
from enum import StrEnum
from pathlib import Path

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import NoHumanError, SigningError, SigningKeyMissingError, SshKeygenMissingError
from handoff_tui.git.command import Git
from handoff_tui.git.hardening import TRUSTED_SCOPES
from handoff_tui.git.signing.ssh_keygen import Prompt, SigningTool, build_signing_environment, generate_key
from handoff_tui.system.files.noted import note
from handoff_tui.system.processes.programs import expand_home, find_program
from handoff_tui.system.processes.run import Bounds, run_command
from handoff_tui.system.processes.terminal import has_terminal

_NEW_KEY = "~/.ssh/id_ed25519"
_NEW_SECURITY_KEY = "~/.ssh/id_ed25519_sk"


_DEFAULT_NAMES = ("id_ed25519", "id_ecdsa", "id_rsa", "id_ed25519_sk", "id_ecdsa_sk")
_LITERAL = "key::"
_OLD_LITERAL = "ssh-"
_BOUNDS = Bounds(seconds=30.0, grace_seconds=1.0, keep_bytes=64 * 1024)
_PRIVATE_BEGIN = "-----BEGIN OPENSSH PRIVATE KEY-----"
_PRIVATE_END = "-----END OPENSSH PRIVATE KEY-----"
_PRIVATE_MAGIC = b"openssh-key-v1\0"
_NEEDS_TOUCH = 0x01
_MAX_KEY_BYTES = 64 * 1024
_HINT = (
    "Make one with ssh-keygen -t ed25519, then run git config --global gpg.format ssh "
    "and git config --global user.signingkey PATH."
)


class KeySource(StrEnum):
    """Where the key was found."""

    SIGNING_KEY = "user.signingkey"
    KEY_COMMAND = "gpg.ssh.defaultKeyCommand"
    AGENT = "ssh-agent"
    DEFAULT = "default key"
    NAMED = "named on the command line"


class SigningKey(NamedTuple):
    """The key that will sign: its public text (type and base64), and its file unless only the agent has it."""

    public_text: str
    source: KeySource
    file: Path | None
    program: str = "ssh-keygen"

    @property
    def needs_touch(self) -> bool:
        """Whether it is a security key, which waits to be touched."""
        return self.public_text.startswith("sk-")

    def build_tool(self, prompt: Prompt) -> SigningTool:
        return SigningTool(self.public_text, self.file, self.program, prompt)


class Identity(NamedTuple):
    """Who the user says they are, in the configuration that only they write."""

    name: str | None
    email: str | None


class UserSettings:
    """The git configuration of global and system scope; local scope, `-c` and the environment don't count."""

    def __init__(self, git: Git) -> None:
        self._values = {key: value for scope, key, value in git.list_config() if scope in TRUSTED_SCOPES}

    def get(self, key: str) -> str | None:
        """Returns the last value of a key (lower case, as git lists it); an empty value counts as none."""
        return self._values.get(key) or None


def read_identity(git: Git) -> Identity:
    settings = UserSettings(git)
    return Identity(settings.get("user.name"), settings.get("user.email"))


def read_signing_key(git: Git, enrolled: Collection[str] = (), named: Path | None = None) -> SigningKey:
    """Returns the key that signs: the named one, or the one of the user's configuration.

    `enrolled` are public texts; of several keys in the agent or at home, one of them.
    """
    if named is not None:
        return read_key_file(named)
    settings = UserSettings(git)
    program = settings.get("gpg.ssh.program") or "ssh-keygen"
    known = frozenset(parse_public_text(text) for text in enrolled)
    configured = settings.get("user.signingkey") if settings.get("gpg.format") == "ssh" else None
    if configured is not None:
        return _read_configured(configured, KeySource.SIGNING_KEY, program)
    command = settings.get("gpg.ssh.defaultkeycommand")
    if command is not None:
        return _read_configured(_run_key_command(command), KeySource.KEY_COMMAND, program)
    for text in read_agent_keys():
        if text in known:
            return SigningKey(text, KeySource.AGENT, None, program)
    return _read_default(known, program)


def find_key_files(git: Git) -> tuple[Path, ...]:
    """Returns the files of the configured signing key, private and public; none if it isn't a path."""
    value = UserSettings(git).get("user.signingkey")
    if value is None or value.startswith((_LITERAL, _OLD_LITERAL)) or "/" not in value:
        return ()
    place = expand_home(value.removesuffix(".pub"))
    return place, place.with_name(f"{place.name}.pub")


def read_key_file(file: Path) -> SigningKey:
    """Returns a key named on the command line, by its private or public file."""
    place = expand_home(str(file))
    return SigningKey(_read_public(place, KeySource.NAMED), KeySource.NAMED, place)


def read_agent_keys() -> tuple[str, ...]:
    """Returns the public texts of the keys in the ssh-agent; none without an agent."""
    if not os.environ.get("SSH_AUTH_SOCK"):
        return ()
    try:
        program = find_program("ssh-add")
    except SshKeygenMissingError:
        return ()
    end = run_command([program, "-L"], Path("/"), build_signing_environment(Prompt.NOBODY), _BOUNDS)
    if end.code != 0:
        return ()
    texts = (parse_public_text(line) for line in end.output.decode("utf-8", "replace").splitlines())
    return tuple(text for text in texts if text is not None)


def read_local_keys(git: Git) -> frozenset[str]:
    """Returns the public texts of all keys that can sign here: in the ssh-agent, in ~/.ssh, and the configured one."""
    folder = expand_home("~/.ssh")
    try:
        files = [place for place in folder.iterdir() if place.suffix != ".pub" and place.is_file()]
    except OSError:
        files = []
    configured = UserSettings(git).get("user.signingkey") or ""
    private = expand_home(configured.removesuffix(".pub"))
    if configured and private.is_absolute() and private.is_file():
        files.append(private)
    texts = {text for place in files if (text := _read_private_pair(place)) is not None}
    return frozenset({*texts, *read_agent_keys()})


def _read_private_pair(place: Path) -> str | None:
    """Returns the public text of a private key file; None if it isn't one."""
    private = read_key_text(place)
    if private is None or "PRIVATE KEY-----" not in private:
        return None
    beside = read_key_text(place.with_name(place.name + ".pub"))
    return parse_private_text(private) or (None if beside is None else parse_public_text(beside))


def parse_public_text(line: str) -> str | None:
    """Returns type and base64 of a public key in a `.pub` file, without its comment."""
    words = line.split()
    if len(words) < 2 or not words[0].startswith(("ssh-", "ecdsa-", "sk-")):  # noqa: PLR2004 - type and key
        return None
    try:
        blob = binascii.a2b_base64(words[1], strict_mode=True)
    except (binascii.Error, ValueError):
        return None
    kind = words[0].encode()
    return f"{words[0]} {words[1]}" if blob.startswith(len(kind).to_bytes(4, "big") + kind) else None


def _read_configured(value: str, source: KeySource, program: str) -> SigningKey:
    """Reads a value in git's form: `key::` and the key itself, an old literal `ssh-…`, or a path."""
    if value.startswith((_LITERAL, _OLD_LITERAL)):
        text = parse_public_text(value.removeprefix(_LITERAL))
        if text is None:
            raise SigningKeyMissingError(f"{source} is not a public key: {value[:60]}", _HINT)
        return SigningKey(text, source, None, program)
    file = expand_home(value)
    if not file.is_absolute():
        raise SigningKeyMissingError(
            f"{source} is {value}, a path that would be looked for inside the repository",
            "Give the full path, or one that begins with ~/.",
        )
    return SigningKey(_read_public(file, source), source, file, program)


def _read_default(known: frozenset[str | None], program: str) -> SigningKey:
    found = list(_find_defaults(program))
    for key in found:
        if key.public_text in known:
            return key
    if found:
        return found[0]
    held = len(read_agent_keys())
    beside = f" The ssh-agent holds {held}; name one in user.signingkey as key::ssh-…" if held else ""
    raise SigningKeyMissingError("there is no key to sign with", _HINT + beside)


def _find_defaults(program: str) -> Iterator[SigningKey]:
    folder = expand_home("~/.ssh")
    for name in _DEFAULT_NAMES:
        file = folder / name
        note(file)
        note(file.with_name(f"{name}.pub"))
        if file.is_absolute() and (file.exists() or file.with_name(f"{name}.pub").exists()):
            yield SigningKey(_read_public(file, KeySource.DEFAULT), KeySource.DEFAULT, file, program)


def _read_public(file: Path, source: KeySource) -> str:
    """Returns the public key of a file: its own, the one in the `.pub` file beside it, or the one in a private key."""
    beside = file if file.suffix == ".pub" else file.with_name(file.name + ".pub")
    text = read_key_text(beside)
    public = parse_public_text(text) if text is not None else None
    if public is None and beside != file:
        private = read_key_text(file)
        public = None if private is None else (parse_public_text(private) or parse_private_text(private))
    if public is None:
        raise SigningKeyMissingError(f"{source} is {file}, and no key can be read there", _HINT)
    return public


def find_private_file(key: SigningKey) -> Path | None:
    """Returns where the private half would be; None if the key is only known by its text."""
    if key.file is None or key.file.suffix != ".pub":
        return key.file
    return key.file.with_suffix("")


def is_locked(key: SigningKey) -> bool:
    """Tells whether it needs a passphrase: the file is encrypted, and the ssh-agent doesn't hold the key."""
    private = find_private_file(key)
    text = None if private is None else read_key_text(private)
    return text is not None and is_encrypted(text) and key.public_text not in read_agent_keys()


def is_encrypted(text: str) -> bool:
    """Tells whether a private key file is encrypted; False if it isn't a private key."""
    data = _parse_armor(text)
    if data is None:
        return "PRIVATE KEY" in text and "ENCRYPTED" in text  # the older form says so in words
    begin = len(_PRIVATE_MAGIC) + 4
    return data[begin : begin + int.from_bytes(data[begin - 4 : begin], "big")] != b"none"


def is_touchless(text: str) -> bool:
    """Tells whether the file of a security key says that no touch is needed; unknown, so False, if it is encrypted."""
    data = _parse_armor(text)
    if data is None or is_encrypted(text):
        return False
    position = len(_PRIVATE_MAGIC)
    for _ in range(3):  # cipher, derivation, its options
        position = _skip(data, position)
    position = _skip(data, position + 4) + 4 + 8  # the public half; the length of the private one, two check numbers
    kind = data[position + 4 : _skip(data, position)]
    for _ in range(4 if kind.startswith(b"sk-ecdsa") else 3):  # type, (curve,) public key, application
        position = _skip(data, position)
    return not data[position] & _NEEDS_TOUCH if position < len(data) else False


def _skip(data: bytes, position: int) -> int:
    """Returns where a field with a length before it ends."""
    return position + 4 + int.from_bytes(data[position : position + 4], "big")


def parse_private_text(text: str) -> str | None:
    """Returns the public key in an OpenSSH private key file, where it isn't encrypted."""
    data = _parse_armor(text)
    if data is None:
        return None
    position = len(_PRIVATE_MAGIC)
    for _ in range(3):  # cipher, derivation, its options
        position = _skip(data, position)
    position += 4  # how many keys: one
    blob = data[position + 4 : position + 4 + int.from_bytes(data[position : position + 4], "big")]
    kind = blob[4 : 4 + int.from_bytes(blob[:4], "big")].decode("ascii", "replace")
    return parse_public_text(f"{kind} {binascii.b2a_base64(blob, newline=False).decode()}")


def _parse_armor(text: str) -> bytes | None:
    """Returns the bytes of an OpenSSH private key file; None if it isn't one."""
    body = text.strip()
    if not (body.startswith(_PRIVATE_BEGIN) and body.endswith(_PRIVATE_END)):
        return None
    try:
        data = binascii.a2b_base64("".join(body[len(_PRIVATE_BEGIN) : -len(_PRIVATE_END)].split()))
    except (binascii.Error, ValueError):
        return None
    return data if data.startswith(_PRIVATE_MAGIC) else None


def read_key_text(file: Path) -> str | None:
    note(file)
    try:
        if not file.is_file() or file.stat().st_size > _MAX_KEY_BYTES:
            return None
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _run_key_command(command: str) -> str:
    """Returns the first line of the user's key command, as git does; runs in the home folder, not the repository."""
    try:
        import shlex  # noqa: PLC0415 - few keys come from a command

        words = shlex.split(command)
    except ValueError as wrong:
        raise SigningError(f"gpg.ssh.defaultKeyCommand cannot be split into words: {wrong}") from wrong
    if not words:
        raise SigningError("gpg.ssh.defaultKeyCommand is empty")
    words[0] = find_program(words[0], "It is named in gpg.ssh.defaultKeyCommand; give its full path there.")
    end = run_command(words, expand_home("~"), build_signing_environment(Prompt.NOBODY), _BOUNDS)
    first = end.output.decode("utf-8", "replace").partition("\n")[0].strip()
    if end.code != 0 or not first:
        raise SigningKeyMissingError(
            "gpg.ssh.defaultKeyCommand named no key", "Run it by hand, or set user.signingkey instead."
        )
    return first


def write_new_key(comment: str, *, protected: bool, touch: bool = False) -> Path:
    """Creates the user's default key; never overwrites. `protected` asks for a passphrase on the terminal.

    With `touch` it is made on the security key that is plugged in, which signs only when touched.
    """
    place = expand_home(_NEW_SECURITY_KEY if touch else _NEW_KEY)
    if not place.is_absolute():
        raise SigningError("there is no home folder for a new key", "Make one with ssh-keygen where you want it.")
    if touch:
        generate_key(place, comment, kind="ed25519-sk", prompt=Prompt.TERMINAL)
        return place
    if not protected:
        generate_key(place, comment)
        return place
    if not has_terminal():
        raise NoHumanError(
            "there is no terminal to ask for a passphrase, so no key was made",
            "Run this at a terminal; --no-passphrase makes a key that anybody who can read the file can use.",
        )
    generate_key(place, comment, prompt=Prompt.TERMINAL)
    if not is_encrypted(place.read_text(encoding="utf-8", errors="replace")):
        place.unlink()
        place.with_name(place.name + ".pub").unlink()
        raise NoHumanError(
            "no passphrase was given, so the new key was thrown away",
            "Give one; --no-passphrase makes a key that anybody who can read the file can use.",
        )
    return place
