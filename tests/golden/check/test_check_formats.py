"""Each format of the check results, byte for byte. `make golden` writes them again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.checks.output.formats import (
    render_check_github,
    render_check_junit,
    render_check_markdown,
    render_check_tap,
)
from handoff_tui.checks.output.json import build_check_json, render_check_jsonl
from handoff_tui.checks.output.page import build_check_page
from handoff_tui.checks.output.sarif import build_check_sarif
from handoff_tui.checks.report import CheckReport
from tests.support.check_reports import build_blocked_report, build_hostile_report, build_passing_report
from tests.support.checks_document import build_rule_table
from tests.support.desk_states import render_page
from tests.support.golden import compare_golden

HERE = Path(__file__).parent

FORMATS: dict[str, Callable[[CheckReport], str]] = {
    "txt": lambda report: render_page(build_check_page(report)),
    "all.txt": lambda report: render_page(build_check_page(report, everything=True)),
    "json": lambda report: json.dumps(build_check_json(report), indent=2),
    "jsonl": render_check_jsonl,
    "junit.xml": render_check_junit,
    "sarif": lambda report: json.dumps(build_check_sarif(report, "1.2.3"), indent=2),
    "tap": render_check_tap,
    "github": render_check_github,
    "md": render_check_markdown,
}
REPORTS = {
    "blocked": build_blocked_report(),
    "passing": build_passing_report(),
    "hostile": build_hostile_report(),
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", REPORTS)
def test_format_is_as_promised(name: str, form: str) -> None:
    """The same report is always the same bytes."""
    compare_golden(HERE / f"{name}.{form}", FORMATS[form](REPORTS[name]) + "\n")


def test_rule_table_is_as_promised() -> None:
    """The table for the documentation."""
    compare_golden(HERE / "rules.md", build_rule_table(build_blocked_report().rules) + "\n")
