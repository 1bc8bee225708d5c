from __future__ import annotations

import os
import select
import signal
import tempfile
from pathlib import Path

import pytest

from handoff_tui.core.errors import GitError, HandoffError, ObjectMissingError, RepositoryError
from handoff_tui.git import command as git_module
from handoff_tui.git.command import Git, GitAnswer, find_git
from handoff_tui.git.history.commits import read_commits
from handoff_tui.git.repository import Repository, open_repository, read_work_tree
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.hostile import write_executable
from tests.support.repositories import RepositoryBuilder


def test_find_git_says_that_git_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without git on PATH there is an error with a hint."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RepositoryError, match="git is not installed") as caught:
        find_git()
    assert "Install git" in caught.value.hint


@pytest.mark.parametrize("entry", [".", "", "sub"])
def test_find_git_ignores_relative_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, entry: str) -> None:
    """A git that lies in the repository is not run, though PATH names the current folder first."""
    write_executable(tmp_path / entry / "git", "exit 0")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", entry + os.pathsep + os.environ["PATH"])
    assert not Path(find_git()).is_relative_to(tmp_path)


def test_read_raises_with_a_reason_and_a_hint(builder: RepositoryBuilder) -> None:
    """An error exit becomes a GitError that says what git said, without its prefix."""
    with pytest.raises(GitError, match=r"^git cat-file failed: Not a valid object name nothing$") as caught:
        Git(builder.folder).read("cat-file", "-p", "nothing")
    assert caught.value.hint


def test_run_gives_the_answer_of_a_failed_command(builder: RepositoryBuilder) -> None:
    """Run itself judges nothing: it hands back exit code and words."""
    answer = Git(builder.folder).run("rev-parse", "--verify", "nothing")
    assert (answer.ok, answer.code, answer.text) == (False, 128, "")


def test_run_passes_input(builder: RepositoryBuilder) -> None:
    """What is given as stdin reaches git."""
    assert Git(builder.folder).run("hash-object", "--stdin", stdin=b"").text.startswith("e69de29")


def test_run_takes_variables_of_one_call(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """They reach git, win, and are gone with the next call."""
    git = Git(builder.folder)
    extra = {"GIT_OBJECT_DIRECTORY": str(tmp_path), "GIT_OPTIONAL_LOCKS": "1"}
    assert git.read("rev-parse", "--git-path", "objects", extra=extra) == os.fsencode(tmp_path) + b"\n"
    assert git.read("rev-parse", "--git-path", "objects") == b".git/objects\n"
    with git.prepare("version", extra=extra) as (_, environment):
        assert environment["GIT_OPTIONAL_LOCKS"] == "1"


@pytest.mark.parametrize("argument", ["a\0b", "\ud800"])
def test_run_refuses_words_that_no_process_can_be_given(builder: RepositoryBuilder, argument: str) -> None:
    """A NUL or a lone surrogate is an expected error, not a traceback."""
    with pytest.raises(GitError):
        Git(builder.folder).run("cat-file", "-t", argument)


def test_run_explains_an_environment_that_is_too_large(builder: RepositoryBuilder) -> None:
    """A planted driver with an enormous name cannot be overridden; nothing is run, and the hint names the cause."""
    with (builder.folder / ".git" / "config").open("a") as config:
        config.write(f'[filter "{"x" * 300_000}"]\n\tclean = evil\n')
    git = Git.open(builder.folder)
    with pytest.raises(GitError, match="could not be started") as caught:
        git.run("status")
    assert "filter" in caught.value.hint


def test_run_ends_a_late_git_and_its_children(
    monkeypatch: pytest.MonkeyPatch, builder: RepositoryBuilder, tmp_path: Path
) -> None:
    """After the time limit neither git nor what it started is left: nobody holds the pipe that both had open."""
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    script = write_executable(tmp_path / "git", f'exec 9> "{tmp_path}/pipe"\nsleep 600 &\necho $! >&9\nwait')
    monkeypatch.setattr(git_module, "find_git", lambda: str(script))
    monkeypatch.setattr(git_module, "TIMEOUT_SECONDS", 2)
    with pytest.raises(GitError, match="did not answer") as caught:
        Git(builder.folder).run("status")
    assert caught.value.hint
    received = [os.read(reader, 100) for _ in range(2) if select.select([reader], [], [], 20)[0]]
    os.close(reader)
    assert [word.strip().isdigit() for word in received] == [True, False]
    assert received[-1] == b""


def test_open_explains_a_broken_configuration(builder: RepositoryBuilder) -> None:
    """A configuration that git cannot parse is named, with a way out."""
    (builder.folder / ".git" / "config").write_text("[core\n")
    with pytest.raises(HandoffError, match="bad config line 1") as caught:
        Git.open(builder.folder)
    assert caught.value.hint


def test_git_does_not_show_its_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a traceback shows of the door holds nothing of the user's environment."""
    monkeypatch.setenv("SOME_TOKEN", "a-secret-word")
    git = Git(tmp_path)
    assert git.environment()["SOME_TOKEN"] == "a-secret-word"
    assert "a-secret-word" not in repr(git)


@pytest.mark.parametrize("command", ["diff", "log", "show", "diff-tree"])
def test_argv_keeps_diffs_inside(command: str, tmp_path: Path) -> None:
    """Whatever can show a diff is told to use no external program, no conversion and no colour."""
    words = Git(tmp_path).argv(command, "HEAD")
    position = words.index(command)
    assert words[position + 1 :] == ["--no-ext-diff", "--no-textconv", "--no-color", "HEAD"]
    assert "--no-replace-objects" in words[:position]


def test_argv_leaves_other_commands_as_they_are(tmp_path: Path) -> None:
    """A command without diffs gets no option that it does not know."""
    assert Git(tmp_path).argv("ls-files", "-z")[-2:] == ["ls-files", "-z"]


@pytest.mark.parametrize(
    ("code", "stderr", "complaint"),
    [
        (128, "hint: x\nwarning: y\nerror: first\nfatal: second\n", "second"),
        (1, "warning: y\nerror: first\nmore\n", "first"),
        (1, "plain words\n", "plain words"),
        (2, "", "exit code 2, and no reason given"),
        (1, "hint: only advice\n", "exit code 1, and no reason given"),
        (-signal.SIGSEGV, "warning: x\n", "it was ended by signal 11"),
    ],
)
def test_answer_picks_the_line_that_says_what_is_wrong(code: int, stderr: str, complaint: str) -> None:
    """Fatal before error before anything else; advice never."""
    assert GitAnswer(code, b"", stderr).complaint == complaint


@pytest.mark.parametrize(
    ("stderr", "word"),
    [
        ("fatal: index file corrupt", "index"),
        ("fatal: bad object HEAD", "fsck"),
        ("fatal: bad config line 3 in file .git/config", "config"),
        ("fatal: a.txt: clean filter 'lfs' failed", "filter"),
        ("fatal: something new", "git status"),
    ],
)
def test_answer_hints_at_what_can_be_done(stderr: str, word: str) -> None:
    """The hint fits the complaint, and there is always one."""
    assert word in GitAnswer(128, b"", stderr).to_error("status").hint


def test_run_takes_variables_of_places_only(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A private index is one; a variable that could bring a command or a setting is refused."""
    git = Git(builder.write("a").step("add", "a").folder)
    assert git.run("ls-files").text == "a"
    assert git.run("ls-files", extra={"GIT_INDEX_FILE": str(tmp_path / "none")}).text == ""
    with pytest.raises(GitError, match="GIT_EXTERNAL_DIFF"):
        git.run("status", extra={"GIT_EXTERNAL_DIFF": "true", "GIT_DIR": "x"})


def test_much_input_is_read_to_its_end_however_long_git_takes(
    builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where git was silent for so long that it was asked why."""
    monkeypatch.setattr(git_module, "_SILENT_SECONDS", 0.001)
    monkeypatch.setattr(git_module, "TIMEOUT_SECONDS", 30)
    builder.write("a")
    names = b"a\n" * 100_000
    answer = Git(builder.folder).run("hash-object", "--stdin-paths", stdin=names)
    assert (answer.ok, answer.stdout.count(b"\n")) == (True, 100_000)


def test_object_that_is_not_here_is_named(builder: RepositoryBuilder) -> None:
    """Whatever git was doing; a partial clone is told how to become whole."""
    builder.commit("one").commit("two").commit("three")
    gone = builder.head("HEAD~1")
    (builder.folder / ".git" / "objects" / gone[:2] / gone[2:]).unlink()
    with pytest.raises(ObjectMissingError, match=f"the object {gone} is not in this repository") as caught:
        Git(builder.folder).read("rev-list", "HEAD")
    assert "--refetch" in caught.value.hint
    promised = GitAnswer(128, b"", f"fatal: could not fetch {gone} from promisor remote\n").to_error("cat-file")
    assert (type(promised), "partial" in promised.hint) == (ObjectMissingError, True)


def open_split(builder: RepositoryBuilder) -> Repository:
    builder.write("a.txt").write("b.txt").commit("one").step("update-index", "--split-index")
    builder.write("a.txt", "changed\n").write("new.txt")
    for shared in (builder.folder / ".git").glob("sharedindex.*"):
        os.utime(shared, (1_000_000_000, 1_000_000_000))
    return open_repository(builder.folder)


def test_split_index_is_read_without_being_touched(builder: RepositoryBuilder) -> None:
    """The shared index keeps its time, which plain git would renew, and what is read is the same."""
    repository = open_split(builder)
    before = read_fingerprint(builder.folder)
    facts = read_work_tree(repository).facts
    assert (facts.head, facts.branch, facts.changed, facts.untracked) == (
        builder.head(),
        "main",
        ("a.txt",),
        ("new.txt",),
    )
    assert [commit.subject for commit in read_commits(repository.git, 9)] == ["one"]
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []
    builder.git("ls-files")
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) != []


def test_split_index_of_a_linked_worktree_is_read(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A linked worktree has an index, and so a shared index, of its own."""
    linked = builder.write("main.txt").commit().worktree(tmp_path / "linked", "side")
    repository = open_split(linked)
    before = read_fingerprint(builder.folder)
    facts = read_work_tree(repository).facts
    assert (facts.branch, facts.changed, facts.linked_worktree) == ("side", ("a.txt",), True)
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []


def test_split_index_knows_old_links_for_heads(builder: RepositoryBuilder) -> None:
    """A HEAD that is a link, as old repositories have it, still names its branch."""
    repository = open_split(builder)
    head = builder.folder / ".git" / "HEAD"
    head.unlink()
    head.symlink_to("refs/heads/main")
    assert read_work_tree(repository).facts.branch == "main"


def test_split_index_copy_is_removed(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing stays in the temporary folder."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    read_work_tree(open_split(builder))
    assert list(temporary.iterdir()) == []


def test_split_index_that_is_a_pipe_is_refused(builder: RepositoryBuilder) -> None:
    """A named pipe in the place of a shared index is not waited for."""
    repository = open_split(builder)
    (shared,) = (builder.folder / ".git").glob("sharedindex.*")
    shared.unlink()
    os.mkfifo(shared)
    with pytest.raises(RepositoryError, match="split index") as caught:
        read_work_tree(repository)
    assert "--no-split-index" in caught.value.hint


def test_change_right_after_a_look_is_not_hidden(builder: RepositoryBuilder) -> None:
    """The copy has the time of the index: by it git knows that a file of that second must be compared by content."""
    moment = 1_700_000_000 * 10**9
    place = builder.write("a.txt", "one\n").folder / "a.txt"
    os.utime(place, ns=(moment, moment))
    builder.config("core.trustctime", "false").commit().step("update-index", "--split-index")
    for index in ((builder.folder / ".git" / "index"), *(builder.folder / ".git").glob("sharedindex.*")):
        os.utime(index, ns=(moment, moment))
    place.write_bytes(b"two\n")
    os.utime(place, ns=(moment, moment))
    assert read_work_tree(open_repository(builder.folder)).facts.changed == ("a.txt",)
