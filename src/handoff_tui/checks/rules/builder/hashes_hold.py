"""Hashes quoted in documents are complete, and true both when the document was written and now."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import describe_cut_off, find_unreadable
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.checks.rules.builder.packages import build_hash, find_measured, measure_hash
from handoff_tui.core.severity import Severity
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.handoff import DocumentRole, Handoff

_HASHES = frozenset({ClaimKind.HASH, ClaimKind.HASH_BEFORE})
_ABSENT = "no such file then"


_Replaced = frozenset[tuple[str, str, str]]


def judge(context: Context) -> Iterator[RuleFinding]:
    judged = False
    unseen: list[str] = []
    replaced = _list_replaced(context)
    found: list[RuleFinding] = []
    for handoff in context.require_handoffs("builder"):
        quoting = {document.path for document in handoff.documents if document.role is not DocumentRole.MANIFEST}
        claims = [claim for claim in handoff.claims if claim.kind in _HASHES and claim.where.path in quoting]
        unreadable = list(find_unreadable(context, quoting))
        judged = judged or bool(claims) or bool(unreadable)
        found.extend(unreadable)
        for claim in claims:
            if _is_unseen(context, handoff, claim, replaced):
                unseen.append(claim.where.path)
            else:
                found.extend(_judge_claim(context, handoff, claim, replaced))
    if not judged:
        context.skip("no builder document quotes a hash")
    if unseen and not found:
        context.undecidable(describe_cut_off(unseen))
    yield from found


def _list_replaced(context: Context) -> _Replaced:
    """Lists what documents declare as replaced: file name, hash before the change, document."""
    return frozenset(
        (_name_of(claim), str(claim.value), claim.where.path)
        for handoff in context.every_handoff()
        for claim in handoff.claims
        if claim.kind is ClaimKind.HASH_BEFORE
    )


def _is_unseen(context: Context, handoff: Handoff, claim: Claim, replaced: _Replaced) -> bool:
    """Returns whether a claim depends on a commit that a shallow clone lacks: false now, but declared as replaced."""
    if claim.kind is not ClaimKind.HASH or not _is_replaced(claim, replaced):
        return False
    path = context.find(claim.subject or "", claim.where.path) if (claim.subject or "").isprintable() else None
    if _measure_now(context, handoff, claim, path) == str(claim.value):
        return False
    commit = _find_commit(context, claim.where.path)
    return commit is not None and context.is_cut_off(commit)


def _is_replaced(claim: Claim, replaced: _Replaced) -> bool:
    return any(
        (name, digest) == (_name_of(claim), str(claim.value)) and document != claim.where.path
        for name, digest, document in replaced
    )


def _judge_claim(context: Context, handoff: Handoff, claim: Claim, replaced: _Replaced) -> Iterator[RuleFinding]:
    value, subject = str(claim.value), claim.subject or ""
    pattern = context.settings.builder.hash_pattern
    if not re.match(pattern, value):
        message = f"the hash quoted for {subject} is no whole SHA-256"
        yield RuleFinding(message, f"form {claim.kind.value} {subject}", claim.where, "sha256:<64 hex digits>", value)
    elif claim.kind is ClaimKind.HASH:
        yield from _judge_truth(context, handoff, claim, replaced)


def _judge_truth(context: Context, handoff: Handoff, claim: Claim, replaced: _Replaced) -> Iterator[RuleFinding]:
    value, subject = str(claim.value), claim.subject or ""
    path = context.find(subject, claim.where.path) if subject.isprintable() else None
    now = _measure_now(context, handoff, claim, path)
    then, commit = _measure_then(context, claim.where.path, path or subject)
    if now == value and then in {None, value}:
        return
    if then == value and _is_replaced(claim, replaced):
        return
    short = commit[:SHORT_COMMIT]
    if then == value:
        state = "has changed since" if now else "is not there any more"
        message = f"the hash of {subject} was true at {short}, when it was written, but not now: it {state}"
    elif now == value:
        message = f"the hash of {subject} is true now, but was not at {short}, when it was written"
    elif now is None:
        message = f"{subject}, whose hash is quoted, is not here or cannot be read"
    else:
        message = f"the hash quoted for {subject} is false"
    yield RuleFinding(
        message=message,
        subject=f"hash {subject}",
        place=claim.where,
        expected=value,
        actual=(then or _ABSENT) if now == value else (now or "no such file"),
        command=f"sha256sum {shlex.quote(path)}" if path and now else None,
    )


def _measure_now(context: Context, handoff: Handoff, claim: Claim, path: str | None) -> str | None:
    if path is None or not context.exists(path):
        return None
    return measure_hash(context, path) or find_measured(context, handoff, claim)


def _measure_then(context: Context, document: str, path: str) -> tuple[str | None, str]:
    """Returns the hash at the commit of the document, and that commit.

    None if one of the two isn't committed or is being changed, or if a shallow clone lacks the commit.
    """
    commit = _find_commit(context, document)
    if commit is None or not path.isprintable() or context.is_cut_off(commit):
        return None, ""
    content = context.read_at(commit, path)
    if content is not None:
        return build_hash(content), commit
    committed_later = context.read(path) is not None and context.document_commit(path) is not None
    return (_ABSENT if committed_later else None), commit


def _find_commit(context: Context, document: str) -> str | None:
    facts = context.facts()
    return None if document in {*facts.changed, *facts.untracked} else context.document_commit(document)


def _name_of(claim: Claim) -> str:
    return (claim.subject or "").rpartition("/")[2]


HASHES_HOLD = Rule(
    id="hashes-hold",
    system=System.BUILDER,
    severity=Severity.HIGH,
    holds="Every quoted hash is complete, was true when written, and still is, unless a declared change replaced it.",
    reads="hashes quoted in builder documents, and the files they name, now and at the document's commit",
    remedy="Quote the full hash of the committed file. If you change the file later, quote its hash before and after.",
    judge=judge,
)
