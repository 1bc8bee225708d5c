from __future__ import annotations

import pytest

from handoff_tui.git.watch.watcher import IDLE_SECONDS, LATEST_SECONDS, QUIET_SECONDS, Schedule


def test_request_is_due_at_once() -> None:
    """Nobody who asks waits for quiet."""
    schedule = Schedule(10.0)
    schedule.ask()
    assert schedule.find_pause(10.0) == 0


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


def test_merging_waits_for_quiet() -> None:
    """Listeners are put together when nothing has happened for two seconds, even while a look runs."""
    schedule = Schedule(0.0)
    schedule.merge_wanted = True
    schedule.note_event(5.0)
    schedule.begin()
    assert schedule.find_pause(5.5) == pytest.approx(1.5)
    assert schedule.has_been_quiet_since(5.1)
    assert not schedule.has_been_quiet_since(5.0)
