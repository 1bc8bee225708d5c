"""People with a home, a real key and a git identity of their own, and logs that they begin with the real `init`."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from handoff_tui.git.repository import open_repository
from handoff_tui.git.signing.ssh_keygen import SigningTool
from handoff_tui.log.entry import LogVerdict
from handoff_tui.log.open_log import open_log
from tests.support.command_line import InProcess, Said, say
from tests.support.journals import build_decision
from tests.support.ssh_keys import make_key, read_public


@dataclass(frozen=True)
class Person:
    """Somebody who reviews: nothing of them is shared with anybody else, and no ssh-agent is around."""

    name: str
    home: Path
    key: Path

    @property
    def email(self) -> str:
        return f"{self.name}@example.org"

    @property
    def public_text(self) -> str:
        """Type and base64 of their key."""
        return read_public(self.key)

    @property
    def environment(self) -> dict[str, str]:
        """What makes a process theirs."""
        return {
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "GIT_CONFIG_GLOBAL": str(self.home / ".gitconfig"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "SSH_AUTH_SOCK": "",
            "SSH_ASKPASS": "",
        }

    def say(
        self,
        *arguments: str | Path,
        environment: dict[str, str] | None = None,
        terminal: bool | None = None,
        fresh: bool = False,
    ) -> Said:
        """Runs `handoff-tui` as this person, in a process of its own."""
        variables = {**self.environment, **(environment or {})}
        return say(*arguments, environment=variables, terminal=terminal, fresh=fresh)

    def become(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Makes the test's own process theirs, for what is called in it."""
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)

    def use_key(self, key: Path) -> None:
        """Signs with another key from now on."""
        write_identity(self.home, self.name, self.email, key)


class Speaking:
    """Runs verbs in the test's own process, each as the person who speaks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._run = InProcess(capsys)

    def __call__(self, person: Person, *arguments: str | Path, terminal: bool | None = None) -> Said:
        person.become(self._monkeypatch)
        return self._run(*arguments, terminal=terminal)


def make_person(folder: Path, name: str = "ada", passphrase: str = "") -> Person:
    """A person whose home is `folder/<name>`; with a passphrase their key is locked, and no agent holds it."""
    home = folder / name
    key = make_key(home / ".ssh" / "id_ed25519", passphrase)
    person = Person(name, home, key)
    write_identity(home, name, person.email, key)
    return person


def write_identity(home: Path, name: str, email: str, key: Path | None) -> None:
    """The user's own git configuration, global scope."""
    signing = "" if key is None else f"\tsigningkey = {key}\n[gpg]\n\tformat = ssh\n"
    (home / ".gitconfig").write_text(f"[user]\n\tname = {name}\n\temail = {email}\n{signing}", encoding="utf-8")


def make_log(repository: Path, person: Person, *options: str | Path) -> str:
    """Begins a log as this person, with the real `init`; the id of its first entry."""
    said = person.say("init", "--repo", repository, "--json", *options)
    assert said.code == 0, said.stderr
    genesis = said.json["log"]
    assert isinstance(genesis, str)
    return genesis


def list_entries(repository: Path) -> list[str]:
    """The ids of the entries in a work tree, by their files."""
    files = sorted((repository / ".handoff-tui" / "log").glob("*/*.intoto.jsonl"))
    return [f"sha256:{file.name.partition('.')[0]}" for file in files]


class Circle:
    """People around one repository who change its policy together, by the real verbs."""

    def __init__(self, speaking: Speaking, repository: Path, folder: Path) -> None:
        self.speaking = speaking
        self.repository = repository
        self.folder = folder

    def person(self, name: str, passphrase: str = "") -> Person:
        return make_person(self.folder / "homes", name, passphrase)

    def begin(self, person: Person, *options: str | Path) -> str:
        """The first entry of the log; its id."""
        said = self.speaking(person, "init", "--repo", self.repository, "--json", *options)
        assert said.code == 0, said.stderr
        genesis = said.json["log"]
        assert isinstance(genesis, str)
        return genesis

    def decide(self, person: Person, handoff: str = "H-1", key: Path | None = None) -> str:
        """A decision of this person about nothing in particular; the id of its entry."""
        log = open_log(open_repository(self.repository))
        signer = SigningTool(read_public(key or person.key), key or person.key)
        return log.journal.append(lambda parents: build_decision(parents, handoff, person.email), signer).entry.id

    def verify(self) -> LogVerdict:
        """The whole log, from the bytes on."""
        return open_log(open_repository(self.repository), remembered=False).verify()

    def enrol(self, person: Person, *options: str | Path) -> str:
        """The line of a person's key."""
        said = self.speaking(person, "keys", "enroll", "--repo", self.repository, *options)
        assert said.code == 0, said.stderr
        return said.stdout.strip()

    def propose(self, person: Person, *options: str | Path, name: str = "proposal") -> Path:
        """The file of a proposal."""
        file = self.folder / f"{name}.json"
        said = self.speaking(person, "policy", "propose", "--repo", self.repository, "--output", file, *options)
        assert said.code == 0, said.stderr
        return file

    def sign(self, person: Person, file: Path, *options: str | Path) -> Said:
        """Signs as somebody who has read it: the digest is spelled out."""
        digest = "sha256:" + hashlib.sha256(base64.b64decode(json.loads(file.read_bytes())["payload"])).hexdigest()
        words = ("policy", "sign", file, "--repo", self.repository, "--yes-i-read-it", digest)
        return self.speaking(person, *words, *options)

    def seal(self, person: Person, *files: str | Path) -> Said:
        return self.speaking(person, "policy", "seal", *files, "--repo", self.repository, "--json")

    def change(self, proposer: Person, signers: tuple[Person, ...], *options: str | Path, name: str) -> str:
        """Proposes, has everybody sign, seals; the id of the new policy."""
        file = self.propose(proposer, *options, name=name)
        for signer in signers:
            said = self.sign(signer, file)
            assert said.code == 0, said.stderr
        said = self.seal(proposer, file)
        assert said.code == 0, said.stdout + said.stderr
        entry = said.json["entry"]
        assert isinstance(entry, str)
        return entry

    def show(self, person: Person) -> Said:
        return self.speaking(person, "policy", "show", "--repo", self.repository, "--json")
