"""Check results in the public JSON shape: as one object, or one object per line."""

from __future__ import annotations

import json

from handoff_tui.checks.report import CheckReport, CheckResult

SCHEMA = "handoff-tui/check/v1"
RESULT_SCHEMA = "handoff-tui/check-result/v1"
SUMMARY_SCHEMA = "handoff-tui/check-summary/v1"


def build_check_json(report: CheckReport) -> dict[str, object]:
    """Builds the promised JSON shape; fields may be added, never renamed."""
    return {
        "schema": SCHEMA,
        **_build_summary(report),
        "results": [build_result_json(result) for result in report.results],
    }


def render_check_jsonl(report: CheckReport) -> str:
    """Renders one object per result, then a summary."""
    lines: list[dict[str, object]] = [
        {"schema": RESULT_SCHEMA, "type": "result", **build_result_json(result)} for result in report.results
    ]
    lines.append({"schema": SUMMARY_SCHEMA, "type": "summary", **_build_summary(report)})
    return "\n".join(json.dumps(line, ensure_ascii=True, separators=(",", ":")) for line in lines)


def build_result_json(result: CheckResult) -> dict[str, object]:
    """Every field but the time; the order is that of the model."""
    return result.model_dump(mode="json", exclude={"ran_at"})


def _build_summary(report: CheckReport) -> dict[str, object]:
    return {
        "repo": report.repository,
        "head": report.head,
        "handoff": report.handoff,
        "baseline": report.baseline,
        "baseline_reason": report.baseline_reason,
        "mode": report.mode,
        "verdict": report.verdict,
        "passed": report.passed,
        "total": report.total,
        "warnings": report.warnings,
        "not_applicable": len(report.not_applicable),
        "trust": report.trust.model_dump() if report.trust else None,
    }
