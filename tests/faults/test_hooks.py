"""Hooks under real git: they block, chain, come off again, and survive being killed half-way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from handoff_tui.checks.hooks import hooks
from handoff_tui.checks.hooks.hook_files import HookName, HookReport, render_hook
from tests.support.command_line import say
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.hostile import HostileRepository, write_executable
from tests.support.repositories import RepositoryBuilder, build_git_environment

_RECORDING = """\
case $* in *'import handoff_tui'*) exit 0 ;; esac
log={log}
echo ours >>"$log/order"
pwd >"$log/folder"
printf '%s\\n' "$@" >"$log/arguments"
cat >"$log/stdin"
exit "$(cat "$log/code")"
"""


def run_git(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Plain git with the hooks that are there."""
    return subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=build_git_environment() | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        timeout=200,
    )


def commit(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """An empty commit, so that only a hook can refuse it."""
    return run_git(folder, "commit", "--quiet", "--allow-empty", "--message=a commit", *options)


@dataclass(frozen=True, slots=True)
class RecordingProgram:
    """Stands for the Python that a hook calls; answers with the code it was told."""

    log: Path
    python: str

    def answer(self, code: int) -> None:
        (self.log / "code").write_text(str(code))

    def read(self, name: str) -> str:
        place = self.log / name
        return place.read_text() if place.exists() else ""

    @property
    def order(self) -> list[str]:
        """Who ran, in order."""
        return self.read("order").split()


def build_recording_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> RecordingProgram:
    """What is installed from now on calls this program."""
    log = folder / "the program's log"
    log.mkdir(parents=True)
    quoted = "'" + str(log).replace("'", "'\\''") + "'"
    python = write_executable(folder / 'it\'s a "python" $3', _RECORDING.format(log=quoted))
    program = RecordingProgram(log, str(python))
    program.answer(0)
    monkeypatch.setattr(hooks, "find_python", lambda: program.python)
    monkeypatch.setattr(hooks, "can_import_alone", lambda _: True)
    return program


def install(builder: RepositoryBuilder, *names: HookName) -> HookReport:
    return hooks.install_hooks(builder.folder, names or tuple(HookName))


def uninstall(builder: RepositoryBuilder, *names: HookName) -> HookReport:
    return hooks.uninstall_hooks(builder.folder, names or tuple(HookName))


PRE_COMMIT, PRE_PUSH = HookName.PRE_COMMIT, HookName.PRE_PUSH


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RecordingProgram:
    return build_recording_program(tmp_path / 'it\'s "here"', monkeypatch)


@pytest.fixture
def odd(tmp_path: Path) -> RepositoryBuilder:
    """A repository whose path has spaces, quotes and a dollar in it."""
    return RepositoryBuilder.init(tmp_path / 'o\'dd "re po" $HOME').write("folder/file").commit()


def add_hook(builder: RepositoryBuilder, name: HookName, program: RecordingProgram, code: int = 0) -> Path:
    """An earlier hook that records its name, arguments and standard input."""
    body = f"""
echo earlier >>"$LOG/order"
printf '%s\\n' "$@" >"$LOG/earlier-arguments"
cat >"$LOG/earlier-stdin"
exit {code}"""
    log = "'" + str(program.log).replace("'", "'\\''") + "'"
    place = builder.place(f".git/hooks/{name.value}")
    place.parent.mkdir(exist_ok=True)
    return write_executable(place, f"LOG={log}\n{body}")


def test_commit_is_blocked_by_the_real_checks(builder: RepositoryBuilder) -> None:
    """State files that do not parse block the commit; --no-verify skips the checks; mended, it goes through."""
    builder.write(".mosaic/agent_state.json", "{ broken").commit()
    assert say("hooks", "install", folder=builder.folder).code == 0
    refused = commit(builder.folder)
    assert refused.returncode == 1, refused.stderr
    assert "agent_state.json" in refused.stdout + refused.stderr
    builder.git("rm", "--quiet", "-r", ".mosaic")
    assert commit(builder.folder, "--no-verify").returncode == 0
    passed = commit(builder.folder)
    assert passed.returncode == 0, passed.stderr


def test_commit_goes_as_the_program_says(odd: RepositoryBuilder, program: RecordingProgram) -> None:
    """The program runs at the root, wherever git was called, and its code decides."""
    install(odd)
    assert commit(odd.folder / "folder").returncode == 0
    assert program.read("folder") == f"{odd.folder}\n"
    assert program.read("arguments").split()[:6] == ["-E", "-P", "-m", "handoff_tui", "check", "--pre"]
    for code in (1, 2, 70):
        program.answer(code)
        assert commit(odd.folder).returncode == 1
    before = len(program.order)
    assert commit(odd.folder, "--no-verify").returncode == 0
    assert len(program.order) == before


@pytest.mark.parametrize(("earlier", "ours", "order", "passes"), [
    (0, 0, ["earlier", "ours"], True),
    (0, 1, ["earlier", "ours"], False),
    (3, 0, ["earlier"], False),
])  # fmt: skip
def test_earlier_hook_runs_first_and_is_not_hidden(
    odd: RepositoryBuilder, program: RecordingProgram, earlier: int, ours: int, order: list[str], *, passes: bool
) -> None:
    """Both must agree; when the earlier one refuses, ours does not run."""
    add_hook(odd, PRE_COMMIT, program, earlier)
    install(odd)
    program.answer(ours)
    assert (commit(odd.folder).returncode == 0) is passes
    assert program.order == order


def test_exit_code_of_the_earlier_hook_is_kept(odd: RepositoryBuilder, program: RecordingProgram) -> None:
    """Run by hand, the hook ends as the earlier one did."""
    add_hook(odd, PRE_COMMIT, program, 37)
    install(odd)
    assert subprocess.run([".git/hooks/pre-commit"], cwd=odd.folder, check=False).returncode == 37


def test_push_shows_its_refs_to_both(odd: RepositoryBuilder, program: RecordingProgram, tmp_path: Path) -> None:
    """The earlier hook and the checks read the same lines and get the same arguments; a refusal stops the push."""
    odd.push(tmp_path / "remote.git").step("branch", "side").step("branch", "other")
    add_hook(odd, PRE_PUSH, program)
    install(odd)
    pushed = run_git(odd.folder, "push", "--quiet", "origin", "side", "other")
    assert pushed.returncode == 0, pushed.stderr
    assert program.order == ["earlier", "ours"]
    assert program.read("stdin") == program.read("earlier-stdin")
    assert [line.split()[0] for line in program.read("stdin").splitlines()] == ["refs/heads/side", "refs/heads/other"]
    assert program.read("earlier-arguments").splitlines() == ["origin", str(tmp_path / "remote.git")]
    program.answer(1)
    assert run_git(odd.folder, "push", "--quiet", "origin", "side:again").returncode != 0
    assert run_git(odd.folder, "push", "--quiet", "--no-verify", "origin", "side:again").returncode == 0


def test_push_of_very_many_refs_to_a_hook_that_does_not_read(
    odd: RepositoryBuilder, program: RecordingProgram, tmp_path: Path
) -> None:
    """More than a pipe holds: the earlier hook leaves early, the checks still read every line."""
    odd.push(tmp_path / "remote.git")
    head = odd.head()
    odd.git(
        "update-ref", "--stdin", stdin="".join(f"create refs/heads/b/{n:05} {head}\n" for n in range(3000)).encode()
    )
    write_executable(odd.place(".git/hooks/pre-push"), "exit 0")
    install(odd)
    pushed = run_git(odd.folder, "push", "--quiet", "origin", "refs/heads/b/*")
    assert (pushed.returncode, pushed.stderr) == (0, "")
    assert len(program.read("stdin").splitlines()) == 3000


def test_linked_worktree_and_submodule_have_their_hooks(
    builder: RepositoryBuilder, program: RecordingProgram, tmp_path: Path
) -> None:
    """A hook installed from a linked worktree runs in all worktrees, each at its own root; a submodule has its own."""
    builder.write("a").commit()
    linked = builder.worktree(tmp_path / "linked tree", "side")
    outer = RepositoryBuilder.init(tmp_path / "outer").write("b").commit()
    inner = outer.submodule(builder, "sub")
    install(linked)
    install(inner)
    for folder in (linked.folder, builder.folder, inner.folder):
        assert commit(folder).returncode == 0
        assert program.read("folder") == f"{folder}\n"
    program.answer(1)
    assert commit(linked.folder).returncode == 1
    assert commit(outer.folder).returncode == 0


def test_surrounding_hook_environment_is_dropped_by_the_program(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """In a hook, git sets GIT_DIR and GIT_INDEX_FILE; the checks look at the repository around them all the same."""
    builder.write("a").commit()
    linked = builder.worktree(tmp_path / "linked", "side")
    assert say("hooks", "install", folder=linked.folder).code == 0
    linked.write("b")
    linked.git("add", "b")
    done = run_git(linked.folder, "commit", "--quiet", "-m", "partial", "b")
    assert done.returncode == 0, done.stderr
    assert str(linked.folder) in done.stdout + done.stderr


def test_modules_planted_at_the_root_are_not_run(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A package of our name, or of the standard library's, at the root of the repository is not imported."""
    canary = tmp_path / "canary"
    for name in ("handoff_tui/__init__.py", "handoff_tui/__main__.py", "argparse.py", "sitecustomize.py"):
        builder.write(name, f"open({str(canary)!r}, 'w')\n")
    builder.commit()
    assert say("hooks", "install", "--repo", builder.folder, folder=tmp_path).code == 0
    assert run_git(builder.folder, "commit", "--quiet", "--allow-empty", "-m", "x", PYTHONPATH=".").returncode == 0
    assert not canary.exists()


def test_missing_python_falls_back_on_path(odd: RepositoryBuilder, program: RecordingProgram, tmp_path: Path) -> None:
    """The program on PATH is called; with none, or only a relative one, the commit is blocked and it is said why."""
    install(odd)
    Path(program.python).unlink()
    refused = commit(odd.folder)
    assert refused.returncode == 1
    assert "finds handoff-tui neither at" in refused.stderr
    assert "hint:" in refused.stderr
    write_executable(odd.folder / "handoff-tui", "exit 0")
    path = os.environ["PATH"]
    arguments = ("commit", "--quiet", "--allow-empty", "--message=a commit")
    assert run_git(odd.folder, *arguments, PATH=f".:{path}").returncode == 1
    tools = tmp_path / "tools"
    tools.mkdir()
    write_executable(tools / "handoff-tui", 'echo "$@" >"$HOME/called"')
    home = str(tmp_path)
    assert run_git(odd.folder, *arguments, PATH=f"{tools}:{path}", HOME=home).returncode == 0
    assert (tmp_path / "called").read_text() == (
        "check --pre --fresh --except nothing-unpushed --except changes-are-documented\n"
    )


def test_python_that_lost_the_program_falls_back_on_path(odd: RepositoryBuilder, program: RecordingProgram) -> None:
    """A Python that no longer has the package says so itself; then the commit is blocked."""
    install(odd)
    write_executable(Path(program.python), "echo 'No module named handoff_tui' >&2; exit 1")
    refused = commit(odd.folder)
    assert refused.returncode == 1
    assert "finds handoff-tui neither at" in refused.stderr


@pytest.mark.parametrize("name", list(HookName))
def test_hook_that_git_passes_over_is_passed_over(
    odd: RepositoryBuilder, program: RecordingProgram, name: HookName
) -> None:
    """Git does not run a hook that is not executable; chained, it is not run either."""
    add_hook(odd, name, program).chmod(0o644)
    install(odd)
    assert subprocess.run([f".git/hooks/{name.value}"], cwd=odd.folder, input=b"", check=False).returncode == 0
    assert program.order == ["ours"]


MANAGERS = {
    "pre-commit": """\
#!/usr/bin/env bash
# File generated by pre-commit: https://pre-commit.com
ARGS=(hook-impl --hook-type=pre-commit)
HERE="$(cd "$(dirname "$0")" && pwd)"
echo manager >>"$LOG/order"
[ ! -x "$HERE/pre-commit.legacy" ] || "$HERE/pre-commit.legacy" "$@"
""",
    "husky": """\
#!/bin/sh
# husky

. "$(dirname "$0")/husky.sh"
""",
    "lefthook": """\
#!/bin/sh
call_lefthook() { echo manager >>"$LOG/order"; test "$1 $2" = "run pre-commit"; }
call_lefthook run "pre-commit" "$@"
""",
}
HUSKY = 'test "$(basename "$0")" = pre-commit || exit 9\necho manager >>"$LOG/order"\n'


@pytest.mark.parametrize("manager", MANAGERS)
def test_hook_of_a_manager_works_chained(odd: RepositoryBuilder, program: RecordingProgram, manager: str) -> None:
    """Those that look for files beside them, or for their own name, find both."""
    odd.write(".git/hooks/husky.sh", HUSKY).write(".git/hooks/pre-commit", MANAGERS[manager])
    odd.place(".git/hooks/pre-commit").chmod(0o755)
    before = read_fingerprint(odd.folder / ".git/hooks")
    install(odd)
    environment = {"LOG": str(program.log)}
    arguments = ("commit", "--quiet", "--allow-empty", "--message=a commit")
    done = run_git(odd.folder, *arguments, **environment)
    assert done.returncode == 0, done.stderr
    assert program.order == ["manager", "ours"]
    uninstall(odd)
    after = read_fingerprint(odd.folder / ".git/hooks")
    assert [line for line in compare_fingerprints(before, after) if "changed: .:" not in line] == []


def test_manager_that_moved_ours_aside_still_calls_it(odd: RepositoryBuilder, program: RecordingProgram) -> None:
    """The earlier hook, ours and the manager all run; installing again changes nothing; ours comes off from there."""
    add_hook(odd, PRE_COMMIT, program)
    install(odd)
    hooks = odd.folder / ".git" / "hooks"
    (hooks / "pre-commit").rename(hooks / "pre-commit.legacy")
    odd.write(".git/hooks/pre-commit", MANAGERS["pre-commit"])
    (hooks / "pre-commit").chmod(0o755)
    before = read_fingerprint(hooks)
    install(odd, PRE_COMMIT)
    assert compare_fingerprints(before, read_fingerprint(hooks)) == []
    arguments = ("commit", "--quiet", "--allow-empty", "--message=a commit")
    assert run_git(odd.folder, *arguments, LOG=str(program.log)).returncode == 0
    assert program.order == ["manager", "earlier", "ours"]
    uninstall(odd, PRE_COMMIT)
    assert b"earlier" in (hooks / "pre-commit.legacy").read_bytes()
    assert run_git(odd.folder, *arguments, LOG=str(program.log)).returncode == 0
    assert program.order[3:] == ["manager", "earlier"]


def test_hooks_that_call_each_other_come_to_an_end(odd: RepositoryBuilder, program: RecordingProgram) -> None:
    """Ours before a manager that calls ours: the circle is broken, and the checks still run."""
    odd.write(".git/hooks/pre-commit", MANAGERS["pre-commit"])
    hooks = odd.folder / ".git" / "hooks"
    (hooks / "pre-commit").chmod(0o755)
    install(odd, PRE_COMMIT)
    (hooks / "pre-commit.legacy").write_bytes((hooks / "pre-commit").read_bytes())
    (hooks / "pre-commit.legacy").chmod(0o755)
    arguments = ("commit", "--quiet", "--allow-empty", "--message=a commit")
    assert run_git(odd.folder, *arguments, LOG=str(program.log)).returncode == 0
    assert program.order == ["manager", "ours", "ours"]


def test_installing_twice_changes_nothing(odd: RepositoryBuilder, program: RecordingProgram) -> None:
    """Not a byte, not a time stamp, and the earlier hook is kept once."""
    add_hook(odd, PRE_COMMIT, program)
    install(odd)
    before = read_fingerprint(odd.folder)
    install(odd)
    assert compare_fingerprints(before, read_fingerprint(odd.folder)) == []


def test_dry_run_changes_nothing(odd: RepositoryBuilder) -> None:
    """Not even the folder is made; what would be done is said."""
    before = read_fingerprint(odd.folder)
    for what in ("install", "uninstall"):
        said = say("hooks", what, "--dry-run", "--json", folder=odd.folder)
        assert (said.code, said.json["dry_run"]) == (0, True)
        assert [step["name"] for step in said.json["steps"]] == ["pre-commit", "pre-push"]
        assert "dry run" in say("hooks", what, "--dry-run", folder=odd.folder).stdout
    assert compare_fingerprints(before, read_fingerprint(odd.folder)) == []


def test_planted_hooks_path_is_refused(hostile_repository: HostileRepository) -> None:
    """A hostile repository gets nothing written and nothing run."""
    with (hostile_repository.folder / ".git" / "config").open("a") as file:
        file.write("[core]\n\thooksPath = /planted\n")
    before = read_fingerprint(hostile_repository.folder)
    said = say("hooks", "install", "--shared", "--repo", hostile_repository.folder)
    assert said.code == 2
    assert "/planted" in said.stderr
    assert "--unset-all" in said.stderr
    assert hostile_repository.list_fired() == []
    assert compare_fingerprints(before, read_fingerprint(hostile_repository.folder)) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from handoff_tui.checks.hooks.hook_files import HookName
from handoff_tui.checks.hooks import hook_files as hooks
folder, verb, last = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
content = sys.stdin.buffer.read()
calls = 0
def guard(function):
    def guarded(*arguments, **options):
        global calls
        calls += 1
        if calls == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)
    return guarded
for name in ("open", "fchmod", "fsync", "link", "rename", "replace", "unlink", "mkdir"):
    setattr(os, name, guard(getattr(os, name)))
with hooks.hold_folder(folder, make=True):
    found = hooks.read_hook(folder, HookName.PRE_COMMIT, content)
    hooks.write_hook(found, content) if verb == "install" else hooks.put_back(found)
"""


def kill_at(step: int, folder: Path, verb: str, content: bytes) -> bool:
    """Runs a verb in a process that ends without warning before its nth change; whether it did end so."""
    argv = [sys.executable, "-c", KILLED, str(folder), verb, str(step)]
    done = subprocess.run(argv, input=content, capture_output=True, check=False, timeout=150)
    assert done.returncode in {0, -9}, done.stderr
    return done.returncode == -9


@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_killed_at_any_step_nothing_is_lost(odd: RepositoryBuilder, program: RecordingProgram, verb: str) -> None:
    """The old hook or the new one is there in full; another run finishes the work, and the old one comes back."""
    earlier = add_hook(odd, PRE_COMMIT, program)
    os.utime(earlier, ns=(1_500_000_000_000_000_001, 1_500_000_000_000_000_001))
    old = earlier.read_bytes()
    hooks = odd.folder / ".git" / "hooks"
    before = read_fingerprint(hooks)
    new = render_hook(PRE_COMMIT, program.python, say("--version").stdout.split()[1])
    step = 0
    killed = True
    while killed:
        step += 1
        if verb == "uninstall":
            install(odd, PRE_COMMIT)
        killed = kill_at(step, hooks, verb, new)
        assert (hooks / "pre-commit").read_bytes() in {old, new}
        kept = hooks / "pre-commit.before-handoff-tui"
        assert old in {(hooks / "pre-commit").read_bytes(), kept.read_bytes() if kept.exists() else b""}
        install(odd, PRE_COMMIT)
        assert (hooks / "pre-commit").read_bytes() == new
        uninstall(odd, PRE_COMMIT)
        after = compare_fingerprints(before, read_fingerprint(hooks))
        assert [line for line in after if "changed: .:" not in line] == []
    assert step > 3


def test_hooks_do_not_stand_in_the_way_of_what_mends(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """With the real checks: an unpushed commit does not block the next commit, and the push itself goes through."""
    state = {
        "agent_state.json": {
            "version": 1,
            "last_agent": "heron",
            "handoff_message": "x " * 40,
            "implementation_progress": {},
            "briefing_acknowledgment": {"agent": "heron", "acknowledged_at": "2026-01-01T00:00:00Z"},
        },
        "blockers.json": {"version": 1, "blockers": []},
        "current_task.json": {"version": 1, "task_id": "t", "objective": "o", "status": "complete"},
    }
    for name, value in state.items():
        builder.write(f".mosaic/{name}", json.dumps(value))
    builder.commit("one").push(tmp_path / "remote.git")
    assert say("hooks", "install", "--repo", builder.folder).code == 0
    builder.write("more.txt", "x\n")
    run_git(builder.folder, "add", "-A")
    assert say("check", "--pre", "--only", "changes-are-documented", "--repo", builder.folder).code == 1
    made = commit(builder.folder)
    assert made.returncode == 0, made.stdout + made.stderr
    assert say("check", "--pre", "--only", "nothing-unpushed", "--repo", builder.folder).code == 1
    pushed = run_git(builder.folder, "push", "--quiet", "origin", "main")
    assert pushed.returncode == 0, pushed.stdout + pushed.stderr
