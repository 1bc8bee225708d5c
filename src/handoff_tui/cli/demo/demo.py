"""Builds the sample repository in a folder: its history, and beside it a signed log with the keys to go on."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import sys
from base64 import b64decode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from pydantic import AwareDatetime

from handoff_tui.cli.demo.story import AS_WRITTEN, BuiltStory, build_story, shift_to
from handoff_tui.cli.demo.story_git import check_out_copy
from handoff_tui.config.load import build_settings
from handoff_tui.core.classes import dataclass
from handoff_tui.core.errors import DemoError, SshKeygenMissingError
from handoff_tui.core.model import Model
from handoff_tui.core.text.toml_text import parse_toml
from handoff_tui.decisions.decide import DecideRequest, prepare_decision, sign_decision
from handoff_tui.decisions.examine import ExaminedGate
from handoff_tui.decisions.threads import parse_comments
from handoff_tui.git.repository import open_repository, read_work_tree
from handoff_tui.git.signing.signing_key import read_key_file
from handoff_tui.git.signing.ssh_keygen import Prompt
from handoff_tui.handoffs.session import Session, has_log, open_session
from handoff_tui.log.entries.envelope import build_envelope
from handoff_tui.log.entries.statement import build_payload, parse_entry
from handoff_tui.log.entry import DecisionVerb, EntryKind
from handoff_tui.log.journal import Draft, Parents
from handoff_tui.log.open_log import OpenLog, open_log
from handoff_tui.log.policy.signers import build_line
from handoff_tui.log.policy.texts import PolicyTexts, build_policy_text
from handoff_tui.log.show.entries import SCRIPT_NAME, read_script
from handoff_tui.log.storage.blobs import open_log_folder
from handoff_tui.log.storage.trust_files import write_trust_files
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.named_files import read_named_file
from handoff_tui.system.files.own_folder import OWN_FOLDER
from handoff_tui.system.installation import find_command, find_resource, make_temporary_folder

_AGENT = Path("agent/scripted_agent.py")
_WORKERS = ("builder", "reviewer", "dev", "qa", "security", "docs")
"""The agents of the sample that a person can start."""
_PACE = 'variables = { SCRIPTED_AGENT_PAUSE = "0.25" }\n'
"""Slow enough to be watched."""
_KEY_MODE = 0o600
_FOLDER_MODE = 0o700


def write_demo_key(place: Path, seed: str, comment: str) -> str:
    """Writes an Ed25519 key pair made from a text; its public text."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - only for demo
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415
        Encoding,
        NoEncryption,
        PrivateFormat,
        PublicFormat,
    )

    key = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(seed.encode()).digest())
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    try:
        place.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _KEY_MODE)
        with os.fdopen(descriptor, "wb") as file:
            file.write(private)
        place.with_name(f"{place.name}.pub").write_text(f"{public} {comment}\n", encoding="utf-8")
    except OSError as refused:
        raise DemoError(f"the keys of the sample cannot be written: {refused}") from refused
    return public


def write_demo_home(folder: Path, name: str, email: str, key: Path) -> None:
    """A home whose git configuration signs with a key."""
    text = f'[user]\n\tname = {name}\n\temail = {email}\n\tsigningkey = "{_quote(key)}"\n[gpg]\n\tformat = ssh\n'
    try:
        folder.mkdir(mode=_FOLDER_MODE)
        (folder / ".gitconfig").write_bytes(os.fsencode(text))
    except OSError as refused:
        raise DemoError(f"the homes of the sample cannot be written: {refused}") from refused


def copy_own_folder(source: Path, target: Path) -> None:
    """Brings the log and all that belongs to it from one work tree of the sample into another."""
    try:
        shutil.copytree(source / OWN_FOLDER, target / OWN_FOLDER, dirs_exist_ok=True)
    except (OSError, shutil.Error) as refused:
        raise DemoError(f"the log of the sample cannot be copied: {refused}") from refused


def _quote(path: Path) -> str:
    return str(path).replace("\\", "\\\\").replace('"', '\\"')


_SCRIPT = "log.toml"
_MOST_BYTES = 256 * 1024


class PolicyScript(Model):
    """The first entry."""

    signer: str
    date: AwareDatetime
    text: str


class DecisionScript(Model):
    """One decision; `at` is the step of the story that it was made after, by default the last."""

    name: str
    person: str
    date: AwareDatetime
    verb: DecisionVerb
    handoff: str
    at: str | None = None
    reason: str = ""
    comments: str = ""
    viewed: tuple[str, ...] = ()


class ForgedScript(Model):
    """A copy of an entry with another verb, which nobody signed."""

    of: str
    verb: DecisionVerb


class LogScript(Model):
    """The whole script."""

    nonce: str
    keys: dict[str, str]
    """The person who has a key, and the text that it is made from."""
    policy: PolicyScript
    decisions: tuple[DecisionScript, ...]
    forged: ForgedScript


@dataclass(slots=True)
class _Clock:
    """Stands still until it is set."""

    moment: datetime

    def __call__(self) -> datetime:
        return self.moment


class _DemoLog:
    """The log while it is written. `keys` are the folder and the public texts of who has one."""

    def __init__(self, script: LogScript, story: BuiltStory, folder: Path) -> None:
        self._script = script
        self._story = story
        self._keys = folder / "keys"
        self._clock = _Clock(story.shift.move(script.policy.date))
        self._entries: dict[str, str] = {}
        self._last: ExaminedGate | None = None
        self._public = {
            person: write_demo_key(self._keys / person, seed, story.people[person].email)
            for person, seed in script.keys.items()
        }
        self._homes = {
            folder / name: person for name, person in (("home", script.policy.signer), *_list_others(script))
        }
        for home, person in self._homes.items():
            known = story.people[person]
            write_demo_home(home, known.name, known.email, self._keys / person)

    def write(self) -> None:
        """Writes it with the first reviewer's home, so that nothing of the sample is remembered in the user's own."""
        with _living_in(next(iter(self._homes))):
            self._write()
        for home in self._homes:
            with _living_in(home):
                log = open_log(open_repository(self._story.repository))
                log.consent(log.verify())

    def _write(self) -> None:
        root = self._story.repository
        self._begin(root)
        session = _open_session(root)
        for decision in self._script.decisions:
            self._clock.moment = self._story.shift.move(decision.date)
            if decision.at is None:
                self._last = self._decide(session, decision, self._last)
                continue
            with check_out_copy(root, self._story.commits[decision.at]) as copy:
                copy_own_folder(root, copy)
                self._decide(_open_session(copy), decision, None)
                copy_own_folder(copy, root)
        self._forge(root)

    def _open_log(self, root: Path) -> OpenLog:
        return open_log(open_repository(root), remembered=False, now=self._clock)

    def _begin(self, root: Path) -> None:
        signer = self._story.people[self._script.policy.signer].email
        lines = (build_line(self._story.people[one].email, self._public[one]) for one in sorted(self._public))
        texts = PolicyTexts("".join(lines), self._script.policy.text)

        def build(parents: Parents) -> Draft:
            policy = build_policy_text(texts, 1, nonce=self._script.nonce)
            return Draft(build_payload(parents.build_entry(EntryKind.POLICY, signer, policy=policy)))

        key = read_key_file(self._keys / self._script.policy.signer)
        log = self._open_log(root)
        log.journal.append(build, key.build_tool(Prompt.NOBODY))
        write_trust_files(root, texts.by_name())

    def _decide(self, session: Session, script: DecisionScript, earlier: ExaminedGate | None) -> ExaminedGate:
        request = DecideRequest(
            verb=script.verb,
            handoff=script.handoff,
            reason=script.reason,
            comments=parse_comments(script.comments),
            viewed=script.viewed,
            key_file=self._keys / script.person,
        )
        log = self._open_log(session.repository.root)
        prepared = prepare_decision(session, log, request, earlier=earlier)
        self._entries[script.name] = sign_decision(log, prepared).id
        return prepared.examined

    def _forge(self, root: Path) -> None:
        """What somebody with an editor and no key would do: change the verb and leave the signature as it was."""
        folder = open_log_folder(open_repository(root))
        content = folder.read(self._entries[self._script.forged.of].removeprefix("sha256:"))
        entry = parse_entry(content).entry
        if entry.decision is None:
            raise DemoError(f"{_SCRIPT}: {self._script.forged.of} is no decision")
        decision = entry.decision.model_copy(update={"verb": self._script.forged.verb})
        payload = build_payload(entry.model_copy(update={"decision": decision}))
        folder.write(build_envelope(payload, [b64decode(one["sig"]) for one in json.loads(content)["signatures"]]))


@contextmanager
def _living_in(home: Path) -> Iterator[None]:
    """Makes this process that of somebody with another home."""
    before = dict(os.environ)
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        os.environ.pop(name, None)
    os.environ["HOME"] = str(home)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def write_demo_log(story_folder: Path, story: BuiltStory) -> None:
    """Writes keys and homes beside the repository, and the log into its work tree."""
    _DemoLog(load_script(story_folder), story, story.repository.parent).write()


def load_script(story_folder: Path) -> LogScript:
    """Reads and checks `log.toml`."""
    place = story_folder / _SCRIPT
    try:
        return LogScript.model_validate(parse_toml(read_named_file(place, _MOST_BYTES)))
    except ValueError as wrong:
        raise DemoError(
            f"{place} cannot be used: {wrong}", "Install handoff-tui again, or correct the file."
        ) from wrong


def _list_others(script: LogScript) -> list[tuple[str, str]]:
    deciding = {decision.person for decision in script.decisions} - {script.policy.signer}
    return [(f"home-{person}", person) for person in sorted(deciding)]


def _open_session(root: Path) -> Session:
    """With the settings as they are shipped: the log is the same for everybody."""
    repository = open_repository(root)
    return Session(repository, build_settings(None, None), read_work_tree(repository))


def build_recent_demo(target: Path | None) -> Path:
    """Builds the story as if it had just ended."""
    return build_demo(target, read_now())


def build_demo(target: Path | None, now: datetime | None = None) -> Path:
    """Builds the story where it was asked for, or in a new temporary folder; returns the repository.

    The story ends within the day before `now`, or on the day it was written for: then every commit and log entry is the
    same everywhere. Without ssh-keygen nothing can be signed, and the sample has no log.
    """
    folder = target if target is not None else make_temporary_folder("handoff-tui-demo-")
    source = find_resource("sample_repo")
    shift = shift_to(load_script(source).decisions[-1].date, now) if now is not None else AS_WRITTEN
    story = build_story(source, folder.absolute(), shift)
    try:
        write_demo_log(source, story)
    except SshKeygenMissingError:
        return story.repository
    write_demo_agents(source, folder.absolute(), list_homes(story.repository))
    return story.repository


def write_demo_agents(source: Path, folder: Path, homes: Iterable[Path]) -> None:
    """Configures the scripted agent in the homes of the sample, from a copy of its own: starting one really runs it.

    Beside the repository also lies the script that verifies its log.
    """
    place = folder / "agent" / _AGENT.name
    command = json.dumps([sys.executable, str(place)])
    sections = [
        f'[agents.{name}]\ncommand = {command}\nstream = "claude"\nstarts_again = true\n{_PACE}' for name in _WORKERS
    ]
    try:
        place.parent.mkdir()
        place.write_bytes((source / _AGENT).read_bytes())
        (folder / SCRIPT_NAME).write_text(read_script(), encoding="utf-8")
        for home in homes:
            settings = home / ".config" / "handoff-tui"
            settings.mkdir(parents=True)
            (settings / "config.toml").write_text("\n".join(sections), encoding="utf-8")
    except OSError as refused:
        raise DemoError(f"the agent of the sample cannot be written: {refused}") from refused


def describe_next_steps(repository: Path) -> str:
    """Says what to try next, and how to decide as one of the reviewers of the story."""
    command = find_command()
    lines = ["", "Look closer:", f"  cd {shlex.quote(str(repository))}", f"  {command} show H-3"]
    homes = list_homes(repository)
    if not homes:
        return "\n".join([*lines, "ssh-keygen isn't installed, so the sample has no signed log."])
    decide = (f"  HOME={shlex.quote(str(home))} {command} decide approve TDD-1" for home in homes)
    return "\n".join(
        [
            *lines,
            f"  {command} log verify",
            f"  {command} packet FMWK-002",
            "Verify its log without handoff-tui; one entry is forged on purpose:",
            "  sh ../verify.sh",
            "Decide as one of its reviewers. Their keys are public; don't use them for anything else:",
            *decide,
        ]
    )


def list_homes(repository: Path) -> tuple[Path, ...]:
    """The homes of the people who decide in the sample, its first reviewer's first; none if there is no log."""
    folder = repository.parent
    homes = (folder / "home", folder / "home-tomas")
    return tuple(home for home in homes if home.is_dir()) if has_log(open_session(repository)) else ()
