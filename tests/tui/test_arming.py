from __future__ import annotations

from handoff_tui.tui.arming import PAUSE_SECONDS, Arming, read_time


def test_nothing_counts_before_it_is_painted() -> None:
    """However long ago it was made."""
    assert not Arming().admits(1_000_000.0)


def test_keys_count_a_pause_after_the_paint() -> None:
    """Those typed before, while it was painted, and shortly after do not."""
    arming = Arming()
    arming.note_painted(10.0)
    assert [arming.admits(at) for at in (9.0, 10.0, 10.29, 10.3, 11.0)] == [False, False, False, True, True]


def test_second_paint_of_the_same_changes_nothing() -> None:
    """Only what is new must be looked at anew."""
    arming = Arming()
    arming.note_painted(10.0)
    arming.note_painted(20.0)
    assert arming.admits(10.5)


def test_other_input_begins_the_pause_again() -> None:
    """A pasted text that ends with the key is no confirmation; input from before the paint does not shorten it."""
    arming = Arming()
    arming.begin_again(5.0)
    assert not arming.admits(100.0)
    arming.note_painted(10.0)
    arming.begin_again(9.0)
    assert arming.admits(10.0 + PAUSE_SECONDS)
    arming.begin_again(12.0)
    assert not arming.admits(12.1)
    assert arming.admits(12.0 + PAUSE_SECONDS)


def test_disarmed_waits_for_another_paint() -> None:
    """What has moved must be shown first."""
    arming = Arming()
    arming.note_painted(10.0)
    arming.disarm()
    assert not arming.admits(100.0)
    arming.note_painted(100.0)
    assert arming.admits(101.0)


def test_time_is_the_one_of_the_events() -> None:
    """It only goes forward."""
    assert read_time() <= read_time()
