"""What can be done about the try in view, and why something cannot. Pure."""

from __future__ import annotations

from typing import NamedTuple

from handoff_tui.agents.runs.run import RunKey, RunStatus
from handoff_tui.agents.runs.view import RunView
from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.live.state.agents import AgentsView, Proposal, ProposalStage
from handoff_tui.live.state.desk import Scope

_STEPS = frozenset({"agent.step", "agent.again", "agent.back", "agent.loop"})
_OF_A_TRY = frozenset({"agent.follow", "agent.inputs", "agent.report", "agent.wrap"})
_ALIVE = frozenset({RunStatus.RUNNING, RunStatus.PAUSED})


class TryInView(NamedTuple):
    """The try under the cursor, the one before it, and what is known of all."""

    view: AgentsView | None = None
    run: RunView | None = None
    earlier: RunView | None = None

    @property
    def status(self) -> RunStatus | None:
        return self.run.state.status if self.run is not None else None

    @property
    def is_paused(self) -> bool:
        return self.status is RunStatus.PAUSED

    @property
    def is_alive(self) -> bool:
        return self.status in _ALIVE

    @property
    def is_unseen(self) -> bool:
        """It has ended, and nobody looked at its work."""
        if self.run is None or self.view is None or self.run.report is not None:
            return False
        return self.run.state.is_over and self.run.state.key not in self.view.looking

    @property
    def goes_on(self) -> bool:
        """Whether something starts by itself afterwards, as far as is known."""
        return self.view is not None and (self.view.coming is not None or self.view.loops)


def list_agent_hints(here: TryInView) -> tuple[str, ...]:
    """What is most wanted now, for the key bar."""
    if here.is_alive:
        held = "agent.continue" if here.is_paused else "agent.pause"
        return (held, "agent.stop", "agent.note", "agent.follow", "agent.report", "agent.inputs", "agent.wrap")
    if here.run is None:
        return ("agent.step", "agent.loop", "agent.note", "agent.breakpoint", "agent.proofs")
    if here.is_unseen:
        return ("agent.continue", "agent.step", "agent.again", "agent.report", "agent.follow")
    ends = ("agent.stop",) if here.goes_on else ()
    return (
        *(*ends, "agent.step", "agent.again", "agent.report", "agent.diff", "decide.retry", "agent.loop"),
        *("agent.proofs", "agent.compare", "agent.note"),
    )


def refuse_agent_action(action: str, here: TryInView, *, places: int = 0) -> str:
    """Why an action cannot be done now; nothing when it can. `places` are the files that the lines in view name."""
    if action in _STEPS:
        return "" if here.view is None or here.view.agents else "no agent is configured; docs/agents.md has examples"
    if action in _OF_A_TRY:
        return "" if here.run is not None else "nobody was started yet"
    can = {
        "agent.continue": (here.is_paused or here.is_unseen, "it is not held"),
        "agent.pause": (here.status is RunStatus.RUNNING, "it is not running"),
        "agent.stop": (here.is_alive or here.goes_on, "it is not running"),
        "agent.unlock": (here.view is not None and bool(here.view.locks), "nothing is locked"),
        "agent.diff": (find_try_scope(here) is not None, "nothing is known of its files yet"),
        "agent.compare": (find_compared_scope(here) is not None, "there are no two tries with commits of their own"),
        "agent.open-file": (places > 0, "no file is named here"),
        "agent.breakpoint": (here.view is not None and bool(here.view.agents), "no agent is configured"),
        "agent.next-try": (here.run is not None, "nobody was started yet"),
        "agent.previous-try": (here.run is not None, "nobody was started yet"),
    }
    possible, reason = can.get(action, (True, ""))
    return "" if possible else reason


def find_started(proposal: Proposal | None) -> RunKey | None:
    """The try that was started by what was confirmed; nothing where nobody was."""
    plan = proposal.plan if proposal is not None and proposal.stage is ProposalStage.DONE else None
    if plan is None:
        return None
    return RunKey(handoff=plan.handoff, phase=plan.phase, attempt=plan.attempt, number=plan.number)


def find_try_scope(here: TryInView) -> Scope | None:
    """From before a try to after it; to the work as it is now, where it made no commit."""
    report = here.run.report if here.run is not None else None
    if report is None or report.head_before is None:
        return None
    after = report.head_after if report.head_after != report.head_before else None
    return Scope(DiffScope.BETWEEN, report.head_before, after)


def find_compared_scope(here: TryInView) -> Scope | None:
    """From the try before to this one."""
    before = _find_head(here.earlier)
    after = _find_head(here.run)
    return Scope(DiffScope.BETWEEN, before, after) if before and after and before != after else None


def _find_head(run: RunView | None) -> str | None:
    return run.report.head_after if run is not None and run.report is not None else None
