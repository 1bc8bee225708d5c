"""Agents at the desk: followed, started, stopped, spoken to; what they did is looked at when they end.

Every call returns at once. What takes long happens on workers of its own: what is about to be done on one, what starts
by itself on another, then the work of agents that have ended, searches and proofs, and what is quick: nobody who wants
an agent to stop or to pause waits for the checks of another.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.agents.runs.run import RunKey
from handoff_tui.agents.step.report import StepOutcome, StepReport
from handoff_tui.core.errors import HandoffError, ShownMovedError
from handoff_tui.live.acting.agent_follow import AgentFollower, OutputWindows
from handoff_tui.live.acting.agent_follow_ups import FollowUp, FollowUps
from handoff_tui.live.acting.agent_proofs import ProofRequests
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.parts.visible import VisibleParts
from handoff_tui.live.state.agents import (
    Bell,
    Breakpoint,
    OutputFound,
    OutputRange,
    Proposal,
    ProposalKind,
    ProposalStage,
)
from handoff_tui.live.state.app import AppState, Trouble, build_trouble
from handoff_tui.live.state_store import StateStore
from handoff_tui.status.inbox_item import HandoffKey

if TYPE_CHECKING:
    from handoff_tui.agents.step.prepare import PreparedStep
    from handoff_tui.handoffs.session import Desk
    from handoff_tui.live.acting.agent_proposals import Ready, Wish

_ROLES = {
    StepOutcome.READY: "accent",
    StepOutcome.FAILED: "fail",
    StepOutcome.STOPPED: "cancelled",
    StepOutcome.NEEDS_HUMAN: "human",
}
_PREPARE, _DO, _SEARCH = "prepare", "do", "search"


class AgentControl:
    """Follows, starts, pauses and stops agents, and reviews what they did when they end."""

    def __init__(self, store: StateStore, parts: VisibleParts) -> None:
        self._store, self._parts = store, parts
        names = ("acts", "follow-ups", "ends", "words", "reads")
        self._workers = [KeyedWorker(f"agents-{name}", store.on_bug) for name in names]
        self._acts, follow_ups, self._ends, self._words, self._reads = self._workers
        self._windows = OutputWindows()
        self._follow_ups = FollowUps(follow_ups, store, self._follow, self.note_snapshot)
        self._follower = AgentFollower(store, self._windows, self._follow_ups, self._note_over)
        self.proofs = ProofRequests(store, self._reads)
        """Proofs of work are listed and opened through this."""
        self._lock = threading.Lock()
        self._number = 0
        self._ready: tuple[int, Wish, Ready] | None = None
        self._looking: frozenset[RunKey] = frozenset()

    def start(self) -> None:
        for worker in self._workers:
            worker.start()
        self._follower.start()

    def stop(self) -> None:
        """Ends every thread; agents go on, they outlive whoever started them."""
        self._follower.stop()
        for worker in self._workers:
            worker.stop()

    def join(self) -> None:
        for worker in self._workers:
            worker.join()
        if self._follower.ident is not None:
            self._follower.join()

    def is_idle(self) -> bool:
        return all(worker.is_idle() for worker in self._workers)

    def need(self, *, needed: bool) -> None:
        """Whether the tries of the handoff in view are on the screen."""
        self._follower.need(needed=needed)

    def note_chosen(self) -> None:
        """Another handoff is in view."""
        self._follower.want(None)
        self.proofs.forget()

    def note_snapshot(self) -> None:
        """Something else may be there to see."""
        self._follower.look()

    def want_output(self, place: OutputRange) -> None:
        self._follower.want(place)

    def search(self, place: OutputRange, text: str) -> None:
        """The next line with a text, from `first` on; with a negative height the one before."""
        self._reads.cancel(_SEARCH)
        self._reads.submit(_SEARCH, lambda cancel: self._find(place, text, cancel))

    # what is about to be done

    def propose(self, kind: ProposalKind, run: RunKey | None = None, phase: str | None = None) -> None:
        """Puts together what would be done; nothing is, until it is confirmed. A step goes into the phase in view."""
        from handoff_tui.live.acting.agent_proposals import Wish  # noqa: PLC0415 - after the first paint

        state = self._store.state
        if state.chosen is not None:
            steps = kind in {ProposalKind.STEP, ProposalKind.BACK, ProposalKind.LOOP}
            wanted = phase or (state.phase if steps else None)
            self._begin(Wish(kind, state.chosen.root, state.chosen.handoff, wanted, run))

    def _begin(self, wish: Wish, note: str = "") -> None:
        with self._lock:
            self._number += 1
            number = self._number
        stops = self._follow_ups.describe(HandoffKey(wish.root, wish.handoff)).stops
        proposal = Proposal(number, wish.kind, ProposalStage.PREPARING, stops=stops, note=note)
        self._acts.cancel(_PREPARE)
        self._store.change(lambda state: replace(state, proposal=proposal))
        self._acts.submit(_PREPARE, lambda cancel: self._prepare(number, wish, cancel))

    def leave(self) -> None:
        """Nothing is done; what is being put together is given up. What was begun goes on."""
        self._acts.cancel(_PREPARE)
        with self._lock:
            self._ready = None
        self._store.change(lambda state: state if state.proposal is None else replace(state, proposal=None))

    def confirm(self, number: int, typed: str = "") -> None:
        """Does what was shown under that number, if what must be typed was."""
        proposal = self._store.state.proposal
        if proposal is None or (proposal.number, proposal.stage) != (number, ProposalStage.READY):
            return
        with self._lock:
            ready = self._ready
            if ready is None or ready[0] != number or typed.strip() != proposal.typed:
                return
            self._ready = None
        self._change(number, stage=ProposalStage.DOING)
        self._acts.submit(_DO, lambda _: self._do(*ready))

    def _prepare(self, number: int, wish: Wish, cancel: threading.Event) -> None:
        from handoff_tui.live.acting.agent_proposals import Watch, ready_proposal  # noqa: PLC0415 - not before it is asked for

        snapshot = self._store.find_snapshot()
        if snapshot is None:
            self._change(number, stage=ProposalStage.REFUSED, trouble=Trouble("the repository is not read yet"))
            return
        try:
            ready = ready_proposal(wish, Watch(snapshot.desk, self._follow, self._begin_follow_ups, cancel))
        except (HandoffError, OSError) as refused:
            self._change(number, stage=ProposalStage.REFUSED, trouble=build_trouble(refused))
            return
        with self._lock:
            self._ready = (number, wish, ready)
        self._change(number, stage=ProposalStage.READY, **ready.shown)

    def _do(self, number: int, wish: Wish, ready: Ready) -> None:
        try:
            said = ready.do()
        except ShownMovedError as moved:
            self._begin(wish, f"{moved.message}: this is how it is now")
            return
        except (HandoffError, OSError) as refused:
            self._change(number, stage=ProposalStage.REFUSED, trouble=build_trouble(refused))
            return
        self._change(number, stage=ProposalStage.DONE)
        if wish.kind is ProposalKind.TRUST:  # lies outside the repository: nobody else would notice
            self._parts.note_checks()
        self._store.say("" if ready.shown.get("plan") else said, "pass")  # who is at work is seen in the list
        self._follower.look()

    def _change(self, number: int, **changes: object) -> None:
        def put(state: AppState) -> AppState:
            proposal = state.proposal
            if proposal is None or proposal.number != number:
                return state
            return replace(state, proposal=replace(proposal, **changes))  # type: ignore[arg-type]

        self._store.change(put)

    def _follow(self, desk: Desk, key: RunKey) -> None:
        self._follower.watch(str(desk.repository.root), desk.repository.common_dir, key)

    def _begin_follow_ups(self, prepared: PreparedStep, key: RunKey, loop: bool) -> None:  # noqa: FBT001 - called back with it
        """A run was started by hand: its end is noticed, and what its settings and the person asked for follows."""
        handoff = HandoffKey(str(prepared.desk.repository.root), key.handoff)
        self._follow_ups.begin(FollowUp(handoff, prepared.agent.settings, loop), key)
        self._follow(prepared.desk, key)

    # what follows by itself

    def cancel_follow_ups(self) -> None:
        """Nothing more starts by itself for the handoff in view; whoever is at work goes on."""
        chosen = self._store.state.chosen
        if chosen is not None:
            self._follow_ups.end(chosen)
            self._store.say(f"{chosen.handoff}: nothing more starts by itself", "pass")

    def toggle_breakpoint(self, stop: Breakpoint) -> None:
        """Sets a breakpoint for the handoff in view, or takes it away. It lasts as long as the desk."""
        chosen = self._store.state.chosen
        if chosen is not None:
            is_set = self._follow_ups.toggle_breakpoint(chosen, stop)
            place = f"{'before' if stop.before else 'after'} {stop.phase}"
            words = f"nothing starts by itself {place}" if is_set else f"no breakpoint {place} any more"
            self._store.say(f"{chosen.handoff}: {words}", "pass")

    def stop_all(self) -> None:
        """Ends every agent that was started here, and whatever would follow by itself."""
        self._follow_ups.end_all()
        for root, key in self._follower.list_watched():
            self._acts.submit(("stop", root, key), partial(self._stop, root, key))

    def _stop(self, root: str, key: RunKey, _: threading.Event) -> None:
        from handoff_tui.agents.step.follow import stop_step  # noqa: PLC0415
        from handoff_tui.handoffs.session import open_desk  # noqa: PLC0415 - not before it is asked for

        try:
            stop_step(open_desk(Path(root)), key)
        except (HandoffError, OSError) as refused:
            trouble = build_trouble(refused)
            self._store.say(f"{key.handoff} · {key.phase} was not stopped. {trouble.message}. {trouble.hint}", "fail")
        self._follower.look()

    # a word to those who are at work

    def set_paused(self, key: RunKey, *, paused: bool) -> None:
        """Holds an agent where it is, or lets it go on."""
        from handoff_tui.agents.step.follow import pause_step, resume_step  # noqa: PLC0415 - when it is asked for

        act = pause_step if paused else resume_step
        words = "held where it is" if paused else "goes on"
        self._on_desk(lambda desk: act(desk, key), f"{key.handoff} · {key.phase}: {words}")

    def write_note(self, text: str) -> None:
        """A word to the agents of the handoff in view."""
        from handoff_tui.agents.step.follow import inject_note  # noqa: PLC0415 - not before it is asked for

        chosen = self._store.state.chosen
        if chosen is not None:
            said = "the note is kept: who is at work can read it, and the next one is given it"
            self._on_desk(lambda desk: inject_note(desk, chosen.handoff, text), said)

    def look_at(self, key: RunKey) -> None:
        """Looks at the work of a run that has ended."""
        snapshot = self._store.find_snapshot()
        if snapshot is not None:
            self._note_over(str(snapshot.desk.repository.root), key)

    def _on_desk(self, act: Callable[[Desk], object], said: str) -> None:
        snapshot = self._store.find_snapshot()
        if snapshot is None:
            return

        def work(_: threading.Event) -> None:
            try:
                act(snapshot.desk)
            except (HandoffError, OSError) as refused:
                trouble = build_trouble(refused)
                self._store.say(f"{trouble.message}. {trouble.hint}", "fail")
                return
            self._store.say(said, "pass")
            self._follower.look()

        self._words.submit((said, id(work)), work)

    def _find(self, place: OutputRange, text: str, cancel: threading.Event) -> None:
        snapshot = self._store.find_snapshot()
        if snapshot is None:
            return
        line = self._windows.find(snapshot.desk.repository.common_dir, place, text, cancel)

        def put(state: AppState) -> AppState:
            number = state.found.number + 1 if state.found else 1
            return replace(state, found=OutputFound(number, text, line))

        if not cancel.is_set():
            self._store.change(put)

    # when one has ended

    def _note_over(self, root: str, key: RunKey) -> None:
        self._set_looking(self._looking | {key})
        self._ends.submit(key, lambda cancel: self._finish(root, key, cancel))

    def _finish(self, root: str, key: RunKey, cancel: threading.Event) -> None:
        from handoff_tui.agents.step.end import finish_step  # noqa: PLC0415
        from handoff_tui.checks.run.check import ProgressCallbacks  # noqa: PLC0415 - not before it is needed
        from handoff_tui.handoffs.session import open_desk  # noqa: PLC0415

        try:
            desk = open_desk(Path(root))
            report = finish_step(desk, key, ProgressCallbacks(cancel=cancel))
        except (HandoffError, OSError) as refused:
            trouble = build_trouble(refused)
            self._store.say(f"{key.handoff} · {key.phase} ended. {trouble.message}. {trouble.hint}", "fail")
        else:
            self._tell_end(desk, report)
            self._parts.note_checks()
            self._follow_ups.go_on(root, report)
        finally:
            self._set_looking(self._looking - {key})

    def _tell_end(self, desk: Desk, report: StepReport) -> None:
        """In the status line always; by bell and notification only when a person is needed, and once."""
        from handoff_tui.agents.notify import build_notification, notify  # noqa: PLC0415 - not before it is needed

        told = notify(desk, build_notification(report))
        key, why = report.key, "; ".join(report.why[:1])
        words = f"{key.handoff} · {key.phase} {report.outcome.value.replace('-', ' ')}" + (f": {why}" if why else "")
        self._store.say(told.problem or f"{words}. {report.next_move}", _ROLES[report.outcome])
        if told.sequence:
            self._store.change(
                lambda state: replace(state, ring=Bell(state.ring.number + 1 if state.ring else 1, told.sequence))
            )

    def _set_looking(self, looking: frozenset[RunKey]) -> None:
        self._looking = looking
        self._follower.set_looking(looking)
