"""Check results as a page: the verdict, what blocks and what to do about it, then the rest."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.checks.output import words
from handoff_tui.checks.report import CheckReport, CheckResult, ConsentState, RuleInfo
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.text.labels import label_check_verdict, label_outcome, plural
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.core.text.safe_text import render_safe

SCHEMA = "handoff-tui/check-list/v1"


def build_check_list_page(rules: Sequence[RuleInfo], trust: ConsentState | None) -> Page:
    """Builds one row per check, then whether the repository's commands may run."""
    page = Page()
    page.heading(f"{len(rules)} checks")
    columns = (Column("check"), Column("severity"), Column("blocks"), Column("system"), Column("holds", fold=True))
    rows = [
        (
            Cell(render_safe(rule.id), "key"),
            Cell(rule.severity, rule.severity),
            Cell("yes" if rule.blocking else "no"),
            Cell(render_safe(rule.system), "muted"),
            Cell(render_safe(rule.holds)),
        )
        for rule in rules
    ]
    page.grid(columns, rows)
    if trust is not None:
        state = "with your consent" if trust.trusted else "without your consent: they don't run, and block"
        page.heading("Commands of this repository", state)
        page.line(Cell(f"digest {trust.digest}"), indent=2)
        if not trust.trusted:
            page.line(
                Cell("To consent, after reading them: "),
                Cell(f"handoff-tui check --trust {trust.digest}", "key"),
                indent=2,
            )
    return page


def build_check_list_json(rules: Sequence[RuleInfo], trust: ConsentState | None) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "checks": [rule.model_dump(mode="json") for rule in rules],
        "trust": trust.model_dump(mode="json") if trust else None,
    }


_MOST_FINDINGS = 5
_FEW = 8
"""Up to this many passed checks are listed by default."""
_LONGEST_VALUE = 160
_SLOW = 1.0
_MODES = {"pre": "before handing over", "post": "after taking over", "gate": "at the gate", "all": "all checks"}


def build_check_page(report: CheckReport, *, everything: bool = False) -> Page:
    """Lays out blocking failures with the action required, warnings, then what passed and what doesn't apply."""
    page = Page()
    _add_verdict(page, report)
    shared = _find_shared_reason(report)
    _add_open(page, "BLOCKING FAILURES", report.blocking_failures, shared, everything=everything)
    _add_open(page, "Warnings", report.warned, shared, everything=everything)
    _add_passed(page, report, shared, everything=everything)
    _add_not_applicable(page, report, everything=everything)
    return page


def _add_verdict(page: Page, report: CheckReport) -> None:
    label = label_check_verdict(blocked=report.verdict == "blocked")
    page.line(Cell(f"{label}  ", label.role), Cell(words.describe_numbers(report), "heading"))
    page.line(Cell(render_safe(report.repository), "path"))
    told = [_MODES[report.mode]]
    if report.handoff:
        told.append(f"handoff {report.handoff}")
    told.append(f"at {report.head[:SHORT_COMMIT]}" if report.head else "no commit yet")
    if report.baseline:
        told.append(f"against {_shorten(report.baseline)}")
    elif report.baseline_reason:
        told.append("no baseline")
    if report.baseline_reason:
        told[-1] += f" ({report.baseline_reason})"
    page.line(Cell(render_safe(" · ".join(told)), "muted"))
    if shared := _find_shared_reason(report):
        page.line(Cell(f"all ran: {render_safe(shared)}", "muted"))
    if report.trust and not report.trust.trusted:
        text = "This repository's commands don't run without your consent; `handoff-tui check --list` shows them."
        page.line(Cell("! no consent  ", "warning"), Cell(text), indent=2)


def _shorten(commit: str) -> str:
    return commit[:SHORT_COMMIT] if len(commit) in {40, 64} else commit


def _find_shared_reason(report: CheckReport) -> str | None:
    """Returns the reason that all results share if none is cached, so that it is printed only once."""
    reasons = [result.rerun_because for result in report.results if result.rerun_because]
    same = len(reasons) > 1 and len(set(reasons)) == 1 and not any(result.from_cache for result in report.results)
    return reasons[0] if same else None


def _add_open(
    page: Page, title: str, results: tuple[CheckResult, ...], shared: str | None, *, everything: bool
) -> None:
    if not results:
        return
    page.heading(title, str(len(results)))
    for number, result in enumerate(results):
        if number:
            page.blank()
        _add_headline(page, result, shared)
        _add_findings(page, result, everything=everything)
        _add_action(page, result)


def _add_headline(page: Page, result: CheckResult, shared: str | None) -> None:
    page.line(*words.build_headline(result, [result.severity.value, *_choose_notes(result, shared)]), indent=2)


def _choose_notes(result: CheckResult, shared: str | None) -> list[str]:
    known = result.model_copy(update={"rerun_because": None}) if shared else result
    notes = words.list_notes(known)
    if result.duration is not None and result.duration >= _SLOW and not result.from_cache:
        notes.append(f"{result.duration:.1f} s")
    return notes


def _add_findings(page: Page, result: CheckResult, *, everything: bool) -> None:
    if not result.findings:
        for message in words.list_messages(result):
            page.line(Cell("    "), Cell(message), indent=4)
    own = result.own_findings
    shown = own if everything else own[:_MOST_FINDINGS]
    for finding in shown:
        page.line(Cell("    "), Cell(render_safe(finding.message)), indent=4)
        for detail in words.list_details(finding, None if everything else _LONGEST_VALUE):
            page.line(Cell("      "), Cell(detail, "path" if detail.startswith("at ") else "muted"), indent=8)
        if len(finding.rules) > 1:
            page.line(Cell("      "), Cell(f"also {', '.join(finding.rules[1:])}", "muted"), indent=8)
    if len(own) > len(shown):
        more = plural(len(own) - len(shown), "more finding")
        page.line(Cell(f"    … and {more}; --all shows them", "muted"), indent=4)
    for note in words.list_told_elsewhere(result):
        page.line(Cell(f"    {note}", "muted"), indent=4)
    if result.log:
        page.line(Cell("    output: ", "muted"), Cell(render_safe(result.log), "path"), indent=4)


def _add_action(page: Page, result: CheckResult) -> None:
    if result.remedy is None:
        return
    page.line(Cell(f"    {words.name_remedy(result)}: ", "heading"), Cell(render_safe(result.remedy.text)), indent=6)
    for command in words.list_commands(result):
        page.line(Cell("      $ ", "muted"), Cell(command, "key"), indent=8)


def _add_passed(page: Page, report: CheckReport, shared: str | None, *, everything: bool) -> None:
    passing = report.passing
    if not passing:
        return
    cached = sum(result.from_cache for result in passing)
    note = f"{len(passing)}, {cached} of them cached" if cached else str(len(passing))
    page.heading("Passed", note)
    remarkable = [result for result in passing if result.flaky]
    listed = passing if everything or len(passing) <= _FEW else tuple(remarkable)
    for result in listed:
        label = label_outcome(result.outcome)
        notes = _choose_notes(result, shared)
        page.line(
            Cell(f"{label}  ", label.role),
            Cell(f"{render_safe(result.id)}  ", "key"),
            Cell(render_safe(result.summary, _LONGEST_VALUE)),
            Cell(f"  ({'; '.join(notes)})" if notes else "", "muted"),
            indent=2,
        )
    if len(listed) < len(passing):
        page.line(Cell(f"… {len(passing) - len(listed)} passed; --all lists them", "muted"), indent=2)


def _add_not_applicable(page: Page, report: CheckReport, *, everything: bool) -> None:
    number = len(report.not_applicable)
    if not number:
        return
    page.blank()
    page.line(Cell(f"· {plural(number, 'check')} not applicable here", "not-applicable"))
    if everything:
        for result in report.not_applicable:
            page.line(Cell(f"{render_safe(result.id)}  ", "key"), Cell(render_safe(result.summary), "muted"), indent=2)
