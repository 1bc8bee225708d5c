"""Past approvals judged again: by today's rules, by their evidence, by the configuration of their time."""

from __future__ import annotations

from enum import StrEnum

from handoff_tui.core.model import Model
from handoff_tui.log.record import LogProblem
from handoff_tui.log.show.view import LogRow


class Standing(StrEnum):
    """How one question about an approval is answered today, the worst first."""

    FAILS = "fails"
    UNKNOWN = "unknown"
    """It cannot be judged here; the summary says why."""
    WEAKER = "weaker"
    """Nothing speaks against it but that less was asked of it then."""
    HOLDS = "holds"
    WITHDRAWN = "withdrawn"
    """Its maker took it back, so nothing is asked of it."""


class Question(StrEnum):
    """What is asked of every approval."""

    RULES = "rules"
    """Would the work pass the rules of today?"""
    PEOPLE = "people"
    """Would the decision count under the policy of today?"""
    EVIDENCE = "evidence"
    """Is the evidence there, and as the decision says?"""
    CONFIGURATION = "configuration"
    """Were the checks at least as strict then as they are now?"""


class Answer(Model):
    """One question, answered."""

    question: Question
    standing: Standing
    summary: str
    details: tuple[str, ...] = ()
    """Checks that fail, files that are missing, settings that were weaker: one a line."""


class PastDecision(Model):
    """A decision of the log, with the reason that was given."""

    entry: str
    verb: str
    actor: str
    time: str
    handoff: str
    phase: str
    attempt: int
    reason: str


class ReplayedApproval(PastDecision):
    """One decision by which work passed, and what is to be said of it today."""

    commit: str
    tree: str
    snapshot: str
    review: str
    void: str = ""
    """Why it counts for nothing any more, where its key was dropped."""
    withdrawn: str = ""
    """The entry by which its maker took it back; then it is not judged."""
    answers: tuple[Answer, ...]

    @property
    def standing(self) -> Standing:
        """The worst of the answers."""
        if self.withdrawn:
            return Standing.WITHDRAWN
        order = list(Standing)
        return min((answer.standing for answer in self.answers), key=order.index, default=Standing.UNKNOWN)

    def find(self, question: Question) -> Answer:
        return next(answer for answer in self.answers if answer.question is question)


class OtherDecision(PastDecision):
    """A decision by which nothing passed: sent back, held, or withdrawn."""


class ReplayReport(Model):
    """Every past approval, oldest first, and the log they stand in."""

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
    """What limits the judgement as a whole: a shallow clone, commits that are gone."""

    def count(self, standing: Standing) -> int:
        return sum(approval.standing is standing for approval in self.approvals)
