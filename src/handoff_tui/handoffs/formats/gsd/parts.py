"""What either file of a paused phase says, before the two are put together."""

from __future__ import annotations

from typing import Final, NamedTuple

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Blocker, Fact, Task, TestCounts
from handoff_tui.handoffs.claim import Claim

_NOT_A_SLUG: Final = compile_later(r"[^a-z0-9.]+")
_LEADING_ZEROS: Final = compile_later(r"^0+(?=\d)")


class PausedWork(NamedTuple):
    """One file's account. What it does not say is nothing."""

    phase: str | None = None
    phase_name: str | None = None
    status: str | None = None
    task: str | None = None
    total_tasks: str | None = None
    message: str | None = None
    next_action: str | None = None
    created: str | None = None
    tests: TestCounts | None = None
    tasks: tuple[Task, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    claims: tuple[Claim, ...] = ()
    facts: tuple[Fact, ...] = ()

    def slug(self) -> str:
        """The name for the id: the phase, or its name where it has no number."""
        return _slug(self.phase or "") or _slug(self.phase_name or "")

    def names(self) -> set[str]:
        """Every way in which the other file may call the same phase."""
        phase, name = _slug(self.phase or ""), _slug(self.phase_name or "")
        joined = f"{phase}-{name}" if phase and name else ""
        return {_LEADING_ZEROS.sub("", text) for text in (phase, name, joined) if text}

    def has_same_phase(self, other: PausedWork) -> bool:
        return bool(self.names() & other.names())


def _slug(text: str) -> str:
    return _NOT_A_SLUG.sub("-", text.lower()).strip("-.")
