"""The built-in steps, on a real repository: what they write, what they refuse, and how they are undone."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event

import pytest

from handoff_tui.agents.engine.engine import StepResult
from handoff_tui.agents.procedures.report import RunRequest
from handoff_tui.agents.procedures.steps import (
    BUILT_IN_STEPS,
    BUILT_IN_UNDOS,
    TransferFolder,
    open_transfer,
    open_work,
)
from handoff_tui.core.errors import ProcedureError, StoreWriteError
from handoff_tui.git.history.work_commits import find_work_commit
from handoff_tui.git.repository import open_repository
from handoff_tui.handoffs.session import open_desk
from tests.support.gates import HANDOFF, GateDesk


class Stepping:
    """One run, whose steps are done one by one."""

    def __init__(self, desk: GateDesk) -> None:
        self.desk = desk
        commit = find_work_commit(open_repository(desk.root).git)
        self.request = RunRequest(procedure="P", handoff=HANDOFF, phase="review", attempt=1, commit=commit)
        self.cancel = Event()

    def do(self, step: str) -> StepResult:
        return BUILT_IN_STEPS[step](open_work(self.desk.root, self.request, self.cancel))

    def undo(self, name: str) -> StepResult:
        return BUILT_IN_UNDOS[name](open_transfer(open_desk(self.desk.root), self.request), self.request)

    def list_files(self) -> set[str]:
        place = open_transfer(open_desk(self.desk.root), self.request).place
        return {path.name for path in place.iterdir()} if place.exists() else set()

    def read(self, name: str) -> dict[str, object]:
        place = open_transfer(open_desk(self.desk.root), self.request).place / name
        value = json.loads(place.read_bytes())
        assert isinstance(value, dict)
        return value


@pytest.fixture
def stepping(gate_desk: GateDesk) -> Stepping:
    return Stepping(gate_desk)


def test_phase_is_complete_when_all_work_is_committed(stepping: Stepping) -> None:
    """Loose files are named; so is another commit than the run was asked for."""
    assert stepping.do("validate_phase_completion").passed
    stepping.desk.builder.write("loose.txt")
    refused = stepping.do("validate_phase_completion")
    assert (refused.passed, "loose.txt" in refused.detail) == (False, True)
    stepping.desk.builder.commit("more")
    moved = stepping.do("validate_phase_completion")
    assert (moved.passed, "but the work is at" in moved.detail) == (False, True)


def test_resources_are_listed_with_their_hashes(stepping: Stepping) -> None:
    """Each file of the handoff; doing it twice changes nothing."""
    first, second = stepping.do("transfer_resources"), stepping.do("transfer_resources")
    assert first == second
    files = stepping.read("resources.json")["files"]
    assert isinstance(files, dict)
    assert files["HANDOFF.md"].startswith("sha256:")


def test_state_keeps_what_was_there_before(stepping: Stepping) -> None:
    """A second run puts the first one's state back when it is undone, and only its own."""
    stepping.do("transfer_resources")
    stepping.do("synchronize_state")
    first = stepping.read("state.json")
    another = Stepping(stepping.desk)
    another.request = stepping.request.model_copy(update={"number": 2})
    another.do("synchronize_state")
    another.do("synchronize_state")
    assert another.read("state.json")["before"] == first
    another.undo("rollback_state")
    assert stepping.read("state.json") == first
    another.undo("rollback_state")
    assert stepping.read("state.json") == first
    stepping.undo("rollback_state")
    assert stepping.list_files() == {"resources.json"}
    stepping.undo("rollback_resources")
    assert stepping.list_files() == set()


def test_agent_is_ready_when_its_program_is_here(stepping: Stepping) -> None:
    """Nobody named, no command, no program: each is said."""
    assert stepping.do("check_agent_readiness").detail == "no next agent is named"
    config = (
        '[pipelines.mine]\nphases = [{ name = "review" }, { name = "next", agent = "heron" }]\n'
        '[agents.heron]\ncommand = ["PROGRAM"]\n'
    )
    handoff = "---\nsource_phase: review\ntarget_phase: next\ntarget_agent: heron\n---\n# Handoff\n\nStatus: COMPLETE\n"
    stepping.desk.change(handoff, "HANDOFF.md")
    work = open_work(stepping.desk.root, stepping.request, stepping.cancel)
    named = work._replace(handoff=work.handoff.model_copy(update={"target_agent": "heron"}))
    assert "has no command for it" in BUILT_IN_STEPS["check_agent_readiness"](named).detail
    for program, ready in (("no-such-program", False), ("sh", True)):
        (stepping.desk.root / "handoff-tui.toml").write_text(config.replace("PROGRAM", program), encoding="utf-8")
        again = named._replace(desk=open_desk(stepping.desk.root))
        assert BUILT_IN_STEPS["check_agent_readiness"](again).passed is ready


def test_context_and_knowledge_are_handed_over_and_taken_back(stepping: Stepping) -> None:
    """The handoff as read, and what earlier attempts taught."""
    assert stepping.do("transfer_task_context").passed
    assert stepping.do("transfer_knowledge").passed
    assert stepping.list_files() == {"context.json", "knowledge.json"}
    content = stepping.read("context.json")["content"]
    assert isinstance(content, dict)
    assert content["id"] == HANDOFF
    stepping.undo("rollback_context")
    assert stepping.list_files() == set()


def test_work_is_passed_on_only_with_a_signature_in_git(stepping: Stepping) -> None:
    """The last step asks git itself: without a decision it fails, whatever the engine's record says."""
    stepping.do("transfer_resources")
    refused = stepping.do("validate_handoff")
    assert (refused.passed, "passed.json" in stepping.list_files()) == (False, False)
    reviewer = stepping.desk.person("bob")
    stepping.desk.begin(reviewer)
    entry = stepping.desk.decide(reviewer, "approve").json["entry"]
    passed = stepping.do("validate_handoff")
    assert (passed.passed, passed.evidence, stepping.read("passed.json")["entry"]) == (True, entry, entry)


def test_files_that_changed_after_they_were_handed_over_are_noticed(stepping: Stepping) -> None:
    """Neither a new commit nor an edited record passes."""
    stepping.do("transfer_resources")
    stepping.desk.change()
    found = stepping.do("validate_handoff")
    assert (found.passed, "resources.json was handed over" in found.detail) == (False, True)


def test_step_that_is_out_of_time_writes_nothing(stepping: Stepping) -> None:
    """It may still be running when everything is undone."""
    stepping.cancel.set()
    with pytest.raises(ProcedureError, match="ended before"):
        stepping.do("transfer_resources")
    assert stepping.list_files() == set()


def test_names_never_lead_out_of_the_folder(tmp_path: Path) -> None:
    """An agent chooses the id of a handoff."""
    folder = TransferFolder(tmp_path, "a/../../..", "../..", 1)
    assert folder.place.resolve().is_relative_to(tmp_path / "handoff-tui" / "transfers")


def test_damaged_file_is_nothing(tmp_path: Path) -> None:
    """It is not believed, and breaks nothing."""
    folder = TransferFolder(tmp_path, "H-1", "build", 1)
    folder.write("state.json", {})
    (folder.place / "state.json").write_text("[1", encoding="utf-8")
    assert folder.load("state.json") is None


def test_file_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    """Something else is in the way."""
    (tmp_path / "handoff-tui").touch()
    with pytest.raises(StoreWriteError, match="cannot be written"):
        TransferFolder(tmp_path, "H-1", "build", 1).write("state.json", {})
