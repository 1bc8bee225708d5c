"""Follows, starts, pauses and stops agents, and reviews their work when they end.

Every call returns at once. Proposals, follow-ups, reviews, notes, and searches each have a worker: nobody who wants an
agent to stop or to pause waits for the checks of another.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.agents.proofs import MeasuredProof
from handoff_tui.agents.runs.run import RunKey
from handoff_tui.agents.step.report import StepOutcome, StepReport
from handoff_tui.core.classes import replace
from handoff_tui.core.errors import HandoffError, ShownMovedError
from handoff_tui.live.acting.agent_follow import AgentFollower, OutputWindows
from handoff_tui.live.acting.agent_follow_ups import FollowUp, FollowUps
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.agents import (
    AgentProposal,
    Breakpoint,
    OutputFound,
    OutputRange,
    ProofShown,
    ProofsView,
    ProposalKind,
    ProposalStage,
)
from handoff_tui.live.state.app import AppState, Loaded, Trouble, build_trouble, load
from handoff_tui.live.state_store import StateStore
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.system.clock import read_now

if TYPE_CHECKING:
    from handoff_tui.agents.step.prepare import PreparedStep
    from handoff_tui.handoffs.session import Session
    from handoff_tui.live.acting.agent_proposals import AgentRequest, Ready
    from handoff_tui.live.feed.snapshot import RepositorySnapshot


_LIST, _OPEN = "list-proofs", "open-proof"
_LARGEST_TEXT = 4 * 1024 * 1024
_MOST_LINES = 20_000
_LAST_LINES = 400
"""How many lines of an output are shown; the Agent view has all of it."""
_ROLES = {
    StepOutcome.READY: "accent",
    StepOutcome.FAILED: "fail",
    StepOutcome.STOPPED: "cancelled",
    StepOutcome.NEEDS_HUMAN: "human",
}


class ProofRequests:
    """Lists and opens proofs on a worker: digests and pictures take time."""

    def __init__(self, store: StateStore, worker: KeyedWorker) -> None:
        self._store, self._worker = store, worker

    def want_list(self) -> None:
        """Lists all proofs again, with their current digests."""
        self._store.change(lambda state: replace(state, proofs=replace(state.proofs, loading=True)))
        self._worker.submit(_LIST, self._list)

    def want_proof(self, proof: MeasuredProof) -> None:
        self._worker.cancel(_OPEN)
        self._worker.submit(_OPEN, lambda cancel: self._open(proof, cancel))

    def forget(self) -> None:
        """Drops what belongs to the previous handoff."""
        for key in (_LIST, _OPEN):
            self._worker.cancel(key)
        self._store.change(lambda state: replace(state, proofs=Loaded()) if state.proofs != Loaded() else state)

    def _list(self, cancel: threading.Event) -> None:
        from handoff_tui.agents.proofs import list_proofs  # noqa: PLC0415 - not before it is asked for

        state = self._store.state
        snapshot, item = self._store.find_snapshot(state), state.item
        if snapshot is None or item is None:
            return
        loaded = load(lambda: ProofsView(list_proofs(snapshot.session, item.reviewed.handoff)), read_now())
        chosen = state.chosen
        if not cancel.is_set():
            self._store.change(lambda now: replace(now, proofs=loaded) if now.chosen == chosen else now)

    def _open(self, proof: MeasuredProof, cancel: threading.Event) -> None:
        state = self._store.state
        snapshot, chosen = self._store.find_snapshot(state), state.chosen
        if snapshot is None or chosen is None:
            return
        try:
            shown = _read_proof(snapshot, chosen.handoff, proof)
        except (HandoffError, OSError) as refused:
            shown = ProofShown(proof, note=f"can't be shown: {build_trouble(refused).message}")

        def put(now: AppState) -> AppState:
            view = now.proofs.value
            if view is None or now.chosen != chosen or cancel.is_set():
                return now
            return replace(now, proofs=replace(now.proofs, value=view._replace(shown=shown)))

        self._store.change(put)


def _read_proof(snapshot: RepositorySnapshot, handoff: str, proof: MeasuredProof) -> ProofShown:
    from handoff_tui.agents.proofs import read_picture  # noqa: PLC0415
    from handoff_tui.system.files.reader import FileReader, decode_text  # noqa: PLC0415 - after the first paint

    if proof.recorded is not None:
        return _read_output(snapshot, handoff, proof)
    if proof.path.lower().endswith(".png"):
        return ProofShown(proof, picture=read_picture(snapshot.session, proof.path))
    decoded = decode_text(FileReader(snapshot.session.repository.root, _LARGEST_TEXT).read_bytes(proof.path))
    if decoded.binary:
        return ProofShown(proof, note="neither text nor a PNG picture")
    lines = decoded.text.removesuffix("\n").split("\n")
    notes = [*decoded.remarks]
    if len(lines) > _MOST_LINES:
        notes.insert(0, f"the first {_MOST_LINES:,} of {len(lines):,} lines")
    return ProofShown(proof, tuple(lines[:_MOST_LINES]), note="; ".join(notes))


def _read_output(snapshot: RepositorySnapshot, handoff: str, proof: MeasuredProof) -> ProofShown:
    """Reads an output only from where runs are stored; what a report says about its path is not believed."""
    from handoff_tui.agents.runs.folders import list_runs  # noqa: PLC0415
    from handoff_tui.agents.runs.reports import find_output  # noqa: PLC0415
    from handoff_tui.system.processes.output_reader import read_last_lines  # noqa: PLC0415 - after the first paint

    for state in list_runs(snapshot.session.repository.common_dir, handoff):
        place = find_output(state)
        if str(place) == proof.path:
            lines = tuple(read_last_lines(place, _LAST_LINES))
            note = f"the last {_LAST_LINES} lines" if len(lines) == _LAST_LINES else ""
            return ProofShown(proof, lines, note=note, run=state.key)
    return ProofShown(proof, note="it isn't where the outputs of runs are stored")


_PREPARE, _DO, _SEARCH, _AT_WORK = "prepare", "do", "search", "at-work"


class AgentControl:
    """Follows, starts, pauses and stops agents, and reviews what they did when they end."""

    def __init__(self, store: StateStore, read_anew: Callable[[str], None]) -> None:
        """`read_anew` reads a repository again: what was checked or agreed to leaves no trace that is watched."""
        self._store, self._read_anew = store, read_anew
        names = ("acts", "follow-ups", "ends", "words", "reads")
        workers = [KeyedWorker(f"agents-{name}", store.on_bug) for name in names]
        self._acts, follow_ups, self._ends, self._words, self._reads = workers
        self._windows = OutputWindows()
        self.follow_ups = FollowUps(follow_ups, store, self._follow, self._look_again)
        self.follower = AgentFollower(store, self._windows, self.follow_ups, self._note_over)
        self.threads: tuple[KeyedWorker | AgentFollower, ...] = (*workers, self.follower)
        """Agents outlive the process that started them, and go on when it ends."""
        self.proofs = ProofRequests(store, self._reads)
        """Lists and opens proofs of work."""
        self._lock = threading.Lock()
        self._number = 0
        self._ready: tuple[int, AgentRequest, Ready] | None = None
        self._reviewing: frozenset[RunKey] = frozenset()

    def note_chosen(self) -> None:
        """Drops what belongs to the previous handoff."""
        self.follower.want(None)
        self.proofs.forget()

    def _look_again(self) -> None:
        self.follower.look()

    def search(self, place: OutputRange, text: str) -> None:
        """Finds the next line with a text, from `first` on; with a negative height, the previous one."""
        self._reads.cancel(_SEARCH)
        self._reads.submit(_SEARCH, lambda cancel: self._find(place, text, cancel))

    # proposals

    def propose(self, kind: ProposalKind, run: RunKey | None = None, phase: str | None = None) -> None:
        """Prepares what would be done; nothing is done until it is confirmed. A step goes into the phase in view."""
        from handoff_tui.live.acting.agent_proposals import AgentRequest  # noqa: PLC0415 - after the first paint

        state = self._store.state
        if state.chosen is not None:
            steps = kind in {ProposalKind.STEP, ProposalKind.BACK, ProposalKind.LOOP}
            wanted = phase or (state.phase if steps else None)
            self._begin(AgentRequest(kind, state.chosen.root, state.chosen.handoff, wanted, run))

    def _begin(self, wish: AgentRequest, note: str = "") -> None:
        with self._lock:
            self._number += 1
            number = self._number
        breakpoints = self.follow_ups.describe(HandoffKey(wish.root, wish.handoff)).breakpoints
        proposal = AgentProposal(number, wish.kind, ProposalStage.PREPARING, breakpoints=breakpoints, note=note)
        self._acts.cancel(_PREPARE)
        self._store.change(lambda state: replace(state, proposal=proposal))
        self._acts.submit(_PREPARE, lambda cancel: self._prepare(number, wish, cancel))

    def leave(self) -> None:
        """Drops the proposal. What was already begun goes on."""
        self._acts.cancel(_PREPARE)
        with self._lock:
            self._ready = None
        self._store.change(lambda state: state if state.proposal is None else replace(state, proposal=None))

    def confirm(self, number: int, typed: str = "") -> None:
        """Does what was shown under that number, if the right word was typed."""
        proposal = self._store.state.proposal
        if proposal is None or (proposal.number, proposal.stage) != (number, ProposalStage.READY):
            return
        with self._lock:
            ready = self._ready
            if ready is None or ready[0] != number or typed.strip() != proposal.typed:
                return
            self._ready = None
        self._store.change_part("proposal", number, stage=ProposalStage.DOING)
        self._acts.submit(_DO, lambda _: self._do(*ready))

    def _prepare(self, number: int, wish: AgentRequest, cancel: threading.Event) -> None:
        from handoff_tui.live.acting.agent_proposals import Watch, ready_proposal  # noqa: PLC0415 - not before it is asked for

        snapshot = self._store.find_snapshot()
        if snapshot is None:
            self._store.change_part(
                "proposal", number, stage=ProposalStage.REFUSED, trouble=Trouble("the repository is still being read")
            )
            return
        try:
            ready = ready_proposal(wish, Watch(snapshot.session, self._follow, self._begin_follow_ups, cancel))
        except (HandoffError, OSError) as refused:
            self._refuse(number, build_trouble(refused))
            return
        with self._lock:
            self._ready = (number, wish, ready)
        self._store.change_part("proposal", number, stage=ProposalStage.READY, **ready.shown)

    def _do(self, number: int, wish: AgentRequest, ready: Ready) -> None:
        try:
            said = ready.do()
        except ShownMovedError as moved:
            self._begin(wish, f"{moved.message}; this is the current state")
            return
        except (HandoffError, OSError) as refused:
            self._refuse(number, build_trouble(refused))
            return
        self._store.change_part("proposal", number, stage=ProposalStage.DONE)
        if wish.kind is ProposalKind.TRUST:  # stored outside the repository, so no watcher notices
            self._read_anew(wish.root)
        self._store.say("" if ready.shown.get("plan") else said, "pass")  # the list shows who is running
        self.follower.look()

    def _refuse(self, number: int, trouble: Trouble) -> None:
        self._store.change_part("proposal", number, stage=ProposalStage.REFUSED, trouble=trouble)

    def _follow(self, session: Session, key: RunKey) -> None:
        self.follower.watch(str(session.repository.root), session.repository.common_dir, key)

    def _begin_follow_ups(self, prepared: PreparedStep, key: RunKey, loop: bool) -> None:  # noqa: FBT001 - called back with it
        """Follows a run that was started by hand, and plans what its settings and the person asked for."""
        handoff = HandoffKey(str(prepared.session.repository.root), key.handoff)
        self.follow_ups.begin(FollowUp(handoff, prepared.agent.settings, loop), key)
        self._follow(prepared.session, key)

    # follow-ups

    def cancel_follow_ups(self) -> None:
        """Cancels what would start automatically for the handoff in view; running agents go on."""
        chosen = self._store.state.chosen
        if chosen is not None:
            self.follow_ups.end(chosen)
            self._store.say(f"{chosen.handoff}: nothing more starts automatically", "pass")

    def toggle_breakpoint(self, stop: Breakpoint) -> None:
        """Sets or removes a breakpoint for the handoff in view; it lasts as long as the app is open."""
        chosen = self._store.state.chosen
        if chosen is not None:
            is_set = self.follow_ups.toggle_breakpoint(chosen, stop)
            self._store.say(f"{chosen.handoff}: breakpoint {'set' if is_set else 'removed'} {stop}", "pass")

    def stop_all(self) -> None:
        """Stops every agent that was started here, and cancels what would follow."""
        self.follow_ups.end_all()
        for root, key in self.follower.list_watched():
            self._acts.submit(("stop", root, key), partial(self._stop, root, key))

    def _stop(self, root: str, key: RunKey, _: threading.Event) -> None:
        from handoff_tui.agents.step.step import stop_step  # noqa: PLC0415
        from handoff_tui.handoffs.session import open_session  # noqa: PLC0415 - not before it is asked for

        try:
            stop_step(open_session(Path(root)), key)
        except (HandoffError, OSError) as refused:
            self._store.say_trouble(f"{key.handoff} · {key.phase} was not stopped. ", refused)
        self.follower.look()

    # running agents

    def want_at_work(self) -> None:
        """Reads everything that runs in the repository in view."""
        self._reads.submit(_AT_WORK, self._read_at_work)

    def _read_at_work(self, cancel: threading.Event) -> None:
        from handoff_tui.agents.engine.listing import read_at_work  # noqa: PLC0415 - not before it is asked for

        snapshot = self._store.find_snapshot()
        if snapshot is not None:
            loaded = load(lambda: read_at_work(snapshot.session), read_now())
            if not cancel.is_set():
                self._store.change(lambda state: replace(state, at_work=loaded))

    def set_paused(self, key: RunKey, *, paused: bool) -> None:
        """Pauses or resumes an agent."""
        from handoff_tui.agents.step.step import pause_step, resume_step  # noqa: PLC0415

        act = pause_step if paused else resume_step
        words = "paused" if paused else "resumed"
        self._with_session(lambda session: act(session, key), f"{key.handoff} · {key.phase}: {words}")

    def write_note(self, text: str) -> None:
        """Writes a note to the agents of the handoff in view."""
        from handoff_tui.agents.step.step import inject_note  # noqa: PLC0415 - not before it is asked for
        from handoff_tui.log.person import Confirmation, require_person  # noqa: PLC0415

        chosen = self._store.state.chosen
        if chosen is not None:
            said = "Note saved. A running agent can read it; the next one gets it."

            def write(session: Session) -> None:
                require_person("write a note in the operator's name", Confirmation.APP)
                inject_note(session, chosen.handoff, text)

            self._with_session(write, said)

    def look_at(self, key: RunKey) -> None:
        """Reviews the work of a run that has ended."""
        snapshot = self._store.find_snapshot()
        if snapshot is not None:
            self._note_over(str(snapshot.session.repository.root), key)

    def _with_session(self, act: Callable[[Session], object], said: str) -> None:
        snapshot = self._store.find_snapshot()
        if snapshot is None:
            return

        def work(_: threading.Event) -> None:
            try:
                act(snapshot.session)
            except (HandoffError, OSError) as refused:
                self._store.say_trouble("", refused)
                return
            self._store.say(said, "pass")
            self.follower.look()

        self._words.submit((said, id(work)), work)

    def _find(self, place: OutputRange, text: str, cancel: threading.Event) -> None:
        snapshot = self._store.find_snapshot()
        if snapshot is None:
            return
        line = self._windows.find(snapshot.session.repository.common_dir, place, text, cancel)

        def put(state: AppState) -> AppState:
            number = state.found.number + 1 if state.found else 1
            return replace(state, found=OutputFound(number, text, line))

        if not cancel.is_set():
            self._store.change(put)

    # ended runs

    def _note_over(self, root: str, key: RunKey) -> None:
        self._set_reviewing(self._reviewing | {key})
        self._ends.submit(key, lambda cancel: self._finish(root, key, cancel))

    def _finish(self, root: str, key: RunKey, cancel: threading.Event) -> None:
        from handoff_tui.agents.step.end import finish_step  # noqa: PLC0415
        from handoff_tui.checks.run.check import ProgressCallbacks  # noqa: PLC0415 - not before it is needed
        from handoff_tui.handoffs.session import open_session  # noqa: PLC0415

        try:
            session = open_session(Path(root))
            report = finish_step(session, key, ProgressCallbacks(cancel=cancel))
        except (HandoffError, OSError) as refused:
            self._store.say_trouble(f"{key.handoff} · {key.phase} ended. ", refused)
        else:
            self._tell_end(session, report)
            self._read_anew(root)
            self.follow_ups.go_on(root, report)
        finally:
            self._set_reviewing(self._reviewing - {key})

    def _tell_end(self, session: Session, report: StepReport) -> None:
        """Shows the outcome in the status line; rings and notifies once, and only if a person is needed."""
        from handoff_tui.agents.notify import build_notification, notify  # noqa: PLC0415 - not before it is needed

        told = notify(session, build_notification(report))
        key, why = report.key, "; ".join(report.why[:1])
        words = f"{key.handoff} · {key.phase} {report.outcome.value.replace('-', ' ')}" + (f": {why}" if why else "")
        self._store.say(told.problem or f"{words}. {report.next_move}", _ROLES[report.outcome])
        if told.sequence:
            self._store.ring(told.sequence)

    def _set_reviewing(self, reviewing: frozenset[RunKey]) -> None:
        self._reviewing = reviewing
        self.follower.set_reviewing(reviewing)
