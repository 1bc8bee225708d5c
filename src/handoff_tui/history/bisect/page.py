"""A bisect as the public JSON shape, as a page, and as a line of progress."""

from __future__ import annotations

from handoff_tui.checks.output.words import list_details
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.text.labels import Label, plural
from handoff_tui.core.text.page import Cell, Column, Page, TableColumns
from handoff_tui.core.text.safe_text import render_safe, render_safe_lines
from handoff_tui.history.bisect.report import (
    BisectEnd,
    BisectProgress,
    BisectReport,
    BisectWay,
    CommitLine,
    Culprit,
    TrialVerdict,
    TriedCommit,
)

SCHEMA = "handoff-tui/bisect/v1"
_VERDICTS = {
    TrialVerdict.GOOD: Label("✓", "good", "pass"),
    TrialVerdict.BAD: Label("✗", "bad", "fail"),
    TrialVerdict.UNTESTABLE: Label("?", "untestable", "warning"),
}
_WAYS = {
    BisectWay.TREES: "read from git, nothing was checked out",
    BisectWay.WORK_TREE: "run in a separate work tree, since removed",
}
_MOST_FINDINGS = 5
_MOST_FILES = 12
_MOST_LINES = 40
_LONGEST_VALUE = 160
_ROLES = {"+": "added", "-": "removed", "@": "hunk"}


def build_bisect_json(report: BisectReport) -> dict[str, object]:
    """The shape promised to scripts; fields may be added, never renamed."""
    return {"schema": SCHEMA, **report.model_dump(mode="json")}


def build_bisect_progress(progress: BisectProgress) -> str:
    """`bisect: 566724c bad · 12 commits left, about 4 steps`."""
    said = f"bisect: {progress.commit[:SHORT_COMMIT]} {_VERDICTS[progress.standing].word}"
    if not progress.left:
        return f"{said} · searching for a commit that passes"
    return f"{said} · {plural(progress.left, 'commit')} left, about {plural(progress.steps, 'step')}"


def build_bisect_page(report: BisectReport, *, everything: bool = False) -> Page:
    """The answer first, then the diff that broke it, then how it was found and what it assumes."""
    page = Page()
    _add_answer(page, report)
    if report.culprit is not None:
        _add_findings(page, report.culprit, everything=everything)
        _add_files(page, report.culprit, everything=everything)
        _add_patch(page, report.culprit, everything=everything)
    _add_left(page, report.left, everything=everything)
    _add_trials(page, report)
    for title, lines in (("Assumptions", report.assumed), ("Notes", report.notes)):
        if lines:
            page.heading(title)
            for line in lines:
                page.line(Cell(render_safe(line)), indent=2)
    return page


def describe_end(report: BisectReport) -> str:
    """The answer in a sentence."""
    about = f"{report.check} of {report.handoff}" if report.handoff else report.check
    if report.culprit is not None:
        return f"{report.culprit.commit[:SHORT_COMMIT]} broke {about}"
    if report.end is BisectEnd.ALWAYS:
        return f"{about} fails at every commit in this clone"
    if report.end is BisectEnd.UNKNOWN:
        return _describe_unknown(report, about)
    if report.end is BisectEnd.NOT_FAILING:
        return f"{about} does not fail at {report.bad[:SHORT_COMMIT]}"
    if report.end is BisectEnd.RANGE:
        return f"one of {plural(len(report.left), 'commit')} broke {about}; they can't be told apart"
    return f"Stopped: {_describe_stopped(report, about)}"


def _describe_unknown(report: BisectReport, about: str) -> str:
    """No passing commit was found; says how far the search went."""
    tried = len(report.trials)
    untold = _count_untold(report)
    untried = f"; {report.untried:,} {'was' if report.untried == 1 else 'were'} not tried" if report.untried else ""
    if untold:
        return f"can't tell what broke {about}: {untold:,} of {plural(tried, 'commit')} tried can't be tested{untried}"
    return f"{about} failed at all {plural(tried, 'commit')} tried{untried}"


def _describe_stopped(report: BisectReport, about: str) -> str:
    if report.left:
        return f"one of {plural(len(report.left), 'commit')} broke {about}"
    if any(trial.standing is TrialVerdict.BAD for trial in report.trials):
        return f"{about} fails at {report.bad[:SHORT_COMMIT]}; what broke it isn't known yet"
    return f"nothing is known about {about} yet"


def _count_untold(report: BisectReport) -> int:
    return sum(trial.standing is TrialVerdict.UNTESTABLE for trial in report.trials)


def _add_answer(page: Page, report: BisectReport) -> None:
    role = "fail" if report.culprit is not None else "warning"
    page.line(Cell(render_safe(describe_end(report)), role))
    culprit = report.culprit
    if culprit is None:
        return
    who = f"{culprit.author} <{culprit.author_email}>"
    page.line(Cell(render_safe(who), "key"), Cell(f"  {render_safe(culprit.date)}", "muted"), indent=2)
    for line in culprit.body.split("\n"):
        page.line(Cell("    "), Cell(render_safe(line)), indent=4)
    page.line(Cell("    full commit: ", "muted"), Cell(f"git show {culprit.commit[:SHORT_COMMIT]}", "key"), indent=4)


def _add_findings(page: Page, culprit: Culprit, *, everything: bool) -> None:
    page.heading("Findings", plural(max(len(culprit.findings), 1), "finding"))
    if not culprit.findings:
        page.line(Cell(render_safe(culprit.summary)), indent=2)
    shown = culprit.findings if everything else culprit.findings[:_MOST_FINDINGS]
    for finding in shown:
        for line in render_safe_lines(finding.message):
            page.line(Cell(line), indent=2)
        for detail in list_details(finding, None if everything else _LONGEST_VALUE):
            page.line(Cell("    "), Cell(detail, "path" if detail.startswith("at ") else "muted"), indent=6)
    _add_more(page, len(culprit.findings) - len(shown), "finding")


def _add_files(page: Page, culprit: Culprit, *, everything: bool) -> None:
    page.heading("Files changed", plural(len(culprit.files), "file"))
    ordered = sorted(culprit.files, key=lambda file: not file.named)
    shown = ordered if everything else ordered[:_MOST_FILES]
    rows = [
        (
            Cell(file.status),
            Cell("" if file.added is None else f"+{file.added}", "added"),
            Cell("" if file.deleted is None else f"-{file.deleted}", "removed"),
            Cell("named by the check" if file.named else "", "warning"),
            Cell(render_safe(file.path if file.old_path is None else f"{file.old_path} → {file.path}"), "path"),
        )
        for file in shown
    ]
    columns = (Column(""), Column("added", right=True), Column("deleted", right=True), Column(""), Column("file"))
    page.grid(columns, rows)
    _add_more(page, len(ordered) - len(shown), "file")


def _add_patch(page: Page, culprit: Culprit, *, everything: bool) -> None:
    lines = culprit.patch.split("\n") if culprit.patch else []
    if not lines:
        return
    page.heading("Diff", "of the files the check names" if any(one.named for one in culprit.files) else "")
    shown = lines if everything else lines[:_MOST_LINES]
    for line in shown:
        page.line(Cell(render_safe(line), _ROLES.get(line[:1], "text")), indent=2)
    if len(lines) > len(shown) or culprit.patch_cut:
        page.line(Cell(f"… more: git show {culprit.commit[:SHORT_COMMIT]}", "muted"), indent=2)


def _add_left(page: Page, left: tuple[CommitLine, ...], *, everything: bool) -> None:
    if not left:
        return
    page.heading("Candidates", str(len(left)))
    shown = left if everything else left[:_MOST_FILES]
    for one in shown:
        page.line(
            Cell(f"{one.commit[:SHORT_COMMIT]}  ", "key"),
            Cell(render_safe(one.subject)),
            Cell(f"  {render_safe(one.author)}", "muted"),
            indent=2,
        )
    _add_more(page, len(left) - len(shown), "commit")


def _add_trials(page: Page, report: BisectReport) -> None:
    searched = f"{plural(report.between, 'candidate')}; " if report.between else ""
    page.heading(f"Tried: {plural(len(report.trials), 'commit')}", f"{searched}{_WAYS[report.way]}")
    page.table(_TRIAL_COLUMNS, report.trials)


_TRIAL_COLUMNS: TableColumns[TriedCommit] = (
    (Column(""), lambda trial: Cell(str(_VERDICTS[trial.standing]), _VERDICTS[trial.standing].role)),
    (Column("commit"), lambda trial: Cell(trial.commit[:SHORT_COMMIT], "key")),
    (Column("subject"), lambda trial: Cell(render_safe(trial.subject, 48))),
    (Column("result", fold=True), lambda trial: Cell(render_safe(trial.summary, _LONGEST_VALUE), "muted")),
)


def _add_more(page: Page, number: int, noun: str) -> None:
    if number > 0:
        page.line(Cell(f"… and {plural(number, f'more {noun}')}; --all shows them", "muted"), indent=2)
