"""Results record a clean-room installation: how many packages, in which order, and that all tests passed."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable
from handoff_tui.checks.rules.builder.documents import require_finished
from handoff_tui.checks.rules.builder.record import find_clean_room_gaps
from handoff_tui.core.severity import Severity


def judge(context: Context) -> Iterator[Found]:
    for handoff, results in require_finished(context):
        yield from list(find_unreadable(context, {results.path})) or find_clean_room_gaps(context, handoff, results)


CLEAN_ROOM_RECORDED = Rule(
    id="clean-room-recorded",
    system=System.BUILDER,
    severity=Severity.HIGH,
    holds="All newest results record a clean-room installation with count, order and passing tests",
    reads="the section on the clean room in the newest results",
    remedy="Install all packages into an empty folder, run the tests after each, and record count, order and outcome.",
    judge=judge,
)
