"""D: the steps of the cycles follow the edges of the pipeline; a phase may be tried again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.facts.pipelines import list_pipelines
from handoff_tui.checks.rules.tdd.cycles import (
    CommitIndex,
    Step,
    build_present,
    list_cycles,
    list_steps,
    require_cycles,
)
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.handoff import Handoff

_Moves = frozenset[tuple[str, str]]


def judge(context: Context) -> Iterator[Found]:
    cycles = require_cycles(context)
    scope = {handoff.id for handoff in cycles}
    pipeline = list_pipelines(context).get("tdd")
    if pipeline is None or not pipeline.phases:
        context.skip("the configuration has no pipeline tdd")
    moves = frozenset((edge.source, edge.target) for edge in pipeline.edges)
    phases = context.setting("tdd.phases", tuple)
    for handoff in cycles:
        yield from _judge_words(handoff, phases)
        yield from _judge_announced(handoff, moves)
    for chain in _list_chains(context, cycles):
        known = [step for step in chain if step.phase in phases]
        first = known[0] if known else None
        if first is not None and first is chain[0] and first.phase != pipeline.phases[0].name:
            yield from _judge_start(context, first, pipeline.phases[0].name, scope)
        for before, after in pairwise(known):
            if before.phase != after.phase and (before.phase, after.phase) not in moves and after.handoff.id in scope:
                yield _build(after, f"{after.phase} follows {before.phase}", _list_targets(before.phase, moves))


def _judge_words(handoff: Handoff, phases: tuple[str, ...]) -> Iterator[Found]:
    for step in list_steps(handoff):
        if step.phase is not None and step.phase not in phases:
            yield _build(step, f"{step.phase} is no phase", " or ".join(phases))
    if handoff.target_phase is not None and handoff.target_phase not in phases:
        yield _build(build_present(handoff), f"the next phase {handoff.target_phase} is none", " or ".join(phases))


def _judge_announced(handoff: Handoff, moves: _Moves) -> Iterator[Found]:
    """A phase may announce itself again only after a failure; what is complete stays so."""
    source, target = handoff.source_phase, handoff.target_phase
    if source is None or target is None or (source, target) in moves:
        return
    leaves = {before for before, _ in moves}
    failed = handoff.status == "FAIL" or bool(handoff.blockers) or handoff.attempt > 1
    if source == target and (failed or source not in leaves):
        return
    yield _build(build_present(handoff), f"{target} is to follow {source}", _list_targets(source, moves))


def _list_chains(context: Context, cycles: tuple[Handoff, ...]) -> Iterator[list[Step]]:
    """Steps on commits form one chain over all cycles, in the order of history; files one chain each per folder."""
    commits = CommitIndex(context)
    placed: list[tuple[int, Step]] = []
    for handoff in list_cycles(context.every_handoff()):
        for step in list_steps(handoff):
            age = commits.age(step)
            if age is not None:
                placed.append((age, step))
    yield [step for _, step in sorted(placed, key=lambda entry: -entry[0])]
    for handoff in cycles:
        chains: dict[str, list[Step]] = {}
        for step in list_steps(handoff):
            if step.commit is None and not step.where.path.startswith("refs/"):
                chains.setdefault(step.where.path.rpartition("/history/")[0] or _name_chain(step), []).append(step)
        yield from chains.values()


def _name_chain(step: Step) -> str:
    """`.handoff/current.json` goes on where `.handoff/history/` ends; other files stand alone."""
    return step.where.path.removesuffix("/current.json")


def _judge_start(context: Context, first: Step, start: str, scope: set[str]) -> Iterator[Found]:
    """The oldest note of a whole history; where history was cut off, the start may be beyond it."""
    commits = context.commits()
    is_whole = bool(commits) and not commits[-1].parents and not context.facts().shallow
    if is_whole and first.where.path.startswith("notes:") and first.handoff.id in scope:
        yield _build(first, f"{first.phase} comes first", start)


def _list_targets(phase: str | None, moves: _Moves) -> str:
    return " or ".join(sorted(target for source, target in moves if source == phase)) or "nothing"


def _build(step: Step, problem: str, expected: str) -> Found:
    return Found(
        message=f"{step.handoff.id}: {problem}, which is out of order",
        subject=f"{step.handoff.id} {problem}",
        place=step.where,
        expected=expected,
        actual=problem,
    )


PHASE_ORDER_LEGAL = Rule(
    id="phase-order-legal",
    system=System.TDD,
    severity=Severity.HIGH,
    holds="the phases of every cycle follow the pipeline: PLAN, RED, GREEN, REFACTOR, then PLAN or COMPLETE",
    reads="notes, trailers and state files of TDD cycles; edges of the pipeline tdd",
    remedy="Go back to the phase that was left out, or correct the note that names a wrong phase.",
    judge=judge,
    commands=("git log --notes=tdd-handoffs",),
)
