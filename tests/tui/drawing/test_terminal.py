from __future__ import annotations

import os

import pytest
from textual.drivers.headless_driver import HeadlessDriver
from textual.drivers.linux_driver import LinuxDriver

from handoff_tui.tui.drawing.terminal import LastingFile, OutlivingDriver, outlive_terminal


def test_writing_goes_on_when_the_terminal_is_gone() -> None:
    """What is written is lost, and nothing is raised; the plain file would."""
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as plain:
        file = LastingFile(plain)
        assert file.write("seen") == 4
        file.flush()
        assert os.read(ours, 4) == b"seen"
        os.close(ours)
        assert file.write("lost") == 4
        file.flush()
        with pytest.raises(OSError, match="Input/output error"):
            plain.flush()
        assert file.fileno() == theirs
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, theirs)  # so that closing it has somewhere to go
        os.close(nowhere)


def test_only_the_driver_of_a_terminal_is_changed() -> None:
    """One without a terminal has nothing to outlive."""
    assert outlive_terminal(HeadlessDriver) is HeadlessDriver
    assert outlive_terminal(LinuxDriver) is OutlivingDriver
