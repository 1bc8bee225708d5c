"""One step of a cycle as one source has it, and the words for phases."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final, NamedTuple

from handoff_tui.config.settings.root import Settings, Tdd
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Blocker, Fact, Task
from handoff_tui.handoffs.claim import Claim
from handoff_tui.handoffs.reading.format import Source

STANDARD: Final = Tdd.model_construct()
"""The words of the cycle where nothing else is configured."""
PHASES: Final = STANDARD.phases
_PHASE_OF_AGENT: Final = {
    "plan": "PLAN",
    "test-list": "PLAN",
    "test": "RED",
    "red": "RED",
    "impl": "GREEN",
    "implement": "GREEN",
    "implementing": "GREEN",
    "implementation": "GREEN",
    "green": "GREEN",
    "refactor": "REFACTOR",
    "complete": "COMPLETE",
}
_SURROGATE: Final = compile_later("[\ud800-\udfff]")


class Origin(IntEnum):
    """Where a step was found; if several sources have one cycle, the lowest counts first."""

    NOTE = 0
    STATE = 1
    TRAILER = 2
    HISTORY = 3
    QUEUE = 4
    REF = 5


class CycleStep(NamedTuple):
    """One phase of a cycle; None for what the source doesn't say."""

    origin: Origin
    where: Place
    cycle: int | None = None
    phase: str | None = None
    next_phase: str | None = None
    source_agent: str | None = None
    target_agent: str | None = None
    status: str | None = None
    retries: int = 0
    commit: str | None = None
    when: str | None = None
    title: str | None = None
    summary: str | None = None
    claims: tuple[Claim, ...] = ()
    tasks: tuple[Task, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    facts: tuple[Fact, ...] = ()
    source: Source | None = None


class PhaseRules(NamedTuple):
    """Which phases there are and which may follow which."""

    phases: tuple[str, ...]
    moves: frozenset[tuple[str, str]]
    trailer_prefixes: tuple[str, ...]
    """How commit trailers that tell a step begin."""
    tag_prefixes: tuple[str, ...]
    """How tags that mark a step begin."""

    def is_legal(self, phase: str, next_phase: str, *, retried: bool) -> bool:
        """Whether the move is on an edge; a failed phase may be tried again, and what is complete stays so."""
        if not self.moves or phase not in self.phases or next_phase not in self.phases:
            return True
        stays = phase == next_phase and (retried or phase == self.phases[-1])
        return stays or (phase, next_phase) in self.moves


def build_rules(settings: Settings) -> PhaseRules:
    pipeline = settings.pipelines.get("tdd")
    edges = pipeline.build("tdd").edges if pipeline else ()
    moves = frozenset((edge.source, edge.target) for edge in edges)
    return PhaseRules(settings.tdd.phases, moves, settings.tdd.trailer_prefixes, settings.tdd.tag_prefixes)


def normalise_phase(text: str, phases: tuple[str, ...] = PHASES) -> str:
    """A phase as it is called; any other word as it is written."""
    word = text.strip()
    return next((phase for phase in phases if phase.casefold() == word.casefold()), word)


def is_phase(value: object) -> bool:
    return isinstance(value, str) and value.strip().upper() in PHASES


def phase_of_agent(name: str) -> str | None:
    """The phase in which an agent of this name works: `TEST-AGENT` → RED."""
    word = re.sub(r"[\s_]+", "-", name.strip().lower())
    return _PHASE_OF_AGENT.get(word.removesuffix("-agent").removesuffix("-phase"))


def printable(text: str) -> str:
    """Git's text may hold bytes that are no UTF-8; they arrive as halves of surrogate pairs."""
    return _SURROGATE.sub("\ufffd", text)
