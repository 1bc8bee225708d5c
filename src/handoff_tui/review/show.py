"""One handoff whole: what it says beside what was measured."""

from __future__ import annotations

import difflib

from handoff_tui.errors import HandoffNotFoundError
from handoff_tui.models.handoff import Handoff
from handoff_tui.models.review_state import ReviewedHandoff, Reviewer, ReviewState, Revision, ShownHandoff
from handoff_tui.repo.history import read_commits
from handoff_tui.repo.owner import RepoOwner
from handoff_tui.review.desk import Desk
from handoff_tui.review.evidence import Evidence
from handoff_tui.review.measure import list_commits, measure_claims

_MOST_REVISIONS = 20


def show(desk: Desk, state: ReviewState, wanted: str) -> ShownHandoff:
    """Measures every claim of the handoff with this id."""
    reviewed = find_handoff(state, wanted)
    evidence = Evidence(desk, deep=True)
    evidence.resolve_commits(list_commits([reviewed.handoff]))
    documents = {document.path for document in reviewed.handoff.documents}
    return ShownHandoff(
        reviewed=reviewed,
        verdicts=measure_claims(reviewed.handoff, evidence),
        history=_read_history(desk, reviewed.handoff),
        reviewer=_read_reviewer(desk, reviewed.handoff),
        problems=tuple(problem for problem in state.problems if problem.path in documents),
    )


def find_handoff(state: ReviewState, wanted: str) -> ReviewedHandoff:
    """By id, then by the name used in the files; upper and lower case count as one where that is not ambiguous."""
    for key in (_same, _same_folded):
        found = [reviewed for reviewed in state.handoffs if key(reviewed.handoff, wanted)]
        if len(found) == 1:
            return found[0]
    ids = [reviewed.handoff.id for reviewed in state.handoffs]
    near = difflib.get_close_matches(wanted, ids, n=3, cutoff=0.5)
    if not ids:
        hint = "There are no handoffs in this repository that handoff-tui understands."
    elif near:
        hint = f"Did you mean {', '.join(near)}? `handoff-tui status` lists all."
    else:
        hint = "`handoff-tui status` lists the ids."
    raise HandoffNotFoundError(f"no handoff has the id {wanted!r}", hint)


def _same(handoff: Handoff, wanted: str) -> bool:
    return handoff.id == wanted


def _same_folded(handoff: Handoff, wanted: str) -> bool:
    return wanted.casefold() in {handoff.id.casefold(), (handoff.original_name or "").casefold()}


def _read_reviewer(desk: Desk, handoff: Handoff) -> Reviewer | None:
    """The person at the desk; nobody reviews their own work, so it is said when they produced it."""
    with RepoOwner(desk.repository) as owner:
        identity = owner.read_identity()
    if identity.name is None and identity.email is None:
        return None
    producers = {producer.casefold() for producer in (*handoff.producers, handoff.source_agent or "")}
    mine = {text.casefold() for text in (identity.name, identity.email) if text}
    return Reviewer(name=identity.name, email=identity.email, produced_this=bool(mine & producers))


def _read_history(desk: Desk, handoff: Handoff) -> tuple[Revision, ...]:
    """The commits that touched the handoff's documents, newest first."""
    paths = tuple(document.path for document in handoff.documents if ":" not in document.path)
    if not paths:
        return ()
    return tuple(
        Revision(commit=commit.id, author=commit.author, date=commit.date, subject=commit.subject)
        for commit in read_commits(desk.repository.git, _MOST_REVISIONS, paths)
    )
