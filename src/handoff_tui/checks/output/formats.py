"""The formats of check results by name, apart from `text` and `json`, which have their own writers."""

from __future__ import annotations

import json
from collections.abc import Callable

from handoff_tui import __version__
from handoff_tui.checks.output.github import render_check_github
from handoff_tui.checks.output.json import render_check_jsonl
from handoff_tui.checks.output.junit import render_check_junit
from handoff_tui.checks.output.markdown import render_check_markdown
from handoff_tui.checks.output.sarif import build_check_sarif
from handoff_tui.checks.output.tap import render_check_tap
from handoff_tui.checks.report import CheckReport

_RENDERERS: dict[str, Callable[[CheckReport], str]] = {
    "jsonl": render_check_jsonl,
    "junit": render_check_junit,
    "sarif": lambda report: json.dumps(build_check_sarif(report, __version__), indent=2),
    "tap": render_check_tap,
    "github": render_check_github,
    "markdown": render_check_markdown,
}

FORMATS = ("text", "json", *_RENDERERS)


def render_report(report: CheckReport, form: str) -> str:
    return _RENDERERS[form](report)
