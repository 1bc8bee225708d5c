"""Begins a log, and enrols keys.

The log begins with a policy of one person, signed as its first entry, with trust files and settings to fill in.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from handoff_tui.config.first_hour import FirstAgent, FoundTests, build_first_file
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.errors import (
    HandoffError,
    LogBrokenError,
    LogMissingError,
    LogPresentError,
    SigningKeyMissingError,
    UsageError,
)
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.history.commit_graph import is_ancestor
from handoff_tui.git.history.commits import resolve_commits
from handoff_tui.git.repository import Repository, open_repository
from handoff_tui.git.signing.key_grade import KeyGrade, grade_key, has_security_key, list_signer_notes
from handoff_tui.git.signing.signing_key import SigningKey, read_key_file, read_signing_key, write_new_key
from handoff_tui.git.signing.ssh_keygen import Prompt, SigningTool
from handoff_tui.git.work_tree.unseen import is_ignored
from handoff_tui.log.entries.public_keys import parse_public_key
from handoff_tui.log.entries.statement import build_payload
from handoff_tui.log.entries.times import parse_time
from handoff_tui.log.entry import Entry, EntryKind, LogVerdict
from handoff_tui.log.journal import Draft, Parents
from handoff_tui.log.open_log import OpenLog, build_pin_key, find_pin, find_policy, open_log, open_log_at, write_pin
from handoff_tui.log.policy.faults import find_warnings
from handoff_tui.log.policy.policy import Wall, guess_protection, parse_policy
from handoff_tui.log.policy.reports import EnrolmentReport, InitReport
from handoff_tui.log.policy.signer import choose_prompt, read_principal
from handoff_tui.log.policy.signers import build_line
from handoff_tui.log.policy.texts import PolicyTexts, build_first_texts, build_policy_text
from handoff_tui.log.storage.blobs import LogBlobs
from handoff_tui.log.storage.trust_files import read_trust_files, write_trust_files
from handoff_tui.system.files.named_files import write_if_absent
from handoff_tui.system.files.own_folder import OWN_FOLDER, read_layout_problems

_DAY = compile_later(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NONCE_BYTES = 16


@dataclass(frozen=True, slots=True)
class EnrolRequest:
    """Whose key to enrol, and how long it counts."""

    principal: str | None = None
    key_file: Path | None = None
    valid_after: str | None = None
    valid_before: str | None = None
    agent: bool = False


def enrol_key(start: Path, request: EnrolRequest) -> EnrolmentReport:
    """Builds the line for a key, by default the caller's own, under the e-mail address of their git identity."""
    repository = open_repository(start)
    if request.agent and (request.principal is None or request.key_file is None):
        raise UsageError(
            "an agent's key isn't yours: name it",
            "handoff-tui keys enroll --agent --principal claude@agents.example --key FILE.pub",
        )
    principal = read_principal(repository, request.principal, "--principal")
    valid_after, valid_before = parse_moment(request.valid_after), parse_moment(request.valid_before, end=True)
    if valid_after and valid_before and valid_after > valid_before:
        raise UsageError(f"a key that is valid from {valid_after} until {valid_before} is never valid")
    key = parse_public_key(read_signing_key(repository.git, named=request.key_file).public_text)
    policy = find_policy(open_log(repository).verify())
    return EnrolmentReport(
        principal=principal,
        keyid=key.fingerprint,
        type=key.type.value,
        agent=request.agent,
        line=build_line(principal, key.text, valid_after=valid_after, valid_before=valid_before).rstrip("\n"),
        known=policy is not None and key.fingerprint in policy.signers,
    )


def parse_moment(text: str | None, *, end: bool = False) -> str | None:
    """Parses a day (its first second, or its last) or a time such as `2026-01-31T12:00:00Z`; all in UTC."""
    if text is None:
        return None
    moment = f"{text}T{'23:59:59' if end else '00:00:00'}Z" if _DAY.fullmatch(text) else text
    try:
        parse_time(moment)
    except ValueError as wrong:
        raise UsageError(f"{text} is neither a day nor a time", "Write 2026-01-31, or 2026-01-31T12:00:00Z.") from wrong
    return moment


__all__ = ["InitRequest", "begin_log", "describe_key", "has_security_key"]


@dataclass(frozen=True, slots=True)
class InitRequest:
    """How to begin a log."""

    reviewer: str | None = None
    """The name of the one person; by default the e-mail address of their git identity."""
    agents: tuple[tuple[str, Path], ...] = ()
    generate_key: bool = False
    no_passphrase: bool = False
    pin: bool = False
    start: str | None = None
    """The commit up to which work is history; by default HEAD."""
    everything: bool = False
    """No start line: all work of the past needs an approval, too."""
    team: bool = False
    """Nobody approves work under their own name, not even with one reviewer."""
    touch: bool = False
    """A new key is made on the security key that is plugged in."""
    protection: tuple[Wall, ...] | None = None
    """What keeps agents from signing as this person."""
    ask_protection: Callable[[tuple[Wall, ...]], tuple[Wall, ...] | None] | None = None
    """Asks the person for it, given what can be seen; used if they haven't said."""
    tests: FoundTests | None = None
    """The tests that become a check, if there are no settings yet."""
    agent: FirstAgent | None = None
    """The program that is to be an agent, if there are no settings yet."""
    prompt: Prompt | None = None
    """Who is asked for the passphrase of the key; by default, the person at the terminal."""


def begin_log(start: Path, request: InitRequest) -> InitReport:
    """Writes the first entry and what belongs to it; refuses if there is already a log or a policy."""
    repository = open_repository(start)
    require_beginning(repository, request)
    principal = read_principal(repository, request.reviewer, "--reviewer")
    agents = {name: parse_public_key(read_key_file(file).public_text).text for name, file in request.agents}
    key, made = _find_key(repository, request, principal)
    public = parse_public_key(key.public_text)
    start_line = "" if request.everything else _find_start_line(repository, request.start)
    grade = grade_key(key)
    walls = request.protection
    if walls is None and request.ask_protection is not None:
        walls = request.ask_protection(guess_protection(grade))
    texts = build_first_texts(
        principal, public.text, agents, start_line=start_line, solo=not request.team, protection=walls
    )
    policy = parse_policy(build_policy_text(texts, 1, nonce="0" * 32))
    entry = _append_genesis(repository, principal, texts, key.build_tool(request.prompt or choose_prompt()))
    rest = _write_rest(repository, texts, request, entry.id if request.pin else None)
    return InitReport(
        repo=str(repository.root),
        log=entry.id,
        principal=principal,
        keyid=public.fingerprint,
        key=f"made now, {key.file}" if made else describe_key(key),
        key_grade=grade,
        written=(f"{OWN_FOLDER}/", *([REPOSITORY_FILE] if rest.settings_written else [])),
        kept=(REPOSITORY_FILE,) if rest.settings_kept else (),
        pin_key=build_pin_key(repository.root.name),
        pinned=rest.pinned,
        warnings=(
            *rest.failures,
            *find_warnings(policy),
            *_list_warnings(repository),
            *_list_key_warnings(repository, key, grade),
        ),
        start_line=start_line or None,
        solo=policy.solo,
        protection=None if walls is None else tuple(walls),
    )


def require_beginning(repository: Repository, request: InitRequest) -> None:
    """Refuses if there is already a log or a policy, or nobody and nothing to sign with."""
    _refuse_existing(repository)
    read_principal(repository, request.reviewer, "--reviewer")
    if not request.generate_key:
        _read_key(repository)


def _read_key(repository: Repository) -> SigningKey:
    try:
        return read_signing_key(repository.git)
    except SigningKeyMissingError as missing:
        raise SigningKeyMissingError(
            missing.message, f"{missing.hint}\nOr let this command make one: handoff-tui init --generate-key"
        ) from missing


def describe_key(key: SigningKey) -> str:
    """Says where a key was found."""
    return f"{key.source}, {key.file}" if key.file else str(key.source)


@dataclass(slots=True)
class _Rest:
    """What follows the first entry. The log exists by then, so a failure is only reported."""

    settings_written: bool = False
    settings_kept: bool = False
    pinned: bool = False
    failures: list[str] = field(default_factory=list)

    @contextmanager
    def attempt(self) -> Iterator[None]:
        try:
            yield
        except HandoffError as failed:
            self.failures.append(f"the log has begun, but {failed.message}")


def _write_rest(repository: Repository, texts: PolicyTexts, request: InitRequest, pin: str | None) -> _Rest:
    rest = _Rest()
    with rest.attempt():
        write_trust_files(repository.root, texts.by_name())
    with rest.attempt():
        rest.settings_written = write_if_absent(
            repository.root / REPOSITORY_FILE, build_first_file(request.tests, request.agent).encode()
        )
        rest.settings_kept = not rest.settings_written
    if pin is not None:
        with rest.attempt():
            write_pin(repository.git, repository.root.name, pin)
            rest.pinned = True
    return rest


def _refuse_existing(repository: Repository) -> None:
    listing = LogBlobs(repository).read_listing()
    if listing.ids:
        places = sorted({place for one in listing.ids for place in listing.find_places(one)})
        verdict = open_log(repository).verify()
        shown = ", ".join(places[:3]) + (" …" if len(places) > 3 else "")  # noqa: PLR2004 - a few names
        raise LogPresentError(
            f"there is already a log: {len(listing.ids)} {'entry' if len(listing.ids) == 1 else 'entries'} ({shown}), "
            f"begun by {verdict.log or 'an unknown entry'}; it was left alone",
            "`handoff-tui policy show` says who may do what, `handoff-tui policy propose` changes it.",
        )
    present = [name for name, text in read_trust_files(repository.root).items() if text is not None]
    if present:
        raise LogPresentError(
            f"{OWN_FOLDER}/trust/{present[0]} exists, but there is no log; it was left alone",
            "Was the log deleted? See `git log -- .handoff-tui`. If the file is a leftover, move it aside.",
        )
    pinned = find_pin(repository)
    if pinned is not None:
        raise LogPresentError(
            f"a first entry is pinned for {repository.root.name} and is missing: {pinned}; nothing was done",
            "Fetch the log that it belongs to. If the pin is of another repository in a folder of the same name: "
            f"git config --global --unset {build_pin_key(repository.root.name)}",
        )


def _find_start_line(repository: Repository, named: str | None) -> str:
    """The full id of the commit that ends the past; empty before the first commit."""
    git = repository.git
    found = resolve_commits(git, [named or "HEAD"])[named or "HEAD"]
    if found is None:
        if named is None:
            return ""
        raise UsageError(f"{named} is not a commit in this repository", "Name one with --start, or use --all.")
    if named is not None and not is_ancestor(git, found, "HEAD"):
        raise UsageError(
            f"{named} is not in the history of HEAD, so it can't divide it", "git log --oneline lists commits that can."
        )
    return found


def _find_key(repository: Repository, request: InitRequest, principal: str) -> tuple[SigningKey, bool]:
    """Finds the key that signs, and whether it was just made."""
    if not request.generate_key:
        return _read_key(repository), False
    try:
        key = read_signing_key(repository.git)
    except SigningKeyMissingError:
        write_new_key(principal, protected=not request.no_passphrase, touch=request.touch)
        return read_signing_key(repository.git), True
    raise LogPresentError(
        f"you already have a key ({describe_key(key)}), so none was made", "Leave --generate-key out to sign with it."
    )


def _append_genesis(repository: Repository, principal: str, texts: PolicyTexts, tool: SigningTool) -> Entry:
    nonce = secrets.token_hex(_NONCE_BYTES)

    def build(parents: Parents) -> Draft:
        if parents.ids:
            raise LogPresentError(f"somebody else has just begun a log: {parents.verdict.log}; it was left alone")
        policy = build_policy_text(texts, 1, nonce=nonce)
        return Draft(build_payload(parents.build_entry(EntryKind.POLICY, principal, policy=policy)))

    return open_log(repository).journal.append(build, tool).entry


KEY_WARNING = "your key: "
"""How the warning begins that says how little protects the key."""


def _list_key_warnings(repository: Repository, key: SigningKey, grade: KeyGrade) -> tuple[str, ...]:
    words = f"{KEY_WARNING}{grade.words}. {grade.advice}"
    return (*([words] if grade.is_weak else []), *list_signer_notes(key, repository.git))


def _list_warnings(repository: Repository) -> tuple[str, ...]:
    ignored = is_ignored(repository.git, f"{OWN_FOLDER}/log/entry")
    words = f"git ignores {OWN_FOLDER}/ here, so the log would not be committed; remove the rule"
    return (*([words] if ignored else []), *read_layout_problems(repository.root))


class PinQuestion(NamedTuple):
    """The log as it would be taken."""

    log: OpenLog
    verdict: LogVerdict
    first: str
    """The id of its first entry."""
    begun_by: str
    time: str
    keys: tuple[str, ...]
    people: tuple[str, ...]
    """Who may decide by its policy now."""


def prepare_pin(start: Path, expected: str | None) -> PinQuestion:
    """Reads the log; refuses one that is broken, or that begins with another entry than the expected one."""
    log = open_log_at(start, remembered=False)
    verdict = log.verify()
    if verdict.log is None and not verdict.fatal:
        raise LogMissingError("there is no signed log here, so there is nothing to pin", "handoff-tui init begins one.")
    if verdict.fatal or verdict.log is None:
        raise LogBrokenError(
            "the log is not intact, so it was not pinned", "handoff-tui log verify says what is wrong."
        )
    if expected is not None and expected != verdict.log:
        raise LogBrokenError(
            f"this log begins with {verdict.log}, not with {expected}",
            "Ask whoever gave you that id. Another log may have taken the place of the right one.",
        )
    policy = find_policy(verdict)
    first = next(entry for entry in verdict.entries if entry.id == verdict.log)
    people = () if policy is None else tuple(sorted(name for name in policy.reviewers | policy.root))
    return PinQuestion(log, verdict, first.id, first.actor, first.time, first.keyids, people)
