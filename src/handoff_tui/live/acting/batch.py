"""Approves several handoffs in one go: each is prepared, shown and signed on its own."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from handoff_tui.core.errors import HandoffError
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.app import BatchItem, BatchPart, BatchStage, build_trouble
from handoff_tui.live.state_store import StateStore
from handoff_tui.log.entry import DecisionVerb
from handoff_tui.status.inbox_item import HandoffKey

if TYPE_CHECKING:
    from handoff_tui.live.acting.decision_work import DecisionDraft
    from handoff_tui.live.drafts import DraftKeeper

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
        return BatchItem(key, words)

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
