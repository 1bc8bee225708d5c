from __future__ import annotations

import os
import signal

import pytest

from handoff_tui.cli.progress import build_progress_line, following


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_cancels_and_no_more(number: signal.Signals) -> None:
    """The run is told to end; whoever listened before listens again afterwards."""
    before = signal.getsignal(number)
    with following(keeps_partial=True) as telling:
        assert not telling.cancel.is_set()
        os.kill(os.getpid(), number)
        assert telling.cancel.wait(5)
    assert signal.getsignal(number) is before


def test_signal_ends_a_verb_that_keeps_nothing() -> None:
    """After what was running has come to its end, and with the earlier listeners back."""
    before = signal.getsignal(signal.SIGINT)
    ended: list[bool] = []

    def be_stopped() -> None:
        with following() as telling:
            os.kill(os.getpid(), signal.SIGINT)
            ended.append(telling.cancel.wait(5))

    with pytest.raises(KeyboardInterrupt):
        be_stopped()
    assert ended == [True]
    assert signal.getsignal(signal.SIGINT) is before


def test_verb_that_is_not_stopped_goes_on() -> None:
    """Nothing is raised at the end."""
    with following() as telling:
        pass
    assert not telling.cancel.is_set()


def test_listeners_are_back_after_a_failure() -> None:
    """Whatever happened inside."""
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError), following():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is before


def test_closed_terminal_does_not_end_who_should_outlive_it() -> None:
    """Started with `nohup`, which ignores the signal."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with following() as telling:
            os.kill(os.getpid(), signal.SIGHUP)
        assert not telling.cancel.is_set()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(
    ("done", "total", "current", "line"),
    [
        (0, 4, "tree-clean", "checks ░░░░░░░░░░░░░░░░░░░░ 0/4  tree-clean"),
        (4, 4, None, "checks ████████████████████ 4/4"),
        (0, 0, None, "checks ████████████████████ 0/0"),
        (1, 2, "a\x1b[2J\n", "checks ██████████░░░░░░░░░░ 1/2  a␛[2J "),
    ],
)
def test_progress_is_a_bar_and_numbers(done: int, total: int, current: str | None, line: str) -> None:
    """Never longer than its bar, and safe to write over."""
    assert build_progress_line(done, total, current) == line
