"""Fixtures for tests of the command line."""

from __future__ import annotations

import pytest

from tests.support.command_line import InProcess


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> InProcess:
    """Runs a verb in this process."""
    return InProcess(capsys)
