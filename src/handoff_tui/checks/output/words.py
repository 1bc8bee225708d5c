"""Words about check results that several formats share; all of them are safe to show on one line."""

from __future__ import annotations

from handoff_tui.checks.report import CheckReport, CheckResult, Evidence, Finding, RuleInfo
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.text.labels import label_outcome, plural
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe

_INSTANT = 0.05


_MINUTE = 60


class CheckGroup(NamedTuple):
    """Results that belong together, under a heading."""

    name: str
    title: str
    role: str
    results: tuple[CheckResult, ...]


def describe_duration(seconds: float | None) -> str:
    """`48s`, `1.2s`, `3m`; empty for less than a blink."""
    if seconds is None or seconds < _INSTANT:
        return ""
    if seconds >= _MINUTE:
        return f"{int(seconds // _MINUTE)}m"
    return f"{seconds:.0f}s" if seconds >= 10 else f"{seconds:.1f}s"  # noqa: PLR2004 - three digits at most


def describe_numbers(report: CheckReport) -> str:
    """`7/9 passed, 1 warning`."""
    return f"{report.passed}/{report.total} passed, {plural(report.warnings, 'warning')}"


def describe_place(evidence: Evidence) -> str | None:
    if evidence.path is None:
        return None
    return render_safe(evidence.path if evidence.line is None else f"{evidence.path}:{evidence.line}")


def list_details(finding: Finding, longest: int | None = None) -> list[str]:
    """Lists where each piece of evidence is, and what was expected and found there, cut to a length if given."""
    lines: list[str] = []
    for evidence in finding.evidence:
        place = describe_place(evidence)
        if place is not None:
            lines.append(f"at {place}")
        values = [
            f"{name}: {render_safe(text, longest)}"
            for name, text in (("expected", evidence.expected), ("actual", evidence.actual))
            if text is not None
        ]
        if values:
            lines.append(", ".join(values))
    return lines


def list_commands(result: CheckResult) -> list[str]:
    return [render_safe(command) for command in result.remedy.commands] if result.remedy else []


def list_notes(result: CheckResult) -> list[str]:
    """Lists how the result came about: cached, flaky, why it ran again."""
    notes = ["cached"] if result.from_cache else []
    if result.flaky:
        notes.append("flaky: the same inputs had another outcome before")
    if result.rerun_because:
        notes.append(f"ran: {render_safe(result.rerun_because)}")
    return notes


def list_messages(result: CheckResult) -> list[str]:
    """Lists the findings, or the summary if there are none."""
    return [render_safe(finding.message) for finding in result.findings] or [render_safe(result.summary)]


def list_told_elsewhere(result: CheckResult) -> list[str]:
    """Lists where its other findings are: `2 findings under data-intact`."""
    return [f"{plural(number, 'finding')} under {render_safe(rule)}" for rule, number in result.told_by.items()]


def name_remedy(result: CheckResult) -> str:
    return "Action required" if result.blocking else "To do"


def build_headline(result: CheckResult, notes: list[str]) -> tuple[Cell, ...]:
    """Builds the outcome, the check's id, and what is noted about it."""
    label = label_outcome(result.outcome)
    muted = Cell(f"  {' · '.join(notes)}", "muted")
    return Cell(f"{label}  ", label.role), Cell(render_safe(result.id), "key"), muted


def map_rules(report: CheckReport) -> dict[str, RuleInfo]:
    return {rule.id: rule for rule in report.rules}


def find_relative_path(path: str, repository: str) -> str | None:
    """Returns the path inside the repository; None if it leads out of it."""
    inside = path.removeprefix(repository.rstrip("/") + "/") if repository.strip("/") else path
    if not inside or inside.startswith("/") or ".." in inside.split("/"):
        return None
    return inside
