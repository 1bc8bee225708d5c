from __future__ import annotations

import os
import signal

import pytest

from handoff_tui.cli.telling import following


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_cancels_and_no_more(number: signal.Signals) -> None:
    """The run is told to end; whoever listened before listens again afterwards."""
    before = signal.getsignal(number)
    with following() as telling:
        assert not telling.cancel.is_set()
        os.kill(os.getpid(), number)
        assert telling.cancel.wait(5)
    assert signal.getsignal(number) is before


def test_listeners_are_back_after_a_failure() -> None:
    """Whatever happened inside."""
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError), following():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is before
