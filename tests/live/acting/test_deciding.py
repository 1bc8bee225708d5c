from __future__ import annotations

from collections.abc import Iterator

import pytest

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.changes.diff import DiffRequest, diff
from handoff_tui.handoffs.session import open_desk
from handoff_tui.live.state.app import DecisionStage
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.log.review_record import Comment
from tests.support.deciding import Seat, take_seat
from tests.support.gates import HANDOFF, GateDesk
from tests.support.signed import Person, list_entries


@pytest.fixture
def reviewer(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Bo, who may decide here."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo, gate_desk.person("cy"))
    bo.become(monkeypatch)
    return bo


@pytest.fixture
def seat(gate_desk: GateDesk, reviewer: Person) -> Iterator[Seat]:
    """Bo at the desk."""
    assert reviewer.name == "bo"
    with take_seat(gate_desk) as taken:
        yield taken


def test_decision_is_prepared_shown_and_stored(seat: Seat, reviewer: Person) -> None:
    """Each step is told; what is stored is what was shown, with the remarks; the gate after it is told too."""
    remark = Comment(text="why?", path="src/app.py", line=2)
    seat.write_comment(remark)
    ready = seat.begin("reject")
    assert ready.stage is DecisionStage.READY
    assert ready.needs_reason
    assert ready.view is not None
    assert (ready.view.principal, ready.view.record.comments) == (reviewer.email, (remark,))
    stored = seat.sign("no tests")
    assert stored.stage is DecisionStage.STORED
    assert stored.entry in list_entries(seat.desk.root)
    assert stored.gate is not None
    assert stored.gate.report.state is GateName.REJECTED
    assert seat.stored == [("reject", (remark,))]
    stages = list(dict.fromkeys(state.decision.stage for state in seat.told if state.decision))
    assert stages == [DecisionStage.PREPARING, DecisionStage.READY, DecisionStage.SIGNING, DecisionStage.STORED]


def test_checks_are_told_while_they_run(seat: Seat) -> None:
    """Progress counts up to its total, for the handoff and then for the whole repository."""
    seat.begin("approve")
    steps = [state.decision.progress for state in seat.told if state.decision and state.decision.progress]
    assert all(0 < step.done <= step.total for step in steps)
    assert steps[-1].done == steps[-1].total


def test_signing_before_it_is_ready_does_nothing(seat: Seat) -> None:
    """A key that came while the checks run finds nothing to sign; nor does one after the dialog was left."""
    seat.deciding.begin("approve")
    seat.deciding.sign("")
    seat.wait_for_stage(DecisionStage.READY)
    seat.deciding.leave()
    seat.deciding.sign("")
    seat.deciding.sign_here("")
    seat.wait_until_idle()
    assert len(list_entries(seat.desk.root)) == 1
    assert seat.store.state.decision is None


def test_decision_is_signed_once(seat: Seat) -> None:
    """A second confirmation finds it stored."""
    seat.begin("approve")
    seat.deciding.sign("")
    seat.deciding.sign("")
    seat.deciding.sign_here("")
    seat.wait_for_stage(DecisionStage.STORED)
    seat.wait_until_idle()
    assert len(list_entries(seat.desk.root)) == 2


def test_change_that_the_watcher_tells_of_disarms(seat: Seat) -> None:
    """It says which file; nothing can be signed until it was looked at again."""
    seat.begin("approve")
    (seat.desk.root / "src/app.py").write_text("print('other')\n", encoding="utf-8")
    seat.notice()
    moved = seat.wait_for_stage(DecisionStage.MOVED)
    assert moved.trouble is not None
    assert "1 file changed: src/app.py" in moved.trouble.message
    since = diff(open_desk(seat.desk.root), DiffRequest(scope=DiffScope.SINCE_SHOWN, against=moved.shown_tree))
    assert since.files is not None
    assert [change.path for change in since.files.listed.changes] == ["src/app.py"]
    assert (since.pair.comparable, since.record) == (True, None)
    seat.deciding.sign("")
    seat.wait_until_idle()
    assert len(list_entries(seat.desk.root)) == 1
    assert seat.begin("approve").stage is DecisionStage.READY


def test_change_without_effect_leaves_it_armed(seat: Seat) -> None:
    """The watcher told of something, and all is as it was."""
    ready = seat.begin("approve")
    seat.notice()
    seat.wait_until_idle()
    assert seat.store.state.decision is ready


def test_change_that_nobody_told_of_is_refused_when_it_is_signed(seat: Seat) -> None:
    """Everything is asked again under the lock; the refusal names the file, and nothing is stored."""
    seat.begin("approve")
    (seat.desk.root / "HANDOFF.md").write_text("# Handoff: other\n\nStatus: COMPLETE\n", encoding="utf-8")
    moved = seat.sign()
    assert moved.stage is DecisionStage.MOVED
    assert moved.trouble is not None
    assert "HANDOFF.md" in moved.trouble.message
    assert "the handoff was edited" in moved.trouble.message
    assert len(list_entries(seat.desk.root)) == 1


def decide_as_another(seat: Seat, reviewer: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cy rejects, by the command line, while Bo looks."""
    cy = Person("cy", seat.desk.folder / "homes" / "cy", seat.desk.folder / "homes" / "cy" / ".ssh" / "id_ed25519")
    said = seat.desk.decide(cy, "reject", "--reason", "too thin")
    assert said.code == 0, said.stderr
    reviewer.become(monkeypatch)


def test_entry_by_somebody_else_disarms(seat: Seat, reviewer: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log has grown between choosing and confirming, and the watcher told of it."""
    seat.begin("approve")
    decide_as_another(seat, reviewer, monkeypatch)
    seat.notice()
    moved = seat.wait_for_stage(DecisionStage.MOVED)
    assert moved.trouble is not None
    assert f"the log has a new entry: reject {HANDOFF}, by cy@example.org" in moved.trouble.message


def test_first_decision_wins_at_signing(seat: Seat, reviewer: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when nobody told of it: who comes second is told what the first one was."""
    seat.begin("approve")
    decide_as_another(seat, reviewer, monkeypatch)
    moved = seat.sign()
    assert moved.stage is DecisionStage.MOVED
    assert moved.trouble is not None
    assert "cy@example.org decided first: reject" in moved.trouble.message
    assert len(list_entries(seat.desk.root)) == 2


def test_reason_that_cannot_be_held_is_said_and_it_stays_ready(seat: Seat) -> None:
    """Nothing is signed, and it can be confirmed again with another reason."""
    seat.begin("reject")
    ready = seat.sign("a\ttab")
    assert ready.stage is DecisionStage.READY
    assert ready.trouble is not None
    assert "aren't text" in ready.trouble.message
    assert "--" not in ready.trouble.hint
    assert seat.sign("a tab").stage is DecisionStage.STORED


def test_pulled_key_is_said_and_can_be_put_back(seat: Seat, reviewer: Person) -> None:
    """A key that is gone when it should sign: nothing is stored, and the same decision can be signed later."""
    seat.begin("approve")
    public = reviewer.key.with_name(reviewer.key.name + ".pub")
    kept = {file: file.read_bytes() for file in (reviewer.key, public)}
    for file in kept:
        file.unlink()
    ready = seat.sign()
    assert ready.stage is DecisionStage.READY
    assert ready.trouble is not None
    assert "is not there" in ready.trouble.message
    assert len(list_entries(seat.desk.root)) == 1
    for file, content in kept.items():
        file.write_bytes(content)
        file.chmod(0o600)
    assert seat.sign().stage is DecisionStage.STORED


def test_leaving_gives_up_what_was_prepared(seat: Seat) -> None:
    """What comes late changes nothing; another verb starts afresh."""
    seat.deciding.begin("approve")
    seat.deciding.leave()
    seat.wait_until_idle()
    assert seat.store.state.decision is None
    assert seat.begin("hold").verb == "hold"


def test_nothing_begins_without_a_handoff(seat: Seat) -> None:
    """There is nothing to decide on."""
    seat.store.change(lambda state: type(state)())
    seat.deciding.begin("approve")
    assert seat.store.state.decision is None


def test_demands_come_with_what_is_ready(seat: Seat) -> None:
    """Nothing was approved here before, and nobody has opened the document."""
    demands = seat.begin("approve").demands
    assert [demand.detail for demand in demands] == ["there is no baseline", "HANDOFF.md"]
