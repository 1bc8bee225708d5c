"""Every file that a state file or handoff document claims to exist does."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable
from handoff_tui.checks.rule import Moment, Rule, RuleFinding, System
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import Claim, ClaimKind, VerdictState
from handoff_tui.handoffs.handoff import Handoff

_NAMED = {
    ClaimKind.FILE_REFERENCED: "names",
    ClaimKind.FILE_CREATED: "says it created",
    ClaimKind.FILE_MODIFIED: "says it modified",
}


def judge(context: Context) -> Iterator[RuleFinding]:
    handoffs = context.handoffs()
    claims = [(handoff, claim) for handoff in handoffs for claim in handoff.claims if claim.kind in _NAMED]
    broken = list(find_unreadable(context, {document.path for handoff in handoffs for document in handoff.documents}))
    if not claims and not broken:
        context.skip("no document under review names a file")
    yield from broken
    deleted = {
        claim.subject
        for handoff in context.every_handoff()
        for claim in handoff.claims
        if claim.kind is ClaimKind.FILE_DELETED
    }
    missing = _find_missing(context, handoffs)
    explained = [claim for claim in missing if claim.subject in deleted]
    if explained:
        context.note(f"{len(explained)} named files are said to have been deleted")
    for claim in missing:
        if claim.subject not in deleted:
            message = f"{claim.where.path} {_NAMED[claim.kind]} {claim.subject}, which does not exist"
            expected = f"{claim.subject} exists"
            yield RuleFinding(message, claim.subject or claim.text, claim.where, expected, "no such file")


def _find_missing(context: Context, handoffs: tuple[Handoff, ...]) -> list[Claim]:
    """Returns, per document, the first claim about each missing file."""
    missing: dict[tuple[str, str | None], Claim] = {}
    for handoff in handoffs:
        for verdict in context.verdicts(handoff.id):
            claim = verdict.claim
            if claim.kind in _NAMED and verdict.state is VerdictState.CONTRADICTED:
                missing.setdefault((claim.where.path, claim.subject), claim)
    return list(missing.values())


REFERENCED_FILES_EXIST = Rule(
    id="referenced-files-exist",
    system=System.MOSAIC,
    severity=Severity.HIGH,
    holds="Every file that a state file or handoff document names exists.",
    reads="files named in state files and handoff documents",
    remedy="Create or commit the named file, or correct the document that names it.",
    judge=judge,
    moments=(Moment.PRE, Moment.POST),
)
