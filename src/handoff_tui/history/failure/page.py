"""Why something fails, as pages and as the public JSON shape: the first check in full, the others in a line."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.checks.output.json import build_result_json
from handoff_tui.checks.output.words import build_check_detail
from handoff_tui.checks.report import CheckResult
from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_ENTRY
from handoff_tui.core.text.labels import label_outcome, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.attempts.page import add_value_changes, describe_run
from handoff_tui.history.failure.report import (
    EarlierEnd,
    EarlierFailure,
    EarlierMatch,
    FailedCheck,
    FailureReport,
    GoodMoment,
    OutputExcerpt,
)

SCHEMA = "handoff-tui/failure/v1"


def build_failure_json(report: FailureReport) -> dict[str, object]:
    """The shape promised to scripts; `failed` starts with the check to look at first."""
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


_MOST_OTHERS = 12
_LONGEST = 300
_ENDS = {
    EarlierEnd.PASSED: ("✓ fixed", "pass"),
    EarlierEnd.OVERRIDDEN: ("! overridden", "warning"),
    EarlierEnd.STILL_OPEN: ("○ never fixed there", "muted"),
    EarlierEnd.UNKNOWN: ("? outcome not recorded", "unknown"),
}
_MATCHES = {EarlierMatch.SAME_FINDING: "the same finding", EarlierMatch.SAME_CHECK: "the same check, another finding"}


def build_failure_page(report: FailureReport, *, everything: bool = False) -> Page:
    """The check to look at first, with everything that helps; then the rest."""
    page = Page()
    _add_headline(page, report)
    for note in report.notes:
        page.warn(note)
    detailed = report.failed if everything else report.failed[:1]
    for failed in detailed:
        page.blank()
        page.parts += build_failed_page(failed, report.handoff).parts
    _add_others(page, report.failed[len(detailed) :], everything=everything)
    _add_run(page, report)
    return page


def build_failed_page(failed: FailedCheck, handoff: str | None = None) -> Page:
    """One failing check in full, at the gate of `handoff` if given."""
    page = build_check_detail(_drop_tail(failed))
    _add_facts(page, failed)
    if failed.output is not None:
        add_excerpt(page, failed.output)
    _add_since(page, failed)
    _add_earlier(page, failed.earlier)
    if failed.can_bisect:
        scope = f" --handoff {handoff}" if handoff is not None else ""
        asked = f"handoff-tui bisect {failed.result.id}{scope}"
        page.heading("Find the commit that broke it")
        page.line(Cell("  $ ", "muted"), Cell(render_safe(asked), "key"), indent=4)
    return page


def _drop_tail(failed: FailedCheck) -> CheckResult:
    """The result without the output's tail among its findings, if the output itself is shown."""
    if failed.output is None:
        return failed.result
    findings = tuple(one for one in failed.result.findings if "\n" not in one.message)
    return failed.result.model_copy(update={"findings": findings})


def _add_facts(page: Page, failed: FailedCheck) -> None:
    facts = (
        ("passes if", failed.holds, "text"),
        ("runs", failed.command, "key"),
        ("needs", ", ".join(failed.needs), "warning"),
        ("holds back", ", ".join(failed.holds_back), "warning"),
        ("not set here", ", ".join(failed.unset), "warning"),
    )
    if any(value for _, value, _ in facts):
        page.heading("Requirements")
    for name, value, role in facts:
        if value:
            page.line(Cell(f"{name:<14}", "muted"), Cell(render_safe(value, _LONGEST), role), indent=14)


def add_excerpt(page: Page, excerpt: OutputExcerpt) -> None:
    """Numbered lines, errors marked, the rest folded."""
    counts = f"{plural(excerpt.total_lines, 'line')}, {plural(excerpt.errors, 'error line')}"
    page.heading("Output", f"{counts}; {render_safe(excerpt.path)}")
    digits = len(str(excerpt.total_lines))
    for line in excerpt.lines:
        if line.folded:
            page.line(Cell(f"  {'':>{digits}}   ⋯ {plural(line.folded, 'line')}", "muted"))
            continue
        mark = Cell("✗ ", "fail") if line.is_error else Cell("  ")
        text = Cell(render_safe(line.text, _LONGEST), "fail" if line.is_error else "text")
        page.line(Cell(f"  {line.number:>{digits}} ", "muted"), mark, text, indent=digits + 5)


def _add_headline(page: Page, report: FailureReport) -> None:
    place = f"{report.handoff} · {report.phase} · attempt {report.attempt}" if report.handoff else "all checks"
    numbers = f"{report.passed}/{report.total} passed"
    if report.first is None:
        page.line(Cell("✓ nothing fails  ", "pass"), Cell(render_safe(place), "heading"), Cell(f"  {numbers}", "muted"))
        return
    label = Cell("■ blocked  ", "fail") if report.blocked else Cell("! not blocked  ", "warning")
    failing = plural(len(report.failed), "check") + (" fails" if len(report.failed) == 1 else " fail")
    page.line(label, Cell(render_safe(place), "heading"), Cell(f"  {numbers}, {failing}", "muted"))
    page.line(Cell("look first at ", "muted"), Cell(render_safe(report.first.result.id), "key"))


def _add_since(page: Page, failed: FailedCheck) -> None:
    page.heading("Since it last passed")
    if failed.last_good is not None:
        page.line(Cell(_describe_good(failed.last_good)), indent=2)
    for note in failed.notes:
        page.line(Cell("? ", "unknown"), Cell(render_safe(note)), indent=2)
    if failed.files is not None:
        page.line(Cell(f"{plural(failed.files_total, 'file')} it may depend on changed", "muted"), indent=2)
        for file in failed.files:
            named = "  named by a finding" if file.named else ""
            declares = "  declares packages" if file.declares_packages else ""
            page.line(
                Cell(f"    {file.change:<12}", "changed"),
                Cell(render_safe(file.path), "path"),
                Cell(f"{named}{declares}", "warning"),
                indent=6,
            )
        if failed.files_total > len(failed.files):
            page.line(Cell(f"    … and {failed.files_total - len(failed.files):,} more", "muted"))
    add_value_changes(page, "Command and settings", failed.changes)


def _describe_good(good: GoodMoment) -> str:
    if good.source == "cache":
        return f"passed on this machine at {good.time}, on files nobody recorded"
    commit = f"commit {good.commit[:SHORT_COMMIT]}, " if good.commit else ""
    entry = f" ({good.entry[:SHORT_ENTRY]})" if good.entry else ""
    return render_safe(f"{commit}{good.time}: {good.handoff}, attempt {good.attempt}{entry}")


def _add_earlier(page: Page, earlier: Sequence[EarlierFailure]) -> None:
    if not earlier:
        return
    page.heading("Earlier failures", str(len(earlier)))
    for one in earlier:
        words, role = _ENDS[one.end]
        place = f"{one.handoff} · {one.phase} · attempt {one.attempt}, {one.verb} by {one.actor} at {one.time}"
        page.line(
            Cell(f"{words}  ", role), Cell(render_safe(place)), Cell(f"  {_MATCHES[one.match]}", "muted"), indent=4
        )
        if one.ended_words:
            shown = f"attempt {one.ended_attempt}, {one.ended_words}, commit {(one.ended_commit or '')[:SHORT_COMMIT]}"
            page.line(Cell("    shown by ", "muted"), Cell(render_safe(shown)), indent=6)
        for message in one.messages:
            page.line(Cell("    "), Cell(render_safe(message, _LONGEST), "muted"), indent=6)


def _add_others(page: Page, others: Sequence[FailedCheck], *, everything: bool) -> None:
    if not others:
        return
    page.heading("Other failures", str(len(others)))
    for failed in others if everything else others[:_MOST_OTHERS]:
        label = label_outcome(failed.result.outcome)
        page.line(
            Cell(f"{label}  ", label.role),
            Cell(f"{render_safe(failed.result.id)}  ", "key"),
            Cell(render_safe(failed.result.summary, _LONGEST)),
            indent=4,
        )
    if len(others) > _MOST_OTHERS and not everything:
        page.line(Cell(f"    … and {len(others) - _MOST_OTHERS} more; --all shows each in full", "muted"))


def _add_run(page: Page, report: FailureReport) -> None:
    run = report.last_run
    if run is None:
        return
    page.heading("The last agent run didn't succeed")
    page.line(Cell(describe_run(run), "agent"), indent=2)
    for reason in run.why:
        page.line(Cell(render_safe(reason, _LONGEST)), indent=2)
    if report.last_run_output is not None:
        add_excerpt(page, report.last_run_output)
    if report.run_changes is None:
        page.line(Cell("? ", "unknown"), Cell("no earlier run succeeded here to compare it with"), indent=2)
    add_value_changes(page, "Started differently from the last successful run", report.run_changes or ())
