"""A pass holds against its own raw output: no HTTP 5xx, no traceback, not empty."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable, read_json
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.checks.rules.hub.attempt_text import find_standing_attempts, read_attempt_lines
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.core.tasks import Attempt
from handoff_tui.handoffs.handoff import Handoff

_DOUBT = " is doubtful: "
_OUTPUT_KEYS = ("raw_output", "output", "raw")


def judge(context: Context) -> Iterator[RuleFinding]:
    handoffs = context.require_handoffs("hub")
    pattern = re.compile("|".join(context.settings.hub.suspicious_output) or r"(?!)", re.IGNORECASE)
    applies = False
    for handoff in handoffs:
        reports = [document.path for document in handoff.documents if document.path.lower().endswith(".json")]
        yield from find_unreadable(context, [document.path for document in handoff.documents])
        for attempt in find_standing_attempts(handoff):
            applies = True
            yield from _judge_attempt(context, handoff, attempt, pattern)
        doubted = {place.path for place in _list_doubted(handoff)}
        for path in reports:
            applies = applies or _says_pass(context, path)
            yield from _judge_report(context, path, pattern, told=path in doubted)
    if not applies:
        context.skip("no stage reports a pass")


def _judge_attempt(
    context: Context, handoff: Handoff, attempt: Attempt, pattern: re.Pattern[str]
) -> Iterator[RuleFinding]:
    if attempt.status != "pass":
        return
    reason, place = attempt.warning, attempt.where
    if reason is None:
        for number, line in read_attempt_lines(context, attempt):
            match = pattern.search(line)
            if match is not None and attempt.where is not None:
                reason = f"it says pass, but its output holds {match.group()!r}"
                place = Place(path=attempt.where.path, line=number)
                break
    if reason is not None:
        who = attempt.agent or attempt.phase or f"attempt {attempt.number}"
        message = f"{handoff.id}: the pass of {who} does not hold: {reason}"
        expected = "output that agrees with pass"
        yield RuleFinding(message, f"{handoff.id} {attempt.phase or who}", place, expected, reason)


def _judge_report(context: Context, path: str, pattern: re.Pattern[str], *, told: bool) -> Iterator[RuleFinding]:
    """Checks an agent's JSON report, which is not an attempt of the handoff."""
    doubts = [problem for problem in context.problems() if problem.path == path and _DOUBT in problem.message]
    for problem in () if told else doubts:
        message = f"{path}: {problem.message}"
        expected = "output that agrees with pass"
        actual = problem.message.partition(_DOUBT)[2]
        yield RuleFinding(message, f"{path} pass", Place(path=path, line=problem.line), expected, actual)
    if not doubts and _says_pass(context, path):
        match = pattern.search(_read_output(context, path))
        if match is not None:
            message = f"{path}: the report says pass, but its output holds {match.group()!r}"
            yield RuleFinding(message, f"{path} pass", Place(path=path), "output that agrees with pass", match.group())


def _list_doubted(handoff: Handoff) -> Iterator[Place]:
    """Yields the places whose doubts are reported with an attempt."""
    for attempt in handoff.attempts:
        if attempt.warning is not None and attempt.where is not None:
            yield attempt.where


def _says_pass(context: Context, path: str) -> bool:
    root = read_json(context, path)
    return isinstance(root, dict) and str(root.get("status")).strip().lower() == "pass"


def _read_output(context: Context, path: str) -> str:
    root = read_json(context, path)
    values = [root.get(key) for key in _OUTPUT_KEYS] if isinstance(root, dict) else []
    return "\n".join(value for value in values if isinstance(value, str))


PASS_HOLDS_UP = Rule(
    id="pass-holds-up",
    system=System.HUB,
    severity=Severity.CRITICAL,
    holds="No stage says pass while its own raw output shows a failure.",
    reads="reports and raw output in context files, work cycles and JSON reports",
    remedy="Read the raw output, set the stage to fail, and run it again.",
    judge=judge,
)
