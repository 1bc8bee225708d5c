from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.agents.runs.folders import build_name, describe_key, find_run_folder, load_value, read_run, write_run
from handoff_tui.agents.runs.run import RunKey, RunPlan, RunStatus
from tests.support.runs import Runs
from tests.support.stepping import wait_until


def test_folder_of_a_run_is_named_by_its_key() -> None:
    """Beside git's own files."""
    folder = find_run_folder(Path("/r/.git"), RunKey(handoff="H-3", phase="RED", attempt=2, number=4))
    assert folder == Path("/r/.git/handoff-tui/runs/H-3/RED/a2/agent/t4")


@pytest.mark.parametrize("text", ["..", ".", "a/b", "../../x", "a\0b", "", "ä" * 200, "x" * 500, "A\nB"])
def test_any_name_is_one_folder(text: str) -> None:
    """It cannot lead elsewhere, and is short enough for every file system."""
    name = build_name(text)
    assert "/" not in name
    assert name not in {"", ".", ".."}
    assert len(name) <= 120


def test_long_names_stay_apart() -> None:
    """Two that begin alike are two folders."""
    assert build_name("x" * 300 + "a") != build_name("x" * 300 + "b")


def test_run_in_words_names_its_step() -> None:
    """A step of a procedure is named; the one by hand is not."""
    assert describe_key(RunKey(handoff="H-1", phase="b")) == "the agent of H-1 · b · attempt 1, run 1"
    assert "step transfer" in describe_key(RunKey(handoff="H-1", phase="b", step="transfer"))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"x": 1}', b"\xff"])
def test_damaged_file_of_a_run_is_none(tmp_path: Path, content: bytes) -> None:
    """It is not guessed at; a damaged result leaves the run to its process."""
    (tmp_path / "plan.json").write_bytes(content)
    assert load_value(tmp_path / "plan.json", RunPlan) is None


def test_run_with_a_damaged_result_is_not_finished(tmp_path: Path) -> None:
    """Its supervisor is gone, so it is lost."""
    runs = Runs(tmp_path)
    state = runs.run("true")
    Path(state.folder, "exit.json").write_text("{", encoding="utf-8")
    handle = write_run(tmp_path, runs.plan("x").model_copy(update={"key": state.key}))
    wait_until(lambda: read_run(handle).status is RunStatus.LOST)
