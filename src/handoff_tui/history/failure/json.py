"""Why something fails, as the public JSON shape."""

from __future__ import annotations

from handoff_tui.checks.output.json import build_result_json
from handoff_tui.history.failure.report import FailedCheck, FailureReport

SCHEMA = "handoff-tui/failure/v1"


def build_failure_json(report: FailureReport) -> dict[str, object]:
    """The shape promised to scripts: `failed` begins with the check to look at first."""
    rest = report.model_dump(mode="json", exclude={"failed"})
    first = report.first
    return {
        "schema": SCHEMA,
        **rest,
        "first": None if first is None else first.result.id,
        "failed": [_build_failed(failed) for failed in report.failed],
    }


def _build_failed(failed: FailedCheck) -> dict[str, object]:
    return {**build_result_json(failed.result), **failed.model_dump(mode="json", exclude={"result"})}
