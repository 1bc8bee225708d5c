"""Verifies the log from scratch, finds entries that are gone, and asks ssh-keygen for a second opinion on request."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from handoff_tui.core.classes import NamedTuple, dataclass
from handoff_tui.core.errors import (
    GitError,
    HandoffError,
    LogEntryError,
    LogLockedError,
    StoredFileMissingError,
    StoreWriteError,
    UsageError,
)
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.git.history.commits import read_blobs, read_trees, resolve_commits
from handoff_tui.git.objects.log_trees import parse_log_folder, parse_shard
from handoff_tui.git.repository import Repository, open_repository
from handoff_tui.git.signing.signing_key import read_local_keys
from handoff_tui.git.signing.ssh_keygen import check_with_ssh_keygen, verify_with_ssh_keygen
from handoff_tui.log.entries.statement import parse_entry
from handoff_tui.log.entry import Entry, LogProblem, LogProblemLevel, LogVerdict, PolicyText
from handoff_tui.log.open_log import OpenLog, check_entries, find_policy, open_log
from handoff_tui.log.policy.faults import find_keys_together
from handoff_tui.log.policy.policy import parse_policy
from handoff_tui.log.show.view import LogReport
from handoff_tui.log.storage.blobs import ID_PREFIX, LOG_SUFFIX, MAX_ENTRY_BYTES, open_log_folder
from handoff_tui.log.storage.evidence import find_review_faults
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.addressed_files import AddressedFolder
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.processes.programs import find_program

_LOG_PATH = ".handoff-tui/log"
_MAX_TREE_BYTES = 16 * 1024 * 1024


class Fate(StrEnum):
    """What happened to an entry."""

    DELETED = "deleted"
    MODIFIED = "modified"
    RENAMED = "renamed"


class Loss(NamedTuple):
    """An entry that a commit has, but that is gone from the work tree or changed there."""

    identifier: str
    fate: Fate
    detail: str


def resolve_commit(repository: Repository, written: str) -> str:
    """Returns the commit that a person named; raises if there is none."""
    commit = resolve_commits(repository.git, [written])[written]
    if commit is None:
        raise UsageError(
            f"{written} does not name a commit here",
            "Is the clone shallow? `git fetch` brings the commit; a branch of a remote is called origin/<name>.",
        )
    return commit


def find_losses(repository: Repository, commit: str) -> tuple[Loss, ...]:
    """Finds every entry of a commit that the work tree lacks or has changed, in the order of their ids."""
    folder = open_log_folder(repository)
    blobs = _read_entry_blobs(repository, commit)
    failures = {
        digest: answer for digest, answer in folder.read_many(sorted(blobs)) if isinstance(answer, HandoffError)
    }
    entries = _read_true_entries(repository, {digest: blobs[digest] for digest in failures})
    elsewhere = _find_names(repository, folder, entries)
    return tuple(_describe(digest, failures[digest], elsewhere) for digest in sorted(entries))


def _read_entry_blobs(repository: Repository, commit: str) -> dict[str, str]:
    """Maps digest to blob for each file in the log of a commit that is named like an entry."""
    width = repository.id_width // 2
    log = read_trees(repository.git, [f"{commit}:{_LOG_PATH}"], _MAX_TREE_BYTES)[f"{commit}:{_LOG_PATH}"]
    if log is None:
        return {}
    shards = parse_log_folder(log, width).ours
    trees = read_trees(repository.git, sorted(set(shards.values())), _MAX_TREE_BYTES)
    blobs: dict[str, str] = {}
    for shard, tree in shards.items():
        content = trees[tree]
        if content is None:
            raise GitError(
                f"the folder {_LOG_PATH}/{shard} of {commit} is not in this clone",
                "Fetch the complete commit; without it there is nothing to compare with.",
            )
        blobs |= parse_shard(content, width, shard, LOG_SUFFIX).ours
    return blobs


def _read_true_entries(repository: Repository, blobs: dict[str, str]) -> frozenset[str]:
    """Keeps those whose content matched their name in the commit: removing what was never an entry isn't a loss."""
    contents = read_blobs(repository.git, sorted(set(blobs.values())), MAX_ENTRY_BYTES)
    return frozenset(
        digest
        for digest, blob in blobs.items()
        if (content := contents[blob]) is None or hashlib.sha256(content).hexdigest() == digest
    )


def _find_names(repository: Repository, folder: AddressedFolder, wanted: Iterable[str]) -> dict[str, str]:
    """Finds entries under wrong names in the log's folder: digest to path."""
    if not wanted:
        return {}
    found: dict[str, str] = {}
    for path in _list_false_names(folder):
        try:
            content = FileReader(repository.root, MAX_ENTRY_BYTES).read_bytes(path)
        except HandoffError:
            continue
        found[hashlib.sha256(content).hexdigest()] = path
    return found


def _list_false_names(folder: AddressedFolder) -> Iterator[str]:
    try:
        named, foreign = folder.list(), folder.list_foreign()
    except HandoffError:  # the folder is a link: there is nothing to find behind it
        return
    yield from foreign
    for digest, answer in folder.read_many(named):
        if isinstance(answer, HandoffError):
            yield folder.build_path(digest)


def _describe(digest: str, failure: HandoffError, elsewhere: dict[str, str]) -> Loss:
    identifier = ID_PREFIX + digest
    if digest in elsewhere:
        return Loss(identifier, Fate.RENAMED, f"it has another name here: {elsewhere[digest]}")
    if isinstance(failure, StoredFileMissingError):
        return Loss(identifier, Fate.DELETED, "it is no longer in the work tree")
    return Loss(identifier, Fate.MODIFIED, failure.message)


CODE = "second-opinion"
_PIN = compile_later(r"(?:sha256:)?([0-9a-f]{64})")


class SignatureQuestion(NamedTuple):
    """One signature and our own verdict on it; who signed is asked only for accepted entries."""

    entry: str
    message: bytes
    armored: bytes
    expected: bool
    """Whether it matches, by our own verification."""
    principal: str | None = None
    signers: PolicyText | None = None
    time: str = ""

    def ask(self) -> bool:
        if self.principal is None or self.signers is None:
            return check_with_ssh_keygen(self.message, self.armored)
        digits = "".join(character for character in self.time if character.isdigit())
        return verify_with_ssh_keygen(self.signers.allowed_signers, self.principal, self.message, self.armored, digits)


class Opinion(NamedTuple):
    """How many signatures ssh-keygen was asked about, and where it disagrees."""

    asked: int
    problems: tuple[LogProblem, ...]


def ask_second_opinion(contents: Mapping[str, bytes], verdict: LogVerdict) -> Opinion:
    """Asks about every signature of every entry that can be read. A disagreement is fatal."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - needed only on request

    find_program()
    questions = list(build_questions(contents, verdict))
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        answers = list(pool.map(SignatureQuestion.ask, questions))
    wrong = [one for one, answer in zip(questions, answers, strict=True) if answer != one.expected]
    return Opinion(len(questions), tuple(_build_problem(question) for question in wrong))


def build_questions(contents: Mapping[str, bytes], verdict: LogVerdict) -> Iterator[SignatureQuestion]:
    accepted = {entry.id: entry for entry in verdict.entries}
    valid, _ = check_entries(contents)
    for identifier, content in sorted(contents.items()):
        try:
            parsed = parse_entry(content)
        except LogEntryError:  # not an entry, whatever its signatures are
            continue
        texts = [base64.b64decode(one["sig"]) for one in json.loads(content)["signatures"]]
        if identifier not in valid and len(texts) > 1:
            continue  # one of them does not match, and we don't know which
        for signature, armored in zip(parsed.signatures, texts, strict=True):
            question = SignatureQuestion(identifier, parsed.pae, armored, identifier in valid)
            if identifier in accepted:
                question = _name_signer(question, accepted[identifier], signature.key.fingerprint, accepted)
            yield question


def _name_signer(
    question: SignatureQuestion, entry: Entry, keyid: str, accepted: Mapping[str, Entry]
) -> SignatureQuestion:
    """Adds whose signature it is taken for, and the signers of the policy that says so."""
    for text in _find_policies(entry, accepted):
        signer = parse_policy(text).signers.get(keyid)
        if signer is not None and signer.covers(entry.time):
            return question._replace(principal=signer.principal, signers=text, time=entry.time)
    return question


def _find_policies(entry: Entry, accepted: Mapping[str, Entry]) -> Iterator[PolicyText]:
    """Finds the policy an entry was made under; for a policy, its own text and those of all others."""
    if entry.work is not None:
        named = accepted[entry.work.policy].policy
        if named is not None:
            yield named
        return
    if entry.policy is not None:
        yield entry.policy
    yield from (other.policy for other in accepted.values() if other.policy is not None)


def _build_problem(question: SignatureQuestion) -> LogProblem:
    here, there = ("matches", "does not") if question.expected else ("does not match", "does")
    return LogProblem(
        level=LogProblemLevel.FATAL,
        code=CODE,
        entry=question.entry,
        text=f"a signature {here} by our own verification, but ssh-keygen says it {there}",
    )


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """What to check beyond the verification itself."""

    pin: str | None = None
    second_opinion: bool = False
    against: str | None = None


def verify_whole(repository: Repository, options: VerifyOptions, now: Callable[[], datetime] = read_now) -> LogReport:
    """Reads and checks every entry; if nothing is fatal, this clone remembers what is valid now."""
    pin = None if options.pin is None else parse_pin(options.pin)
    against = None if options.against is None else resolve_commit(repository, options.against)
    log = open_log(repository, pin=pin, remembered=False, now=now)
    verdict = log.verify()
    anchor = verdict.anchor
    more = [*list_notes(verdict, anchor), *_list_keys_together(repository, verdict)]
    more += _list_review_faults(repository, verdict)
    opinion = _ask(log, verdict) if options.second_opinion else None
    if opinion is not None:
        more += opinion.problems
    if against is not None:
        more += _list_losses(repository, against)
    if not verdict.fatal and not any(one.level is LogProblemLevel.FATAL for one in more):
        more += _remember(log, verdict)
    return build_report(verdict, more, anchor, opinion, against)


def verify_whole_at(start: Path, options: VerifyOptions) -> LogReport:
    """Verifies the log of the repository around a folder."""
    return verify_whole(open_repository(start), options)


def parse_pin(written: str) -> str:
    """Parses the id of the first entry."""
    asked = _PIN.fullmatch(written.strip())
    if asked is None:
        raise UsageError(f"{written} is not the id of an entry", "A pin is sha256: and all 64 hex digits.")
    return f"sha256:{asked[1]}"


def list_notes(verdict: LogVerdict, anchor: str) -> list[LogProblem]:
    """Lists what is worth knowing but harmless."""
    notes = [
        LogProblem(level=LogProblemLevel.NOTE, code="void", entry=one, text=f"it does not count: {why}")
        for one, why in verdict.void.items()
    ]
    if anchor == "none" and verdict.log is not None:
        text = "nothing vouches for this first entry: compare it with a colleague's, then run handoff-tui log pin"
        notes.append(LogProblem(level=LogProblemLevel.NOTE, code="not-pinned", entry=verdict.log, text=text))
    return notes


def _list_keys_together(repository: Repository, verdict: LogVerdict) -> list[LogProblem]:
    """Lists numbers of people that one person at this machine can fill. It says nothing about the log itself."""
    policy = find_policy(verdict)
    if policy is None or len(policy.signers) <= 1:
        return []
    found = find_keys_together(policy, read_local_keys(repository.git))
    return [LogProblem(level=LogProblemLevel.NOTE, code="keys-together", text=text) for text in found]


def build_report(
    verdict: LogVerdict, more: list[LogProblem], anchor: str, opinion: Opinion | None = None, against: str | None = None
) -> LogReport:
    """Builds the report, worst problems first."""
    order = list(LogProblemLevel)
    problems = sorted([*verdict.problems, *more], key=lambda one: (order.index(one.level), one.code, one.entry or ""))
    return LogReport(
        fatal=any(one.level is LogProblemLevel.FATAL for one in problems),
        entries=len(verdict.entries),
        heads=verdict.heads,
        log=verdict.log,
        policy=verdict.policy,
        void=len(verdict.void),
        refused=sum(one.level is LogProblemLevel.REFUSED for one in problems),
        anchor=anchor,
        second_opinions=None if opinion is None else opinion.asked,
        against=against,
        problems=tuple(problems),
    )


def _ask(log: OpenLog, verdict: LogVerdict) -> Opinion:
    listing = log.blobs.read_listing()
    return ask_second_opinion(log.blobs.read_contents(listing, listing.ids).contents, verdict)


def _list_losses(repository: Repository, commit: str) -> list[LogProblem]:
    return [
        LogProblem(
            level=LogProblemLevel.FATAL,
            code=f"entry-{loss.fate}",
            entry=loss.identifier,
            text=f"{commit[:SHORT_DIGEST]} has this entry: {loss.detail}",
        )
        for loss in find_losses(repository, commit)
    ]


def _list_review_faults(repository: Repository, verdict: LogVerdict) -> list[LogProblem]:
    return [
        LogProblem(
            level=LogProblemLevel.NOTE if fault.is_missing else LogProblemLevel.FATAL,
            code="evidence-missing" if fault.is_missing else "evidence-changed",
            entry=entry,
            text=fault.text,
        )
        for entry, fault in find_review_faults(repository, verdict.entries).items()
    ]


def _remember(log: OpenLog, verdict: LogVerdict) -> list[LogProblem]:
    """Remembers what is valid; if the clone cannot be written, that is only a note."""
    try:
        log.remember(verdict)
    except (StoreWriteError, LogLockedError) as refused:
        text = f"what was seen could not be remembered for next time: {refused.message}"
        return [LogProblem(level=LogProblemLevel.NOTE, code="not-remembered", text=text)]
    return []
