"""`uncommitted_files` and git agree, both ways."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable, read_json
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.handoff import Handoff

_FIELD = "uncommitted_files"


def judge(context: Context) -> Iterator[Found]:
    handoffs = context.require_handoffs("gsd")
    lists = [(handoff, path) for handoff in handoffs for path in _find_lists(context, handoff)]
    broken = [
        found
        for handoff in handoffs
        for found in find_unreadable(context, [document.path for document in handoff.documents])
    ]
    if not lists and not broken:
        context.skip(f"no {_FIELD} here")
    yield from broken
    facts = context.facts()
    uncommitted = {*facts.changed, *facts.untracked}
    named: set[str] = set()
    for handoff, path in lists:
        claims = [claim for claim in handoff.claims if claim.kind is ClaimKind.UNCOMMITTED and claim.where.path == path]
        for claim in claims:
            covered = _find_covered(context, claim, uncommitted)
            named |= covered
            if not covered:
                yield _build_clean(handoff, claim)
    if lists:
        yield from _find_unnamed(context, uncommitted - named, lists[0][1])


def _find_lists(context: Context, handoff: Handoff) -> Iterator[str]:
    for document in handoff.documents:
        root = read_json(context, document.path) if document.path.lower().endswith(".json") else None
        if isinstance(root, dict) and isinstance(root.get(_FIELD), list):
            yield document.path


def _find_covered(context: Context, claim: Claim, uncommitted: set[str]) -> set[str]:
    """The changed paths that an entry names: a file, or all below a folder."""
    if claim.subject is None:
        return set()
    names = {claim.subject.rstrip("/")}
    found = context.find(claim.subject, claim.where.path)
    if found:
        names.add(found.rstrip("/"))
    return {path for path in uncommitted if any(path == name or path.startswith(f"{name}/") for name in names)}


def _build_clean(handoff: Handoff, claim: Claim) -> Found:
    if claim.subject is None:
        return Found(
            message=f"{handoff.id}: an entry of {_FIELD} names no path: {claim.text}",
            subject=f"{handoff.id} {claim.text}",
            place=claim.where,
            expected="a path",
            actual=claim.text,
        )
    return Found(
        message=f"{handoff.id}: {claim.subject} is said to be uncommitted, but git has no change there",
        subject=f"{handoff.id} {claim.subject}",
        place=claim.where,
        expected="an uncommitted change",
        actual="clean, or not there",
        command=f"git log -1 -- {shlex.quote(claim.subject)}",
    )


def _find_unnamed(context: Context, unnamed: set[str], path: str) -> Iterator[Found]:
    """Changes that no list names; the documents of handoffs are how they are told, not what is told."""
    own = {document.path for handoff in context.every_handoff() for document in handoff.documents}
    for changed in sorted(unnamed - own):
        yield Found(
            message=f"{changed} has uncommitted changes, but {_FIELD} does not name it",
            subject=f"unnamed {changed}",
            place=Place(path=path),
            expected=f"{changed} in {_FIELD}",
            actual="not named",
            command=f"git diff -- {shlex.quote(changed)}",
        )


UNCOMMITTED_FILES_AGREE = Rule(
    id="uncommitted-files-agree",
    system=System.PUBLIC,
    severity=Severity.MEDIUM,
    holds="What is said to be uncommitted is, and nothing else is.",
    reads="uncommitted_files, and what git says has changed",
    remedy="Commit what should be, and make uncommitted_files the list of what is left.",
    judge=judge,
    commands=("git status --short",),
)
