"""Lists the proofs of work of the handoff in view by task, across runs, and opens one of them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from handoff_tui.agents.proofs import MeasuredProof
from handoff_tui.core.classes import replace
from handoff_tui.core.errors import HandoffError
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.agents import ProofShown, ProofsView
from handoff_tui.live.state.app import AppState, Loaded, build_trouble, load
from handoff_tui.live.state_store import StateStore
from handoff_tui.system.clock import read_now

if TYPE_CHECKING:
    from handoff_tui.live.feed.snapshot import RepositorySnapshot

_LIST, _OPEN = "list-proofs", "open-proof"
_LARGEST_TEXT = 4 * 1024 * 1024
_MOST_LINES = 20_000
_LAST_LINES = 400
"""How many lines of an output are shown; the Agent view has all of it."""


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
