"""A handoff while it is being put together from several files; `build` freezes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields

from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Attempt, Blocker, Fact, Proof, ReportedFinding, Task
from handoff_tui.handoffs.claim import Claim
from handoff_tui.handoffs.handoff import Document, Handoff, HandoffType


@dataclass(slots=True)
class HandoffDraft:
    """The parts of a handoff in the order in which they were found."""

    id: str
    dialect: str
    type: HandoffType = HandoffType.AGENT_HANDOFF
    title: str | None = None
    original_name: str | None = None
    source_phase: str | None = None
    target_phase: str | None = None
    source_agent: str | None = None
    target_agent: str | None = None
    priority: str | None = None
    status: str | None = None
    message: str | None = None
    next_action: str | None = None
    created: str | None = None
    attempt: int = 1
    producers: list[str] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    findings: list[ReportedFinding] = field(default_factory=list)
    proofs: list[Proof] = field(default_factory=list)
    blockers: list[Blocker] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)

    def add_fact(self, name: str, value: str | None, where: Place | None = None) -> None:
        """Adds a fact; one without a value is none."""
        if value:
            self.facts.append(Fact(name=name, value=value, where=where))

    def add_producer(self, name: str | None) -> None:
        if name and name not in self.producers:
            self.producers.append(name)

    def add_claims(self, claims: Iterable[Claim]) -> None:
        """Adds claims; one that says the same at the same place as an earlier one is left out."""
        known = {_sameness(claim) for claim in self.claims}
        for claim in claims:
            if _sameness(claim) not in known:
                known.add(_sameness(claim))
                self.claims.append(claim)

    def build(self) -> Handoff:
        """Freezes it; every list becomes a tuple."""
        values = ((part.name, getattr(self, part.name)) for part in fields(self))
        return Handoff(**{name: tuple(value) if isinstance(value, list) else value for name, value in values})


def _sameness(claim: Claim) -> tuple[object, ...]:
    return claim.kind, claim.subject, claim.value, claim.where.path, claim.where.line
