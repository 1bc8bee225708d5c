"""Sets a repository up: its signed log, its tests as a check, a note for its agents, and a commit if one is wanted."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from handoff_tui.checks.report import RequestedCommands
from handoff_tui.checks.run.commands import grant_access, list_requested_commands, save_consent
from handoff_tui.checks.run.guards import accept_settings
from handoff_tui.config.first_hour import (
    AgentNote,
    FirstAgent,
    FoundTests,
    build_first_file,
    find_presets,
    find_tests,
    plan_agent_note,
    write_agent_note,
)
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import SigningKeyMissingError
from handoff_tui.git.history.commits import Commit, read_commits, read_refs
from handoff_tui.git.repository import open_repository
from handoff_tui.git.signing.key_grade import KeyGrade, grade_key, has_security_key
from handoff_tui.git.signing.signing_key import is_locked, read_signing_key
from handoff_tui.git.signing.ssh_keygen import Prompt
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.log.policy.init import InitRequest, begin_log, describe_key
from handoff_tui.log.policy.reports import InitReport
from handoff_tui.log.policy.signer import read_principal
from handoff_tui.system.files.named_files import write_if_absent
from handoff_tui.system.files.own_folder import OWN_FOLDER
from handoff_tui.system.files.probe import is_present

FIRST_MESSAGE = "Set up handoff-tui"
MESSAGE = "Begin the handoff log"
_USUAL_WORKER = "work"
"""The agent of notes, the format that a repository without handoffs begins with."""
_MOST_COMMITS, _MOST_TAGS = 500, 8


class FoundKey(NamedTuple):
    """The key that would sign."""

    place: str
    grade: KeyGrade
    locked: bool
    """Whether its passphrase must be typed."""


class SetupFacts(NamedTuple):
    """What was found before the first entry is signed: what can be chosen from."""

    root: Path
    principal: str
    key: FoundKey | None
    """None if there is no key yet."""
    has_device: bool
    """Whether a security key is plugged in, for a new key."""
    head: Commit | None
    """None before the first commit."""
    tags: tuple[str, ...]
    """Other start lines, newest first."""
    tests: tuple[FoundTests, ...]
    note: AgentNote | None
    agents: tuple[FirstAgent, ...]
    has_settings: bool
    """Whether there are settings already, which are left alone."""
    has_log: bool = False
    """Whether a log was begun already: then only the note is left to write."""


def find_setup(session: Session, systems: Iterable[str] = (), *, has_log: bool = False) -> SetupFacts:
    """Finds what can be chosen from. `systems` are the formats of handoffs here. Nothing is written or run."""
    repository = session.repository
    root = repository.root
    pipelines = session.loaded.settings.pipelines
    phases = [phase for name in dict.fromkeys(systems) if name in pipelines for phase in pipelines[name].phases]
    workers = dict.fromkeys(phase.agent or phase.name for phase in phases if not phase.human_only)
    names = tuple(workers) or (_USUAL_WORKER,)
    commits = read_commits(repository.git, _MOST_COMMITS)
    tags = {ref.commit: ref.name.removeprefix("refs/tags/") for ref in read_refs(repository.git, "refs/tags/")}
    return SetupFacts(
        root,
        read_principal(repository),
        _find_key(session),
        has_security_key(),
        commits[0] if commits else None,
        tuple(tags[commit.id] for commit in commits if commit.id in tags)[:_MOST_TAGS],
        find_tests(root),
        plan_agent_note(root),
        tuple(FirstAgent(preset, names) for preset in find_presets()),
        is_present(root, REPOSITORY_FILE),
        has_log,
    )


def _find_key(session: Session) -> FoundKey | None:
    try:
        key = read_signing_key(session.repository.git)
    except SigningKeyMissingError:
        return None
    return FoundKey(describe_key(key).replace(f"{Path.home()}/", "~/"), grade_key(key), is_locked(key))


class NewKey(StrEnum):
    """How a new key is to be protected."""

    PASSPHRASE = "passphrase"
    TOUCH = "touch"
    OPEN = "open"


class SetupChoice(NamedTuple):
    """What a person chose."""

    new_key: NewKey | None = None
    """None to sign with the key that was found."""
    team: bool = False
    start: str | None = None
    """The tag up to which work is history; None for HEAD."""
    everything: bool = False
    tests: FoundTests | None = None
    agent: FirstAgent | None = None
    note: AgentNote | None = None
    commits: bool = False

    def needs_terminal(self, facts: SetupFacts) -> bool:
        """Whether a passphrase must be typed, or a security key touched."""
        if facts.has_log:
            return False
        if facts.key is None:
            return self.new_key is not NewKey.OPEN
        return facts.key.locked or facts.key.grade is KeyGrade.TOUCH

    def list_written(self, facts: SetupFacts) -> tuple[str, ...]:
        """The files and folders that would be written."""
        settings = () if facts.has_settings else (REPOSITORY_FILE,)
        own = () if facts.has_log else (f"{OWN_FOLDER}/", *settings)
        return (*own, *(() if self.note is None else (self.note.path,)))


def carry_out(facts: SetupFacts, choice: SetupChoice, prompt: Prompt) -> InitReport | None:
    """Does what was chosen; None if there was a log already, and only the note was written.

    If it is to be committed, settings and note are committed first: the log then begins after them, and nobody is
    asked to approve them.
    """
    request = InitRequest(
        generate_key=facts.key is None,
        no_passphrase=choice.new_key is NewKey.OPEN,
        touch=choice.new_key is NewKey.TOUCH,
        start=choice.start,
        everything=choice.everything,
        team=choice.team,
        tests=choice.tests,
        agent=choice.agent,
        prompt=prompt,
    )
    if choice.commits:
        _commit_first(facts, choice)
    elif facts.has_log and choice.note is not None:
        write_agent_note(facts.root, choice.note)
    if facts.has_log:
        return None
    report = set_up(facts.root, request, None if choice.commits else choice.note)
    if choice.commits:
        _commit(facts.root, (OWN_FOLDER,), MESSAGE)
    return report


def _commit_first(facts: SetupFacts, choice: SetupChoice) -> None:
    """Writes and commits settings and note; a second attempt finds what the first has written."""
    if not facts.has_log:
        write_if_absent(facts.root / REPOSITORY_FILE, build_first_file(choice.tests, choice.agent).encode())
    if choice.note is not None and plan_agent_note(facts.root) == choice.note:
        write_agent_note(facts.root, choice.note)
    paths = [path for path in choice.list_written(facts) if path != f"{OWN_FOLDER}/"]
    if paths:
        _commit(facts.root, paths, FIRST_MESSAGE)


def _commit(root: Path, paths: Iterable[str], message: str) -> None:
    """Commits these files, and nothing else of the work tree or the index; does nothing if they are committed."""
    git = open_repository(root).git
    named = list(paths)
    git.read("add", "--", *named)
    if not git.run("diff", "--cached", "--quiet", "--", *named).ok:
        git.read("commit", "--quiet", "--no-gpg-sign", "-m", message, "--only", "--", *named)


def set_up(root: Path, request: InitRequest, note: AgentNote | None) -> InitReport:
    """Begins the log. Asking for the tests as a check is consent to run them."""
    report = begin_log(root, request)
    session = open_session(root)
    requested = list_requested_commands(session)
    if request.tests is not None and requested is not None and _asks_only_for(request.tests, requested):
        grant_access(session, request.tests.access)
        save_consent(session, requested.digest)
    accept_settings(session)
    if note is not None:
        write_agent_note(root, note)
        report = report.model_copy(update={"written": (*report.written, note.path)})
    return report


def _asks_only_for(tests: FoundTests, requested: RequestedCommands) -> bool:
    """Whether the tests are all that the repository asks to run, and it asks for nothing besides."""
    asked = [(command.argv, command.access) for command in requested.commands]
    return asked == [(tests.argv, tests.access)] and not requested.functions
