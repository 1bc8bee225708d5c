"""Storms: whatever the system loses, what was read on the watcher's word ends as git's own answer, after few looks.

Nothing here sleeps: each test waits for the watcher's words, with a limit.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from handoff_tui.git.watch.keeper import Notify, open_rust_notify
from handoff_tui.git.watch.noticed import Watching
from tests.support.live_desks import save_atomically, watching
from tests.support.repositories import RepositoryBuilder

SHORT_AND_LONG = [400, pytest.param(20_000, marks=pytest.mark.slow)]
NESTED = [60, pytest.param(1_000, marks=pytest.mark.slow)]
FOLDERS = 20


def build_work(builder: RepositoryBuilder, files: int) -> RepositoryBuilder:
    for number in range(files):
        builder.write(f"src/part{number % FOLDERS:02}/file{number:05}.py", f"value = {number}\n")
    return builder.write(".gitignore", "ignored/\n").commit()


@pytest.mark.parametrize("touches", SHORT_AND_LONG)
def test_touches_end_in_agreement(builder: RepositoryBuilder, touches: int) -> None:
    """Every file rewritten as fast as it goes: at most one full look in two seconds, and two at the end."""
    build_work(builder, touches)
    with watching(builder) as (_, follower):
        for number in range(touches):
            place = builder.place(f"src/part{number % FOLDERS:02}/file{number:05}.py")
            place.write_text(f"value = -{number}\n", encoding="utf-8")
        builder.place("src/part00/file00000.py").unlink()
        follower.wait_for_agreement()
        assert follower.last.reconciled <= 12


@pytest.mark.parametrize("folders", NESTED)
def test_nested_folders_end_in_agreement(builder: RepositoryBuilder, folders: int) -> None:
    """Files in folders that were made a moment before are where most events get lost."""
    build_work(builder, 20)
    with watching(builder) as (_, follower):
        for number in range(folders):
            builder.write(f"new/{number % 7}/{number}/a/b/file.txt", f"{number}\n")
            builder.write(f"ignored/{number}/a/b/file.txt", f"{number}\n")
        follower.wait_for_agreement()
        assert follower.last.reconciled <= 12
        seen = follower.last.generation
        builder.write(f"new/{(folders - 1) % 7}/{folders - 1}/a/b/file.txt", "again\n")
        follower.wait_for_path(f"new/{(folders - 1) % 7}/{folders - 1}/a/b/file.txt", after=seen)


def test_few_nested_folders_need_no_full_look(builder: RepositoryBuilder) -> None:
    """A folder in a folder in a folder is followed by walking it, not by asking about everything."""
    build_work(builder, 20)
    with watching(builder) as (_, follower):
        for number in range(3):
            seen = follower.last.generation
            builder.write(f"new/{number}/a/b/c/file.txt")
            follower.wait_for_path(f"new/{number}/a/b/c/file.txt", after=seen)
        follower.wait_for_agreement()
        assert follower.last.reconciled == 1
        assert not any(notice.touched.everything for notice in follower.notices[2:])


def test_branch_switch_ends_in_agreement(builder: RepositoryBuilder) -> None:
    """Folders come and go with the branches, and come back."""
    build_work(builder, 300)
    builder.step("checkout", "-q", "-b", "other").step("rm", "-rq", "src/part00", "src/part01")
    for number in range(300):
        builder.write(f"other/part{number % FOLDERS}/file{number}.py")
    builder.commit()
    with watching(builder) as (_, follower):
        for branch in ("main", "other", "main", "other"):
            builder.step("checkout", "-q", branch)
        follower.wait_for_agreement()
        seen = follower.last.generation
        builder.write("other/part3/file3.py", "changed\n")
        follower.wait_for_path("other/part3/file3.py", after=seen)
        follower.wait_for_agreement()


def test_collecting_garbage_is_no_storm(builder: RepositoryBuilder) -> None:
    """Packing objects and refs is reported as a change of refs at most, not of the work tree."""
    build_work(builder, 50)
    for number in range(10):
        builder.ref(f"refs/heads/topic/{number}")
    with watching(builder) as (_, follower):
        builder.step("gc", "--quiet", "--prune=now")
        builder.write("src/part00/after.py")
        follower.wait_for_path("src/part00/after.py", after=2)
        follower.wait_for_agreement()
        assert not any(notice.touched.everything for notice in follower.notices[2:])
        assert follower.last.reconciled <= 4


def test_editors_saves_are_each_told(builder: RepositoryBuilder) -> None:
    """Atomic saves, and vim's way: the old file becomes a backup, a new one is written, the backup goes."""
    build_work(builder, 20)
    with watching(builder) as (_, follower):
        for number in range(10):
            atomic, vim = builder.place("src/part00/file00000.py"), builder.place("src/part01/file00001.py")
            backup = vim.with_name(vim.name + "~")
            seen = follower.last.generation
            save_atomically(atomic, f"atomic {number}\n")
            vim.rename(backup)
            vim.write_text(f"vim {number}\n", encoding="utf-8")
            backup.unlink()
            follower.wait_for_path("src/part00/file00000.py", after=seen)
            follower.wait_for_path("src/part01/file00001.py", after=seen)
        follower.wait_for_agreement()
        assert follower.last.reconciled == 1


def test_linked_folder_is_not_entered(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A link is a file: what happens behind it, outside, is nobody's business; what stands at its place is."""
    build_work(builder, 20)
    outside = tmp_path / "outside"
    (outside / "inner").mkdir(parents=True)
    builder.link("src/elsewhere", outside).commit()
    shutil.rmtree(builder.place("src/part05"))
    builder.place("src/part05").symlink_to(outside)  # a tracked folder that has become a link
    with watching(builder) as (watcher, follower):
        (outside / "file00005.py").write_text("unseen\n", encoding="utf-8")
        (outside / "inner" / "secret.txt").write_text("unseen\n", encoding="utf-8")
        builder.link("src/late", outside)
        (outside / "late.txt").write_text("unseen\n", encoding="utf-8")
        builder.write("src/part00/seen.py")
        follower.wait_for_path("src/part00/seen.py", after=2)
        told = {path for notice in follower.notices for path in notice.touched.paths}
        assert told <= {"src/late", "src/part00/seen.py"}
        watcher.request_reconcile()  # the follower's own stamps go through the link
        follower.wait_for_agreement()


def test_renamed_folders_are_followed(builder: RepositoryBuilder) -> None:
    """Under its new name a folder is watched, with all below it; so is one that takes its old place."""
    builder.write("a/b/c/deep.py").write("a/top.py").commit()
    with watching(builder) as (_, follower):
        builder.place("a").rename(builder.place("z"))
        follower.wait_for_path("z/b/c/deep.py", after=2)
        seen = follower.last.generation
        builder.write("z/b/c/deep.py", "after the move\n")
        follower.wait_for_path("z/b/c/deep.py", after=seen)
        builder.write("a/b/c/deep.py", "a new one\n")
        follower.wait_for_path("a/b/c/deep.py", after=seen)
        seen = follower.last.generation
        builder.write("a/b/c/deep.py", "and changed\n")
        follower.wait_for_path("a/b/c/deep.py", after=seen)
        follower.wait_for_agreement()


def test_folder_made_anew_again_and_again_stays_watched(builder: RepositoryBuilder) -> None:
    """A build that empties its folder each time is seen each time."""
    build_work(builder, 20)
    with watching(builder) as (_, follower):
        for number in range(8):
            seen = follower.last.generation
            shutil.rmtree(builder.place("out"), ignore_errors=True)
            builder.write("out/deep/result.txt", f"{number}\n")
            follower.wait_for_path("out/deep/result.txt", after=seen)
        seen = follower.last.generation
        builder.write("out/deep/result.txt", "last\n")
        follower.wait_for_path("out/deep/result.txt", after=seen)
        follower.wait_for_agreement()


def test_deleted_root_is_said_and_its_return_is_seen(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """The repository goes away and another comes to its place: nothing of the first is believed any more."""
    build_work(builder, 20)
    copy = tmp_path / "copy"
    shutil.copytree(builder.folder, copy, symlinks=True)
    with watching(builder) as (_, follower):
        shutil.rmtree(builder.folder)
        gone = follower.wait_for(lambda notice: notice.watching is Watching.GONE)
        assert gone.explanation
        (copy / "src/part00/late.py").write_text("new\n", encoding="utf-8")
        copy.rename(builder.folder)
        back = follower.wait_for(lambda notice: notice.touched.everything, after=gone.generation)
        follower.wait_for_agreement()
        builder.write("src/part01/later.py")
        follower.wait_for_path("src/part01/later.py", after=max(back.generation, follower.last.generation))


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ('OS file watch limit reached. about ["x"]', "max_user_watches"),
        ("Error creating recommended watcher: Too many open files (os error 24)", "max_user_instances"),
    ],
)
def test_watch_limit_leads_to_polling_and_says_so(builder: RepositoryBuilder, words: str, remedy: str) -> None:
    """Few folders are watched, git is asked for the rest, and the setting that helps is named; nothing is missed."""
    build_work(builder, 40)

    def refuse_many(folders: list[str]) -> Notify:
        if any("/src/" in folder for folder in folders):
            raise OSError(words) if "limit" in words else RuntimeError(words)
        return open_rust_notify(folders)

    with watching(builder, open_one=refuse_many) as (_, follower):
        notice = follower.wait_for(lambda notice: notice.watching is Watching.POLLING)
        assert words in notice.explanation
        assert remedy in notice.hint
        seen = follower.last.generation
        builder.write("src/part00/file00000.py", "polled\n")
        assert follower.wait_for_path("src/part00/file00000.py", after=seen).touched.paths == {
            "src/part00/file00000.py"
        }
        builder.write("at_the_root.txt")
        follower.wait_for_path("at_the_root.txt", after=seen)
        follower.wait_for_agreement()


def test_watch_limit_that_is_raised_is_noticed_on_request(builder: RepositoryBuilder) -> None:
    """Whoever raised the limit and comes back is live again, without starting again."""
    build_work(builder, 40)
    limits = {"folders": 1}

    def refuse_many(folders: list[str]) -> Notify:
        if len(folders) > limits["folders"]:
            raise OSError("OS file watch limit reached.")
        return open_rust_notify(folders)

    with watching(builder, open_one=refuse_many) as (watcher, follower):
        follower.wait_for(lambda notice: notice.watching is Watching.POLLING)
        limits["folders"] = 10_000
        watcher.request_reconcile()
        live = follower.wait_for(lambda notice: notice.watching is Watching.LIVE)
        builder.write("src/part00/file00000.py", "watched\n")
        follower.wait_for_path("src/part00/file00000.py", after=live.generation)


def test_changed_ignore_rules_change_what_is_watched(builder: RepositoryBuilder) -> None:
    """A folder that is not ignored any more is watched from then on."""
    build_work(builder, 20)
    builder.write("ignored/deep/file.txt")
    with watching(builder) as (_, follower):
        builder.write(".gitignore", "nothing\n")
        follower.wait_for_path("ignored/deep/file.txt", after=2)
        follower.wait_for_agreement()
        seen = follower.last.generation
        builder.write("ignored/deep/file.txt", "changed\n")
        follower.wait_for_path("ignored/deep/file.txt", after=seen)


def test_everything_at_once_ends_in_agreement(builder: RepositoryBuilder) -> None:
    """Saves, folders, renames, branches and garbage in one go."""
    build_work(builder, 200)
    builder.step("branch", "other")
    with watching(builder) as (_, follower):
        for number in range(40):
            save_atomically(builder.place(f"src/part{number % FOLDERS:02}/file{number:05}.py"), f"{number}\n")
            builder.write(f"new/{number}/a/b.txt")
            os.utime(builder.place("src/part03"))
        builder.place("new").rename(builder.place("newer"))
        builder.step("add", "--all").step("stash", "-q").step("checkout", "-q", "other").step("stash", "pop", "-q")
        builder.step("gc", "--quiet")
        shutil.rmtree(builder.place("src/part02"))
        follower.wait_for_agreement()
        assert follower.last.reconciled <= 12
