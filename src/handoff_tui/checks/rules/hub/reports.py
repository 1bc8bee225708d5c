"""Reports whose findings decide a stage, whatever their own status says."""

from __future__ import annotations

import re

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable, read_json, walk_objects
from handoff_tui.checks.rule import Findings, RuleFinding, critical_rule
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Attempt, ReportedFinding
from handoff_tui.handoffs.formats.hub.layout import is_earlier_attempt
from handoff_tui.handoffs.handoff import Handoff

_NAME_KEYS = ("id", "key", "cve", "bug_id", "rule", "rule_id", "title", "name", "issue", "summary")


def judge_report(context: Context, stage: str) -> Findings:
    """Finds open findings that are too severe, reports that hide some, and a pass without a report."""
    handoffs = context.require_handoffs("hub")
    name = str(context.settings.hub.reports.get(stage) or context.skip(f"no report decides {stage}"))
    later: list[str] = []
    applies = False
    for handoff in handoffs:
        paths = find_reports(handoff, name)
        if is_earlier_attempt(handoff, stage, context.settings.hub):
            later.extend(paths)
            continue
        applies = applies or bool(paths) or find_last_attempt(handoff, stage) is not None
        yield from find_unreadable(context, paths)
        for path in paths:
            yield from _judge_one(context, handoff, path)
        if not paths:
            yield from _judge_missing(context, handoff, stage, name)
    if not applies:
        waiting = f"to be rechecked by {stage}: {', '.join(later)}"
        context.skip(waiting if later else f"no {name} here, and no report of {stage}")


def find_reports(handoff: Handoff, name: str) -> tuple[str, ...]:
    """Returns the handoff's documents with this name: `security_report.json`, also `security-report-41.json`."""
    stem, _, ending = name.lower().rpartition(".")
    pattern = re.compile(
        re.escape(stem).replace("_", "[-_]?").removesuffix("s") + rf"s?(?:[-_][\w.-]*)?\.{re.escape(ending)}"
    )
    paths = (document.path for document in handoff.documents)
    return tuple(path for path in paths if pattern.fullmatch(path.rpartition("/")[2].lower()))


def find_last_attempt(handoff: Handoff, stage: str) -> Attempt | None:
    """Returns the newest attempt at a stage; None if there is none."""
    return next((attempt for attempt in reversed(handoff.attempts) if attempt.phase == stage), None)


def _judge_one(context: Context, handoff: Handoff, path: str) -> Findings:
    root = read_json(context, path)
    words = _read_severities(root)
    failing = tuple(str(severity) for severity in context.settings.hub.failing_severities)
    harmless = context.settings.hub.harmless_severities
    closed = context.settings.hub.closed_finding_statuses
    listed = [finding for finding in handoff.findings if finding.where.path == path]
    for finding in listed:
        word = words.get(finding.id) or words.get(finding.title)
        severity = finding.severity.value if finding.severity else word
        if _normalise(finding.status) in closed or (finding.severity is None and _normalise(word) in harmless):
            continue
        if finding.severity is None or severity in failing:
            yield _build_open(finding, severity)
    for severity in failing:
        shown = sum(finding.severity == severity for finding in listed)
        counted = _read_count(root, severity)
        if counted > shown:
            message = f"{path} counts {counted} {severity} findings, but lists {shown}"
            expected = f"{counted} {severity} findings listed"
            yield RuleFinding(message, f"unlisted {severity}", Place(path=path), expected, str(shown))


def _build_open(finding: ReportedFinding, severity: str | None) -> RuleFinding:
    how_bad = severity or "of no severity"
    message = f"{finding.id} is open and {how_bad}: {finding.title}"
    actual = f"{finding.status or 'open'}, {severity or 'severity not said'}"
    return RuleFinding(message, finding.id, finding.where, "fixed, or less than critical and high", actual)


def _judge_missing(context: Context, handoff: Handoff, stage: str, name: str) -> Findings:
    """Finds a pass without a report. A report that belongs to no task may support any."""
    attempt = find_last_attempt(handoff, stage)
    alone = any(find_reports(other, name) and not other.attempts for other in context.every_handoff())
    if attempt is not None and attempt.status == "pass" and not alone:
        message = f"{handoff.id}: {stage} says pass, but there is no {name} to decide it"
        yield RuleFinding(message, f"missing {handoff.id}", attempt.where, name, "no such report")


def _read_severities(root: object) -> dict[str, str]:
    """Returns the severity as written, by every name of its finding."""
    found: dict[str, str] = {}
    for node in walk_objects(root):
        severity = node.get("severity")
        if isinstance(severity, str):
            for key in _NAME_KEYS:
                if isinstance(node.get(key), str | int):
                    found.setdefault(str(node[key]), severity)
    return found


def _read_count(root: object, severity: str) -> int:
    """Returns the highest number of such findings that the report states."""
    if not isinstance(root, dict):
        return 0
    holders = [holder for holder in (root, root.get("summary")) if isinstance(holder, dict)]
    values = [holder.get(key) for holder in holders for key in (severity, f"{severity}_count")]
    return max((value for value in values if isinstance(value, int) and not isinstance(value, bool)), default=0)


def _normalise(word: str | None) -> str:
    return (word or "").strip().lower().replace(" ", "_").replace("-", "_")


@critical_rule(
    holds="The security report has no open finding that is critical or high.",
    reads="security_report.json and the attempts at SEC",
    remedy="Fix each finding listed here and run the security stage again. A status of pass doesn't clear it.",
    version=2,
)
def security_report_clears(context: Context) -> Findings:
    return judge_report(context, "SEC")


@critical_rule(
    holds="The bug report has no open bug that is critical or high.",
    reads="bugs.json and the attempts at QA",
    remedy="Fix each bug listed here and run QA again. A status of pass doesn't clear it.",
    version=2,
)
def bugs_report_clears(context: Context) -> Findings:
    return judge_report(context, "QA")
