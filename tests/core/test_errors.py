from __future__ import annotations

import inspect

import pytest

from handoff_tui.core import errors
from handoff_tui.core.errors import HandoffError

CLASSES = [value for _, value in inspect.getmembers(errors, inspect.isclass)]


@pytest.mark.parametrize("error", CLASSES)
def test_error_carries_message_and_hint(error: type[HandoffError]) -> None:
    """Both are kept apart; the message is also what Python prints."""
    raised = error("the lamp is out", "Light it.")
    assert (str(raised), raised.message, raised.hint) == ("the lamp is out", "the lamp is out", "Light it.")


def test_error_needs_no_hint() -> None:
    """Without one the hint is empty, not absent."""
    assert HandoffError("the lamp is out").hint == ""


@pytest.mark.parametrize("error", CLASSES)
def test_error_descends_from_the_one_base_and_is_in_the_tree(error: type[HandoffError]) -> None:
    """One handler catches them all, and the module's own tree names each with what it means."""
    assert issubclass(error, HandoffError)
    assert error.__name__.endswith("Error")
    assert error.__doc__
    assert error.__name__ in (errors.__doc__ or "")
