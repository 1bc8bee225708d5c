from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.git.watch.keeper import Notify, open_rust_notify
from handoff_tui.git.watch.noticed import NOTHING, Watching
from handoff_tui.git.watch.watcher import IDLE_SECONDS, LATEST_SECONDS, QUIET_SECONDS, Schedule
from tests.support.live_desks import save_atomically, watching
from tests.support.repositories import RepositoryBuilder


@pytest.fixture
def work(builder: RepositoryBuilder) -> RepositoryBuilder:
    """A few files in a few folders."""
    return builder.write("src/inner/a.py").write("docs/guide.md").write(".gitignore", "build/\n.handoff/\n").commit()


def test_atomic_save_names_the_file(work: RepositoryBuilder) -> None:
    """The path is told, and nothing is said of everything."""
    with watching(work) as (_, follower):
        save_atomically(work.place("src/inner/a.py"), "changed\n")
        notice = follower.wait_for_path("src/inner/a.py", after=2)
        assert not notice.touched.everything
        assert not notice.touched.refs
        follower.wait_for_agreement()


def test_branch_in_a_new_folder_of_refs_is_seen(work: RepositoryBuilder) -> None:
    """Refs with a slash live in folders that are not there at first."""
    with watching(work) as (watcher, follower):
        work.ref("refs/heads/agents/one")
        follower.wait_for(lambda notice: notice.touched.refs, after=2)
        ticket = watcher.request_reconcile()
        seen = follower.wait_for(lambda notice: notice.answered >= ticket).generation
        work.commit("another").ref("refs/heads/agents/one", "HEAD")
        follower.wait_for(lambda notice: notice.touched.refs, after=seen)


def test_decision_in_our_own_folder_is_told(work: RepositoryBuilder) -> None:
    """What another copy of the program decided is seen, be our folder ignored or not there at first."""
    work.write(".gitignore", ".handoff-tui/\n").commit()
    with watching(work) as (_, follower):
        work.write(".handoff-tui/log/entries/ab/cd.json", "{}\n")
        follower.wait_for_path(".handoff-tui/log/entries/ab/cd.json", after=2)
        work.write(".handoff-tui/log/entries/ab/ef.json", "{}\n")
        follower.wait_for_path(".handoff-tui/log/entries/ab/ef.json", after=follower.last.generation - 1)


def test_ignored_folders_are_silent_but_for_handoffs(work: RepositoryBuilder) -> None:
    """A build is not heard; an ignored handoff is."""
    work.write("build/deep/old.o").write(".handoff/context.md")
    with watching(work) as (_, follower):
        work.write("build/deep/new.o").write(".handoff/context.md", "changed\n")
        notice = follower.wait_for_path(".handoff/context.md", after=2)
        assert notice.touched.paths == {".handoff/context.md"}


def test_request_is_answered_even_when_nothing_has_changed(work: RepositoryBuilder) -> None:
    """Whoever waits for a full look learns that it is done, and that nothing else is to be read."""
    with watching(work) as (watcher, follower):
        ticket = watcher.request_reconcile()
        notice = follower.wait_for(lambda notice: notice.answered >= ticket)
        assert notice.touched == NOTHING


def test_many_requests_share_full_looks(work: RepositoryBuilder) -> None:
    """One runs and one waits, however many ask."""
    with watching(work) as (watcher, follower):
        tickets = [watcher.request_reconcile() for _ in range(50)]
        assert follower.wait_for(lambda notice: notice.answered == tickets[-1]).reconciled <= 4


def test_change_that_no_event_told_is_found_on_request(work: RepositoryBuilder) -> None:
    """A watcher without events still tells the exact path that differs."""
    with watching(work, open_one=_hear_nothing) as (watcher, follower):
        work.write("docs/guide.md", "unheard\n")
        ticket = watcher.request_reconcile()
        notice = follower.wait_for(lambda notice: notice.answered >= ticket)
        assert notice.touched.paths == {"docs/guide.md"}
        work.write("docs/guide.md", "unheard again\n")
        ticket = watcher.request_reconcile()
        assert follower.wait_for(lambda notice: notice.answered >= ticket).touched.paths == {"docs/guide.md"}


def test_change_that_no_event_told_is_found_when_idle(work: RepositoryBuilder) -> None:
    """Quiet for a while, the watcher looks by itself."""
    with watching(work, open_one=_hear_nothing, idle_seconds=0.05) as (_, follower):
        work.write("docs/guide.md", "unheard\n")
        follower.wait_for_path("docs/guide.md", after=2)


def test_focus_brings_a_full_look(work: RepositoryBuilder) -> None:
    """Coming back is a request; going away is none."""
    with watching(work) as (watcher, follower):
        watcher.set_focused(focused=False)
        watcher.set_focused(focused=True)
        assert follower.wait_for(lambda notice: notice.answered == 1)


def test_linked_work_tree_sees_its_own_head_and_shared_refs(work: RepositoryBuilder, tmp_path: Path) -> None:
    """Its git folder is elsewhere, and part of it belongs to all work trees."""
    linked = work.worktree(tmp_path / "linked", "side")
    with watching(linked) as (_, follower):
        linked.write("docs/guide.md", "side\n").commit()
        follower.wait_for(lambda notice: notice.touched.refs, after=2)
        follower.wait_for_agreement()
        seen = follower.last.generation
        work.tag("v1")
        follower.wait_for(lambda notice: notice.touched.refs, after=seen)


def test_name_that_is_not_utf8_does_not_end_watching(work: RepositoryBuilder) -> None:
    """watchfiles fails for good at such a name; a full look and new listeners take over."""
    with watching(work) as (_, follower):
        work.write(b"docs/\xff.md")
        follower.wait_for(lambda notice: notice.touched.everything, after=2)
        follower.wait_for_agreement()
        seen = follower.last.generation
        work.write("docs/guide.md", "after\n")
        follower.wait_for_path("docs/guide.md", after=seen)


def test_damaged_configuration_is_explained_and_survived(work: RepositoryBuilder) -> None:
    """While git gives no answer the watcher says why, and goes on when it does again."""
    config = work.place(".git/config")
    before = config.read_bytes()
    with watching(work) as (_, follower):
        config.write_bytes(b"[core\n")
        notice = follower.wait_for(lambda notice: notice.watching is Watching.POLLING)
        assert notice.explanation
        config.write_bytes(before)
        follower.wait_for(lambda told: told.watching is Watching.LIVE, after=notice.generation)


def _hear_nothing(_: list[str]) -> Notify:
    return open_rust_notify([])


def test_folders_that_came_and_went_are_watched_when_they_stay(work: RepositoryBuilder) -> None:
    """A storm that kept them from being taken in leaves nobody polling for ever."""
    opened = 0

    def open_late(folders: list[str]) -> Notify:
        nonlocal opened
        opened += 1
        if opened <= 16:
            raise FileNotFoundError("gone")
        return open_rust_notify(folders)

    with watching(work, open_one=open_late, idle_seconds=0.1) as (_, follower):
        follower.wait_for(lambda notice: notice.watching is Watching.POLLING)
        live = follower.wait_for(lambda notice: notice.watching is Watching.LIVE)
        save_atomically(work.place("src/inner/a.py"), "changed\n")
        follower.wait_for_path("src/inner/a.py", after=live.generation)


def test_storm_is_waited_for_but_not_for_ever() -> None:
    """A full look comes when it is quiet, or two seconds after it became necessary."""
    schedule = Schedule(0.0)
    schedule.want(1.0)
    schedule.note_event(1.05)
    assert schedule.find_look() == pytest.approx(1.05 + QUIET_SECONDS)
    for tick in range(100):
        schedule.note_event(1.0 + tick / 20)
    assert schedule.find_look() == pytest.approx(1.0 + LATEST_SECONDS)


def test_nothing_is_due_while_a_look_runs_and_what_was_wanted_meanwhile_is_due_after() -> None:
    """At most one runs and one waits."""
    schedule = Schedule(0.0)
    schedule.ask()
    schedule.begin()
    schedule.ask()
    schedule.ask()
    assert schedule.find_pause(1.0) is None
    schedule.finish(1.0, 0.5)
    assert schedule.find_pause(1.0) == 0
    schedule.begin()
    schedule.finish(2.0, 0.5)
    assert schedule.find_pause(2.0) == pytest.approx(IDLE_SECONDS)


def test_git_gets_at_most_half_of_the_time() -> None:
    """After a look that took long, the next one that events want waits as long."""
    schedule = Schedule(0.0)
    schedule.want(0.0)
    schedule.begin()
    schedule.want(1.0)
    schedule.finish(8.0, 7.0)
    assert schedule.find_look() == pytest.approx(15.0)


def test_idle_looks_become_rarer_until_something_happens() -> None:
    """Where nothing ever happens, asking git again and again only costs."""
    schedule = Schedule(0.0, idle=30.0)
    gaps, now = [], 0.0
    for _ in range(7):
        due = schedule.find_look()
        assert due is not None
        gaps.append(due - now)
        now = due
        schedule.begin()
        schedule.finish(now, 0.0)
    assert gaps == [30, 60, 120, 240, 480, 480, 480]
    schedule.note_event(now)
    assert schedule.find_look() == now + 30


def test_polling_leaves_git_alone_for_ten_times_as_long_as_it_took() -> None:
    """But never asks more often than every two seconds."""
    schedule = Schedule(0.0)
    schedule.polling = True
    schedule.begin()
    schedule.finish(1.0, 0.01)
    assert schedule.find_look() == pytest.approx(3.0)
    schedule.begin()
    schedule.finish(3.0, 0.9)
    assert schedule.find_look() == pytest.approx(12.0)
