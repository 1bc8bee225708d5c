from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.checks.run.baseline import choose_baseline
from handoff_tui.checks.run.repository_world import RepositoryWorld
from handoff_tui.checks.world import Change
from handoff_tui.handoffs.claim import VerdictState
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.reading.read import read_handoffs
from handoff_tui.handoffs.reading.source_files import RepositoryFiles
from handoff_tui.handoffs.session import open_desk
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
    desk = open_desk(repository.folder)
    handoffs_read = read_handoffs(RepositoryFiles(desk.repository, desk.work_tree, desk.loaded.settings), FORMATS)
    return RepositoryWorld(desk, handoffs_read.handoffs, handoffs_read.problems, choose_baseline(desk, None))


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


def test_world_compares_with_the_baseline(world: RepositoryWorld, repository: RepositoryBuilder) -> None:
    """Everything after what was pushed, untracked files included."""
    assert world.baseline() == repository.head("HEAD~1")
    assert world.changes() == (Change("M", "a.py"), Change("A", "new file.txt"))


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


def test_world_starts_no_program_that_the_user_did_not_name(world: RepositoryWorld) -> None:
    """Finding it is not starting it."""
    assert world.find_program("git") is not None
    assert world.program_answers("git") is None


def test_world_knows_settings_clock_and_permissions(world: RepositoryWorld) -> None:
    """As they are now."""
    assert world.settings.limits.commits == 200
    assert world.now().tzinfo is not None
    assert world.is_writable("a.py")
