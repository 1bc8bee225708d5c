"""The proofs of work of the handoff in view: listed by task across runs, and one of them opened."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from handoff_tui.agents.proofs.record import ProofRecord
from handoff_tui.core.errors import HandoffError
from handoff_tui.live.feed.repository_feed import build_trouble
from handoff_tui.live.keyed_worker import Lane
from handoff_tui.live.state.agents import ProofShown, ProofsView
from handoff_tui.live.state.desk import DeskState, Loaded
from handoff_tui.live.state_store import Board
from handoff_tui.system.clock import read_now

if TYPE_CHECKING:
    from handoff_tui.live.feed.snapshot import Scene

_LIST, _OPEN = "list-proofs", "open-proof"
_LARGEST_TEXT = 4 * 1024 * 1024
_MOST_LINES = 20_000
_LAST_LINES = 400
"""Of an output, which may be of any length; all of it is in the agent's view."""


class ProofShelf:
    """Both take time (digests of everything, pictures), so they happen on a lane."""

    def __init__(self, board: Board, lane: Lane, find_scene: Callable[[DeskState], Scene | None]) -> None:
        self._board, self._lane, self._find_scene = board, lane, find_scene

    def want_list(self) -> None:
        """All of them anew, with their digests as they are now."""
        self._board.change(lambda state: replace(state, proofs=replace(state.proofs, loading=True)))
        self._lane.submit(_LIST, self._list)

    def want_proof(self, proof: ProofRecord) -> None:
        self._lane.cancel(_OPEN)
        self._lane.submit(_OPEN, lambda cancel: self._open(proof, cancel))

    def forget(self) -> None:
        """Another handoff is in view."""
        for key in (_LIST, _OPEN):
            self._lane.cancel(key)
        self._board.change(lambda state: replace(state, proofs=Loaded()) if state.proofs != Loaded() else state)

    def _list(self, cancel: threading.Event) -> None:
        from handoff_tui.agents.proofs.proofs import list_proofs  # noqa: PLC0415 - not before it is asked for

        state = self._board.state
        scene, item = self._find_scene(state), state.item
        if scene is None or item is None:
            return
        try:
            loaded = Loaded(ProofsView(list_proofs(scene.desk, item.reviewed.handoff)), at=read_now())
        except (HandoffError, OSError) as refused:
            loaded = Loaded(trouble=build_trouble(refused), at=read_now())
        chosen = state.chosen
        if not cancel.is_set():
            self._board.change(lambda now: replace(now, proofs=loaded) if now.chosen == chosen else now)

    def _open(self, proof: ProofRecord, cancel: threading.Event) -> None:
        state = self._board.state
        scene, chosen = self._find_scene(state), state.chosen
        if scene is None or chosen is None:
            return
        try:
            shown = _read_proof(scene, chosen.handoff, proof)
        except (HandoffError, OSError) as refused:
            shown = ProofShown(proof, note=f"it cannot be shown: {build_trouble(refused).message}")

        def put(now: DeskState) -> DeskState:
            view = now.proofs.value
            if view is None or now.chosen != chosen or cancel.is_set():
                return now
            return replace(now, proofs=replace(now.proofs, value=view._replace(shown=shown)))

        self._board.change(put)


def _read_proof(scene: Scene, handoff: str, proof: ProofRecord) -> ProofShown:
    from handoff_tui.agents.proofs.proofs import read_picture  # noqa: PLC0415
    from handoff_tui.system.files.decoding import decode_text  # noqa: PLC0415
    from handoff_tui.system.files.reader import FileReader  # noqa: PLC0415 - after the first paint

    if proof.recorded is not None:
        return _read_output(scene, handoff, proof)
    if proof.path.lower().endswith(".png"):
        return ProofShown(proof, picture=read_picture(scene.desk, proof.path))
    decoded = decode_text(FileReader(scene.desk.repository.root, _LARGEST_TEXT).read_bytes(proof.path))
    if decoded.binary:
        return ProofShown(proof, note="it is no text, and no PNG picture")
    lines = decoded.text.removesuffix("\n").split("\n")
    notes = [*decoded.remarks]
    if len(lines) > _MOST_LINES:
        notes.insert(0, f"the first {_MOST_LINES:,} of {len(lines):,} lines")
    return ProofShown(proof, tuple(lines[:_MOST_LINES]), note="; ".join(notes))


def _read_output(scene: Scene, handoff: str, proof: ProofRecord) -> ProofShown:
    """Only what lies where the runs of the handoff are kept: what a report says of its place is not believed."""
    from handoff_tui.agents.runs.reports import find_output  # noqa: PLC0415
    from handoff_tui.agents.runs.state import list_runs  # noqa: PLC0415
    from handoff_tui.system.processes.output_reader import read_last_lines  # noqa: PLC0415 - after the first paint

    for state in list_runs(scene.desk.repository.common_dir, handoff):
        place = find_output(state)
        if str(place) == proof.path:
            lines = tuple(read_last_lines(place, _LAST_LINES))
            note = f"the last {_LAST_LINES} lines" if len(lines) == _LAST_LINES else ""
            return ProofShown(proof, lines, note=note, run=state.key)
    return ProofShown(proof, note="it does not lie where the outputs of runs are kept")
