"""Who made the work under review. Nobody approves their own."""

from __future__ import annotations

from collections.abc import Iterable

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.history.commits import read_commits
from handoff_tui.git.history.work_commits import list_work_commits, read_contributors
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.index import LogIndex
from handoff_tui.log.policy.policy import Policy

_OUTSIDE_GRAMMAR = compile_later(r"[^A-Za-z0-9._%+@-]+")
_LONGEST = 128
_MOST_REVISIONS = 50


def find_producers(
    desk: Desk, handoff: Handoff, base: str | None, index: LogIndex, policy: Policy | None, place: tuple[str, int]
) -> tuple[str, ...]:
    """Submitters, agents that the handoff names, and authors, committers and co-authors since the base.

    Without a base there is no range of commits: then it is who touched the handoff's own documents.
    `place` is the phase and the attempt.
    """
    phase, attempt = place
    submitters = {one.entry.actor for one in index.find_submissions(handoff.id, phase) if one.work.attempt == attempt}
    git = desk.repository.git
    if base is not None:
        contributors = read_contributors(git, list_work_commits(git, base))
    else:
        documents = tuple(document.path for document in handoff.documents)
        revisions = read_commits(git, _MOST_REVISIONS, documents) if documents else []
        contributors = read_contributors(git, [commit.id for commit in revisions])
    return build_principals({*submitters, *handoff.producers, *contributors}, policy)


def build_principals(names: Iterable[str], policy: Policy | None) -> tuple[str, ...]:
    """Names as the log spells principals: as the policy has them, whatever their case, or made to fit."""
    enrolled = (
        {} if policy is None else {signer.principal.casefold(): signer.principal for signer in policy.signers.values()}
    )
    if policy is not None:
        enrolled |= {name.casefold(): name for role in policy.roles.values() for name in role}
    fitted = (_OUTSIDE_GRAMMAR.sub("-", name).strip("-")[:_LONGEST] for name in names)
    return tuple(sorted({enrolled.get(name.casefold(), name) for name in fitted if name}))
