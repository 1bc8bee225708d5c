"""Running the command line inside the test's own process: as quick as a function call."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.cli.main import main
from tests.support.command_line import Said


class InProcess:
    """Calls `main` and collects what it prints."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str | Path) -> Said:
        self._capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        printed = self._capsys.readouterr()
        return Said(int(code), printed.out, printed.err)
