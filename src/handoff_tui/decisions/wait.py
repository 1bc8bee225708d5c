"""For agents: waits until somebody has decided."""

from __future__ import annotations

from collections.abc import Callable

from handoff_tui.decisions.examine import ExaminedGate, examine
from handoff_tui.handoffs.session import Desk, open_desk
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.log.open_log import open_log
from handoff_tui.system.clock import pause, read_monotonic

DECIDED = frozenset({GateName.APPROVED, GateName.OVERRIDDEN, GateName.SKIPPED, GateName.REJECTED, GateName.RETRY})
_EVERY_SECONDS = 2.0


def wait(
    desk: Desk,
    wanted: str,
    phase: str | None,
    timeout: float | None,
    on_look: Callable[[ExaminedGate], None] | None = None,
) -> ExaminedGate:
    """Looks at the gate until it is decided, the log turns out to be broken, or the time is up.

    The work is examined anew only when the log or the work tree has moved.
    """
    start = read_monotonic()
    seen: object = None
    while True:
        log = open_log(desk.repository)
        verdict = log.verify()
        now = (verdict.heads, verdict.problems, desk.work_tree.facts)
        if seen != now:
            seen = now
            examined = examine(desk, log, wanted, phase)
            if on_look is not None:
                on_look(examined)
        left = None if timeout is None else timeout - (read_monotonic() - start)
        if is_over(examined) or (left is not None and left <= 0):
            return examined
        pause(_EVERY_SECONDS if left is None else min(_EVERY_SECONDS, left))
        desk = open_desk(desk.repository.root)


def is_over(examined: ExaminedGate) -> bool:
    """Whether waiting longer changes nothing: somebody has decided, or a person must look at the log first."""
    return examined.gate.state in DECIDED or examined.index.verdict.fatal
