"""Proofs of work at the desk: listed and opened on a worker, from a real repository."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from handoff_tui.agents.proofs import MeasuredProof
from handoff_tui.agents.runs.files import OUTPUT
from handoff_tui.agents.runs.folders import write_run
from handoff_tui.agents.runs.run import RunKey, RunPlan
from handoff_tui.core.classes import replace
from handoff_tui.core.tasks import Proof, ProofKind
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.live.acting.agents import ProofRequests
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.agents import ProofShown
from handoff_tui.live.state.app import AppState, Loaded
from handoff_tui.live.state_store import StateStore
from handoff_tui.status.review_state import ReviewedHandoff
from tests.support.desk_states import make_state
from tests.support.pictures import build_png
from tests.support.repositories import RepositoryBuilder
from tests.support.waiting import wait_until

PROOFS = (
    Proof(path="proofs/shot.png", kind=ProofKind.SCREENSHOT, task="T-1"),
    Proof(path="proofs/long.log", kind=ProofKind.LOG, task="T-1"),
    Proof(path="proofs/data.bin", kind=ProofKind.OTHER),
)
RED = bytes((255, 0, 0))


def fail(bug: BaseException) -> None:
    raise bug


class Place:
    """Requests for proofs, and the state that reports them."""

    def __init__(self, desk: Session) -> None:
        self.store = StateStore(lambda _: None)
        self.desk = desk
        self.worker = KeyedWorker("words", fail)
        self.proofs = ProofRequests(self.store, self.worker)
        self.worker.start()
        self.store.change(lambda _: self._build_state())
        self.store.snapshots["/desk"] = SimpleNamespace(session=desk)  # type: ignore[assignment]

    @staticmethod
    def _build_state() -> AppState:
        state = make_state()
        reviewed = state.inbox[0].reviewed
        handoff = Handoff(id="H-1", dialect="builder", proofs=PROOFS)
        item = state.inbox[0]._replace(reviewed=ReviewedHandoff(handoff=handoff, gate=reviewed.gate))
        return replace(state, inbox=(item,))

    def list(self) -> list[MeasuredProof]:
        self.proofs.want_list()
        wait_until(self.worker.is_idle)
        view = self.store.state.proofs.value
        assert view is not None
        return [proof for task in view.tasks for proof in task.proofs]

    def open(self, proof: MeasuredProof) -> ProofShown:
        self.proofs.want_proof(proof)
        wait_until(self.worker.is_idle)
        view = self.store.state.proofs.value
        assert view is not None
        assert view.shown is not None
        return view.shown


@pytest.fixture
def place(builder: RepositoryBuilder) -> Iterator[Place]:
    builder.write("proofs/shot.png", build_png(2, 1, [RED * 2])).write("proofs/data.bin", b"\0\1\2")
    builder.write("proofs/long.log", "".join(f"{number}\n" for number in range(20_005))).commit("the work")
    made = Place(open_session(builder.folder))
    yield made
    made.worker.stop()
    made.worker.join()


def test_proofs_are_listed_and_opened(place: Place) -> None:
    """A picture as its pixels, a text as its lines, and of a long one the beginning, which is said."""
    shot, log, data = place.list()
    assert place.open(shot).picture == (2, 1, RED * 2)
    shown = place.open(log)
    assert (len(shown.lines), shown.lines[-1], shown.note) == (20_000, "19999", "the first 20,000 of 20,005 lines")
    assert place.open(data).note == "neither text nor a PNG picture"
    gone = place.open(shot.model_copy(update={"path": "proofs/gone.png"}))
    assert gone.note.startswith("can't be shown: ")


def test_output_is_read_only_where_runs_are_kept(place: Place) -> None:
    """What a report says of its place is not believed: an agent could have written it."""
    place.list()
    key = RunKey(handoff="H-1", phase="build")
    plan = RunPlan(key=key, argv=("sh",), folder="/", timeout_seconds=1)
    handle = write_run(place.desk.repository.common_dir, plan)
    output = handle.folder / OUTPUT
    output.write_text("\n".join(map(str, range(1_000))), encoding="utf-8")
    record = MeasuredProof(path=str(output), kind=ProofKind.LOG, run="build 1.1", recorded="0" * 64)
    shown = place.open(record)
    assert (shown.run, shown.lines[-1], shown.note) == (key, "999", "the last 400 lines")
    forged = place.open(record.model_copy(update={"path": "/etc/hostname"}))
    assert (forged.lines, forged.note) == ((), "it isn't where the outputs of runs are stored")


def test_other_handoff_has_no_proofs_until_it_is_asked(place: Place) -> None:
    """Nothing of the one before stays on the screen."""
    place.list()
    place.proofs.forget()
    assert place.store.state.proofs == Loaded()
