"""Consent to a log at first use: a person compares its first entry with what they were told."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import LogBrokenError, LogMissingError
from handoff_tui.log.entry import LogVerdict
from handoff_tui.log.open_log import OpenLog, find_policy, open_log_at

NOT_ANCHORED = "nothing here vouches for this log's first entry"
ANCHOR_HINT = "Compare it with a colleague's, then run handoff-tui log pin; in CI, pass --pin or set HANDOFF_TUI_PIN."


class PinQuestion(NamedTuple):
    """The log as it would be taken."""

    log: OpenLog
    verdict: LogVerdict
    first: str
    """The id of its first entry."""
    begun_by: str
    time: str
    keys: tuple[str, ...]
    people: tuple[str, ...]
    """Who may decide by its policy now."""


def prepare_pin(start: Path, expected: str | None) -> PinQuestion:
    """Reads the log; refuses one that is broken, or that begins with another entry than the expected one."""
    log = open_log_at(start, remembered=False)
    verdict = log.verify()
    if verdict.log is None and not verdict.fatal:
        raise LogMissingError("there is no signed log here, so there is nothing to pin", "handoff-tui init begins one.")
    if verdict.fatal or verdict.log is None:
        raise LogBrokenError(
            "the log is not intact, so it was not pinned", "handoff-tui log verify says what is wrong."
        )
    if expected is not None and expected != verdict.log:
        raise LogBrokenError(
            f"this log begins with {verdict.log}, not with {expected}",
            "Ask whoever gave you that id. Another log may have taken the place of the right one.",
        )
    policy = find_policy(verdict)
    first = next(entry for entry in verdict.entries if entry.id == verdict.log)
    people = () if policy is None else tuple(sorted(name for name in policy.reviewers | policy.root))
    return PinQuestion(log, verdict, first.id, first.actor, first.time, first.keyids, people)
