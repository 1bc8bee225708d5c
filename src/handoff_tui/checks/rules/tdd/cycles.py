"""The steps of TDD cycles, in the order in which they were made, and how many failing tests a text speaks of."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from handoff_tui.checks.context import Context
from handoff_tui.checks.world import CommitInfo
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


class Step(NamedTuple):
    """One phase of a cycle as a note, a commit or a file tells it. What was not said is nothing."""

    handoff: Handoff
    where: Place
    phase: str | None
    status: str | None
    is_present: bool = False

    @property
    def commit(self) -> str | None:
        """The commit that carries the step, perhaps abbreviated; nothing for a file."""
        if self.where.path.startswith("notes:"):
            return self.where.path.rpartition("/")[2]
        return self.where.path.removeprefix("commit:") if self.where.path.startswith("commit:") else None

    @property
    def has_result(self) -> bool:
        """Whether such a source can say how the tests ended; a ref and a line of a queue cannot."""
        return not self.where.path.startswith("refs/") and not self.where.path.endswith(".log")


class CommitIndex:
    """The newest commits by the beginning of their ids, with their ages: 0 for the newest."""

    def __init__(self, context: Context) -> None:
        self._known = {commit.id[:SHORT_COMMIT]: (age, commit) for age, commit in enumerate(context.commits())}

    def find(self, step: Step) -> CommitInfo | None:
        """The commit that carries a step; nothing where it is not among the newest."""
        _, commit = self._known.get((step.commit or "")[:SHORT_COMMIT], (None, None))
        return commit if commit is not None and commit.id.startswith(step.commit or "-") else None

    def age(self, step: Step) -> int | None:
        commit = self.find(step)
        return self._known[commit.id[:SHORT_COMMIT]][0] if commit is not None else None


def require_cycles(context: Context) -> tuple[Handoff, ...]:
    """The TDD cycles under review; without any, the rule does not apply."""
    return list_cycles(context.handoffs("tdd")) or context.skip("no TDD cycle here")


def list_cycles(handoffs: tuple[Handoff, ...]) -> tuple[Handoff, ...]:
    return tuple(handoff for handoff in handoffs if handoff.dialect == "tdd" and _CYCLE.match(handoff.id))


def list_steps(handoff: Handoff) -> list[Step]:
    """Oldest first, the present one last."""
    earlier = [
        Step(handoff, attempt.where, attempt.phase, attempt.status)
        for attempt in handoff.attempts
        if attempt.where is not None
    ]
    return [*earlier, build_present(handoff)]


def build_present(handoff: Handoff) -> Step:
    """The step in which the cycle stands."""
    kinds = (ClaimKind.COMMIT, ClaimKind.STATUS)
    said = [claim.where for kind in kinds for claim in handoff.claims if claim.kind is kind]
    first = Place(path=handoff.documents[0].path) if handoff.documents else Place(path=handoff.id)
    return Step(handoff, said[0] if said else first, handoff.source_phase, handoff.status, is_present=True)


def find_last(steps: list[Step], phase: str) -> Step | None:
    """The last step of a phase: earlier ones were tries that it replaces."""
    return next((step for step in reversed(steps) if step.phase == phase and step.has_result), None)


def count_failing(handoff: Handoff) -> int | None:
    """How many failing tests the present step speaks of, in numbers or in the words of its error."""
    if handoff.tests is not None and handoff.tests.failed is not None:
        return handoff.tests.failed
    for text in (*(blocker.title for blocker in handoff.blockers), handoff.message or ""):
        match = _FAILING.search(text)
        if match:
            return int(match.group(1))
    return None
