"""Installing and removing hooks, and what is refused."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.checks.hooks import hooks
from handoff_tui.checks.hooks.hook_files import (
    HookCondition,
    HookDeed,
    HookName,
    HookReport,
    hold_folder,
    parse_hook,
    put_back,
    read_hook,
    render_hook,
    write_hook,
)
from handoff_tui.checks.hooks.hooks import find_hooks_folder, install_hooks, uninstall_hooks
from handoff_tui.core.errors import HookError
from handoff_tui.git.repository import open_repository
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder

BOTH = tuple(HookName)

PRE_COMMIT = (HookName.PRE_COMMIT,)

OTHERS = b"#!/bin/sh\nexit 0\n"


@pytest.fixture(autouse=True)
def python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether this Python has the program is not what is tested here."""
    monkeypatch.setattr(hooks, "can_import_alone", lambda _: True)


def deeds(report: HookReport) -> list[HookDeed]:
    return [step.deed for step in report.steps]


def plant_hook(builder: RepositoryBuilder, content: bytes = OTHERS, name: str = "pre-commit") -> Path:
    builder.write(f".git/hooks/{name}", content)
    builder.place(f".git/hooks/{name}").chmod(0o755)
    return builder.place(f".git/hooks/{name}")


def test_deeds_follow_what_is_there(builder: RepositoryBuilder) -> None:
    """Chain, install, nothing, renew; then restore, remove, nothing."""
    place = plant_hook(builder)
    assert deeds(install_hooks(builder.folder, BOTH)) == [HookDeed.CHAIN, HookDeed.INSTALL]
    assert deeds(install_hooks(builder.folder, BOTH)) == [HookDeed.NOTHING, HookDeed.NOTHING]
    place.chmod(0o644)
    assert deeds(install_hooks(builder.folder, BOTH)) == [HookDeed.RENEW, HookDeed.NOTHING]
    assert deeds(uninstall_hooks(builder.folder, BOTH)) == [HookDeed.RESTORE, HookDeed.REMOVE]
    assert place.read_bytes() == OTHERS
    assert deeds(uninstall_hooks(builder.folder, BOTH)) == [HookDeed.NOTHING, HookDeed.NOTHING]


def test_hook_of_another_python_is_renewed(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a move of the environment, or an update, ours is written again and the earlier one stays kept."""
    plant_hook(builder)
    monkeypatch.setattr(hooks, "find_python", lambda: "/gone/python3")
    install_hooks(builder.folder, PRE_COMMIT)
    monkeypatch.setattr(hooks, "find_python", lambda: "/new/python3")
    report = install_hooks(builder.folder, PRE_COMMIT)
    assert deeds(report) == [HookDeed.RENEW]
    assert report.steps[0].earlier is not None
    assert b"python=/new/python3\n" in builder.place(".git/hooks/pre-commit").read_bytes()
    assert Path(report.steps[0].earlier).read_bytes() == OTHERS


def test_kept_hook_of_a_deleted_one_is_chained_or_put_back(builder: RepositoryBuilder) -> None:
    """When somebody deleted ours, the earlier one is still not lost."""
    place = plant_hook(builder)
    install_hooks(builder.folder, PRE_COMMIT)
    place.unlink()
    assert deeds(install_hooks(builder.folder, PRE_COMMIT)) == [HookDeed.INSTALL]
    place.unlink()
    assert deeds(uninstall_hooks(builder.folder, PRE_COMMIT)) == [HookDeed.RESTORE]
    assert place.read_bytes() == OTHERS


def _edit(builder: RepositoryBuilder) -> None:
    place = builder.place(".git/hooks/pre-commit")
    place.write_bytes(place.read_bytes() + b"# more\n")


def _replace(builder: RepositoryBuilder) -> None:
    plant_hook(builder, b"#!/bin/sh\nexit 1\n")


def _block(builder: RepositoryBuilder) -> None:
    builder.place(".git/hooks/pre-commit").unlink()
    builder.place(".git/hooks/pre-commit").mkdir()


@pytest.mark.parametrize("work", [install_hooks, uninstall_hooks])
@pytest.mark.parametrize(
    ("change", "words", "hint"),
    [
        (_edit, "somebody changed it", "mv "),
        (_replace, "isn't ours, and .*before-handoff-tui is", "rm "),
        (_block, "isn't a readable file", "ls -l "),
    ],
)
def test_doubtful_hook_is_refused_and_nothing_is_touched(
    builder: RepositoryBuilder,
    work: Callable[..., HookReport],
    change: Callable[[RepositoryBuilder], None],
    words: str,
    hint: str,
) -> None:
    """With what to do about it; the other hook, which could be done, is left alone, too."""
    plant_hook(builder)
    install_hooks(builder.folder, BOTH)
    builder.place(".git/hooks/pre-push").chmod(0o600)
    change(builder)
    before = read_fingerprint(builder.folder)
    with pytest.raises(HookError, match=words) as refused:
        work(builder.folder, BOTH)
    assert hint in refused.value.hint
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []


@pytest.mark.parametrize("scope", ["local", "worktree"])
def test_hooks_path_of_the_repository_is_refused(builder: RepositoryBuilder, scope: str) -> None:
    """Even with --shared: an agent could have planted it."""
    builder.config("extensions.worktreeConfig", "true").step("config", f"--{scope}", "core.hooksPath", ".husky/_")
    for shared in (False, True):
        with pytest.raises(HookError, match=r"own core\.hooksPath") as refused:
            install_hooks(builder.folder, BOTH, shared=shared)
        assert f"git config --{scope} --unset-all core.hooksPath" in refused.value.hint
    with pytest.raises(HookError, match=r"own core\.hooksPath"):
        uninstall_hooks(builder.folder, BOTH, shared=True)
    assert not builder.place(".husky").exists()


def test_own_hooks_come_off_although_git_looks_elsewhere(builder: RepositoryBuilder) -> None:
    """What was installed before the setting was planted is still found."""
    install_hooks(builder.folder, BOTH)
    builder.config("core.hooksPath", "elsewhere")
    assert deeds(uninstall_hooks(builder.folder, BOTH)) == [HookDeed.REMOVE, HookDeed.REMOVE]


def test_shared_folder_of_the_user_needs_consent(
    builder: RepositoryBuilder, isolated_user: Path, tmp_path: Path
) -> None:
    """Without --shared nothing is written there; with it, hooks go there and come off there."""
    shared = tmp_path / "shared hooks"
    (isolated_user / "gitconfig").write_text(f'[core]\n\thooksPath = "{shared}"\n')
    with pytest.raises(HookError, match="for every repository") as refused:
        install_hooks(builder.folder, BOTH)
    assert "--shared" in refused.value.hint
    assert not shared.exists()
    report = install_hooks(builder.folder, BOTH, shared=True)
    assert (report.shared, report.folder) == (True, str(shared))
    assert sorted(entry.name for entry in shared.iterdir()) == ["pre-commit", "pre-push"]
    assert deeds(uninstall_hooks(builder.folder, BOTH)) == [HookDeed.NOTHING, HookDeed.NOTHING]
    assert deeds(uninstall_hooks(builder.folder, BOTH, shared=True)) == [HookDeed.REMOVE, HookDeed.REMOVE]


def test_linked_hooks_folder_needs_consent(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A link may lead to anybody's folder."""
    (tmp_path / "anybody").mkdir()
    builder.link(".git/hooks", tmp_path / "anybody")
    for work in (install_hooks, uninstall_hooks):
        with pytest.raises(HookError, match="is a link to"):
            work(builder.folder, BOTH)
    assert install_hooks(builder.folder, BOTH, shared=True).shared
    assert (tmp_path / "anybody" / "pre-commit").exists()


def test_python_that_hooks_cannot_use_is_refused(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that needs PYTHONPATH would block every commit; one with a newline in its path cannot be named."""
    monkeypatch.setattr(hooks, "can_import_alone", lambda _: False)
    with pytest.raises(HookError, match="only through PYTHONPATH"):
        install_hooks(builder.folder, BOTH)
    monkeypatch.setattr(hooks, "find_python", lambda: "/a\nb/python3")
    with pytest.raises(HookError, match="can't call"):
        install_hooks(builder.folder, BOTH)
    assert not builder.place(".git/hooks").exists()


def test_python_inside_the_repository_is_noted(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever can write the repository could replace it."""
    monkeypatch.setattr(hooks, "find_python", lambda: str(builder.folder / ".venv/bin/python3"))
    [note] = install_hooks(builder.folder, BOTH, dry_run=True).notes
    assert "inside the repository" in note


NAME = HookName.PRE_COMMIT

OURS = render_hook(NAME, "/usr/bin/python3", "1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "hooks"
    made.mkdir()
    return made


def place(folder: Path, content: bytes, mode: int = 0o755, name: str = "pre-commit") -> Path:
    path = folder / name
    path.write_bytes(content)
    path.chmod(mode)
    return path


def test_condition_of_what_is_no_file(folder: Path) -> None:
    """Nothing, a folder, a pipe, a link to our own text: each is what it is."""
    assert read_hook(folder, NAME, OURS).condition is HookCondition.ABSENT
    os.mkfifo(folder / "pre-commit")
    assert read_hook(folder, NAME, OURS).condition is HookCondition.UNUSABLE
    (folder / "pre-commit").unlink()
    (folder / "pre-commit").mkdir()
    assert read_hook(folder, NAME, OURS).condition is HookCondition.UNUSABLE
    (folder / "pre-commit").rmdir()
    (folder / "pre-commit").symlink_to(place(folder, OURS, name="mine"))
    found = read_hook(folder, NAME, OURS)
    assert (found.condition, found.content) == (HookCondition.FOREIGN, OURS)


def test_hook_moved_aside_by_pre_commit_is_found(folder: Path) -> None:
    """That tool calls `.legacy`; another tool's `.legacy` is nothing to us."""
    place(folder, OURS, name="pre-commit.legacy")
    place(folder, OTHERS)
    assert read_hook(folder, NAME, OURS).place.name == "pre-commit"
    place(folder, b"#!/usr/bin/env bash\nexec pre-commit hook-impl --hook-type=pre-commit\n")
    found = read_hook(folder, NAME, OURS)
    assert (found.place.name, found.condition) == ("pre-commit.legacy", HookCondition.CURRENT)
    assert found.earlier.name == "pre-commit.before-handoff-tui"


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o755), (0o077, 0o700), (0o777, 0o700), (0o002, 0o775)])
def test_written_hook_is_executable_under_every_umask(folder: Path, umask: int, mode: int) -> None:
    """Its owner can always run it; others as the umask says. The earlier hook keeps the mode that it had."""
    place(folder, OTHERS, 0o751)
    before = os.umask(umask)
    try:
        write_hook(read_hook(folder, NAME, OURS), OURS)
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "pre-commit").stat().st_mode) == mode
    assert stat.S_IMODE((folder / "pre-commit.before-handoff-tui").stat().st_mode) == 0o751


@pytest.mark.parametrize("second_names", [True, False])
@pytest.mark.parametrize("kind", ["file", "link", "dangling link"])
def test_earlier_hook_comes_back_as_it_was(
    folder: Path, monkeypatch: pytest.MonkeyPatch, kind: str, *, second_names: bool
) -> None:
    """Bytes, mode and times, also on a file system without second names, also when it is a link."""
    if kind == "file":
        path = place(folder, OTHERS + b"\xff\r\n", 0o751)
    else:
        path = folder / "pre-commit"
        path.symlink_to("target" if kind == "link" else "nowhere")
        place(folder, OTHERS, name="target")
    os.utime(path, ns=(1_600_000_000_123_456_789, 1_500_000_000_987_654_321), follow_symlinks=False)
    before = read_fingerprint(folder)
    if not second_names:
        monkeypatch.setattr(os, "link", _refuse_link)
    write_hook(read_hook(folder, NAME, OURS), OURS)
    found = read_hook(folder, NAME, OURS)
    assert (found.condition, found.kept, found.kept_is_same) == (HookCondition.CURRENT, True, False)
    put_back(found)
    assert [line for line in compare_fingerprints(before, read_fingerprint(folder)) if "changed: .:" not in line] == []


def _refuse_link(*_: object, **__: object) -> None:
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


def test_hook_that_appears_meanwhile_is_not_overwritten(folder: Path) -> None:
    """Between looking and writing somebody else may install one."""
    found = read_hook(folder, NAME, OURS)
    place(folder, OTHERS)
    with pytest.raises(HookError, match="has just appeared"):
        write_hook(found, OURS)
    assert (folder / "pre-commit").read_bytes() == OTHERS


def test_full_disk_leaves_the_earlier_hook(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be written whole is not put in place, and nothing is left over."""
    place(folder, OTHERS)

    def refuse(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(HookError, match="No space left"):
        write_hook(read_hook(folder, NAME, OURS), OURS)
    assert [entry.name for entry in folder.iterdir()] == ["pre-commit"]
    assert (folder / "pre-commit").read_bytes() == OTHERS


def test_folder_is_held_by_one(folder: Path) -> None:
    """A second writer is told to wait; where locks are not known, one goes on."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with pytest.raises(HookError, match="another handoff-tui"), hold_folder(folder, make=True):
            pytest.fail("two writers at once")
    finally:
        os.close(descriptor)


def test_folder_without_locks_is_no_obstacle(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some network drives know none."""

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "no locks")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with hold_folder(folder, make=True):
        write_hook(read_hook(folder, NAME, OURS), OURS)
    assert read_hook(folder, NAME, OURS).condition is HookCondition.CURRENT


def test_leftovers_are_swept(folder: Path) -> None:
    """A half-written file of a killed run goes away with the next one; other files stay."""
    place(folder, b"half", name="pre-push.handoff-tui-new")
    place(folder, OTHERS, name="post-merge")
    with hold_folder(folder, make=True):
        pass
    assert [entry.name for entry in folder.iterdir()] == ["post-merge"]


def test_place_that_cannot_be_a_folder_is_refused() -> None:
    """As when all hooks are switched off with /dev/null."""
    with pytest.raises(HookError, match="isn't a folder"), hold_folder(Path(os.devnull), make=True):
        pytest.fail("held a device")


ODD_PATHS = ["/usr/bin/python3", '/a b/it\'s "quoted"/$HOME/`id`/python3', "/caf\udce9/python3", "/-E/python3"]


@pytest.mark.parametrize("name", list(HookName))
@pytest.mark.parametrize("python", ODD_PATHS)
def test_hook_is_recognised_with_all_that_it_says(name: HookName, python: str) -> None:
    """What was rendered is parsed back: name, Python, version, unchanged."""
    script = parse_hook(render_hook(name, python, "1.2.3"))
    assert script is not None
    assert (script.name, script.python, script.version, script.unchanged) == (name.value, python, "1.2.3", True)


@given(st.binary(), st.binary(max_size=20))
def test_parsing_never_raises(content: bytes, python: bytes) -> None:
    """Whatever stands in a hook, also after our mark and in our assignment."""
    parse_hook(content)
    header = b"#!/bin/sh\n# handoff-tui hook 1 pre-commit sha256:" + b"0" * 64 + b"\n"
    script = parse_hook(header + b"python=" + python + b"\n" + content)
    assert script is not None
    assert not script.unchanged


@pytest.mark.parametrize("shell", ["sh", "bash", "dash", "busybox"])
@pytest.mark.parametrize("name", list(HookName))
def test_hook_is_for_every_shell(shell: str, name: HookName) -> None:
    """The shells that are here accept its grammar."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    argv = [program, "sh", "-n"] if shell == "busybox" else [program, "-n"]
    done = subprocess.run(argv, input=render_hook(name, ODD_PATHS[1], "1"), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def ask_git(folder: Path) -> Path:
    """What git itself says."""
    done = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "--path-format=absolute", "--git-path", "hooks"],
        capture_output=True,
        check=True,
        text=True,
    )
    return Path(done.stdout.removesuffix("\n"))


def test_folder_is_where_git_looks(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """In a plain repository, a linked worktree and a submodule."""
    builder.write("a").commit()
    linked = builder.worktree(tmp_path / "linked tree", "side")
    outer = RepositoryBuilder.init(tmp_path / "outer").write("b").commit()
    inner = outer.submodule(builder, "sub module")
    for folder in (builder.folder, linked.folder, inner.folder):
        found = find_hooks_folder(open_repository(folder))
        assert found.path == ask_git(folder)
        assert (found.setting, found.leads_to) == (None, None)
    assert find_hooks_folder(open_repository(linked.folder)).path.is_relative_to(builder.folder)
