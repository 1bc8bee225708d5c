"""A replay of past approvals, judged again today: as values, as a page and as the public JSON shape."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from handoff_tui.core.model import Model
from handoff_tui.core.short_id import SHORT_COMMIT, SHORT_DIGEST
from handoff_tui.core.text.labels import Label, plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.log.entry import LogProblem
from handoff_tui.log.show.view import LogRow


class ReplayVerdict(StrEnum):
    """The answer to one question about an approval, the worst first."""

    FAILS = "fails"
    UNKNOWN = "unknown"
    """It can't be judged here; the summary says why."""
    WEAKER = "weaker"
    """It holds, but the checks were weaker then."""
    HOLDS = "holds"
    WITHDRAWN = "withdrawn"
    """Its author withdrew it, so it isn't judged."""


class ReplayQuestion(StrEnum):
    """The questions asked about every approval."""

    RULES = "rules"
    """Would the work pass today's rules?"""
    PEOPLE = "people"
    """Would the decision count under today's policy?"""
    EVIDENCE = "evidence"
    """Is the evidence there, and does it match the decision?"""
    CONFIGURATION = "configuration"
    """Were the checks at least as strict then as now?"""


class ReplayAnswer(Model):
    """One question, answered."""

    question: ReplayQuestion
    standing: ReplayVerdict
    summary: str
    details: tuple[str, ...] = ()
    """Failing checks, missing files, weaker settings: one per line."""


class PastDecision(Model):
    """A decision in the log, with its reason."""

    entry: str
    verb: str
    actor: str
    time: str
    handoff: str
    phase: str
    attempt: int
    reason: str


class ReplayedApproval(PastDecision):
    """A decision that let work go on, and how it stands up today."""

    commit: str
    tree: str
    snapshot: str
    review: str
    void: str = ""
    """Why it no longer counts, if its key was revoked."""
    withdrawn: str = ""
    """The entry that withdrew it; then it isn't judged."""
    answers: tuple[ReplayAnswer, ...]

    @property
    def standing(self) -> ReplayVerdict:
        """The worst of the answers."""
        if self.withdrawn:
            return ReplayVerdict.WITHDRAWN
        order = list(ReplayVerdict)
        return min((answer.standing for answer in self.answers), key=order.index, default=ReplayVerdict.UNKNOWN)

    def find(self, question: ReplayQuestion) -> ReplayAnswer:
        return next(answer for answer in self.answers if answer.question is question)


class OtherDecision(PastDecision):
    """A decision that let nothing go on: sent back, held, or withdrawn."""


class ReplayReport(Model):
    """Every past approval, oldest first, and the log they are in."""

    repo: str
    head: str | None
    log: str | None
    policy: str | None
    made_at: str
    fatal: bool
    approvals: tuple[ReplayedApproval, ...] = ()
    others: tuple[OtherDecision, ...] = ()
    """Every other decision that counts, oldest first."""
    entries: tuple[LogRow, ...] = ()
    """Every entry, oldest first: valid, void and refused."""
    problems: tuple[LogProblem, ...] = ()
    notes: tuple[str, ...] = ()
    """What limits the replay as a whole: a shallow clone, missing commits."""

    def count(self, standing: ReplayVerdict) -> int:
        return sum(approval.standing is standing for approval in self.approvals)


SCHEMA: Final = "handoff-tui/log-replay/v1"
QUESTIONS: Final = {
    ReplayQuestion.RULES: "today's rules",
    ReplayQuestion.PEOPLE: "today's policy",
    ReplayQuestion.EVIDENCE: "evidence",
    ReplayQuestion.CONFIGURATION: "strictness then",
}
_VERDICTS: Final = {
    ReplayVerdict.HOLDS: Label("✓", "holds", "pass"),
    ReplayVerdict.WEAKER: Label("~", "weaker checks", "warning"),
    ReplayVerdict.FAILS: Label("✗", "fails", "fail"),
    ReplayVerdict.UNKNOWN: Label("?", "can't be judged", "unknown"),
    ReplayVerdict.WITHDRAWN: Label("↶", "withdrawn", "muted"),
}
_MOST_DETAILS = 6
_WIDTH = max(map(len, QUESTIONS.values()))


def label_verdict(standing: ReplayVerdict) -> Label:
    return _VERDICTS[standing]


def describe_totals(report: ReplayReport) -> str:
    """`3 approvals: 1 holds, 1 fails, 1 can't be judged`."""
    words = {standing: report.count(standing) for standing in ReplayVerdict}
    parts = ", ".join(f"{number:,} {_VERDICTS[standing].word}" for standing, number in words.items() if number)
    return plural(len(report.approvals), "approval") + (f": {parts}" if parts else "")


def describe_withdrawal(approval: ReplayedApproval) -> str:
    """`withdrawn by its author with entry 45513f…; not judged`."""
    by = approval.withdrawn.removeprefix("sha256:")[:SHORT_DIGEST]
    return f"withdrawn by its author with entry {by}; not judged"


def build_replay_page(report: ReplayReport, *, everything: bool = False) -> Page:
    """Each approval with its four answers; details only of what doesn't hold, unless `everything`."""
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
    values = report.model_dump(mode="json", exclude={"fatal", "approvals", "others", "entries"})
    problems, notes = values.pop("problems"), values.pop("notes")
    return {
        "schema": SCHEMA,
        **values,
        "verdict": "fatal" if report.fatal else "clean",
        "totals": {standing.value: report.count(standing) for standing in ReplayVerdict},
        "approvals": [_build_approval(approval) for approval in report.approvals],
        "entries": len(report.entries),
        "problems": problems,
        "notes": notes,
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
    label = _VERDICTS[approval.standing]
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


def _add_answer(page: Page, answer: ReplayAnswer, *, everything: bool) -> None:
    label = _VERDICTS[answer.standing]
    name = QUESTIONS[answer.question].ljust(_WIDTH)
    page.line(Cell("    "), Cell(f"{label.glyph} {name}  ", label.role), Cell(render_safe(answer.summary)), indent=8)
    if answer.standing is ReplayVerdict.HOLDS and not everything:
        return
    for detail in page.some(answer.details, _MOST_DETAILS, everything=everything, lead="        "):
        page.line(Cell("        "), Cell(render_safe(detail), "muted"), indent=10)
