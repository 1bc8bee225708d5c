"""What agents report to the hub: `security_report.json`, `bugs.json`, and work cycles exported as JSON."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from handoff_tui.config.settings.root import Hub
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Severity
from handoff_tui.core.tasks import Attempt, ReportedFinding
from handoff_tui.core.text.labels import plural
from handoff_tui.handoffs.claim import ClaimKind, quote
from handoff_tui.handoffs.formats.hub.layout import STANDARD, find_next_stage, parse_stage
from handoff_tui.handoffs.handoff import HandoffDraft
from handoff_tui.handoffs.reading.claim_words import parse_status
from handoff_tui.handoffs.reading.json_document import JsonNode

_SERVER_ERROR: Final = compile_later(
    r"(?:\b|_)HTTP(?:/\d(?:\.\d)?)?\W{0,3}(5\d\d)\b|(?:\b|_)(?:status|code|error)[\W_]{1,3}(?:code\W{1,3})?(5\d\d)\b"
    r"|\b(5\d\d) (?:(?:Internal )?(?:Server )?error|Not Implemented|Bad Gateway|Service Unavailable"
    r"|Gateway Time-?out)\b|\b(?:GET|POST|PUT|PATCH|DELETE|HEAD)\s+\S*/\S*\s+(?:HTTP/\S+\s+)?(?:(?:->|=>|→|:"
    r"|-)\s*)?(5\d\d)(?![\w.])|\b(?:returned|responded with|response"
    r"|got)\W{1,3}(?:an? )?(?:HTTP )?(5\d\d)\b(?! ?(?:ms|rows?|items?|tests?|files?))",
    re.IGNORECASE,
)
_MENDED: Final = compile_later(
    r"\b(?:fix(?:e[sd])?|no longer|resolved|handled|instead of|used to|was returning|now returns?|previously)\b",
    re.IGNORECASE,
)
"""A line that reports a server error that is gone."""
_TRACEBACK: Final = compile_later(
    r"\bTraceback\b|^goroutine \d+ \[|\bpanicked at\b|\bSegmentation fault\b|\bcore dumped\b"
    r"|\bunhandled (?:exception|(?:promise )?rejection)\b|^Exception in thread\b|^\s+at \S+\(\S+:\d+(?::\d+)?\)$",
    re.IGNORECASE,
)
_ERROR: Final = compile_later(
    r"\b(?:\w*errors?|exception|panic|fatal)\b\s*:|\b(?:ran into|hit|threw|raised|failed with) (?:this |an? )?error\b|"
    r"\b(?-i:ERROR)\b",
    re.IGNORECASE,
)
"""A line that reports an error, not one about errors in general."""
_NO_ERROR: Final = compile_later(
    r"\b(?:no|0|zero|without(?: any)?|any)\s+(?:\w+\s+)?errors?\b|\berrors?\W{1,3}(?:0|none|null|\[\])(?!\w)|"
    r"\berror[- ](?:handl\w+|messages?|pages?|paths?|cases?)\b",
    re.IGNORECASE,
)
_BANNER: Final = compile_later(
    r"^\W*(?:starting session|resuming session|session id|working directory|logging to|provider|model)\b"
    r"|^\W*(?:none|null|nil|n/a|empty|nothing|no (?:output|content|response))?\W*$",
    re.IGNORECASE,
)
_SETTLED: Final = compile_later(
    r"^(?!.*\b[1-9]\d* (?:failed|errors?)\b).*(?:\b[1-9]\d* passed\b|\ball(?: \w+)? tests? pass)",
    re.IGNORECASE | re.MULTILINE,
)
_EMPTY_SUMMARY: Final = compile_later(
    r"^\W*(?:\w+ agent execution completed|none|null|nil|n/a|empty|no (?:output|summary|response))?\W*$", re.IGNORECASE
)


def find_contradiction(output: str | None, summary: str | None) -> tuple[str, int] | None:
    """What contradicts a pass, and the line of the output (from 0); None if nothing does."""
    if output is None:
        return ("it says pass, but shows no work", 0) if _EMPTY_SUMMARY.match(summary or "") else None
    lines = output.split("\n")
    for offset, line in enumerate(lines):
        reason = _judge_line(line)
        is_of_a_tool = reason is not None and not _SERVER_ERROR.search(line)
        if reason is not None and not (is_of_a_tool and is_settled("\n".join(lines[offset + 1 :]))):
            return f"it says pass, but its output holds {reason}", offset
    if all(_BANNER.match(line) for line in lines):
        return "it says pass, but its output is empty apart from a banner", 0
    return None


def is_settled(later: str) -> bool:
    """Whether tests pass in what follows: then an error or a traceback before was what a tool printed on the way."""
    return _SETTLED.search(later) is not None


def is_mended(line: str) -> bool:
    """Whether a line reports an error that is gone."""
    return _MENDED.search(line) is not None


def _judge_line(line: str) -> str | None:
    server_error = _SERVER_ERROR.search(line)
    if server_error is not None and not is_mended(line):
        return f"an HTTP {next(group for group in server_error.groups() if group)} error"
    if _TRACEBACK.search(line):
        return "a traceback"
    return "an error" if _ERROR.search(_NO_ERROR.sub(" ", line)) else None


_LISTS: Final = ("vulnerabilities", "findings", "bugs", "issues")
_ID_KEYS: Final = ("id", "key", "cve", "bug_id", "rule", "rule_id")
_TITLE_KEYS: Final = ("title", "name", "issue", "summary", "type", "message", "description")
_FILE_KEYS: Final = ("file", "path", "file_path", "filename", "location")
_LOCATION: Final = compile_later(r"^(.+?):(\d{1,9})(?::\d+)?$")
_SEVERITIES: Final = {**{severity.value: severity for severity in Severity}, "moderate": Severity.MEDIUM}
_TOTAL_KEY: Final = compile_later(
    r"^(?:total|count)(?:_(?:vulnerabilities|findings|bugs|issues|count))?$|^(?:\w+)_count$"
)
_CLOSED: Final = frozenset({"fixed", "resolved", "closed", "done", "false_positive", "wont_fix", "wont-fix"})


def find_finding_lists(root: JsonNode) -> list[JsonNode]:
    """The lists of findings of a report: the file itself, or its members of known names."""
    if isinstance(root.value, list):
        return [root] if all(isinstance(element, dict | str) for element in root.value) else []
    members = [member for key in _LISTS if (member := root.get(key)) is not None]
    return [member for member in members if isinstance(member.value, list)]


def add_findings(root: JsonNode, name: str, draft: HandoffDraft, settings: Hub = STANDARD) -> None:
    """Adds the findings of a report called `name`, and checks its own numbers against them."""
    findings = _read_findings(root)
    draft.findings += tuple(findings)
    if not isinstance(root.value, dict):
        return
    summary = root.get("summary")
    for holder in (root, summary):
        if holder is not None and isinstance(holder.value, dict):
            _compare_counts(holder, findings)
    if summary is not None and isinstance(summary.value, str):
        draft.add_fact(f"{name} summary", summary.value, summary.where)
    status = (root.text("status") or "").strip().lower()
    if status in settings.report_statuses:
        draft.claim(ClaimKind.CHECK, root.place_of("status"), f"{name}: {status}", subject=name, value=status)
        _compare_status(root, status, findings, settings)


def _read_findings(root: JsonNode) -> list[ReportedFinding]:
    """The findings of a report, at its top or below its details."""
    details = root.get("details")
    findings: list[ReportedFinding] = []
    for holder in (root, *([details] if details is not None and isinstance(details.value, dict) else [])):
        for found in find_finding_lists(holder):
            for element in found.elements():
                finding = _build_finding(element, len(findings) + 1)
                if finding is not None:
                    findings.append(finding)
    return findings


def _build_finding(node: JsonNode, number: int) -> ReportedFinding | None:
    fallback = f"finding-{number}"
    if isinstance(node.value, str):
        return ReportedFinding(id=fallback, title=quote(node.value) or fallback, where=node.where)
    if not isinstance(node.value, dict):
        node.report_type("an object")
        return None
    file, line = _read_location(node)
    return ReportedFinding(
        id=_first(node, _ID_KEYS) or fallback,
        title=quote(_first(node, _TITLE_KEYS) or fallback),
        where=node.where,
        severity=_read_severity(node),
        file=file,
        line=line,
        status=node.scalar("status"),
    )


def _read_severity(node: JsonNode) -> Severity | None:
    text = node.scalar("severity")
    severity = _SEVERITIES.get((text or "").strip().lower())
    if text is not None and severity is None:
        known = ", ".join(severity.value for severity in Severity)
        node.report(f"severity is none of {known}: {quote(text) or 'empty'}", "severity")
    return severity


def _read_location(node: JsonNode) -> tuple[str | None, int | None]:
    """The file and line, given apart or as `file:line`, or as an object with both."""
    member = node.find(*_FILE_KEYS)
    holder = member if member is not None and isinstance(member.value, dict) else node
    file = _first(holder, _FILE_KEYS[:-1]) if holder is member else member.as_text() if member is not None else None
    found = holder.find("line", "line_number")
    line = found.value if found is not None else None
    number = int(line) if isinstance(line, str) and line.isdecimal() and len(line) < 10 else line  # noqa: PLR2004
    match = _LOCATION.match(file) if file else None
    if match is not None:
        return match.group(1), int(match.group(2))
    return file, number if isinstance(number, int) and not isinstance(number, bool) else None


def _compare_counts(holder: JsonNode, findings: list[ReportedFinding]) -> None:
    """Reports a number that disagrees with the list; we can't know which of the two is right."""
    by_severity = Counter(finding.severity for finding in findings)
    for member in holder.members():
        if not isinstance(member.value, int) or isinstance(member.value, bool):
            continue
        key = member.key.lower()
        word = key.removesuffix("_count")
        if word in _SEVERITIES:
            listed = by_severity[_SEVERITIES[word]]
        elif _TOTAL_KEY.match(key):
            listed = len(findings)
        else:
            continue
        if member.value != listed:
            member.report(f"{member.name} is {member.value}, but the list has {listed}")


def _compare_status(root: JsonNode, status: str, findings: list[ReportedFinding], settings: Hub) -> None:
    """Reports a pass that open findings refute."""
    failing = settings.failing_severities
    severe = [finding for finding in findings if finding.severity in failing and not _is_closed(finding)]
    if status == settings.report_statuses[0] and severe:
        named = " or ".join(failing)
        verb = "is" if len(severe) == 1 else "are"
        root.report(f"says {status}, but lists {plural(len(severe), 'open finding')} that {verb} {named}", "status")


def _is_closed(finding: ReportedFinding) -> bool:
    return finding.status is not None and finding.status.strip().lower().replace(" ", "_") in _CLOSED


def _first(node: JsonNode, keys: tuple[str, ...]) -> str | None:
    members = (member for key in keys if (member := node.get(key)) is not None)
    return next((text for one in members if isinstance(one.value, str | int) and (text := one.as_text())), None)


def is_report(root: JsonNode) -> bool:
    """An agent's report: a role, a pass or fail, and a summary."""
    if not root.has("status", "summary") or not (root.has("role") or root.has("agent")):
        return False
    value = root.get("status")
    return value is not None and isinstance(value.value, str) and value.value.strip().lower() in {"pass", "fail"}


_COMMIT: Final = compile_later(r"^[0-9a-fA-F]{7,64}$")
OUTPUT_KEYS: Final = ("raw_output", "output", "raw")


def add_report(root: JsonNode, draft: HandoffDraft, settings: Hub = STANDARD) -> None:
    role = root.scalar("role") or root.scalar("agent") or "agent"
    status = (root.scalar("status") or "").strip().lower()
    name = f"{role} report"
    draft.add_producer(role)
    where = root.place_of("status")
    draft.claim(ClaimKind.CHECK, where, f"{name}: {status}", subject=name, value=status)
    summary = root.get("summary")
    if summary is not None and isinstance(summary.value, str):
        draft.add_fact(f"{name} summary", quote(summary.value), summary.where)
    _add_details(root, name, draft)
    findings = _read_findings(root)
    draft.findings += tuple(findings)
    _compare_status(root, status, findings, settings)
    outputs = (member.value for key in OUTPUT_KEYS if (member := root.get(key)) is not None)
    output = next((text for text in outputs if isinstance(text, str)), None)
    if status == "pass" and (output is not None or not findings):
        contradiction = find_contradiction(output, summary.as_text() if summary is not None else None)
        if contradiction is not None:
            root.report(f"the {name} is doubtful: {contradiction[0]}", "status")


def _add_details(root: JsonNode, name: str, draft: HandoffDraft) -> None:
    """Plain values of the report and of its details; a commit among them is a claim."""
    for holder in (root, root.get("details")):
        for member in holder.members() if holder is not None else ():
            key = member.key
            if key in {"role", "agent", "status", "summary", *OUTPUT_KEYS} or isinstance(member.value, dict | list):
                continue
            text = member.as_text() or ""
            if "commit" in key and _COMMIT.match(text):
                draft.claim(ClaimKind.COMMIT, member.where, f"{key}: {text}", value=text)
            else:
                draft.add_fact(f"{name} {key.replace('_', ' ')}", quote(text), member.where)


_WRAPPERS: Final = ("handoffs", "work_cycles", "workcycles", "history", "handoff", "work_cycle", "workcycle", "items")
_FACTS: Final = (
    *("id", "project", "project_id", "run", "run_id", "created_by", "created_at", "accepted_at", "completed_at"),
)
_CYCLE_TITLE_KEYS: Final = ("task_title", "title")


def find_cycles(root: JsonNode) -> list[JsonNode]:
    """The work cycles of an export: the object itself, a list, or either of them below a known name."""
    holders = [root, *(member for key in _WRAPPERS if (member := root.get(key)) is not None)]
    return [node for holder in holders for node in (holder, *holder.elements()) if _is_cycle(node)]


def find_named(node: JsonNode, name: str) -> str | None:
    """The id of the task or run that an object names, directly or as a nested object."""
    for key in (name, f"{name}_id", f"{name}_key"):
        member = node.get(key)
        if member is None:
            continue
        found = member.first(f"{name}_id", "id", "key") if isinstance(member.value, dict) else member.as_text()
        if found and found.strip():
            return found.strip()
    return None


def find_project(cycle: JsonNode) -> str | None:
    """The name of the project of a cycle; a number is none."""
    project = cycle.get("project")
    if project is None:
        return None
    name = project.first("name", "title") if isinstance(project.value, dict) else project.as_text()
    return None if not name or name.strip().isdigit() else name.strip()


def age_of(cycle: JsonNode) -> str:
    """When the cycle last moved, as written."""
    return cycle.first("completed_at", "accepted_at", "created_at") or ""


def add_cycle(cycle: JsonNode, draft: HandoffDraft, settings: Hub = STANDARD) -> None:
    """Adds a cycle; fields that a newer source has given stay as they are."""
    status = _check_word(cycle, "status", settings.statuses)
    report_status = _check_word(cycle, "report_status", settings.report_statuses)
    stage = parse_stage(cycle.scalar("stage"))
    if draft.source_phase is None and stage is not None:
        draft.source_phase, draft.target_phase = stage, find_next_stage(stage, settings)
    draft.source_agent = draft.source_agent or cycle.scalar("from_role")
    draft.target_agent = draft.target_agent or cycle.scalar("to_role")
    draft.created = draft.created or cycle.scalar("created_at")
    draft.message = draft.message or _read_prose(cycle, "summary")
    draft.title = draft.title or next((text for key in _CYCLE_TITLE_KEYS if (text := _read_title(cycle, key))), None)
    if status is not None:
        token = parse_status(status) or status
        draft.status = draft.status or token
        where = cycle.place_of("status")
        draft.claim(ClaimKind.STATUS, where, f"status: {status}", value=token)
    for key in _FACTS:
        member = cycle.get(key)
        if member is not None and not isinstance(member.value, dict | list):
            draft.add_fact(f"cycle {key.replace('_', ' ')}", member.as_text(), member.where)
    _add_report(cycle, report_status, status, stage, draft)


def _add_report(
    cycle: JsonNode, report_status: str | None, status: str | None, stage: str | None, draft: HandoffDraft
) -> None:
    """The receiving role works in the stage and reports on it."""
    role = cycle.scalar("to_role")
    draft.add_producer(cycle.scalar("from_role"))
    if report_status is None and cycle.get("report") is None and cycle.get("completed_at") is None:
        return
    draft.add_producer(role)
    summary = _read_prose(cycle, "summary")
    warning: str | None = None
    if report_status is not None:
        name = f"{role or stage or 'agent'} report"
        where = cycle.place_of("report_status")
        draft.claim(ClaimKind.CHECK, where, f"{name}: {report_status}", subject=name, value=report_status)
        contradiction = find_contradiction(_read_prose(cycle, "report"), summary) if report_status == "pass" else None
        if contradiction is not None:
            warning = contradiction[0]
            cycle.report(f"the {name} is doubtful: {warning}", "report_status")
    draft.attempts += (
        Attempt(
            number=len(draft.attempts) + 1,
            agent=role,
            phase=stage,
            status=report_status or status,
            summary=summary,
            when=age_of(cycle) or None,
            where=cycle.where,
            warning=warning,
        ),
    )


def _is_cycle(node: JsonNode) -> bool:
    return node.has("from_role", "to_role") and (node.has("status") or node.has("stage"))


def _check_word(cycle: JsonNode, key: str, known: tuple[str, ...]) -> str | None:
    """A word of a fixed list; another one is kept and reported."""
    word = cycle.text(key)
    if word is not None and word.strip().lower() not in known:
        cycle.report(f"{key} is none of {', '.join(known)}: {quote(word) or 'empty'}", key)
    return word.strip().lower() or None if word is not None else None


def _read_prose(cycle: JsonNode, key: str) -> str | None:
    member = cycle.get(key)
    return member.value if member is not None and isinstance(member.value, str) and member.value.strip() else None


def _read_title(cycle: JsonNode, key: str) -> str | None:
    task = cycle.get("task")
    return cycle.scalar(key) or (task.scalar(key) if task is not None else None)
