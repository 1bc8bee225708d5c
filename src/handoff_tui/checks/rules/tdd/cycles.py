"""The steps of TDD cycles in order, and how many failing tests they report."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.checks.context import Context
from handoff_tui.checks.world import CommitInfo
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.handoff import Handoff

_CYCLE: Final = compile_later(r"^TDD-(\d+)$")
_FAILING: Final = compile_later(
    r"\b(\d{1,9})(?:\s*(?:of|/)\s*\d{1,9})?\s+(?:(?:new|other)\s+)?(?:tests?\s+)?(?:(?:still|now)\s+)?"
    r"(?:fail(?:s|ed|ing|ures?)?)\b",
    re.IGNORECASE,
)


class TddStep(NamedTuple):
    """One phase of a cycle according to a note, a commit or a file. Values it doesn't state are None."""

    handoff: Handoff
    where: Place
    phase: str | None
    status: str | None
    is_present: bool = False

    @property
    def commit(self) -> str | None:
        """The commit that carries the step, perhaps abbreviated; None for a file."""
        if self.where.path.startswith("notes:"):
            return self.where.path.rpartition("/")[2]
        return self.where.path.removeprefix("commit:") if self.where.path.startswith("commit:") else None

    @property
    def has_result(self) -> bool:
        """Whether the source can have a test result; a ref and a line of a queue can't."""
        return not self.where.path.startswith("refs/") and not self.where.path.endswith(".log")


class CommitIndex:
    """The newest commits by the beginning of their ids, with their age: 0 for the newest."""

    def __init__(self, context: Context) -> None:
        self._known = {commit.id[:SHORT_COMMIT]: (age, commit) for age, commit in enumerate(context.commits())}

    def find(self, step: TddStep) -> CommitInfo | None:
        """Returns the commit that carries a step; None if it isn't among the newest."""
        _, commit = self._known.get((step.commit or "")[:SHORT_COMMIT], (None, None))
        return commit if commit is not None and commit.id.startswith(step.commit or "-") else None

    def age(self, step: TddStep) -> int | None:
        commit = self.find(step)
        return self._known[commit.id[:SHORT_COMMIT]][0] if commit is not None else None


def require_cycles(context: Context) -> tuple[Handoff, ...]:
    """Returns the TDD cycles under review, or skips the rule if there are none."""
    return list_cycles(context.handoffs("tdd")) or context.skip("no TDD cycle here")


def list_cycles(handoffs: tuple[Handoff, ...]) -> tuple[Handoff, ...]:
    return tuple(handoff for handoff in handoffs if handoff.dialect == "tdd" and _CYCLE.match(handoff.id))


def list_steps(handoff: Handoff) -> list[TddStep]:
    """Returns the steps of a cycle, oldest first and the current one last."""
    earlier = [
        TddStep(handoff, attempt.where, attempt.phase, attempt.status)
        for attempt in handoff.attempts
        if attempt.where is not None
    ]
    return [*earlier, build_present(handoff)]


def build_present(handoff: Handoff) -> TddStep:
    """Builds the current step of a cycle."""
    kinds = (ClaimKind.COMMIT, ClaimKind.STATUS)
    said = [claim.where for kind in kinds for claim in handoff.claims if claim.kind is kind]
    first = Place(path=handoff.documents[0].path) if handoff.documents else Place(path=handoff.id)
    return TddStep(handoff, said[0] if said else first, handoff.source_phase, handoff.status, is_present=True)


def find_last(steps: list[TddStep], phase: str) -> TddStep | None:
    """Returns the last step of a phase, which replaces earlier attempts."""
    return next((step for step in reversed(steps) if step.phase == phase and step.has_result), None)


def count_failing(handoff: Handoff) -> int | None:
    """Returns how many failing tests the current step reports, in numbers or in its error message."""
    if handoff.tests is not None and handoff.tests.failed is not None:
        return handoff.tests.failed
    for text in (*(blocker.title for blocker in handoff.blockers), handoff.message or ""):
        match = _FAILING.search(text)
        if match:
            return int(match.group(1))
    return None
