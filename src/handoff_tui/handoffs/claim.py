"""What an agent says, where it says so, and what was measured."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.model import Model
from handoff_tui.core.place import Place

_LONGEST_QUOTE = 200
_LONGEST_SENTENCE = 60


class ClaimKind(StrEnum):
    """What sort of thing is claimed; decides how it can be measured."""

    STATUS = "status"
    """The work passed, failed, is complete. Value: the status token."""
    COUNT = "count"
    """A number of tests. Subject: `package.total`, `regression.failed`, …  Value: the number."""
    BASELINE = "baseline"
    """A number of the baseline after this work. Subject: `packages` or `tests`."""
    HASH = "hash"
    """A file's SHA-256 now. Subject: the path. Value: `sha256:<64 hex>`, or as written if not of that form."""
    HASH_BEFORE = "hash-before"
    """A file's SHA-256 before this work."""
    COMMIT = "commit"
    """A commit exists (and, where subject is `head`, is the state's commit). Value: the id as written."""
    FILE_CREATED = "file-created"
    FILE_MODIFIED = "file-modified"
    FILE_DELETED = "file-deleted"
    FILE_REFERENCED = "file-referenced"
    """A document or state file names this path as something to read or run."""
    UNCOMMITTED = "uncommitted"
    """This path (subject) is said to have uncommitted changes; or value = their number."""
    BRANCH = "branch"
    """Work is on this branch. Value: its name."""
    BLOCKER_RESOLVED = "blocker-resolved"
    """Subject: the blocker's id. Value: the evidence given, or None."""
    DEPLOYMENT = "deployment"
    """Something is deployed. Subject: its address, if given. Value: the state claimed."""
    VERDICT = "verdict"
    """A closing verdict of a review, an evaluation, an approval. Value: the token."""
    CHECK = "check"
    """A named check is said to have passed or failed. Subject: its name. Value: the result."""
    COMMENT = "comment"
    """What an agent said outside its documents, which nothing measures. Subject: the agent. Value: its words."""


class VerdictState(StrEnum):
    """How a claim compares with what was measured."""

    HOLDS = "holds"
    CONTRADICTED = "contradicted"
    UNVERIFIED = "unverified"
    WAS_TRUE = "was-true"
    """It held when it was written, and something changed since. That blocks nothing."""


HASHES = frozenset({ClaimKind.HASH, ClaimKind.HASH_BEFORE})
WORST_FIRST = (VerdictState.CONTRADICTED, VerdictState.WAS_TRUE, VerdictState.HOLDS, VerdictState.UNVERIFIED)
"""The order in which verdicts are listed."""

ClaimValue = str | int | bool | None


class Claim(Model):
    """One thing an agent says. It is never evidence."""

    text: str
    """The words of the document, shortened."""
    kind: ClaimKind
    where: Place
    subject: str | None = None
    value: ClaimValue = None


def quote(text: str) -> str:
    """The words of a claim, on one line and not too long."""
    joined = " ".join(text.split())
    return joined if len(joined) <= _LONGEST_QUOTE else joined[: _LONGEST_QUOTE - 1] + "…"


def build_claim(
    kind: ClaimKind, where: Place, text: str, *, subject: str | None = None, value: ClaimValue = None
) -> Claim:
    return Claim(kind=kind, where=where, text=quote(text), subject=subject, value=value)


def join_claims(*groups: Iterable[Claim]) -> tuple[Claim, ...]:
    """What a document says several times counts once, where it says it first."""
    said: dict[tuple[object, ...], Claim] = {}
    for claim in (claim for group in groups for claim in group):
        said.setdefault((claim.kind, claim.subject, claim.value, claim.where.path), claim)
    return tuple(said.values())


_HASH = compile_later(r"\b(?=[0-9]*[a-f])([0-9a-f]{12})[0-9a-f]{1,52}\b")
_SUBJECTS = {
    ClaimKind.HASH: "hash of {}",
    ClaimKind.HASH_BEFORE: "earlier hash of {}",
    ClaimKind.FILE_CREATED: "created {}",
    ClaimKind.FILE_MODIFIED: "changed {}",
    ClaimKind.FILE_DELETED: "deleted {}",
    ClaimKind.FILE_REFERENCED: "refers to {}",
    ClaimKind.UNCOMMITTED: "uncommitted: {}",
    ClaimKind.BASELINE: "{} in the baseline",
    ClaimKind.BLOCKER_RESOLVED: "blocker {} is resolved",
}


def describe_claim(claim: Claim) -> str:
    """A claim in a few words: `changed src/a.py`, `12 passed (package)`."""
    kind, subject = claim.kind, claim.subject
    value = "" if claim.value is None or claim.value is True else shorten_hashes(str(claim.value))
    if kind is ClaimKind.COUNT and subject:
        run, _, number = subject.rpartition(".")
        return f"{value} {_NUMBERS.get(number, number)} ({run})"
    if kind is ClaimKind.UNCOMMITTED and not subject:
        return "1 uncommitted file" if value == "1" else f"{value} uncommitted files"
    said = _SUBJECTS.get(kind, f"{kind.value.replace('-', ' ')} {{}}").format(subject or "").rstrip()
    return f"{said}: {value}" if value else said


_NUMBERS = {"total": "tests"}


_FALSE = {
    ClaimKind.HASH: "The hash of {} is wrong",
    ClaimKind.HASH_BEFORE: "The earlier hash of {} is wrong",
    ClaimKind.FILE_CREATED: "{} was not created in this work",
    ClaimKind.FILE_MODIFIED: "{} was not changed in this work",
    ClaimKind.FILE_DELETED: "{} was not deleted in this work",
    ClaimKind.FILE_REFERENCED: "{} is missing",
}


def describe_false(claim: Claim) -> str:
    """A claim that is not true, as a sentence: `src/a.py was not changed in this work`, `"14 tests pass" is false`."""
    if claim.subject and claim.kind in _FALSE:
        return _FALSE[claim.kind].format(claim.subject)
    text = shorten_hashes(claim.text).strip('"')
    quoted = text if len(text) <= _LONGEST_SENTENCE else f"{text[: _LONGEST_SENTENCE - 1]}…"
    return f'"{quoted}" is false'


def shorten_hashes(text: str) -> str:
    """The same text, with long hashes cut."""
    return _HASH.sub(r"\1…", text)


class Verdict(Model):
    """A claim beside its measurement."""

    claim: Claim
    state: VerdictState
    measured: ClaimValue = None
    evidence: str = ""
    """How it was measured, or why it could not be."""
    moment: str | None = None
    """When it was measured: `now`, or the commits it speaks about as git writes them; None if time plays no part."""
