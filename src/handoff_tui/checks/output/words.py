"""Words about check results that several formats share, and one result in full; all of them are safe to show."""

from __future__ import annotations

from datetime import datetime

from handoff_tui.checks.report import CheckReport, CheckResult, Evidence, Finding, RuleInfo
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.place import Place
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.core.text.labels import describe_ago, label_outcome, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe

_INSTANT = 0.05


_MINUTE = 60
_MOST_FINDINGS = 100


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


def build_check_detail(result: CheckResult, report: CheckReport | None = None, now: datetime | None = None) -> Page:
    """Lays out the findings with evidence, the remedy with its commands, and where the result comes from."""
    page = Page()
    _add_headline(page, result, now)
    _add_rule(page, result, report)
    _add_findings(page, result)
    _add_remedy(page, result)
    _add_origin(page, result)
    return page


def build_group_detail(group: CheckGroup, report: CheckReport) -> Page:
    """Describes a group of results, and what the run is based on."""
    page = Page()
    page.line(Cell(f"{group.title.capitalize()}  ", group.role), Cell(plural(len(group.results), "check")))
    page.line(Cell(describe_numbers(report), "heading"))
    since = f"since {render_safe(report.baseline[:SHORT_DIGEST])}: " if report.baseline else "no baseline: "
    page.line(Cell(since + render_safe(report.baseline_reason or "not said"), "muted"), indent=2)
    if report.trust is not None and not report.trust.trusted:
        page.line(Cell("! This repository's commands don't run without your consent", "warning"), indent=2)
        page.line(Cell("  $ ", "muted"), Cell(f"handoff-tui check --trust {report.trust.digest}", "key"), indent=4)
    return page


def list_places(result: CheckResult) -> tuple[Place, ...]:
    """Lists every place that the findings name, once each, in order."""
    named = (
        Place(path=evidence.path, line=evidence.line)
        for finding in result.findings
        for evidence in finding.evidence
        if evidence.path
    )
    return tuple(dict.fromkeys(named))


def _add_headline(page: Page, result: CheckResult, now: datetime | None) -> None:
    notes = [result.severity.value, "blocks" if result.blocking else "doesn't block", *list_notes(result)]
    if ago := describe_ago(result.ran_at, now):
        notes = [*(note for note in notes if note != "cached"), f"ran {ago}"]
    if took := describe_duration(result.duration):
        notes.append(f"took {took}")
    page.line(*build_headline(result, notes), indent=2)


def _add_rule(page: Page, result: CheckResult, report: CheckReport | None) -> None:
    rule = map_rules(report).get(result.id) if report is not None else None
    if rule is not None:
        page.line(Cell("holds when: ", "muted"), Cell(render_safe(rule.holds)), indent=2)
    if not result.findings:
        page.line(Cell(render_safe(result.summary)), indent=2)


def _add_findings(page: Page, result: CheckResult) -> None:
    if not result.findings:
        return
    page.heading("Findings", str(len(result.findings)))
    for finding in result.findings[:_MOST_FINDINGS]:
        label = label_outcome(result.outcome)
        page.line(Cell(f"{label.glyph} ", label.role), Cell(render_safe(finding.message)), indent=2)
        for evidence in finding.evidence:
            _add_evidence(page, evidence)
    if len(result.findings) > _MOST_FINDINGS:
        page.line(Cell(f"… and {len(result.findings) - _MOST_FINDINGS} more", "muted"), indent=2)


def _add_evidence(page: Page, evidence: Evidence) -> None:
    """Puts expected and actual one below the other, so that the difference stands out."""
    rows = (
        ("at", describe_place(evidence), "path"),
        ("expected", evidence.expected, "text"),
        ("actual", evidence.actual, "text"),
    )
    for name, value, role in rows:
        if value is not None:
            page.line(Cell(f"    {name:<10}", "muted"), Cell(render_safe(value), role), indent=14)


def _add_remedy(page: Page, result: CheckResult) -> None:
    if result.remedy is None:
        return
    page.heading(name_remedy(result))
    page.line(Cell(render_safe(result.remedy.text)), indent=2)
    for command in list_commands(result):
        page.line(Cell("  $ ", "muted"), Cell(command, "key"), indent=4)


def _add_origin(page: Page, result: CheckResult) -> None:
    if result.log:
        page.line(Cell("output: ", "muted"), Cell(render_safe(result.log), "path"), indent=2)
    if result.outside:
        page.line(
            Cell("depends on more than the repository: the clock, the search path, permissions or a remote", "muted")
        )
