from __future__ import annotations

import pytest

from handoff_tui.checks.rules.hub.reports import find_last_attempt, find_reports
from handoff_tui.core.tasks import Attempt
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("security_report.json", True),
        ("runs/4/security-report-41.json", True),
        ("security_reports.json", True),
        ("security_report.md", False),
        ("insecurity_report.json", False),
    ],
)
def test_reports_are_found_by_name(path: str, *, is_one: bool) -> None:
    """With hyphens, in the plural, with a number; not other files."""
    handoff = Handoff(id="T1", dialect="hub", documents=(Document(path=path, role=DocumentRole.REPORT),))
    assert find_reports(handoff, "security_report.json") == ((path,) if is_one else ())


def test_last_attempt_is_the_newest_of_its_stage() -> None:
    """Others do not count."""
    attempts = tuple(Attempt(number=number, phase=phase) for number, phase in enumerate(("QA", "QA", "SEC"), start=1))
    handoff = Handoff(id="T1", dialect="hub", attempts=attempts)
    assert find_last_attempt(handoff, "QA") == attempts[1]
    assert find_last_attempt(handoff, "DOCS") is None
