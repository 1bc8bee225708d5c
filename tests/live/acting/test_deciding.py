"""Somebody decides on one handoff: the real store, worker and steps, without a screen and a watcher."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest

from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.changes.diff import DiffRequest, diff
from handoff_tui.core.classes import replace
from handoff_tui.core.errors import (
    AppendRefusedError,
    DecisionForbiddenError,
    HandoffError,
    KeyLockedError,
    LogBrokenError,
    LogLockedError,
    NoHumanError,
    SigningKeyMissingError,
    SigningRefusedError,
    TreeMovedError,
    UsageError,
)
from handoff_tui.decisions.drafts import StoredDrafts
from handoff_tui.decisions.extra_confirmations import compare_read
from handoff_tui.handoffs.session import open_session
from handoff_tui.live.acting.deciding import Deciding
from handoff_tui.live.acting.decision_work import DecisionDraft, draft_decision, find_changes, judge_failure, sign_draft
from handoff_tui.live.drafts import DraftKeeper
from handoff_tui.live.feed.snapshot import RepositorySnapshot
from handoff_tui.live.keyed_worker import KeyedWorker
from handoff_tui.live.state.app import AppState, BatchStage, DecisionPart, DecisionStage, RepositoryPart
from handoff_tui.live.state_store import StateStore
from handoff_tui.log.entry import DecisionVerb
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.log.review_record import Comment
from handoff_tui.status.inbox_item import HandoffKey
from tests.support.gates import CODE, HANDOFF, GateDesk
from tests.support.live_desks import looking
from tests.support.signed import Person, list_entries
from tests.support.ssh_keys import PASSPHRASE
from tests.support.waiting import LONGEST_SECONDS, wait_until

REMARK = Comment(text="why?", path="src/app.py", line=2)


class Seat:
    """The decision as the app would see it."""

    def __init__(self, desk: GateDesk) -> None:
        self.desk = desk
        self.told: list[AppState] = []
        self.bugs: list[BaseException] = []
        self.stored: list[tuple[str, tuple[Comment, ...]]] = []
        self.drafts = StoredDrafts()
        self._news = threading.Condition()
        self.store = StateStore(self._tell)
        self.worker = KeyedWorker("decisions", self.bugs.append)
        self.deciding = Deciding(self.store, self.worker, cast("DraftKeeper", self))
        root = str(desk.root)
        key, part = HandoffKey(root, HANDOFF), RepositoryPart(root, desk.root.name)
        self.store.change(lambda state: replace(state, chosen=key, repositories=(part,)))
        self._notice_something()

    def get_stored(self, _: str) -> StoredDrafts:
        """As the keeper of drafts does."""
        return self.drafts

    def forget_signed(self, verb: str, comments: tuple[Comment, ...]) -> None:
        """As the keeper of drafts does."""
        self.stored.append((verb, comments))

    def _notice_something(self) -> None:
        self.store.snapshots[str(self.desk.root)] = cast("RepositorySnapshot", object())  # only its identity counts

    def _tell(self, state: AppState) -> None:
        with self._news:
            self.told.append(state)
            self._news.notify_all()

    def write_comment(self, comment: Comment) -> None:
        self.drafts = self.drafts.add_comment(HANDOFF, comment)

    def notice(self) -> None:
        """As if the watcher had reported something."""
        self._notice_something()
        self.deciding.note_snapshot()

    def wait_for(self, holds: Callable[[DecisionPart], bool]) -> DecisionPart:
        """The decision, as soon as something holds of it."""
        deadline = time.monotonic() + LONGEST_SECONDS
        with self._news:
            while (part := self.store.state.decision) is None or not holds(part):
                left = deadline - time.monotonic()
                assert left > 0, f"never came; it is {part}, bugs: {self.bugs}"
                self._news.wait(min(left, 0.5))
            return part

    def wait_for_stage(self, *stages: DecisionStage) -> DecisionPart:
        return self.wait_for(lambda part: part.stage in stages)

    def begin(self, verb: str) -> DecisionPart:
        """Chooses a verb and waits until it is prepared, or refused."""
        self.deciding.begin(verb)
        return self.wait_for_stage(DecisionStage.READY, DecisionStage.REFUSED)

    def sign(self, reason: str = "") -> DecisionPart:
        """Confirms, and waits for what comes of it."""
        self.deciding.sign(reason)
        return self.wait_for(lambda part: part.stage is not DecisionStage.SIGNING)

    def wait_until_idle(self) -> None:
        wait_until(self.worker.is_idle, "the end of the work")


@contextmanager
def take_seat(desk: GateDesk) -> Iterator[Seat]:
    """A desk whose threads end with the test; a bug on one of them fails it."""
    seat = Seat(desk)
    seat.worker.start()
    try:
        yield seat
    finally:
        seat.worker.stop()
        seat.worker.join()
    assert seat.bugs == []


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
    """Each step is told; what is stored is what was shown, with the comments; the gate after it is told too."""
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
    since = diff(open_session(seat.desk.root), DiffRequest(scope=DiffScope.SINCE_SHOWN, against=moved.shown_tree))
    assert since.files is not None
    assert [change.path for change in since.files.listed.changes] == ["src/app.py"]
    assert (since.pair.comparable, since.record) == (True, None)
    seat.deciding.sign("")
    seat.wait_until_idle()
    assert len(list_entries(seat.desk.root)) == 1
    assert seat.begin("approve").stage is DecisionStage.READY


def test_change_without_effect_leaves_it_armed(seat: Seat) -> None:
    """The watcher reported something, and all is as it was."""
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
    assert len(list_entries(seat.desk.root)) == 1


def decide_as_another(seat: Seat, reviewer: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cy rejects, by the command line, while Bo looks."""
    cy = Person("cy", seat.desk.folder / "homes" / "cy", seat.desk.folder / "homes" / "cy" / ".ssh" / "id_ed25519")
    said = seat.desk.decide(cy, "reject", "--reason", "too thin")
    assert said.code == 0, said.stderr
    reviewer.become(monkeypatch)


def test_entry_by_somebody_else_disarms(seat: Seat, reviewer: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log has grown between choosing and confirming, and the watcher reported it."""
    seat.begin("approve")
    decide_as_another(seat, reviewer, monkeypatch)
    seat.notice()
    moved = seat.wait_for_stage(DecisionStage.MOVED)
    assert moved.trouble is not None
    assert f"the log has a new entry: reject {HANDOFF}, by cy@example.org" in moved.trouble.message


def test_first_decision_wins_at_signing(seat: Seat, reviewer: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if nobody reported it: the second person is told what the first decision was."""
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
    """Nobody has read the handoff's own files, or opened its document."""
    demands = seat.begin("approve").demands
    assert [demand.detail for demand in demands] == ["HANDOFF.md and 1 more", "HANDOFF.md"]


def ready(desk: GateDesk, verb: DecisionVerb, drafts: StoredDrafts) -> DecisionDraft:
    place = (HandoffKey(str(desk.root), HANDOFF), None)
    return draft_decision(verb, place, drafts, lambda *_: None, threading.Event())


@pytest.fixture
def reviewer_alone(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Bo, who has approved once, so that there is a baseline; the work has changed since."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    assert gate_desk.decide(bo, "approve").code == 0
    gate_desk.commit_log()
    gate_desk.change(CODE + "# more\n")
    bo.become(monkeypatch)
    return bo


def test_remarks_and_read_files_go_along(gate_desk: GateDesk, reviewer_alone: Person) -> None:
    """What is shown is what is signed: comments on this handoff, files whose very content was marked; then it holds."""
    examined = ready(gate_desk, DecisionVerb.HOLD, StoredDrafts()).prepared.examined
    change = next(one for one in compare_read(examined, StoredDrafts()).changes if one.path == "src/app.py")
    other = change._replace(path="gone.py")
    drafts = StoredDrafts().add_comment(HANDOFF, REMARK).mark(change, viewed=True).mark(other, viewed=True)
    readied = ready(gate_desk, DecisionVerb.REJECT, drafts)
    assert (readied.view.record.comments, readied.view.record.viewed) == ((REMARK,), ("src/app.py",))
    assert (readied.view.principal, readied.comments, readied.needs_terminal) == (
        reviewer_alone.email,
        (REMARK,),
        False,
    )
    assert find_changes(readied) == ()
    entry, gate = sign_draft(readied, "too thin", at_terminal=False)
    assert gate.report.approvals[-1].entry == entry
    assert find_changes(readied) == (f"the log has a new entry: reject {HANDOFF}, by {reviewer_alone.email}",)
    _check_failures(readied)


def _check_failures(readied: DecisionDraft) -> None:
    """Which failures can be tried again as they are, which need another look, and which end it."""
    stages: dict[HandoffError, DecisionStage] = {
        SigningKeyMissingError("gone", "Plug it in."): DecisionStage.READY,
        LogLockedError("busy"): DecisionStage.READY,
        UsageError("too long", "--comments"): DecisionStage.READY,
        DecisionForbiddenError("moved"): DecisionStage.MOVED,
        TreeMovedError("moves"): DecisionStage.MOVED,
        LogBrokenError("broken"): DecisionStage.REFUSED,
        AppendRefusedError("no"): DecisionStage.REFUSED,
        NoHumanError("nobody"): DecisionStage.REFUSED,
    }
    for refused, stage in stages.items():
        failure = judge_failure(readied, refused)
        assert (failure.stage, failure.trouble.message, failure.needs_terminal) == (stage, refused.message, False)
        assert "--" not in failure.trouble.hint
    full = judge_failure(readied, OSError(28, "No space left on device"))
    assert (full.stage, "No space left" in full.trouble.message) == (DecisionStage.READY, True)
    assert judge_failure(readied, KeyLockedError("locked")).needs_terminal
    assert not judge_failure(readied, SigningRefusedError("no")).needs_terminal
    key = readied.prepared.signing.key._replace(public_text="sk-ssh-ed25519@openssh.com AAAA")
    signing = replace(readied.prepared.signing, key=key)
    touched = replace(readied, prepared=replace(readied.prepared, signing=signing))
    assert judge_failure(touched, SigningRefusedError("a PIN is needed")).needs_terminal


def test_locked_key_is_announced_and_nobody_is_asked_behind_the_screen(
    gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the terminal it is refused at once."""
    bo = gate_desk.person("bo", PASSPHRASE)
    gate_desk.begin(gate_desk.person("cy"), bo)
    bo.become(monkeypatch)
    readied = ready(gate_desk, DecisionVerb.REJECT, StoredDrafts())
    assert readied.needs_terminal
    with pytest.raises(KeyLockedError, match="nobody to ask"):
        sign_draft(readied, "no tests", at_terminal=False)


def test_agent_is_told_that_it_never_decides(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does somebody without a key."""
    robot = gate_desk.person("robot")
    gate_desk.begin(gate_desk.person("bo"), agents=[robot])
    robot.become(monkeypatch)
    with pytest.raises(NoHumanError, match="an agent never decides"):
        ready(gate_desk, DecisionVerb.HOLD, StoredDrafts())
    for file in Path(robot.key.parent).iterdir():
        file.unlink()
    with pytest.raises(SigningKeyMissingError):
        ready(gate_desk, DecisionVerb.HOLD, StoredDrafts())


def test_each_handoff_gets_an_entry_of_its_own_and_the_others_are_named(
    gate_desk: GateDesk, bo: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is not there is left out with the reason; what was not confirmed is not signed."""
    bo.become(monkeypatch)
    monkeypatch.setattr("handoff_tui.live.acting.decision_work.require_person", lambda *_: None)
    before = set(list_entries(gate_desk.root))
    with looking(gate_desk.root) as onlooker:
        state = onlooker.wait_until_live()
        key = state.inbox[0].key
        keys = (key, HandoffKey(key.root, "H-404"))
        onlooker.desk.batch.begin(keys)
        state = onlooker.wait_for(lambda state: state.batch is not None and state.batch.stage is BatchStage.READY)
        assert state.batch is not None
        assert [bool(item.left_out) for item in state.batch.items] == [False, True]
        assert set(list_entries(gate_desk.root)) == before
        onlooker.desk.batch.sign(state.batch.number + 1)
        onlooker.desk.batch.sign(state.batch.number)
        state = onlooker.wait_for(lambda state: state.batch is not None and state.batch.stage is BatchStage.DONE)
        assert state.batch is not None
        [new] = set(list_entries(gate_desk.root)) - before
        assert state.batch.items[0].entry == new
        assert key.handoff == HANDOFF
