from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from handoff_tui.core.errors import GitError, RepositoryError
from handoff_tui.git import owner as owner_module
from handoff_tui.git.owner import Identity, RepoOwner
from handoff_tui.git.repository import Repository, open_repository
from tests.support.repositories import RepositoryBuilder

CHILDREN = Path(f"/proc/self/task/{os.getpid()}/children")
COMMANDS = (
    ("log", "--format=%H %s", "-z"),
    ("status", "--porcelain=v2", "--branch", "-z"),
    ("ls-files", "--stage"),
    ("diff", "HEAD~1"),
    ("cat-file", "-p", "HEAD:binary"),
    ("for-each-ref",),
)


@pytest.fixture
def repository(builder: RepositoryBuilder, tmp_path: Path) -> Repository:
    """A repository with two branches, a remote and content that is no text."""
    builder.write("binary", b"\0\xff\r\n\n\n").commit("one").write("a b").commit("two").push(tmp_path / "remote.git")
    builder.step("branch", "side").write("a b", "changed\n")
    return open_repository(builder.folder)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_owner_answers_as_the_direct_door_does(repository: Repository, command: tuple[str, ...]) -> None:
    """GitPython's wrapper gives the same bytes, the last newlines included."""
    with RepoOwner(repository) as owner:
        assert owner.run(*command) == repository.git.read(*command)


def test_owner_is_not_led_astray_by_its_surroundings(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """GIT_ variables that GitPython would pass on are dropped; its own are put back as they were."""
    decoy = RepositoryBuilder.init(tmp_path / "decoy").commit("a decoy")
    for name in ("GIT_DIR", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.setenv(name, str(decoy.folder / ".git"))
    monkeypatch.setenv("GIT_PYTHON_REFRESH", "raise")
    with RepoOwner(repository) as owner:
        for command in COMMANDS:
            assert owner.run(*command) == repository.git.read(*command)
    assert os.environ["GIT_PYTHON_REFRESH"] == "raise"
    assert "GIT_PYTHON_GIT_EXECUTABLE" not in os.environ


def test_owner_serves_many_threads_with_right_data(repository: Repository) -> None:
    """Eight threads at once each get the answer to their own question."""
    expected = {command: repository.git.read(*command) for command in COMMANDS}
    questions = COMMANDS * 8
    with RepoOwner(repository) as owner, ThreadPoolExecutor(max_workers=8) as threads:
        answers = list(threads.map(lambda command: owner.run(*command), questions))
    assert answers == [expected[command] for command in questions]


def test_owner_believes_only_the_user_about_who_they_are(
    repository: Repository, builder: RepositoryBuilder, isolated_user: Path
) -> None:
    """Name and address come from the user's own configuration; the repository's are not looked at."""
    builder.config("user.name", "Someone Else").config("user.email", "else@example.org")
    with RepoOwner(repository) as owner:
        assert owner.read_identity() == Identity(None, None)
        (isolated_user / "gitconfig").write_text("[user]\n\tname = Me\n\temail = me@example.org\n")
        assert owner.read_identity() == Identity("Me", "me@example.org")


def test_owner_raises_what_git_complains_about(repository: Repository) -> None:
    """An error exit is an expected error with a hint, as at the direct door."""
    with RepoOwner(repository) as owner, pytest.raises(GitError, match="Not a valid object name nothing") as caught:
        owner.run("cat-file", "-p", "nothing")
    assert caught.value.hint


@pytest.mark.parametrize("argument", ["a\0b", "\ud800", "x" * 300_000])
def test_owner_refuses_words_that_no_process_can_be_given(repository: Repository, argument: str) -> None:
    """What cannot be passed to a process is an expected error."""
    with RepoOwner(repository) as owner, pytest.raises(GitError):
        owner.run("cat-file", "-t", argument)


def test_owner_ends_a_late_git(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that does not answer in time is ended, and that is said."""
    monkeypatch.setattr(owner_module, "TIMEOUT_SECONDS", 0.2)
    os.mkfifo(repository.root / ".gitattributes")
    with RepoOwner(repository) as owner, pytest.raises(GitError, match="did not answer"):
        owner.run("status")


def test_owner_knows_a_late_git_that_nobody_spoke_of(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended and answered for before GitPython has noted that it ended it."""
    monkeypatch.setattr(owner_module, "TIMEOUT_SECONDS", 0.2)
    monkeypatch.setattr("git.cmd._kill_process", lambda process: os.kill(process, signal.SIGKILL))
    os.mkfifo(repository.root / ".gitattributes")
    with RepoOwner(repository) as owner, pytest.raises(GitError, match="did not answer"):
        owner.run("status")


def test_owner_explains_a_repository_that_is_gone(repository: Repository) -> None:
    """A git folder that vanished after opening is an expected error."""
    (repository.root / ".git").rename(repository.root / "moved")
    with RepoOwner(repository) as owner, pytest.raises(RepositoryError, match="cannot be opened") as caught:
        owner.run("status")
    assert caught.value.hint


def test_owner_that_was_closed_says_so(repository: Repository) -> None:
    """After closing every question is refused; closing twice is no harm."""
    owner = RepoOwner(repository)
    owner.run("status")
    owner.close()
    owner.close()
    for ask in (lambda: owner.run("status"), owner.read_identity):
        with pytest.raises(RepositoryError, match="was closed") as caught:
            ask()
        assert caught.value.hint


@pytest.mark.skipif(not CHILDREN.exists(), reason="asks /proc which processes are left")
def test_owner_leaves_no_process_and_no_thread(repository: Repository) -> None:
    """After closing, this process has no children that it did not have before, and the owner's thread has ended."""
    before = list_children()
    with RepoOwner(repository) as owner:
        owner.run("status")
        assert "repo-owner_0" in {thread.name for thread in threading.enumerate()}
    assert list_children() <= before
    assert "repo-owner_0" not in {thread.name for thread in threading.enumerate()}


def list_children() -> set[str]:
    children: set[str] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that ended since it was listed has none
            children.update((task / "children").read_text().split())
    return children


def test_gitpython_is_imported_by_its_owner_only(repository: Repository) -> None:
    """The room's other modules, and the owner before its first question, do without GitPython."""
    program = (
        "import sys; from pathlib import Path;"
        "from handoff_tui.system import clock, resources; from handoff_tui.system.files import reader, decoding;"
        "from handoff_tui.git import command, hardening, repository, owner;"
        "from handoff_tui.git.history import commits;"
        "found = repository.open_repository(Path(sys.argv[1])); repository.read_work_tree(found);"
        "one = owner.RepoOwner(found); print('git' in sys.modules);"
        "one.run('status'); one.close(); print('git' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(repository.root)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]
