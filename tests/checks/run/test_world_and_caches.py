"""What rules see of a repository, and what is remembered."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.checks.context import WorldQuestion
from handoff_tui.checks.engine import CachedResult
from handoff_tui.checks.report import CheckResult, Outcome
from handoff_tui.checks.run.baseline import choose_baseline
from handoff_tui.checks.run.check import load_result_cache
from handoff_tui.checks.run.output_cache import OutputCache
from handoff_tui.checks.run.repository_world import RepositoryWorld
from handoff_tui.cli.remembered import open_cache
from handoff_tui.config.load import load_settings
from handoff_tui.core.place import Severity
from handoff_tui.git.work_tree import digest as stillness
from handoff_tui.handoffs.claim import VerdictState
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.reading.read import read_handoffs
from handoff_tui.handoffs.reading.source_files import RepositoryFiles
from handoff_tui.handoffs.session import open_session
from handoff_tui.system.files.probe import list_named
from handoff_tui.system.files.reader import FileReader
from tests.support.repositories import RepositoryBuilder

NOTE = "# Handoff\n\n**Status**: done\n\n## Files created\n\n- `gone.py`\n\n## Next steps\n\n- go\n"


@pytest.fixture
def repository(builder: RepositoryBuilder, tmp_path: Path) -> RepositoryBuilder:
    """One pushed commit, one unpushed, one untracked file, a hook, and a note that claims too much."""
    builder.write("a.py", "one\n").write("HANDOFF.md", NOTE).commit("one").push(tmp_path / "remote.git")
    builder.write("a.py", "two\n").commit("two").write("new file.txt")
    hook = builder.folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n", encoding="utf-8")
    hook.chmod(0o755)
    return builder


@pytest.fixture
def world(repository: RepositoryBuilder) -> RepositoryWorld:
    desk = open_session(repository.folder)
    handoffs_read = read_handoffs(RepositoryFiles(desk.repository, desk.work_tree, desk.loaded.settings), FORMATS)
    return RepositoryWorld(desk, handoffs_read, choose_baseline(desk, None))


def test_world_reads_the_work_tree(world: RepositoryWorld) -> None:
    """Files, absences, paths and what documents mean by a name."""
    assert world.read("a.py") == b"two\n"
    assert world.read("absent") is None
    assert (world.exists("a.py"), world.exists("../outside")) == (True, False)
    assert world.paths() == ("HANDOFF.md", "a.py", "new file.txt")
    assert world.find("a.py", "docs/x.md") == "a.py"


def test_world_lets_hooks_be_seen_and_nothing_else_of_the_git_folder(world: RepositoryWorld) -> None:
    """Whether they are there is a question of some rules; the rest is nobody's business."""
    assert world.read(".git/hooks/pre-commit") == b"#!/bin/sh\n"
    assert world.is_executable(".git/hooks/pre-commit")
    assert world.read(".git/config") is None
    assert world.read(".git/hooks/../config") is None


def test_world_knows_history(world: RepositoryWorld, repository: RepositoryBuilder) -> None:
    """Commits, their distance, what they changed, and old contents."""
    base = repository.head("HEAD~1")
    assert [commit.subject for commit in world.commits()] == ["two", "one"]
    assert (world.commit(base[:7]), world.commit("abc1234")) == (base, None)
    assert (world.lag(base), world.commit_paths("HEAD")) == (1, ("a.py",))
    assert (world.document_commit("HANDOFF.md"), world.document_commit("absent")) == (base, None)
    assert world.read_at(base, "a.py") == b"one\n"


def test_world_measures_claims(world: RepositoryWorld) -> None:
    """The file that was never written contradicts its claim; an unknown handoff has none."""
    states = {verdict.claim.subject: verdict.state for verdict in world.verdicts("notes/HANDOFF.md")}
    assert states["gone.py"] is VerdictState.CONTRADICTED
    assert world.verdicts("nobody") == ()


def test_world_asks_local_remotes_only(world: RepositoryWorld) -> None:
    """The bare repository beside it answers; a name that is none does not."""
    assert [name for name, _ in world.remotes()] == ["origin"]
    assert (world.reaches("origin"), world.reaches("elsewhere")) == (True, None)


def test_world_stays_off_the_network_without_consent(world: RepositoryWorld) -> None:
    """Nothing is asked."""
    assert world.answers("http://127.0.0.1:9/health") is None


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
    cache.rules["r"] = CachedResult(result(Outcome.FAIL), {WorldQuestion("read", ("a",)): "1"}, 2)
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
def small_repository(builder: RepositoryBuilder) -> RepositoryBuilder:
    return builder.write("a.txt", "one\n").write(".gitignore", ".planning/\n").commit("one")


def recall(small_repository: RepositoryBuilder, *question: str) -> OutputCache:
    return OutputCache(small_repository.folder, list(question))


def test_answer_is_found_while_nothing_moves(small_repository: RepositoryBuilder) -> None:
    """The same question about the same state gets the same answer; another question none."""
    recall(small_repository, "q").keep("said\n", 1, outside=False)
    found = recall(small_repository, "q").find()
    assert found is not None
    assert found[:2] == ("said\n", 1)
    assert recall(small_repository, "other").find() is None


def test_anything_that_moves_forgets_it(
    small_repository: RepositoryBuilder, isolated_user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed file, the same changed again, an ignored handoff, a ref, a commit, a setting, a flag in the index."""
    monkeypatch.setattr(stillness, "_CLOCK_STEP", 0)
    config = isolated_user / "config" / "handoff-tui"
    config.mkdir(parents=True)
    moves: list[Callable[[], object]] = [
        lambda: small_repository.write("a.txt", "two\n"),
        lambda: small_repository.write("a.txt", "six\n"),
        lambda: small_repository.write("new.txt", "x\n"),
        lambda: small_repository.write(".planning/HANDOFF.json", "{}"),
        lambda: small_repository.write(".planning/HANDOFF.json", "[]"),
        lambda: small_repository.tag("handoff/x"),
        lambda: small_repository.note("text", "tdd-handoffs"),
        lambda: small_repository.commit("two"),
        lambda: small_repository.config("remote.x.url", "../x"),
        lambda: (config / "config.toml").write_text("[limits]\ncommits = 3\n", encoding="utf-8"),
        lambda: small_repository.git("update-index", "--assume-unchanged", "a.txt"),
    ]
    for number, move in enumerate(moves):
        cache = recall(small_repository, "q")
        list_named(small_repository.folder, [".planning"])  # what the answer looks at
        FileReader(small_repository.folder, 100).exists(".planning/HANDOFF.json")
        load_settings(None)
        cache.keep("said\n", 0, outside=False)
        assert recall(small_repository, "q").find() is not None, number
        move()
        assert recall(small_repository, "q").find() is None, number


def test_answer_that_rests_on_the_outside_ages(
    small_repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock and the search path move although the repository stands still."""
    recall(small_repository, "clock").keep("said\n", 0, outside=True)
    recall(small_repository, "tree").keep("said\n", 0, outside=False)
    later = time.time() + 3600
    monkeypatch.setattr(time, "time", lambda: later)
    assert recall(small_repository, "clock").find() is None
    assert recall(small_repository, "tree").find() is not None


def test_too_many_changes_are_not_digested(small_repository: RepositoryBuilder) -> None:
    """Where looking would cost more than it saves, nothing is kept."""
    for number in range(2_100):
        (small_repository.folder / f"f{number}").touch()
    recall(small_repository, "q").keep("said\n", 0, outside=False)
    assert recall(small_repository, "q").find() is None


def test_unwritable_cache_loses_nothing(
    small_repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """There is no answer to recall, and no failure."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    recall(small_repository, "q").keep("said\n", 0, outside=False)
    assert recall(small_repository, "q").find() is None
    assert os.environ["XDG_CACHE_HOME"].endswith("file")


@pytest.mark.parametrize("name", ["HOME", "SSH_AUTH_SOCK", "TTY_COMPATIBLE", "LC_CTYPE", "COLUMNS"])
def test_variables_that_shape_an_answer_are_part_of_the_question(
    small_repository: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """An answer that was drawn for one terminal, language or person is not repeated for another."""
    asked = argparse.Namespace(verb="status", repo=small_repository.folder)
    open_cache(asked).keep("said\n", 0, outside=False)
    assert open_cache(asked).find() is not None
    monkeypatch.setenv(name, f"{os.environ.get(name, '')}:")
    assert open_cache(asked).find() is None
