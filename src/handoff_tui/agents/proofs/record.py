"""Proofs of work by task, across runs."""

from __future__ import annotations

from handoff_tui.core.model import Model
from handoff_tui.core.tasks import ProofKind


class ProofRecord(Model):
    """One proof: a file of the repository that a handoff offers, or the output of a run."""

    path: str
    kind: ProofKind
    task: str | None = None
    run: str | None = None
    sha256: str | None = None
    """Of the file as it is now; nothing when it cannot be read."""
    recorded: str | None = None
    """The digest that was recorded when it was made; nothing for files that only a document names."""
    size: int | None = None

    @property
    def holds(self) -> bool | None:
        """Whether it is still what was recorded; nothing where nothing was."""
        return None if self.recorded is None else self.sha256 == self.recorded


class TaskProofs(Model):
    """The proofs of one task, oldest run first; without a task, those of the handoff as a whole."""

    task: str | None
    proofs: tuple[ProofRecord, ...]
