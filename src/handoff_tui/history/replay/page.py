"""Past approvals judged again, as a page and as the public JSON shape."""

from __future__ import annotations

from typing import Final

from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_DIGEST
from handoff_tui.core.text.labels import Label, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.history.replay.report import Answer, Question, ReplayedApproval, ReplayReport, Standing

SCHEMA: Final = "handoff-tui/log-replay/v1"
QUESTIONS: Final = {
    Question.RULES: "today's rules",
    Question.PEOPLE: "today's policy",
    Question.EVIDENCE: "evidence",
    Question.CONFIGURATION: "checks of then",
}
_STANDINGS: Final = {
    Standing.HOLDS: Label("✓", "holds", "pass"),
    Standing.WEAKER: Label("~", "checked less strictly", "warning"),
    Standing.FAILS: Label("✗", "fails", "fail"),
    Standing.UNKNOWN: Label("?", "cannot be judged", "unknown"),
    Standing.WITHDRAWN: Label("↶", "withdrawn", "muted"),
}
_MOST_DETAILS = 6
_WIDTH = max(map(len, QUESTIONS.values()))


def label_standing(standing: Standing) -> Label:
    return _STANDINGS[standing]


def describe_totals(report: ReplayReport) -> str:
    """`3 approvals: 1 holds, 1 fails, 1 cannot be judged`."""
    words = {standing: report.count(standing) for standing in Standing}
    parts = ", ".join(f"{number:,} {_STANDINGS[standing].word}" for standing, number in words.items() if number)
    return plural(len(report.approvals), "approval") + (f": {parts}" if parts else "")


def describe_withdrawal(approval: ReplayedApproval) -> str:
    """`withdrawn by its maker with the entry 45513f…, so it is not judged`."""
    by = approval.withdrawn.removeprefix("sha256:")[:SHORT_DIGEST]
    return f"withdrawn by its maker with the entry {by}, so it is not judged"


def build_replay_page(report: ReplayReport, *, everything: bool = False) -> Page:
    """Each approval with its four answers; details of what does not hold, with `everything` of all."""
    page = Page()
    page.heading("Replay", describe_totals(report))
    for note in report.notes:
        page.line(Cell(render_safe(note), "fail" if report.fatal else "warning"), indent=2)
    for approval in report.approvals:
        page.blank()
        _add_approval(page, approval, everything=everything)
    return page


def build_replay_json(report: ReplayReport) -> dict[str, object]:
    """The shape promised to scripts."""
    return {
        "schema": SCHEMA,
        "repo": report.repo,
        "head": report.head,
        "log": report.log,
        "policy": report.policy,
        "made_at": report.made_at,
        "verdict": "fatal" if report.fatal else "clean",
        "totals": {standing.value: report.count(standing) for standing in Standing},
        "approvals": [_build_approval(approval) for approval in report.approvals],
        "entries": len(report.entries),
        "problems": [problem.model_dump(mode="json") for problem in report.problems],
        "notes": list(report.notes),
    }


def _build_approval(approval: ReplayedApproval) -> dict[str, object]:
    value = approval.model_dump(mode="json", exclude={"answers"})
    return value | {
        "void": approval.void or None,
        "withdrawn": approval.withdrawn or None,
        "standing": approval.standing.value,
        "answers": [answer.model_dump(mode="json") for answer in approval.answers],
    }


def _add_approval(page: Page, approval: ReplayedApproval, *, everything: bool) -> None:
    label = _STANDINGS[approval.standing]
    work = f"{approval.handoff} · {approval.phase} · attempt {approval.attempt}"
    page.line(
        Cell(f"{label.glyph} ", label.role),
        Cell(approval.entry.removeprefix("sha256:")[:SHORT_DIGEST], "key"),
        Cell(f"  {approval.verb}  ", "heading"),
        Cell(render_safe(work)),
        indent=4,
    )
    when = f"{approval.time} by {approval.actor}, commit {approval.commit[:SHORT_COMMIT]}"
    page.line(Cell("    "), Cell(render_safe(when), "muted"), indent=4)
    if approval.withdrawn:
        page.line(Cell("    "), Cell(describe_withdrawal(approval), "muted"), indent=4)
    for answer in approval.answers:
        _add_answer(page, answer, everything=everything)


def _add_answer(page: Page, answer: Answer, *, everything: bool) -> None:
    label = _STANDINGS[answer.standing]
    name = QUESTIONS[answer.question].ljust(_WIDTH)
    page.line(Cell("    "), Cell(f"{label.glyph} {name}  ", label.role), Cell(render_safe(answer.summary)), indent=8)
    if answer.standing is Standing.HOLDS and not everything:
        return
    shown = answer.details if everything else answer.details[:_MOST_DETAILS]
    for detail in shown:
        page.line(Cell("        "), Cell(render_safe(detail), "muted"), indent=10)
    if len(answer.details) > len(shown):
        page.line(Cell("        "), Cell(f"… and {len(answer.details) - len(shown):,} more; --all shows them", "muted"))
