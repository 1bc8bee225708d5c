from __future__ import annotations

import pytest

from handoff_tui.checks.output.list import build_check_list_json, build_check_list_page
from handoff_tui.checks.report import ConsentState, RuleInfo
from handoff_tui.core.severity import Severity
from handoff_tui.core.text.page import Grid, Line

RULE = RuleInfo(
    id="a-rule", system="all", severity=Severity.HIGH, blocking=True, holds="It holds.", reads="x", remedy="y"
)


def words(trust: ConsentState | None) -> str:
    parts = build_check_list_page([RULE], trust).parts
    cells = [cell for part in parts for row in (part.rows if isinstance(part, Grid) else (part.cells,)) for cell in row]
    assert all(isinstance(part, Grid | Line) for part in parts)
    return " ".join(cell.text for cell in cells)


def test_every_check_is_listed() -> None:
    """With what holds, and whether it blocks."""
    assert "a-rule high yes all It holds." in words(None)


@pytest.mark.parametrize(("trusted", "shown"), [(True, False), (False, True)])
def test_digest_is_offered_for_trust_until_it_is_trusted(trusted: bool, shown: bool) -> None:  # noqa: FBT001
    """The command to copy is there when it is needed."""
    text = words(ConsentState(digest="sha256:12", trusted=trusted))
    assert ("--trust sha256:12" in text) is shown


def test_list_for_scripts_has_checks_and_trust() -> None:
    """Nothing to trust is null."""
    value = build_check_list_json([RULE], None)
    assert (value["schema"], value["trust"]) == ("handoff-tui/check-list/v1", None)
