"""A handoff as the log sees it: its phase, attempt, producers, and the digest of what it says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from handoff_tui.core.errors import UsageError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.history.commits import read_commits
from handoff_tui.git.history.work_commits import list_work_commits, read_contributors
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.entries.fields import LABEL
from handoff_tui.log.entry import SENDING_BACK
from handoff_tui.log.index import DecisionEntry, LogIndex
from handoff_tui.log.policy.policy import Policy

_OUTSIDE_GRAMMAR = compile_later(r"[^A-Za-z0-9._%+@-]+")
_LONGEST = 128
_MOST_REVISIONS = 50
NO_PHASE = "review"
"""The phase of work whose format has none."""


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


def find_phase(handoff: Handoff, named: str | None = None) -> str:
    """Returns the named phase, or the one whose work was handed over, spelled as the log spells phases."""
    if named is None:
        return build_id(handoff.source_phase or NO_PHASE)
    if not LABEL.fullmatch(named):
        raise UsageError(
            f"{named!r} cannot be a phase in the log",
            "A letter or digit first, then letters, digits and ._/- (at most 128).",
        )
    return named


def find_attempt(index: LogIndex, handoff: Handoff, phase: str, tree: str) -> int:
    """Returns the current attempt: the handoff's, or one more than the last one sent back, if there is new work."""
    sent_back = [made.work for made in list_sent_back(index, handoff.id, phase)]
    submitted = [one.work.attempt for one in index.find_submissions(handoff.id, phase)]
    known = max([handoff.attempt, *submitted, *(work.attempt for work in sent_back)])
    last = [work for work in sent_back if work.attempt == known]
    return known + 1 if last and all(work.subject.tree != tree for work in last) else known


def list_sent_back(index: LogIndex, handoff: str, phase: str) -> list[DecisionEntry]:
    """Lists decisions that sent an attempt back, oldest first, unless their author changed their mind."""
    last: dict[tuple[str, int], DecisionEntry] = {}
    for made in index.list_decisions(handoff, phase):
        if not index.is_void(made.entry.id):
            last[made.entry.actor, made.work.attempt] = made
    return [made for made in last.values() if made.decision.verb in SENDING_BACK]


def build_handoff_digest(handoff: Handoff) -> str:
    """Returns the SHA-256 of the handoff as read, whatever its format."""
    return build_value_digest(handoff.model_dump(mode="json", exclude_defaults=True))


def build_value_digest(value: object) -> str:
    """Returns the SHA-256 of a value as JSON with sorted keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()
