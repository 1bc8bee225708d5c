from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

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
from handoff_tui.live.acting.decision_work import DecisionDraft, draft_decision, find_changes, judge_failure, sign_draft
from handoff_tui.live.state.app import DecisionStage
from handoff_tui.log.entry import DecisionVerb
from handoff_tui.log.review_record import Comment
from handoff_tui.status.inbox_item import HandoffKey
from tests.support.gates import CODE, HANDOFF, GateDesk
from tests.support.signed import Person
from tests.support.ssh_keys import PASSPHRASE

REMARK = Comment(text="why?", path="src/app.py", line=2)


def ready(desk: GateDesk, verb: DecisionVerb, drafts: StoredDrafts) -> DecisionDraft:
    place = (HandoffKey(str(desk.root), HANDOFF), None)
    return draft_decision(verb, place, drafts, lambda *_: None, threading.Event())


@pytest.fixture
def reviewer(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Bo, who has approved once, so that there is a baseline; the work has changed since."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    assert gate_desk.decide(bo, "approve").code == 0
    gate_desk.commit_log()
    gate_desk.change(CODE + "# more\n")
    bo.become(monkeypatch)
    return bo


def test_remarks_and_read_files_go_along(gate_desk: GateDesk, reviewer: Person) -> None:
    """What is shown is what is signed: remarks of this handoff, files whose very content was marked; then it holds."""
    examined = ready(gate_desk, DecisionVerb.HOLD, StoredDrafts()).prepared.examined
    (change,) = compare_read(examined, StoredDrafts()).changes
    other = change._replace(path="gone.py")
    drafts = StoredDrafts().add_comment(HANDOFF, REMARK).mark(change, viewed=True).mark(other, viewed=True)
    readied = ready(gate_desk, DecisionVerb.REJECT, drafts)
    assert (readied.view.record.comments, readied.view.record.viewed) == ((REMARK,), ("src/app.py",))
    assert (readied.view.principal, readied.comments, readied.needs_terminal) == (reviewer.email, (REMARK,), False)
    assert find_changes(readied) == ()
    entry, gate = sign_draft(readied, "too thin", at_terminal=False)
    assert gate.report.approvals[-1].entry == entry
    assert find_changes(readied) == (f"the log has a new entry: reject {HANDOFF}, by {reviewer.email}",)
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
