from __future__ import annotations

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.contract import NotApplicableError, UndecidableError
from handoff_tui.checks.rules.every.configuration_unchanged import read_change
from tests.support.changed_world import build_changed_world

FILE = "handoff-tui.toml"


def context(before: dict[str, str], now: dict[str, str]) -> Context:
    return Context(Answers(build_changed_world(before, now)))


def test_versions_that_are_equal_do_not_differ() -> None:
    """Not even when they are broken."""
    assert read_change(context({FILE: "["}, {FILE: "["})).differences == []


def test_versions_that_differ_are_compared() -> None:
    """With the present text, for lines."""
    change = read_change(context({}, {FILE: "[hub]\nx = 1\n"}))
    assert [difference.name for difference in change.differences] == ["hub.x"]
    assert change.text.startswith("[hub]")


def test_versions_that_cannot_be_read_are_told() -> None:
    """The present one as a finding, the old one as undecidable, none as not applicable."""
    assert read_change(context({FILE: ""}, {FILE: "["})).broken is not None
    with pytest.raises(UndecidableError):
        read_change(context({FILE: "["}, {FILE: ""}))
    with pytest.raises(NotApplicableError):
        read_change(context({}, {}))
