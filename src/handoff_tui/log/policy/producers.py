"""Who made the work under review. Nobody approves their own."""

from __future__ import annotations

from collections.abc import Iterable

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.history.commits import read_commits
from handoff_tui.git.history.work_commits import list_work_commits, read_contributors
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.policy.policy import Policy

_OUTSIDE_GRAMMAR = compile_later(r"[^A-Za-z0-9._%+@-]+")
_LONGEST = 128
_MOST_REVISIONS = 50


def find_producers(
    desk: Desk, handoff: Handoff, since: str | None, submitters: Iterable[str], policy: Policy | None
) -> frozenset[str]:
    """Submitters, agents that the handoff names, and everyone who authored or committed something since a commit.

    Without that commit there is no range, so it is whoever touched the handoff's own documents.
    """
    git = desk.repository.git
    if since is not None:
        contributors = read_contributors(git, list_work_commits(git, since))
    else:
        documents = tuple(document.path for document in handoff.documents)
        revisions = read_commits(git, _MOST_REVISIONS, documents) if documents else []
        contributors = read_contributors(git, [commit.id for commit in revisions])
    return build_principals({*submitters, *handoff.producers, *contributors}, policy)


def build_principals(names: Iterable[str], policy: Policy | None) -> frozenset[str]:
    """Spells names as the log spells principals: as the policy has them, whatever their case, or made to fit."""
    enrolled: dict[str, str] = {}
    if policy is not None:
        enrolled = {signer.principal.casefold(): signer.principal for signer in policy.signers.values()}
        enrolled |= {name.casefold(): name for role in policy.roles.values() for name in role}
    fitted = (_OUTSIDE_GRAMMAR.sub("-", name).strip("-")[:_LONGEST] for name in names)
    return frozenset(enrolled.get(name.casefold(), name) for name in fitted if name)
