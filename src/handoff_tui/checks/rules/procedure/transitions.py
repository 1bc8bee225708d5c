"""Handoffs that pass work from one phase or agent to the next, and where they say so."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found
from handoff_tui.checks.facts.document_problems import find_unreadable
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.document import DocumentRole
from handoff_tui.handoffs.handoff import Handoff, RegistryState

PROCEDURE = "procedure"
TDD = "tdd"


def require_transitions(context: Context) -> tuple[Handoff, ...]:
    """The handoffs under review that pass work on; without any, the rule does not apply."""
    found = tuple(handoff for handoff in context.handoffs() if is_transition(handoff))
    return found or context.skip("no handoff here passes work on to another phase")


def is_transition(handoff: Handoff) -> bool:
    """A procedure's handoff, or any that names a target phase and has begun; mere definitions pass nothing on."""
    if handoff.dialect == PROCEDURE:
        return any(document.role is not DocumentRole.SPEC for document in handoff.documents)
    if handoff.registry is RegistryState.SUPERSEDED:
        return False
    if handoff.dialect == "builder" and handoff.status is None and not handoff.attempts:
        return False
    return handoff.target_phase is not None


def find_place(handoff: Handoff) -> Place | None:
    """Where the handoff states itself: at its status, else at its first document."""
    for claim in handoff.claims:
        if claim.kind is ClaimKind.STATUS:
            return claim.where
    return Place(path=handoff.documents[0].path) if handoff.documents else None


def find_broken(context: Context, handoff: Handoff, number: str) -> Iterator[Found]:
    """The documents of a handoff that could not be read, as findings of the rule of this number."""
    paths = [document.path for document in handoff.documents]
    for found in find_unreadable(context, paths):
        yield found._replace(message=f"{number}: {found.message}")
