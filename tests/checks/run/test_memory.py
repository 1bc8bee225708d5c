from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.checks.context import Question
from handoff_tui.checks.engine import CachedResult
from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.checks.run.result_cache import load_result_cache
from handoff_tui.core.severity import Severity


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def result(outcome: Outcome, digest: str | None = "d") -> CheckResult:
    return CheckResult(
        id="x", outcome=outcome, severity=Severity.HIGH, blocking=True, summary="s", inputs_digest=digest
    )


def test_memory_comes_back(tmp_path: Path) -> None:
    """Rules, passes and outcomes; each scope has its own."""
    memory = load_result_cache(tmp_path, None)
    memory.rules["r"] = CachedResult(result(Outcome.FAIL), {Question("read", ("a",)): "1"}, 2)
    memory.note_outcome(result(Outcome.PASS))
    memory.save()
    again = load_result_cache(tmp_path, None)
    assert again.rules == memory.rules
    assert again.commands == memory.commands
    assert load_result_cache(tmp_path, "H-1/x").place != load_result_cache(tmp_path, "H-1-x").place


@pytest.mark.parametrize("content", ["", "[]", '{"schema": 1}', '{"schema": 99, "rules": {}}'])
def test_damaged_memory_is_none(tmp_path: Path, content: str) -> None:
    """Nothing is remembered, nothing fails."""
    memory = load_result_cache(tmp_path, None)
    memory.place.parent.mkdir(parents=True)
    memory.place.write_text(content, encoding="utf-8")
    assert load_result_cache(tmp_path, None).rules == {}


def test_two_outcomes_for_one_digest_are_flaky_from_then_on() -> None:
    """The mark stays until the inputs change."""
    memory = load_result_cache(Path("/nowhere"), None)
    outcomes = (Outcome.PASS, Outcome.FAIL, Outcome.FAIL)
    assert [memory.note_outcome(result(outcome)).flaky for outcome in outcomes] == [False, True, True]
    assert memory.note_outcome(result(Outcome.FAIL, "other")).flaky is False


@pytest.mark.parametrize("outcome", [Outcome.ERROR, Outcome.TIMEOUT, Outcome.CANCELLED, Outcome.UNKNOWN])
def test_what_is_no_answer_is_not_remembered(outcome: Outcome) -> None:
    """Only passes and failures are outcomes of the inputs."""
    memory = load_result_cache(Path("/nowhere"), None)
    memory.note_outcome(result(outcome))
    assert (memory.outcomes, memory.commands) == ({}, {})
