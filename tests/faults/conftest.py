"""One handoff, and a terminal to decide on it at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.gates import GateDesk
from tests.support.tmux import Terminal, open_terminal


@pytest.fixture
def desk(gate_desk: GateDesk) -> GateDesk:
    """One handoff by an agent; no log yet."""
    return gate_desk


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    """A terminal in tmux."""
    with open_terminal() as opened:
        yield opened
