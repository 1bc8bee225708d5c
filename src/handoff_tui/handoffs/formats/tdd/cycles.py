"""Steps of TDD cycles, and the handoff of each cycle: its present state on top, earlier steps as attempts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from itertools import pairwise
from typing import Final

from handoff_tui.config.settings.root import Settings, Tdd
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Attempt, Blocker, Fact, Task
from handoff_tui.git.history.commits import Commit
from handoff_tui.handoffs.claim import Claim
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff, HandoffType, build_id
from handoff_tui.handoffs.reading.format import Source

_JOINTS: Final = compile_later(r"[\s_]+")

STANDARD: Final = Tdd.model_construct()
"""The words of the cycle where nothing else is configured."""
PHASES: Final = STANDARD.phases
_PHASE_OF_AGENT: Final = {
    **dict.fromkeys(("plan", "test-list"), "PLAN"),
    **dict.fromkeys(("test", "red"), "RED"),
    **dict.fromkeys(("impl", "implement", "implementing", "implementation", "green"), "GREEN"),
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
    word = _JOINTS.sub("-", name.strip().lower())
    return _PHASE_OF_AGENT.get(word.removesuffix("-agent").removesuffix("-phase"))


def printable(text: str) -> str:
    """Git's text may hold bytes that aren't UTF-8; they arrive as halves of surrogate pairs."""
    return _SURROGATE.sub("\ufffd", text)


FIRST_CYCLE = 1
_NOT_STARTED: Final = "NOT_STARTED"


class CommitOrder(NamedTuple):
    """Commits by age, for the order of steps and the names of those who made them."""

    positions: Mapping[str, int]
    commits: Mapping[str, Commit]

    @classmethod
    def of(cls, commits: Sequence[Commit]) -> CommitOrder:
        return cls(
            {commit.id: position for position, commit in enumerate(commits)}, {commit.id: commit for commit in commits}
        )

    def age(self, step: CycleStep) -> int:
        """0 for the newest; commits that were not looked at are older than all others."""
        return self.positions.get(step.commit or "", len(self.positions))


def find_newest_cycle(steps: Iterable[CycleStep]) -> int | None:
    """The cycle of the newest note, else of the state file, else the highest number that is named."""
    ordered = list(steps)
    for origin in (Origin.NOTE, Origin.STATE):
        for step in ordered:
            if step.origin is origin and step.cycle is not None:
                return step.cycle
    return max((step.cycle for step in ordered if step.cycle is not None), default=None)


def fill_cycles(steps: Sequence[CycleStep]) -> list[CycleStep]:
    """Gives each step a cycle: a note that says none is in that of the next older note, a file in the newest."""
    newest = find_newest_cycle(steps) or FIRST_CYCLE
    filled: list[CycleStep] = []
    older_cycle = FIRST_CYCLE
    for step in reversed(steps):
        if step.cycle is not None:
            cycle = step.cycle
        elif step.origin is Origin.NOTE:
            cycle = older_cycle
        else:
            cycle = FIRST_CYCLE if step.origin is Origin.TRAILER else newest
        if step.origin is Origin.NOTE:
            older_cycle = cycle
        filled.append(step._replace(cycle=cycle))
    return filled[::-1]


def build_cycle(cycle: int, steps: Sequence[CycleStep], history: CommitOrder) -> Handoff:
    """One handoff from all steps of a cycle."""
    told = _without_repeats([step for step in steps if not _is_beginning(step)] or steps)
    present = _choose_present(told, history)
    noted = min((step for step in told if step.origin is Origin.NOTE), key=history.age, default=None)
    earlier = _sort_oldest_first([step for step in told if step is not present], history)
    if _is_beginning(present):
        present = present._replace(phase=present.next_phase, next_phase=None, status=_NOT_STARTED)
    return Handoff(
        id=build_id(f"TDD-{cycle}"),
        dialect="tdd",
        title=present.title or (noted.title if noted else None) or f"Cycle {cycle}",
        type=HandoffType.PHASE_TRANSITION,
        source_phase=present.phase,
        target_phase=present.next_phase,
        source_agent=present.source_agent,
        target_agent=present.target_agent,
        status=present.status,
        attempt=present.retries + 1,
        attempts=tuple(_build_attempt(number, step, history) for number, step in enumerate(earlier, start=1)),
        producers=_find_producers([present, *reversed(earlier)], history),
        message=present.summary,
        next_action=f"{present.next_phase} phase" if present.next_phase else None,
        claims=present.claims,
        documents=_build_documents(steps),
        tasks=present.tasks or (noted.tasks if noted else ()),
        blockers=present.blockers,
        facts=(*present.facts, *_read_marks(steps, present)),
        created=present.when or _date_of(present, history),
    )


def _is_beginning(step: CycleStep) -> bool:
    """Whether a step only says that a cycle begins: nobody has worked yet."""
    return step.phase is None and step.next_phase == PHASES[0]


def report_conflicts(steps: Sequence[CycleStep], history: CommitOrder) -> None:
    """Reports a state file whose phase isn't that of the newest note, and a note that doesn't follow the one before."""
    notes = sorted((step for step in steps if step.origin is Origin.NOTE), key=history.age)
    for step in steps:
        if notes and step.origin is Origin.STATE and step.source and step.phase and step.phase != notes[0].phase:
            noted = notes[0].phase or "nothing"
            step.source.report(f"says {step.phase}, but the newest note says {noted}", step.where.line)
    for newer, older in pairwise(notes):
        if older.next_phase and newer.phase and newer.phase != older.next_phase and newer.source:
            newer.source.report(f"is of phase {newer.phase}, but the note before it announced {older.next_phase}")


def _choose_present(steps: Sequence[CycleStep], history: CommitOrder) -> CycleStep:
    """The newest note, or a trailer on a newer commit; without notes the best source there is, and its newest word."""
    best = min(step.origin for step in steps)
    if best is Origin.NOTE:
        committed = [step for step in steps if step.origin in {Origin.NOTE, Origin.TRAILER}]
        return min(committed, key=lambda step: (history.age(step), step.origin))
    pool = [step for step in steps if step.origin is best]
    return pool[-1] if best in {Origin.HISTORY, Origin.QUEUE} else min(pool, key=history.age)


def _without_repeats(steps: Sequence[CycleStep]) -> list[CycleStep]:
    """A commit with a note counts as one step; refs count only if nothing else does."""
    noted = {step.commit for step in steps if step.origin is Origin.NOTE}
    kept = [step for step in steps if step.origin is not Origin.TRAILER or step.commit not in noted]
    return [step for step in kept if step.origin is not Origin.REF] or kept


def _sort_oldest_first(steps: list[CycleStep], history: CommitOrder) -> list[CycleStep]:
    """History and queue keep the order of their files and come first; a second state file isn't an attempt."""
    kept = [step for step in steps if step.origin is Origin.HISTORY]
    queued = [step for step in steps if step.origin is Origin.QUEUE]
    committed = [step for step in steps if step.origin in {Origin.NOTE, Origin.TRAILER, Origin.REF}]
    newest_first = sorted(committed, key=history.age)
    return [*kept, *queued, *newest_first[::-1]]


def _build_attempt(number: int, step: CycleStep, history: CommitOrder) -> Attempt:
    return Attempt(
        number=number,
        agent=step.source_agent,
        phase=step.phase,
        status=step.status,
        summary=step.summary or step.title,
        when=step.when or _date_of(step, history),
        where=step.where,
    )


def _date_of(step: CycleStep, history: CommitOrder) -> str | None:
    commit = history.commits.get(step.commit or "")
    return commit.date if commit else None


def _read_marks(steps: Iterable[CycleStep], present: CycleStep) -> list[Fact]:
    """The tags, branches and refs that mark the cycle."""
    return [fact for step in steps if step.origin is Origin.REF and step is not present for fact in step.facts]


def _find_producers(steps: Iterable[CycleStep], history: CommitOrder) -> tuple[str, ...]:
    """The agents that are named, newest first; the commit's author if no agent is."""
    names: dict[str, None] = {}
    for step in steps:
        commit = history.commits.get(step.commit or "")
        name = step.source_agent or (printable(commit.author) if commit else None)
        if name:
            names[name] = None
    return tuple(names)


def _build_documents(steps: Iterable[CycleStep]) -> tuple[Document, ...]:
    roles = {Origin.STATE: DocumentRole.STATE, Origin.HISTORY: DocumentRole.LOG, Origin.QUEUE: DocumentRole.LOG}
    found: dict[str, tuple[Source, DocumentRole]] = {}
    for step in steps:
        if step.source is not None:
            found.setdefault(step.source.path, (step.source, roles.get(step.origin, DocumentRole.NOTE)))
    return tuple(source.document(role) for source, role in found.values())
