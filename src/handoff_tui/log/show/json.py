"""The signed log as public JSON shapes: the list, one entry, a verification."""

from __future__ import annotations

from handoff_tui.log.record import LogProblem
from handoff_tui.log.show.view import EntryView, LogReport, LogRow, LogView

LIST_SCHEMA = "handoff-tui/log/v1"
SHOW_SCHEMA = "handoff-tui/log-show/v1"
VERIFY_SCHEMA = "handoff-tui/log-verify/v1"
BUNDLE_SCHEMA = "handoff-tui/log-bundle/v1"


def build_log_json(view: LogView) -> dict[str, object]:
    """What could not be read of a refused entry is null."""
    return {
        "schema": LIST_SCHEMA,
        "verdict": name_verdict(fatal=view.fatal),
        "log": view.log,
        "policy": view.policy,
        "heads": list(view.heads),
        "total": view.total,
        "entries": [_build_row(row) for row in view.rows],
        "problems": [_build_problem(problem) for problem in view.problems],
    }


def build_entry_json(view: EntryView, extracted: tuple[str, ...] = ()) -> dict[str, object]:
    """Every field of the entry as it was signed is in `entry`; null where it is no entry."""
    return {
        "schema": SHOW_SCHEMA,
        **_build_row(view.row),
        "size": view.size,
        "places": list(view.places),
        "policy": view.policy,
        "signatures": [signature.model_dump(mode="json") for signature in view.signatures],
        "followers": list(view.followers),
        "evidence": [evidence.model_dump(mode="json") for evidence in view.evidence],
        "entry": None if view.entry is None else view.entry.model_dump(mode="json"),
        "extracted": list(extracted),
    }


def build_report_json(report: LogReport) -> dict[str, object]:
    """The shape promised to scripts."""
    return {
        "schema": VERIFY_SCHEMA,
        "verdict": name_verdict(fatal=report.fatal),
        "entries": report.entries,
        "heads": list(report.heads),
        "log": report.log,
        "policy": report.policy,
        "void": report.void,
        "refused": report.refused,
        "anchor": report.anchor,
        "second_opinions": report.second_opinions,
        "against": report.against,
        "bundle": report.bundle,
        "problems": [_build_problem(problem) for problem in report.problems],
    }


def build_bundle_json(place: str, size: int) -> dict[str, object]:
    return {"schema": BUNDLE_SCHEMA, "file": place, "bytes": size}


def name_verdict(*, fatal: bool) -> str:
    return "fatal" if fatal else "clean"


def _build_row(row: LogRow) -> dict[str, object]:
    return row.model_dump(mode="json", exclude={"parents"}) | {"why": row.why or None}


def _build_problem(problem: LogProblem) -> dict[str, object]:
    return problem.model_dump(mode="json")
