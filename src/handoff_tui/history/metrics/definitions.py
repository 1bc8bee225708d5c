"""What each figure is: its name, what is counted, and what it should be."""

from __future__ import annotations

from typing import Final

from handoff_tui.history.metrics.figures import Definition, Reduce
from handoff_tui.history.metrics.observations import RUBBER_STAMP_SECONDS
from handoff_tui.history.metrics.report import Target, Unit

_SESSIONS, _PROCEDURES, _DESK = "A", "C", "desk"

FAILURE_RATE: Final = Definition(
    "handoff-failure-rate",
    _SESSIONS,
    "Handoff failure rate",
    "Attempts that were sent back, or let past over failing checks, of all that were decided.",
    Unit.SHARE,
    Reduce.SHARE,
    Target.model_construct(below=0.05),
)
COMPLIANCE: Final = Definition(
    "pre-handoff-compliance",
    _SESSIONS,
    "Pre-handoff compliance",
    "Decided attempts whose very files had been submitted, signed, before the decision; submitting runs the checks.",
    Unit.SHARE,
    Reduce.SHARE,
    Target.model_construct(least=1.0),
)
TIME_TO_RESUME: Final = Definition(
    "time-to-resume",
    _SESSIONS,
    "Time to resume",
    "From the decision that ended an attempt to the first commit in the history of HEAD before the handoff's next "
    "entry; the median.",
    Unit.SECONDS,
    Reduce.MEDIAN,
    Target.model_construct(below=300.0),
)
REDISCOVERY: Final = Definition(
    "context-rediscovery",
    _SESSIONS,
    "Context rediscovery",
    "Findings at a further attempt that had been shown at an earlier one already; the mean for each further attempt.",
    Unit.NUMBER,
    Reduce.MEAN,
    Target.model_construct(most=0.0),
)
SUCCESS_BY_TYPE: Final = Definition(
    "success-rate",
    _PROCEDURES,
    "Success rate",
    "Phases of handoffs whose last attempt was approved, of all that were decided.",
    Unit.SHARE,
    Reduce.SHARE,
    Target.model_construct(least=0.95),
    grouped_by="type",
)
DURATION_BY_TYPE: Final = Definition(
    "handoff-duration",
    _PROCEDURES,
    "Handoff duration",
    "From the first work at a phase (its submission; else its commit) to the approval of the last attempt; the median.",
    Unit.SECONDS,
    Reduce.MEDIAN,
    grouped_by="type",
)
SUCCESS_BY_RULE: Final = Definition(
    "success-by-rule",
    _PROCEDURES,
    "Checks that held, by rule",
    "Results in the records of decisions that passed, of all that applied. A rule names the entries where it failed.",
    Unit.SHARE,
    Reduce.SHARE,
    grouped_by="rule",
)
SUCCESS_BY_SEVERITY: Final = Definition(
    "success-by-severity",
    _PROCEDURES,
    "Checks that held, by severity",
    "The same results by the severity that they had.",
    Unit.SHARE,
    Reduce.SHARE,
    grouped_by="severity",
)
OPEN_BY_RULE: Final = Definition(
    "open-time-by-rule",
    _PROCEDURES,
    "How long checks stayed open, by rule",
    "From the first record of a phase in which a check failed to the next in which it did not; the median.",
    Unit.SECONDS,
    Reduce.MEDIAN,
    grouped_by="rule",
)
OPEN_BY_SEVERITY: Final = Definition(
    "open-time-by-severity",
    _PROCEDURES,
    "How long checks stayed open, by severity",
    "The same times by the severity that the check had.",
    Unit.SECONDS,
    Reduce.MEDIAN,
    grouped_by="severity",
)
TIME_TO_DECISION: Final = Definition(
    "time-to-decision",
    _DESK,
    "Time to decision",
    "From the submission (where nothing was submitted: the commit) to the first decision, a hold apart; the median.",
    Unit.SECONDS,
    Reduce.MEDIAN,
    grouped_by="beginning",
)
LOOPS: Final = Definition(
    "loops-per-stage",
    _DESK,
    "Loops per stage",
    "How often a phase of a handoff was sent back; the mean.",
    Unit.NUMBER,
    Reduce.MEAN,
    grouped_by="phase",
)
STALE_RATE: Final = Definition(
    "stale-rate",
    _DESK,
    "Stale rate",
    "Decisions by which work passed, and whose phase had to be looked at again because the files were others.",
    Unit.SHARE,
    Reduce.SHARE,
)
OVERRIDE_DEBT: Final = Definition(
    "override-debt",
    _DESK,
    "Override debt",
    "Overrides that no approval has settled by the last day asked about; the spread is their age in seconds.",
    Unit.NUMBER,
    Reduce.NUMBER,
    Target.model_construct(most=0.0),
    grouped_by="handoff",
)
RUBBER_STAMPS: Final = Definition(
    "rubber-stamps",
    _DESK,
    "Rubber stamps",
    f"Approvals and overrides within {RUBBER_STAMP_SECONDS} seconds of the work, with no file marked as read and no "
    "remark. A mirror for yourself: others are counted together.",
    Unit.SHARE,
    Reduce.SHARE,
    Target.model_construct(most=0.0),
    grouped_by="whose",
)
ALL: Final = (
    FAILURE_RATE,
    COMPLIANCE,
    TIME_TO_RESUME,
    REDISCOVERY,
    SUCCESS_BY_TYPE,
    DURATION_BY_TYPE,
    SUCCESS_BY_RULE,
    SUCCESS_BY_SEVERITY,
    OPEN_BY_RULE,
    OPEN_BY_SEVERITY,
    TIME_TO_DECISION,
    LOOPS,
    STALE_RATE,
    OVERRIDE_DEBT,
    RUBBER_STAMPS,
)
"""In the order in which they are told."""
