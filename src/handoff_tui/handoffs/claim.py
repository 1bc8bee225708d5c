"""What an agent says, where it says so, and what was measured."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model
from handoff_tui.core.place import Place

_LONGEST_QUOTE = 200


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


_NAMES = {
    ClaimKind.HASH: "hash of",
    ClaimKind.HASH_BEFORE: "earlier hash of",
    ClaimKind.FILE_CREATED: "created file",
    ClaimKind.FILE_MODIFIED: "changed file",
    ClaimKind.FILE_DELETED: "deleted file",
    ClaimKind.FILE_REFERENCED: "mentioned file",
    ClaimKind.BLOCKER_RESOLVED: "resolved blocker",
}


def name_claim(claim: Claim) -> str:
    """Returns what a person calls it: `hash of src/lamp.py`, `mentioned file docs/plan.md`."""
    name = _NAMES.get(claim.kind, claim.kind.value)
    return f"{name} {claim.subject}" if claim.subject else name.removesuffix(" of")


def quote(text: str) -> str:
    """The words of a claim, on one line and not too long."""
    joined = " ".join(text.split())
    return joined if len(joined) <= _LONGEST_QUOTE else joined[: _LONGEST_QUOTE - 1] + "…"


def build_claim(
    kind: ClaimKind, where: Place, text: str, *, subject: str | None = None, value: ClaimValue = None
) -> Claim:
    return Claim(kind=kind, where=where, text=quote(text), subject=subject, value=value)


class Verdict(Model):
    """A claim beside its measurement."""

    claim: Claim
    state: VerdictState
    measured: ClaimValue = None
    evidence: str = ""
    """How it was measured, or why it could not be."""
    moment: str | None = None
    """When it was measured: `now`, or the commits it speaks about as git writes them; None if time plays no part."""
