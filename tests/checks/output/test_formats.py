from __future__ import annotations

import json

import pytest

from handoff_tui.checks.output.formats import FORMATS, render_report
from handoff_tui.checks.report import CheckReport
from handoff_tui.cli.commands import check

REPORT = CheckReport(mode="all", results=(), repository="/r")


def test_forms_offered_are_the_forms_there_are() -> None:
    """The command line lists them without loading them; both lists are the same."""
    assert check.FORMATS == FORMATS


@pytest.mark.parametrize("form", [name for name in FORMATS if name not in {"text", "json"}])
def test_every_form_can_be_rendered(form: str) -> None:
    """Also without any result."""
    assert render_report(REPORT, form)


def test_sarif_is_json() -> None:
    """Of the version that its readers want."""
    assert json.loads(render_report(REPORT, "sarif"))["version"] == "2.1.0"
