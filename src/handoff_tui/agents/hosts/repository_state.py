"""What a hook needs to know about a repository: which gates are closed, what blocks the work, what was sent back.

If nothing has changed, the answers come from a sealed cache, and nothing heavy is imported.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.core.classes import NamedTuple

if TYPE_CHECKING:
    from handoff_tui.checks.run.output_cache import OutputCache
    from handoff_tui.handoffs.read_handoffs import RepositoryReading
    from handoff_tui.handoffs.session import Session
    from handoff_tui.status.refresh import HandoffReviewer
    from handoff_tui.status.review_state import ReviewedHandoff

_OWN = (".handoff-tui", "handoff-tui.toml")
_WITNESS = "handoff-tui/witness.json"
_MOST_LINES = 8
_MOST_CHARACTERS = 240
_NOT_ANCHORED = "nothing vouches for the log here: handoff-tui log pin"
_LEFT_OUT = ("nothing-unpushed",)
"""Would ask for the push that waits for the gate."""


class ClosedGate(NamedTuple):
    """A gate that nobody has opened, over work that has changed something."""

    handoff: str
    state: str
    who: str
    """Who acts next."""
    what: str


def find_root(folder: str) -> Path | None:
    """Returns the nearest folder around it that has a `.git`; None outside of a repository."""
    start = Path(folder)
    return next((place for place in (start, *start.parents) if os.path.lexists(place / ".git")), None)


def is_governed(root: Path) -> bool:
    """Whether somebody uses handoff-tui here: hooks of a whole machine stay silent everywhere else."""
    return any(os.path.lexists(root / name) for name in (*_OWN, f".git/{_WITNESS}"))


def read_closed_gates(root: Path) -> tuple[ClosedGate, ...]:
    """Returns the closed gates of live handoffs that have changed something; none without a signed log."""
    cache = _open_cache(root, "hook gates")
    repository = cache.look.repository
    if not any(map(os.path.lexists, (repository.root / _OWN[0], repository.common_dir / _WITNESS))):
        return ()
    known = cache.find()
    if known is None:
        gates = _judge_gates(cache)
        cache.keep(json.dumps(gates), 0, outside=True)
    else:
        gates = [ClosedGate(*one) for one in json.loads(known[0])]
    return tuple(gates)


def read_stop_lines(root: Path) -> tuple[str, ...]:
    """Returns what blocks the handoffs that the last work belongs to, in a few lines; empty if nothing does."""
    cache = _open_cache(root, "hook stop")
    known = cache.find()
    if known is not None:
        return tuple(json.loads(known[0]))
    lines, steady = _check_current(cache)
    if steady:
        cache.keep(json.dumps(lines), 0, outside=True)
    return tuple(lines)


def read_returned(root: Path, session: str) -> str:
    """Returns the packets of work that was sent back, and remembers that the session has them."""
    from handoff_tui.agents.hosts.returned import Delivered  # noqa: PLC0415 - asked once a session

    cache = _open_cache(root, "hook returned")
    known = cache.find()
    if known is None:
        from handoff_tui.agents.hosts.returned import build_packets  # noqa: PLC0415 - only a real look needs it

        text, marks = build_packets(cache.look.repository.root)
        cache.keep(json.dumps([text, marks]), 0, outside=True)
    else:
        text, marks = json.loads(known[0])
    if marks:
        Delivered(cache.look.repository.root, session).add(marks)
    return str(text)


def _open_cache(root: Path, question: str) -> OutputCache:
    from handoff_tui.checks.run.output_cache import OutputCache  # noqa: PLC0415 - most calls need no git at all

    return OutputCache(root, [question])


class _ReviewedRepository(NamedTuple):
    """All handoffs with their scopes and gates."""

    session: Session
    reading: RepositoryReading
    reviewer: HandoffReviewer
    handoffs: tuple[ReviewedHandoff, ...]
    anchored: bool
    """Whether something outside the repository vouches for the log."""


def _judge_gates(cache: OutputCache) -> list[ClosedGate]:
    reviewed = _review(cache)
    gates: list[ClosedGate] = []
    for one in reviewed.handoffs:
        state = one.gate.state or "unknown"
        if is_closed(one):
            gates.append(ClosedGate(one.handoff.id, state, one.gate.next_move.who, one.gate.next_move.what))
        elif not reviewed.anchored and one.scope.files and not one.past:
            gates.append(ClosedGate(one.handoff.id, state, "human", _NOT_ANCHORED))
    return gates


def is_closed(reviewed: ReviewedHandoff) -> bool:
    """Whether the gate of a handoff covers changes that nobody has let go on."""
    from handoff_tui.log.gates.gate_state import OPENING, GateName, Mover  # noqa: PLC0415 - only a real look needs it

    gate = reviewed.gate
    if reviewed.past or not reviewed.scope.files:
        return False
    if gate.state in OPENING:
        return False
    has_nothing_to_decide = gate.next_move.who is Mover.NOBODY and not reviewed.handoff.blocked_by
    return not (gate.state is GateName.PENDING and has_nothing_to_decide)


def _review(cache: OutputCache) -> _ReviewedRepository:
    from handoff_tui.checks.run.recheck import CheckAgain  # noqa: PLC0415 - only a real look needs these
    from handoff_tui.handoffs.read_handoffs import read_repository  # noqa: PLC0415
    from handoff_tui.handoffs.session import open_session  # noqa: PLC0415
    from handoff_tui.status.refresh import HandoffReviewer, open_log_gates  # noqa: PLC0415

    session = open_session(cache.look.repository.root, cache.look)
    reading = read_repository(session)
    result = reading.result
    gates = open_log_gates(session, result.handoffs, CheckAgain())
    reviewer = HandoffReviewer(session, result, gates)
    handoffs = tuple(reviewer.review(handoff, ()) for handoff in result.handoffs)
    return _ReviewedRepository(session, reading, reviewer, handoffs, gates is None or gates.index.verdict.anchored)


def _check_current(cache: OutputCache) -> tuple[list[str], bool]:
    """Runs the checks of the current handoffs; says whether a second run would say the same."""
    from handoff_tui.checks.run.check import Prefetched, check  # noqa: PLC0415
    from handoff_tui.checks.run.choose import CheckRequest  # noqa: PLC0415
    from handoff_tui.core.place import CheckMoment  # noqa: PLC0415 - only a real look needs these

    reviewed = _review(cache)
    lines: list[str] = []
    steady = True
    for handoff in _find_current(reviewed):
        request = CheckRequest(moment=CheckMoment.PRE, handoff=handoff, excluded=_LEFT_OUT, fresh=True)
        report = check(reviewed.session, request, None, Prefetched(reviewed.reading))
        steady = steady and report.can_be_recalled
        failed = [f"- {one.id}: {one.summary}" for one in report.blocking_failures]
        if failed:
            lines += [f"{handoff} isn't ready to hand over. What blocks it:", *failed]
    return _shorten(lines), steady


def _find_current(reviewed: _ReviewedRepository) -> list[str]:
    """Finds the open handoffs that own what was changed last: uncommitted files, or else the last commit."""
    closed_ones = [one.handoff.id for one in reviewed.handoffs if is_closed(one)]
    scopes = reviewed.reviewer.scopes
    head = reviewed.session.work_tree.facts.head
    for commit in (None, head):
        owners = [name for name in closed_ones if any(change.commit == commit for change in scopes.of(name).changes)]
        if owners:
            return owners
    return []


def _shorten(lines: list[str]) -> list[str]:
    from handoff_tui.core.text.safe_text import render_safe  # noqa: PLC0415

    safe = [render_safe(" ".join(line.split()))[:_MOST_CHARACTERS] for line in lines]
    if not safe:
        return []
    shown, left = safe[: _MOST_LINES - 1], len(safe) - (_MOST_LINES - 1)
    more = f"… and {left} more; " if left > 0 else ""
    return [*shown, f"{more}`handoff-tui check --pre` says everything, and how to fix it."]
