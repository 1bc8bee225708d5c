"""Values of a replay: past approvals judged again today."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model
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
