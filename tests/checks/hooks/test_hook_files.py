"""Reading and writing hooks."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from pathlib import Path

import pytest

from handoff_tui.checks.hooks.hook import HookCondition, HookName
from handoff_tui.checks.hooks.hook_files import hold_folder, put_back, read_hook, write_hook
from handoff_tui.checks.hooks.hook_script import render_hook
from handoff_tui.core.errors import HookError
from tests.support.fingerprint import compare_fingerprints, read_fingerprint

NAME = HookName.PRE_COMMIT
OURS = render_hook(NAME, "/usr/bin/python3", "1")
OTHERS = b"#!/bin/sh\nexit 0\n"


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


@pytest.mark.parametrize(
    ("content", "mode", "condition"),
    [
        (OURS, 0o755, HookCondition.CURRENT),
        (OURS, 0o644, HookCondition.OUTDATED),
        (render_hook(NAME, "/usr/bin/python3", "0"), 0o755, HookCondition.OUTDATED),
        (OURS + b"\n", 0o755, HookCondition.EDITED),
        (render_hook(HookName.PRE_PUSH, "/usr/bin/python3", "1"), 0o755, HookCondition.EDITED),
        (OTHERS, 0o755, HookCondition.FOREIGN),
        (b"", 0o644, HookCondition.FOREIGN),
        (b"x" * 2_000_000, 0o755, HookCondition.FOREIGN),
    ],
)
def test_condition_is_told(folder: Path, content: bytes, mode: int, condition: HookCondition) -> None:
    """What is in place decides, and whether git would run it."""
    place(folder, content, mode)
    assert read_hook(folder, NAME, OURS).condition is condition


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


def test_missing_folder_is_made_only_to_write(tmp_path: Path) -> None:
    """Looking for something to remove makes no folder."""
    with hold_folder(tmp_path / "a" / "hooks", make=False):
        pass
    assert not (tmp_path / "a").exists()
    with hold_folder(tmp_path / "a" / "hooks", make=True):
        pass
    assert (tmp_path / "a" / "hooks").is_dir()


def test_place_that_cannot_be_a_folder_is_refused() -> None:
    """As when all hooks are switched off with /dev/null."""
    with pytest.raises(HookError, match="isn't a folder"), hold_folder(Path(os.devnull), make=True):
        pytest.fail("held a device")
