"""Short entries of results."""

from __future__ import annotations

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rules.builder.documents import says_nothing, says_yes
from tests.support.world import MemoryWorld


@pytest.fixture
def context() -> Context:
    return Context(Answers(MemoryWorld()))


@pytest.mark.parametrize("text", ["NONE", "**None**.", "0", "No new failures", "NONE observed here"])
def test_nothing_is_understood(context: Context, text: str) -> None:
    """The word comes first, and nothing takes it back."""
    assert says_nothing(context, text)


@pytest.mark.parametrize("text", ["", "NONE except one", "none, but see below", "2 tests", "0 or 1 failed", "unknown"])
def test_nothing_that_is_taken_back_is_not_nothing(context: Context, text: str) -> None:
    """An exception, a list, silence."""
    assert not says_nothing(context, text)


@pytest.mark.parametrize("text", ["YES", "yes (8/8)", "PASS", "YES, 0 failed"])
def test_yes_is_understood(context: Context, text: str) -> None:
    """More words may follow."""
    assert says_yes(context, text)


@pytest.mark.parametrize("text", ["NO", "YES/NO", "YES | NO", "yes, 2 failed", "yes, except one", "", "eyes"])
def test_yes_that_is_none_is_refused(context: Context, text: str) -> None:
    """A choice, a retraction, another word."""
    assert not says_yes(context, text)
