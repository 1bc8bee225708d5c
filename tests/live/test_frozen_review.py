"""A review is about one captured state: what is saved meanwhile never changes it unasked, in scope or outside."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handoff_tui.git.file_diff import DiffOptions
from handoff_tui.handoffs.session import open_session
from handoff_tui.live.state.app import AppState, DecisionPart, DecisionStage, Part
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.log.open_log import open_log
from tests.support.gates import HANDOFF, GateDesk
from tests.support.live_desks import Onlooker, looking

_SAVER = """
import pathlib, sys, time
place, number = pathlib.Path(sys.argv[1]), 0
while not pathlib.Path(sys.argv[2]).exists():
    number += 1
    place.write_text(f"value = {number}\\n")
    time.sleep(0.01)
"""
_PARTS = (Part.FILES, Part.FILE, Part.DOCUMENT)


@contextmanager
def keep_saving(place: Path, stop: Path) -> Iterator[None]:
    """Another process that saves a file all the time."""
    with subprocess.Popen([sys.executable, "-c", _SAVER, str(place), str(stop)]) as saver:
        try:
            yield
        finally:
            stop.touch()
            assert saver.wait(60) == 0


@pytest.fixture
def desk(gate_desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> GateDesk:
    """One handoff with a committed file of its own, a log, and bo, who decides."""
    bo = gate_desk.person("bo")
    gate_desk.begin(bo)
    bo.become(monkeypatch)
    return gate_desk


def open_review(onlooker: Onlooker, path: str = "src/app.py") -> AppState:
    """The handoff as somebody reads it: its diff at a file, and its document."""
    onlooker.wait_until_live()
    onlooker.choose(HANDOFF, Part.FILES)
    onlooker.desk.parts.open_file(path, DiffOptions(most_lines=None))
    onlooker.desk.open_document("HANDOFF.md")
    onlooker.desk.need(frozenset(_PARTS))
    return onlooker.wait_for_parts(*_PARTS)


def wait_for_stage(onlooker: Onlooker, *stages: DecisionStage) -> DecisionPart:
    state = onlooker.wait_for(lambda state: state.decision is not None and state.decision.stage in stages)
    assert state.decision is not None
    return state.decision


def test_work_in_scope_is_told_and_taken_in_with_one_call(desk: GateDesk) -> None:
    """Until then diff and document stay as they were, also for a file that was not opened before."""
    with looking(desk.root) as onlooker:
        before = open_review(onlooker)
        desk.builder.write("src/app.py", "changed = 1\n").write("HANDOFF.md", "# Handoff\n\nStatus: complete\n\nNew.\n")
        state = onlooker.wait_for(lambda state: state.moved == ("HANDOFF.md", "src/app.py"))
        state = onlooker.wait_until_live()
        assert state.files.value is before.files.value
        assert state.file.value is before.file.value
        assert state.document.value is before.document.value
        assert not any(getattr(state, part.value).stale for part in _PARTS)
        onlooker.desk.parts.open_file("HANDOFF.md", DiffOptions(most_lines=None))
        state = onlooker.wait_for_parts(Part.FILE)
        assert state.file.value is not None
        assert "New." not in str([state.file.value.lines.read_line(n).text for n in range(len(state.file.value.lines))])
        onlooker.desk.parts.take_in()
        state = onlooker.wait_for(lambda state: not state.moved and state.document.value is not None)
        state = onlooker.wait_for(lambda state: "New." in (state.document.value.text if state.document.value else ""))
        assert onlooker.wait_for_parts(Part.FILES).files.value is not before.files.value


def test_work_outside_never_disturbs(desk: GateDesk, tmp_path: Path) -> None:
    """While another process saves a file of nobody, an approval is prepared and signed."""
    desk.builder.write("other.py", "value = 0\n").commit("somebody else")
    with looking(desk.root) as onlooker:
        before = open_review(onlooker)
        with keep_saving(desk.root / "loose.py", tmp_path / "stop"):
            onlooker.wait_for(lambda state: "loose.py" in _list_unclaimed(state))
            onlooker.desk.deciding.begin("approve")
            part = wait_for_stage(onlooker, DecisionStage.READY, DecisionStage.MOVED, DecisionStage.REFUSED)
            assert part.stage is DecisionStage.READY, part.trouble
            onlooker.desk.deciding.sign("")
            part = wait_for_stage(onlooker, DecisionStage.STORED, DecisionStage.MOVED, DecisionStage.REFUSED)
            assert part.stage is DecisionStage.STORED, part.trouble
        state = onlooker.wait_for(lambda state: _find_gate(state) is GateName.APPROVED)
        assert state.moved == ()
        assert state.files.value is before.files.value


def test_approval_needs_a_look_at_work_that_arrived_in_scope(desk: GateDesk) -> None:
    """The box says which files; looking again takes them in, and then it signs."""
    with looking(desk.root) as onlooker:
        open_review(onlooker)
        desk.builder.write("src/app.py", "changed = 1\n")
        onlooker.wait_for(lambda state: state.moved == ("src/app.py",))
        onlooker.desk.deciding.begin("approve")
        part = wait_for_stage(onlooker, DecisionStage.READY, DecisionStage.MOVED)
        assert part.trouble is not None
        assert part.trouble.message == "1 file of this handoff changed since you opened it: src/app.py"
        onlooker.desk.decide_again("approve")
        wait_for_stage(onlooker, DecisionStage.READY)
        onlooker.wait_for(lambda state: not state.moved)
        onlooker.desk.deciding.sign("")
        wait_for_stage(onlooker, DecisionStage.STORED)


def test_rejection_signs_while_its_own_files_are_saved_and_is_about_what_was_read(
    desk: GateDesk, tmp_path: Path
) -> None:
    """The record binds the state that was opened, not what another process keeps saving."""
    with looking(desk.root) as onlooker:
        open_review(onlooker)
        opened = onlooker.desk._store.find_opened(onlooker.state.chosen)
        assert opened is not None
        with keep_saving(desk.root / "src" / "app.py", tmp_path / "stop"):
            onlooker.wait_for(lambda state: state.moved == ("src/app.py",))
            onlooker.desk.deciding.begin("reject")
            wait_for_stage(onlooker, DecisionStage.READY)
            onlooker.desk.deciding.sign("the tests are missing")
            entry = wait_for_stage(onlooker, DecisionStage.STORED).entry
        onlooker.wait_for(lambda state: _find_gate(state) is GateName.REJECTED)
        log = open_log(open_session(desk.root).repository)
        made = next(one for one in log.verify().entries if one.id == entry)
        assert made.work is not None
        assert opened.gates is not None
        scope = opened.gates.work.scopes.of(HANDOFF)
        assert made.work.subject.scope == opened.gates.work.digests.digest(scope)


def test_other_handoff_or_comparison_is_shown_as_it_is_now(desk: GateDesk) -> None:
    """Choosing nothing and coming back opens it again."""
    with looking(desk.root) as onlooker:
        state = open_review(onlooker)
        key = state.chosen
        desk.builder.write("src/app.py", "changed = 1\n")
        onlooker.wait_for(lambda state: bool(state.moved))
        onlooker.desk.choose(None)
        assert onlooker.state.moved == ()
        onlooker.desk.choose(key)
        state = onlooker.wait_for_parts(Part.FILES)
        assert state.moved == ()


def _list_unclaimed(state: AppState) -> tuple[str, ...]:
    value = state.repositories[0].state.value
    return value.unclaimed if value is not None else ()


def _find_gate(state: AppState) -> GateName | None:
    return state.item.reviewed.gate.state if state.item is not None else None
