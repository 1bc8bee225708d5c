from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.core.errors import GitError, ObjectMissingError, RepositoryError
from handoff_tui.git import command as git_module
from handoff_tui.git import stream as git_stream
from handoff_tui.git.command import Git, GitAnswer, find_git
from handoff_tui.git.hardening import build_environment, build_overrides, parse_config_list
from handoff_tui.git.history.commits import read_commits
from handoff_tui.git.repository import Repository, open_repository, read_work_tree
from handoff_tui.git.stream import GitStream, open_stream
from tests.support.command_line import list_children
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.hostile import write_executable
from tests.support.repositories import RepositoryBuilder


@pytest.mark.parametrize("entry", [".", "", "sub"])
def test_find_git_ignores_relative_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, entry: str) -> None:
    """A git that lies in the repository is not run, though PATH names the current folder first."""
    write_executable(tmp_path / entry / "git", "exit 0")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", entry + os.pathsep + os.environ["PATH"])
    assert not Path(find_git()).is_relative_to(tmp_path)


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
    received = [os.read(reader, 100) for _ in range(2) if select.select([reader], [], [], 150)[0]]
    os.close(reader)
    assert [word.strip().isdigit() for word in received] == [True, False]
    assert received[-1] == b""


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
    """Whatever git was doing; a partial clone is told how to become complete."""
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


def test_chunks_are_the_whole_output(builder: RepositoryBuilder) -> None:
    """Nothing is lost or added, also over many reads."""
    content = os.urandom(300_000)
    builder.write("a", content).commit()
    with open_stream(Git(builder.folder), "cat-file", "blob", "HEAD:a") as stream:
        assert b"".join(stream.chunks()) == content
        assert stream.finish().ok


@pytest.mark.parametrize("content", [b"", b"a", b"a\n", b"\n\n", b"a\nb\n" * 50_000, b"x" * 200_000 + b"\ny", b"a\r\n"])
def test_lines_are_those_of_the_output(builder: RepositoryBuilder, content: bytes) -> None:
    """Only a newline ends a line, wherever the reads happen to end."""
    builder.write("a", content).commit()
    with open_stream(Git(builder.folder), "cat-file", "blob", "HEAD:a") as stream:
        lines = list(stream.lines())
    assert lines == (content.removesuffix(b"\n").split(b"\n") if content else [])


def test_leaving_early_ends_git(builder: RepositoryBuilder) -> None:
    """A reader who has seen enough leaves no process behind, after an error too."""
    builder.write("a", b"x" * 10_000_000).commit()
    before = list_children()
    with open_stream(Git(builder.folder), "cat-file", "blob", "HEAD:a") as stream:
        assert next(stream.chunks())
    assert list_children() <= before

    def read_and_fail(stream: GitStream) -> None:
        next(stream.chunks())
        raise KeyError("of the reader")

    with pytest.raises(KeyError), open_stream(Git(builder.folder), "cat-file", "blob", "HEAD:a") as stream:
        read_and_fail(stream)
    assert list_children() <= before


def test_silence_has_an_end(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that says nothing for too long is ended with an error."""
    monkeypatch.setattr(git_stream, "TIMEOUT_SECONDS", 0.05)
    fifo = builder.folder / "fifo"
    os.mkfifo(fifo)
    before = list_children()
    with (
        pytest.raises(GitError, match="did not answer"),
        open_stream(Git(builder.folder), "hash-object", str(fifo)) as stream,
    ):
        list(stream.chunks())
    assert list_children() <= before


EXECUTING = (
    "alias.x",
    "core.alternaterefscommand",
    "core.askpass",
    "core.editor",
    "core.gitproxy",
    "core.sshcommand",
    "credential.https://example.org.helper",
    "diff.a.b.textconv",
    "diff..command",
    "filter..clean",
    "filter.A=b c.smudge",
    "filter.lfs.process",
    "filter.line\u2028end.clean",
    "gpg.program",
    "gpg.ssh.defaultkeycommand",
    "gpg.ssh.program",
    "hook.x.command",
    "interactive.difffilter",
    "merge.x.driver",
    "pager.log",
    "remote.origin.uploadpack",
    "sequence.editor",
    "submodule.sub.update",
    "tar.x.command",
    "trailer.x.cmd",
    "trailer.x.command",
    "uploadpack.packobjectshook",
)


@pytest.mark.parametrize("key", EXECUTING)
@pytest.mark.parametrize("scope", ["local", "worktree", "command", "submodule", "unknown"])
def test_overrides_disarm_what_executes(key: str, scope: str) -> None:
    """A setting that executes is emptied when any scope but system and global sets it."""
    assert dict(build_overrides([(scope, key, "evil")])) == {key: ""}


@pytest.mark.parametrize(
    "key", ["core.autocrlf", "user.name", "filter.clean", "url.x.insteadof", "diff.x.xfuncname", "trailer.separators"]
)
def test_overrides_leave_what_does_not_execute(key: str) -> None:
    """A setting that executes nothing stays as it is."""
    assert build_overrides([("local", key, "value")]) == ()


@pytest.mark.parametrize(("key", "off"), [("filter.x.required", "false"), ("remote.x.promisor", "false")])
def test_overrides_switch_booleans_off(key: str, off: str) -> None:
    """A boolean gets the word for off, not an empty text."""
    assert build_overrides([("local", key, "true")]) == ((key, off),)


def test_overrides_keep_what_the_user_set_for_all_repositories() -> None:
    """The user's own filter wins over the planted one; global wins over system; the sister key is emptied."""
    lines = [
        ("system", "filter.mine.clean", "older"),
        ("global", "filter.mine.clean", "mine"),
        ("local", "filter.mine.clean", "evil"),
        ("local", "filter.mine.process", "evil"),
    ]
    assert dict(build_overrides(lines)) == {"filter.mine.clean": "mine", "filter.mine.process": ""}


def test_environment_drops_git_variables_but_the_choice_of_user_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """GIT_ variables of a surrounding hook are gone; where the user's configuration is, is kept."""
    monkeypatch.setenv("GIT_DIR", "/decoy")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='x'")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/user/gitconfig")
    environment = build_environment()
    assert "GIT_DIR" not in environment
    assert "GIT_CONFIG_PARAMETERS" not in environment
    assert environment["GIT_CONFIG_GLOBAL"] == "/user/gitconfig"
    assert environment["GIT_OPTIONAL_LOCKS"] == "0"


def test_config_list_of_a_repository_names_its_scopes(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Includes and worktree scope count as what an agent can write, the user's file as global."""
    (isolated_user / "gitconfig").write_text("[a]\n\tuser = 1\n")
    builder.write("included", "[a]\n\tincluded = 1\n").config("include.path", "../included")
    builder.config("extensions.worktreeConfig", "true")
    (builder.folder / ".git" / "config.worktree").write_text("[a]\n\tworktree = 1\n")
    output = Git(builder.folder).read("config", "--show-scope", "--list", "-z", "--includes")
    scopes = {key: scope for scope, key, _ in parse_config_list(output) if key.startswith("a.")}
    assert scopes == {"a.user": "global", "a.included": "local", "a.worktree": "worktree"}


def test_overrides_hold_in_any_locale(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A driver with letters outside ASCII is disarmed even where the locale knows only ASCII."""
    canary = tmp_path / "canary"
    builder.write(".gitattributes", "*.txt filter=naïve\n").write("a.txt").commit()
    builder.config("filter.naïve.clean", f"touch '{canary}'; cat")
    os.utime(builder.folder / "a.txt", (1_000_000_000, 1_000_000_000))
    program = (
        "import sys; from pathlib import Path; from handoff_tui.git.repository import *;"
        "print(read_work_tree(open_repository(Path(sys.argv[1]))).facts.changed)"
    )
    ascii_only = {**os.environ, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-c", program, str(builder.folder)],
        capture_output=True,
        text=True,
        check=False,
        env=ascii_only,
    )
    assert (done.stdout, done.stderr) == ("()\n", "")
    assert not canary.exists()


def test_configuration_that_was_read_before_is_read_again_when_it_changes(
    builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A filter that is planted between two sessions is disarmed in the second; so is one in a file that was absent."""
    builder.write("a").commit()
    assert Git.open(builder.folder).overrides == Git.open(builder.folder).overrides == ()
    builder.git("config", "filter.x.clean", "touch /tmp/never")
    assert dict(Git.open(builder.folder).overrides) == {"filter.x.clean": ""}
    home = Path(os.environ["HOME"])
    home.mkdir(parents=True, exist_ok=True)
    before = Git.open(builder.folder).list_config()
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    (home / ".gitconfig").write_text('[filter "x"]\n\tclean = cat\n', encoding="utf-8")
    assert Git.open(builder.folder).list_config() != before


def test_configuration_that_brings_files_is_always_read(
    builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An included file may appear at any time, and no listing names it before."""
    builder.write("a").commit().config("include.path", "more")
    assert Git.open(builder.folder).overrides == ()
    (builder.folder / ".git" / "more").write_text(
        "[core]\n\tpager = touch /tmp/never\n[alias]\n\tx = !y\n", encoding="utf-8"
    )
    assert dict(Git.open(builder.folder).overrides) == {"alias.x": ""}


def test_history_is_asked_for_once_for_each_head(builder: RepositoryBuilder) -> None:
    """All sessions of a process share it; a new commit is seen, and so is going back."""
    first = builder.write("a").commit("one").git("rev-parse", "HEAD").strip()
    assert [commit.id for commit in read_commits(open_repository(builder.folder).git, 5)] == [first]
    builder.write("b").commit("two")
    assert [commit.subject for commit in read_commits(open_repository(builder.folder).git, 5)] == ["two", "one"]
    builder.git("reset", "--quiet", "--hard", first)
    assert [commit.id for commit in read_commits(open_repository(builder.folder).git, 5)] == [first]
