from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.checks.context import Question
from handoff_tui.checks.engine import CachedResult
from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.checks.run.output_cache import OutputCache
from handoff_tui.checks.run.result_cache import load_result_cache
from handoff_tui.core.severity import Severity
from tests.support.repositories import RepositoryBuilder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def result(outcome: Outcome, digest: str | None = "d") -> CheckResult:
    return CheckResult(
        id="x", outcome=outcome, severity=Severity.HIGH, blocking=True, summary="s", inputs_digest=digest
    )


def test_cache_comes_back(tmp_path: Path) -> None:
    """Rules, passes and outcomes; each scope has its own."""
    cache = load_result_cache(tmp_path, None)
    cache.rules["r"] = CachedResult(result(Outcome.FAIL), {Question("read", ("a",)): "1"}, 2)
    cache.note_outcome(result(Outcome.PASS))
    cache.save()
    again = load_result_cache(tmp_path, None)
    assert again.rules == cache.rules
    assert again.commands == cache.commands
    assert load_result_cache(tmp_path, "H-1/x").path != load_result_cache(tmp_path, "H-1-x").path


@pytest.mark.parametrize("content", ["", "[]", '{"schema": 1}', '{"schema": 99, "rules": {}}'])
def test_damaged_cache_is_none(tmp_path: Path, content: str) -> None:
    """Nothing is cached, nothing fails."""
    cache = load_result_cache(tmp_path, None)
    cache.path.parent.mkdir(parents=True)
    cache.path.write_text(content, encoding="utf-8")
    assert load_result_cache(tmp_path, None).rules == {}


def test_two_outcomes_for_one_digest_are_flaky_from_then_on() -> None:
    """The mark stays until the inputs change."""
    cache = load_result_cache(Path("/nowhere"), None)
    outcomes = (Outcome.PASS, Outcome.FAIL, Outcome.FAIL)
    assert [cache.note_outcome(result(outcome)).flaky for outcome in outcomes] == [False, True, True]
    assert cache.note_outcome(result(Outcome.FAIL, "other")).flaky is False


@pytest.mark.parametrize("outcome", [Outcome.ERROR, Outcome.TIMEOUT, Outcome.CANCELLED, Outcome.UNKNOWN])
def test_what_is_no_answer_is_not_cached(outcome: Outcome) -> None:
    """Only passes and failures are outcomes of the inputs."""
    cache = load_result_cache(Path("/nowhere"), None)
    cache.note_outcome(result(outcome))
    assert (cache.outcomes, cache.commands) == ({}, {})


@pytest.fixture
def repository(builder: RepositoryBuilder) -> RepositoryBuilder:
    return builder.write("a.txt", "one\n").write(".gitignore", ".planning/\n").commit("one")


def recall(repository: RepositoryBuilder, *question: str) -> OutputCache:
    return OutputCache(repository.folder, list(question))


def test_answer_is_found_while_nothing_moves(repository: RepositoryBuilder) -> None:
    """The same question about the same state gets the same answer; another question none."""
    recall(repository, "q").keep("said\n", 1, outside=False)
    found = recall(repository, "q").find()
    assert found is not None
    assert found[:2] == ("said\n", 1)
    assert recall(repository, "other").find() is None


def test_anything_that_moves_forgets_it(repository: RepositoryBuilder, isolated_user: Path) -> None:
    """A changed file, the same changed again, an ignored handoff, a ref, a commit, a setting, a flag in the index."""
    config = isolated_user / "config" / "handoff-tui"
    config.mkdir(parents=True)
    moves: list[Callable[[], object]] = [
        lambda: repository.write("a.txt", "two\n"),
        lambda: repository.write("a.txt", "six\n"),
        lambda: repository.write("new.txt", "x\n"),
        lambda: repository.write(".planning/HANDOFF.json", "{}"),
        lambda: repository.write(".planning/HANDOFF.json", "[]"),
        lambda: repository.tag("handoff/x"),
        lambda: repository.note("text", "tdd-handoffs"),
        lambda: repository.commit("two"),
        lambda: repository.config("remote.x.url", "../x"),
        lambda: (config / "config.toml").write_text("[limits]\ncommits = 3\n", encoding="utf-8"),
        lambda: repository.git("update-index", "--assume-unchanged", "a.txt"),
    ]
    for number, move in enumerate(moves):
        recall(repository, "q").keep("said\n", 0, outside=False)
        assert recall(repository, "q").find() is not None, number
        move()
        assert recall(repository, "q").find() is None, number


def test_answer_that_rests_on_the_outside_ages(repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock and the search path move although the repository stands still."""
    recall(repository, "clock").keep("said\n", 0, outside=True)
    recall(repository, "tree").keep("said\n", 0, outside=False)
    later = time.time() + 3600
    monkeypatch.setattr(time, "time", lambda: later)
    assert recall(repository, "clock").find() is None
    assert recall(repository, "tree").find() is not None


def test_clock_that_went_back_is_not_believed(repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer from the future is none."""
    recall(repository, "q").keep("said\n", 0, outside=False)
    earlier = time.time() - 3600
    monkeypatch.setattr(time, "time", lambda: earlier)
    assert recall(repository, "q").find() is None


def test_too_many_changes_are_not_digested(repository: RepositoryBuilder) -> None:
    """Where looking would cost more than it saves, nothing is kept."""
    for number in range(2_100):
        (repository.folder / f"f{number}").touch()
    recall(repository, "q").keep("said\n", 0, outside=False)
    assert recall(repository, "q").find() is None


def test_unwritable_cache_loses_nothing(
    repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """There is no answer to recall, and no failure."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    recall(repository, "q").keep("said\n", 0, outside=False)
    assert recall(repository, "q").find() is None
    assert os.environ["XDG_CACHE_HOME"].endswith("file")
