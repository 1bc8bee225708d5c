"""Prepares a decision on fresh results, signs it, and reports what became of it.

What was prepared is kept until the dialog closes. It is compared with the repository whenever something changes there,
and once more under the log's lock when it is signed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from handoff_tui.core.classes import dataclass, replace
from handoff_tui.core.errors import HandoffError
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.app import AppState, ChecksProgress, DecisionPart, DecisionStage, Trouble, build_trouble
from handoff_tui.live.state_store import StateStore
from handoff_tui.log.entry import APPROVING, PASSING, DecisionVerb
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.system.clock import read_now

if TYPE_CHECKING:
    from handoff_tui.checks.report import CheckResult
    from handoff_tui.live.acting.decision_work import DecisionDraft
    from handoff_tui.live.drafts import DraftKeeper
    from handoff_tui.live.feed.snapshot import RepositorySnapshot
from typing import TYPE_CHECKING

from handoff_tui.live.state.app import BatchItem, BatchPart, BatchStage

if TYPE_CHECKING:
    from handoff_tui.live.acting.decision_work import DecisionDraft
    from handoff_tui.live.drafts import DraftKeeper


_PREPARE, _LOOK, _SIGN = "prepare", "look", "sign"
_LOOK_AGAIN = "Nothing was signed. Look again, then decide."


@dataclass(slots=True)
class _Underway:
    """One decision, from the choice of its verb until the dialog closes."""

    number: int
    verb: DecisionVerb
    key: HandoffKey
    snapshot: RepositorySnapshot | None
    """The last one it was compared with."""
    looked: frozenset[str] = frozenset()
    draft: DecisionDraft | None = None


class Deciding:
    """Makes one decision at a time; `worker` runs what is slow."""

    def __init__(
        self,
        store: StateStore,
        worker: KeyedWorker,
        drafts: DraftKeeper,
        on_sent_back: Callable[[HandoffKey], None] = lambda _: None,
    ) -> None:
        self._store, self._worker, self._drafts, self._on_sent_back = store, worker, drafts, on_sent_back
        self._lock = threading.Lock()
        self._in_use = threading.Lock()
        """Held while the draft is used: by the worker, or by the thread that has the terminal."""
        self._underway: _Underway | None = None
        self._number = 0

    def begin(self, verb: str, looked: frozenset[str] = frozenset()) -> None:
        """Prepares a decision on the handoff in view, from scratch; `looked` are checks whose findings were seen."""
        state = self._store.state
        if state.chosen is None:
            return
        self._worker.cancel(_PREPARE)
        with self._lock:
            self._number += 1
            chosen = DecisionVerb(verb)
            underway = _Underway(self._number, chosen, state.chosen, self._store.find_snapshot(state), looked)
            self._underway = underway
        needs_reason, number = chosen not in APPROVING, underway.number
        onward = state.item.reviewed.handoff.target_phase if state.item is not None else None
        part = DecisionPart(
            verb,
            state.chosen,
            DecisionStage.PREPARING,
            needs_reason=needs_reason,
            onward=onward or "",
            number=number,
        )
        self._store.change(lambda state: replace(state, decision=part))
        self._worker.submit(_PREPARE, lambda cancel: self._prepare(underway, cancel))

    def leave(self) -> None:
        """Closes the decision without deciding; stops what runs for it."""
        with self._lock:
            self._number += 1
            self._underway = None
        for key in (_PREPARE, _LOOK, _SIGN):
            self._worker.cancel(key)
        self._store.change(lambda state: state if state.decision is None else replace(state, decision=None))

    def note_snapshot(self) -> None:
        """Checks whether what was shown still holds, after the repository changed."""
        with self._lock:
            underway = self._underway
            snapshot = self._store.find_snapshot()
            if underway is None or underway.draft is None or snapshot is underway.snapshot:
                return
            underway.snapshot = snapshot
        self._worker.submit(_LOOK, lambda _: self._look(underway), rank=1)

    def sign(self, reason: str) -> None:
        """Signs on the worker, where a key that needs a passphrase is refused."""
        underway = self._start_signing()
        if underway is not None:
            self._worker.submit(_SIGN, lambda _: self._sign(underway, reason, at_terminal=False))

    def sign_here(self, reason: str) -> None:
        """Signs on the calling thread, which has the terminal: a passphrase can be typed."""
        underway = self._start_signing()
        if underway is not None:
            self._sign(underway, reason, at_terminal=True)

    def _prepare(self, underway: _Underway, cancel: threading.Event) -> None:
        from handoff_tui.live.acting.decision_work import (  # noqa: PLC0415 - after the first paint
            describe_unseen,
            draft_decision,
        )

        started = read_now()

        def follow(result: CheckResult, done: int, total: int) -> None:
            progress = ChecksProgress(done, total, result.id, started)
            self._store.change_part("decision", underway.number, progress=progress)

        place = (underway.key, self._store.state.phase)
        try:
            opened = self._store.find_opened(underway.key)
            stored = self._drafts.get_stored(underway.key.root)
            draft = draft_decision(underway.verb, place, stored, follow, cancel, opened, underway.looked)
            unseen = describe_unseen(draft, opened)
        except (HandoffError, OSError) as refused:
            changes = {"stage": DecisionStage.REFUSED, "trouble": build_trouble(refused), "progress": None}
            self._store.change_part("decision", underway.number, **changes)
            return
        with self._lock:
            if self._underway is not underway:
                return
            underway.draft = draft
        self._store.change_part(
            "decision",
            underway.number,
            stage=DecisionStage.MOVED if unseen else DecisionStage.READY,
            view=draft.view,
            demands=draft.demands,
            needs_terminal=draft.needs_terminal,
            shown_tree=draft.tree,
            trouble=Trouble(unseen, _LOOK_AGAIN) if unseen else None,
            progress=None,
        )
        self.note_snapshot()

    def _look(self, underway: _Underway) -> None:
        """Disarms the decision if anything differs from what is shown."""
        from handoff_tui.live.acting.decision_work import find_changes  # noqa: PLC0415 - after the first paint

        draft = underway.draft
        if draft is None or not self._is_ready(underway):
            return
        with self._in_use:
            try:
                changes = find_changes(draft)
            except (HandoffError, OSError) as unreadable:
                changes = (build_trouble(unreadable).message,)
        trouble = Trouble("; ".join(changes), _LOOK_AGAIN)

        def disarm(state: AppState) -> AppState:
            part = state.decision
            if part is None or (part.number, part.stage) != (underway.number, DecisionStage.READY):
                return state
            return replace(state, decision=replace(part, stage=DecisionStage.MOVED, trouble=trouble))

        if changes:
            self._store.change(disarm)

    def _sign(self, underway: _Underway, reason: str, *, at_terminal: bool) -> None:
        from handoff_tui.live.acting.decision_work import judge_failure, sign_draft  # noqa: PLC0415

        draft = underway.draft
        if draft is None:
            return
        with self._in_use:
            try:
                entry, gate = sign_draft(draft, reason, at_terminal=at_terminal)
            except (HandoffError, OSError) as refused:
                failure, part = judge_failure(draft, refused), self._store.state.decision
                asks = failure.needs_terminal or (part is not None and part.needs_terminal)
                changes = {"stage": failure.stage, "trouble": failure.trouble, "needs_terminal": asks}
                self._store.change_part("decision", underway.number, **changes)
                return
        underway.draft = None
        stored = {"stage": DecisionStage.STORED, "entry": entry, "gate": gate, "trouble": None}
        self._store.change_part("decision", underway.number, **stored)
        self._drafts.forget_signed(underway.verb.value, draft.comments)
        self._worker.submit("wake", lambda _: self._wake(draft))
        if underway.verb is DecisionVerb.REJECT:
            self._on_sent_back(underway.key)

    def _wake(self, draft: DecisionDraft) -> None:
        """Wakes procedures that wait at this gate. The decision stands whatever comes of that."""
        from handoff_tui.agents.procedures.run import wake_runs  # noqa: PLC0415 - most repositories run no procedures
        from handoff_tui.checks.run.recheck import CheckAgain  # noqa: PLC0415 - after a decision
        from handoff_tui.status.registry import describe_edit, find_overtaken  # noqa: PLC0415 - after a decision

        examined = draft.prepared.examined
        try:
            wake_runs(examined.session, examined.handoff.id)
        except HandoffError as refused:
            self._store.say(f"Couldn't wake the procedures that wait for this decision: {refused.message}", "warning")
        if draft.prepared.verb in PASSING:
            rows = [describe_edit(edit)[0] for edit in find_overtaken(examined.session, examined.handoff, CheckAgain())]
            if rows:
                self._store.say(f"The registry is behind: {'; '.join(rows)}. handoff-tui registry --apply writes it.")

    def _start_signing(self) -> _Underway | None:
        """Returns the decision if it is ready and shown; it can be signed only once."""
        started = False

        def start(state: AppState) -> AppState:
            nonlocal started
            part = state.decision
            if part is None or part.stage is not DecisionStage.READY:
                return state
            started = True
            return replace(state, decision=replace(part, stage=DecisionStage.SIGNING, trouble=None))

        with self._lock:
            underway = self._underway
        if underway is None or underway.draft is None:
            return None
        self._store.change(start)
        return underway if started else None

    def _is_ready(self, underway: _Underway) -> bool:
        part = self._store.state.decision
        return self._underway is underway and part is not None and part.stage is DecisionStage.READY


_JOB = "batch"


class BatchApproving:
    """Prepares a batch and signs it; `worker` is the one that decisions run on."""

    def __init__(self, store: StateStore, worker: KeyedWorker, drafts: DraftKeeper) -> None:
        self._store, self._worker, self._drafts = store, worker, drafts
        self._number = 0
        self._prepared: dict[HandoffKey, DecisionDraft] = {}

    def begin(self, keys: tuple[HandoffKey, ...]) -> None:
        """Examines each handoff afresh; those that can't be approved like this are left out, with the reason."""
        self._number += 1
        number = self._number
        items = tuple(BatchItem(key) for key in keys)
        self._store.change(lambda state: replace(state, batch=BatchPart(number, items)))
        self._worker.cancel(_JOB)
        self._worker.submit(_JOB, lambda cancel: self._prepare(number, keys, cancel))

    def leave(self) -> None:
        """Drops what isn't signed."""
        self._number += 1
        self._worker.cancel(_JOB)
        self._store.change(lambda state: state if state.batch is None else replace(state, batch=None))

    def sign(self, number: int) -> None:
        """Signs what was shown under that number, one entry for each handoff."""
        part = self._store.state.batch
        if part is not None and (part.number, part.stage) == (number, BatchStage.READY):
            self._store.change_part("batch", number, stage=BatchStage.SIGNING)
            self._worker.submit(_JOB, lambda _: self._sign(number))

    def _prepare(self, number: int, keys: tuple[HandoffKey, ...], cancel: threading.Event) -> None:
        self._prepared = {}
        for key in keys:
            if cancel.is_set():
                return
            self._put(number, self._prepare_one(key, cancel))
        self._store.change_part("batch", number, stage=BatchStage.READY)

    def _prepare_one(self, key: HandoffKey, cancel: threading.Event) -> BatchItem:
        from handoff_tui.live.acting.decision_work import draft_decision  # noqa: PLC0415 - after the first paint

        stored = self._drafts.get_stored(key.root)
        try:
            draft = draft_decision(DecisionVerb.APPROVE, (key, None), stored, lambda *_: None, cancel)
        except (HandoffError, OSError) as refused:
            return BatchItem(key, left_out=build_trouble(refused).message)
        unseen = next((demand.text for demand in draft.demands if demand.asks), "")
        if unseen or draft.needs_terminal:
            return BatchItem(key, left_out=unseen or "its key asks for a passphrase; approve it on its own")
        self._prepared[key] = draft
        report = draft.view.gate.report
        words = f"{report.phase} · attempt {report.attempt} · {draft.view.gate.checks_passed} checks pass"
        return BatchItem(key, " · ".join((words, *(demand.text for demand in draft.demands))))

    def _sign(self, number: int) -> None:
        from handoff_tui.live.acting.decision_work import find_changes, sign_draft  # noqa: PLC0415 - as above

        for key, draft in self._prepared.items():
            try:
                if changes := find_changes(draft):
                    item = BatchItem(key, left_out=f"not signed, it changed: {changes[0]}")
                else:
                    entry, _ = sign_draft(draft, "", at_terminal=False)
                    item = BatchItem(key, entry=entry)
            except (HandoffError, OSError) as refused:
                item = BatchItem(key, left_out=f"not signed: {build_trouble(refused).message}")
            self._put(number, item)
        self._prepared = {}
        self._store.change_part("batch", number, stage=BatchStage.DONE)

    def _put(self, number: int, item: BatchItem) -> None:
        part = self._store.state.batch
        if part is not None:
            items = tuple(item if one.key == item.key else one for one in part.items)
            self._store.change_part("batch", number, items=items)
