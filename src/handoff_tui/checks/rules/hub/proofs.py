"""A pass holds against its own raw output and the reports of its stage, and every proof exists and agrees with it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable, parse_json, read_json, walk_objects
from handoff_tui.checks.facts.reports import TestReport, parse_junit, parse_tap
from handoff_tui.checks.report import Outcome
from handoff_tui.checks.rule import Findings, RuleFinding, critical_rule, high_rule
from handoff_tui.core.lazy_pattern import compile_known, compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Attempt, Proof, ProofKind, ReportedFinding, TestCounts
from handoff_tui.handoffs.claims.blocking import list_doubtful
from handoff_tui.handoffs.formats.hub.layout import is_before, is_earlier_attempt
from handoff_tui.handoffs.formats.hub.reports import OUTPUT_KEYS, is_mended, is_settled
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
    pattern = compile_known(
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


_FENCE = compile_later(r"^ {0,3}(```+|~~~+)")
_HEADING = compile_later(r"^#{1,3}\s")


def find_standing_attempts(handoff: Handoff) -> list[Attempt]:
    """Returns the newest attempt at each stage."""
    newest = {attempt.phase or attempt.agent: attempt for attempt in handoff.attempts}
    return sorted(newest.values(), key=lambda attempt: attempt.number)


def find_standing(handoff: Handoff, attempt: Attempt) -> Attempt:
    """The newest attempt at the same stage."""
    stage = attempt.phase or attempt.agent
    return next(one for one in reversed(handoff.attempts) if (one.phase or one.agent) == stage)


def read_attempt_lines(context: Context, attempt: Attempt) -> Iterator[tuple[int, str]]:
    """Yields the lines of an attempt's section in a Markdown document, including raw output."""
    place = attempt.where
    if place is None or place.line is None or place.path.lower().endswith(".json"):
        return
    lines = (context.read_text(place.path) or "").split("\n")
    fence: str | None = None
    for number, line in enumerate(lines[place.line :], start=place.line + 1):
        mark = _FENCE.match(line)
        if fence is None and _HEADING.match(line):
            return
        if mark is not None:
            fence = None if fence is not None and mark[1].startswith(fence) else fence or mark[1]
        yield number, line


_DOUBT = " is doubtful: "


@critical_rule(
    holds="No stage says pass while its own raw output shows a failure.",
    reads="reports and raw output in context files, work cycles and JSON reports",
    remedy="Read the raw output, set the stage to fail, and run it again.",
)
def pass_holds_up(context: Context) -> Findings:
    handoffs = context.require_handoffs("hub")
    pattern = compile_known("|".join(context.settings.hub.suspicious_output) or r"(?!)", re.IGNORECASE)
    applies = False
    for handoff in handoffs:
        reports = [document.path for document in handoff.documents if document.path.lower().endswith(".json")]
        yield from find_unreadable(context, [document.path for document in handoff.documents])
        doubtful = list_doubtful(handoff)
        standing = find_standing_attempts(handoff)
        for attempt in (*doubtful, *(one for one in standing if one not in doubtful)):
            if is_before(handoff.source_phase, attempt.phase or "", context.settings.hub):
                continue  # of an earlier attempt
            applies = True
            yield from _judge_attempt(context, handoff, attempt, pattern)
        doubted = {place.path for place in _list_doubted(handoff)}
        for path in reports:
            applies = applies or _says_pass(context, path)
            yield from _judge_report(context, path, pattern, told=path in doubted)
    if not applies:
        context.skip("no stage reports a pass")


def _judge_attempt(context: Context, handoff: Handoff, attempt: Attempt, pattern: re.Pattern[str]) -> Findings:
    if attempt.status != "pass":
        return
    reason, place = attempt.warning, attempt.where
    if reason is None:
        lines = list(read_attempt_lines(context, attempt))
        for place_in_output, (number, line) in enumerate(lines):
            match = pattern.search(line)
            later = "\n".join(text for _, text in lines[place_in_output + 1 :])
            refutes = match is not None and not is_mended(line) and not _is_of_a_tool(match.group(), later)
            if match is not None and refutes and attempt.where is not None:
                reason = f"it says pass, but its output holds {match.group()!r}"
                place = Place(path=attempt.where.path, line=number)
                break
    if reason is not None:
        who = attempt.agent or attempt.phase or f"attempt {attempt.number}"
        message = f"{handoff.id}: the pass of {who} does not hold: {reason}"
        expected = "output that agrees with pass"
        earlier = "" if attempt is find_standing(handoff, attempt) else f" {attempt.number}"
        yield RuleFinding(message, f"{handoff.id} {attempt.phase or who}{earlier}", place, expected, reason)


def _judge_report(context: Context, path: str, pattern: re.Pattern[str], *, told: bool) -> Findings:
    """Checks an agent's JSON report, which is not an attempt of the handoff."""
    doubts = [problem for problem in context.problems() if problem.path == path and _DOUBT in problem.message]
    for problem in () if told else doubts:
        message = f"{path}: {problem.message}"
        expected = "output that agrees with pass"
        actual = problem.message.partition(_DOUBT)[2]
        yield RuleFinding(message, f"{path} pass", Place(path=path, line=problem.line), expected, actual)
    if not doubts and _says_pass(context, path):
        output = _read_output(context, path)
        match = pattern.search(output)
        if match is not None and not _is_of_a_tool(match.group(), output[match.end() :]):
            message = f"{path}: the report says pass, but its output holds {match.group()!r}"
            yield RuleFinding(message, f"{path} pass", Place(path=path), "output that agrees with pass", match.group())


def _is_of_a_tool(found: str, later: str) -> bool:
    """Whether a traceback was only what a tool printed on the way: tests pass after it."""
    return found.startswith("Traceback") and is_settled(later)


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
    values = [root.get(key) for key in OUTPUT_KEYS] if isinstance(root, dict) else []
    return "\n".join(value for value in values if isinstance(value, str))


_MAGIC = {
    ".png": (b"\x89PNG\r\n\x1a\n",),
    ".jpg": (b"\xff\xd8\xff",),
    ".jpeg": (b"\xff\xd8\xff",),
    ".gif": (b"GIF87a", b"GIF89a"),
    ".bmp": (b"BM",),
    ".webp": (b"RIFF",),
}
_SVG = compile_later(rb"<svg[\s>]", re.IGNORECASE)
_WORDS = compile_later(r"\b(\d{1,9})\s+(passed|failed|failures?|skipped|errors?)\b", re.IGNORECASE)
_RAN = compile_later(r"^Ran (\d{1,9}) tests?\b", re.MULTILINE)
_UNITTEST = compile_later(r"\b(failures|errors|skipped)=(\d{1,9})\b")
_NAMES = {"failures": "failed", "failure": "failed", "error": "failed", "errors": "failed", "tests": "total"}


def is_picture(path: str, content: bytes) -> bool | None:
    """Returns whether the content matches its file type; None for an unknown type."""
    ending = "." + path.rpartition(".")[2].lower()
    if ending == ".svg":
        return _SVG.search(content) is not None
    if ending not in _MAGIC:
        return None
    if ending == ".webp" and content[8:12] != b"WEBP":
        return False
    return content.startswith(_MAGIC[ending])


def parse_result(path: str, content: bytes) -> TestCounts | None:
    """Parses the numbers of a test result: JUnit, JSON, TAP, or the last lines of a test runner."""
    text = content.decode("utf-8", "replace")
    name = path.lower()
    if name.endswith(".xml"):
        return _count_cases(parse_junit(content))
    if name.endswith(".json"):
        return _parse_json(text)
    if name.endswith(".tap"):
        return _count_cases(parse_tap(text))
    return parse_words(text) or _count_cases(parse_tap(text))


def parse_words(text: str) -> TestCounts | None:
    """Parses `35 passed, 2 skipped`, or the last lines of unittest."""
    ran = _RAN.search(text)
    pairs = [(word, number) for number, word in _WORDS.findall(text)]
    found = _add_up(_UNITTEST.findall(text) if ran else pairs)
    if ran is not None:
        found = {"failed": 0, **found, "total": int(ran[1])}
    return TestCounts.model_construct(**found) if found else None


def _count_cases(report: TestReport) -> TestCounts | None:
    if report.problem is not None or not report.cases:
        return None
    skipped = sum(case.outcome is Outcome.SKIPPED for case in report.cases)
    failed = len(report.failing())
    total = len(report.cases)
    return TestCounts(total=total, passed=total - failed - skipped, failed=failed, skipped=skipped)


def _parse_json(text: str) -> TestCounts | None:
    root = parse_json(text.encode())
    holders = (
        [root, *(root.get(key) for key in ("summary", "totals", "stats", "results"))] if isinstance(root, dict) else []
    )
    for holder in holders:
        if isinstance(holder, dict):
            found = _add_up([(key.lower(), value) for key, value in holder.items() if _is_count(value)])
            if found.keys() & {"passed", "failed"}:
                return TestCounts.model_construct(**found)
    return None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _add_up(pairs: list[tuple[str, str]] | list[tuple[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for word, number in pairs:
        name = _NAMES.get(word.lower(), word.lower())
        if name in {"total", "passed", "failed", "skipped"}:
            found[name] = found.get(name, 0) + int(number)
    return found


_NAMED = compile_later(r"(?<![\w./:-])(?:[\w.@-]+/)*(?:\.?proofs?|screenshots)/(?:[\w.@-]+/)*[\w.@-]+\.\w+")
_DIFFSTAT = compile_later(r"\|\s+(?:\d+|Bin)\b")


@high_rule(
    holds="Every proof exists, is what its name says, and agrees with the claimed result.",
    reads="proofs of work, and the reports that name them",
    remedy="Take the proof again from a real run, and put it where the report says it is.",
)
def proofs_exist_and_match(context: Context) -> Findings:
    handoffs = context.require_handoffs("hub")
    named = [(handoff, list(_find_named(context, handoff))) for handoff in handoffs]
    if not any(found or handoff.proofs for handoff, found in named):
        context.skip("no proof is mentioned")
    for handoff, found in named:
        for path, place in found:
            if context.find(path, place.path) is None and not context.exists(path):
                message = f"{handoff.id}: the proof {path} is named, but is not there"
                yield RuleFinding(message, f"missing {path}", place, path, "no such file")
        for proof in handoff.proofs:
            yield from _judge_proof(context, handoff, proof)


def _find_named(context: Context, handoff: Handoff) -> Iterator[tuple[str, Place]]:
    """Yields the paths of proofs in agents' reports, but not those that the next agent is asked to make."""
    seen: set[str] = set()
    for attempt in find_standing_attempts(handoff):
        for number, line in read_attempt_lines(context, attempt):
            for path in () if _DIFFSTAT.search(line) else _NAMED.findall(line):
                if path not in seen and attempt.where is not None:
                    seen.add(path)
                    yield path, Place(path=attempt.where.path, line=number)
    for document in handoff.documents:
        if document.path.lower().endswith(".json"):
            for path in _find_listed(context, document.path):
                if path not in seen:
                    seen.add(path)
                    yield path, Place(path=document.path)


def _find_listed(context: Context, document: str) -> Iterator[str]:
    keys = context.settings.hub.proof_keys
    for node in walk_objects(read_json(context, document)):
        for key in keys:
            value = node.get(key)
            for entry in value if isinstance(value, list) else [value]:
                path = entry.get("path") if isinstance(entry, dict) else entry
                if isinstance(path, str) and "." in path and "://" not in path and not path.startswith("/"):
                    yield path.strip()


def _judge_proof(context: Context, handoff: Handoff, proof: Proof) -> Findings:
    content = context.read(proof.path)
    if content is None:
        yield _report(handoff, proof, "cannot be read", "a file that can be read", "unreadable or too large")
    elif not content.strip():
        yield _report(handoff, proof, "is empty", "content", f"{len(content)} bytes of nothing")
    elif proof.kind is ProofKind.SCREENSHOT and is_picture(proof.path, content) is False:
        ending = proof.path.rpartition(".")[2].upper()
        yield _report(handoff, proof, f"is not a {ending} picture", f"a {ending} header", repr(content[:8]))
    elif proof.kind is ProofKind.TEST_RESULT:
        yield from _judge_result(handoff, proof, parse_result(proof.path, content))


def _judge_result(handoff: Handoff, proof: Proof, counts: TestCounts | None) -> Findings:
    if counts is None:
        yield _report(handoff, proof, "holds no test result that can be read", "numbers of a test run", "none found")
        return
    passing = [attempt for attempt in find_standing_attempts(handoff) if attempt.status == "pass"]
    tested = [attempt for attempt in passing if attempt.phase == "QA"] or passing
    if counts.failed and tested:
        who = tested[-1].agent or tested[-1].phase
        problem = f"has {counts.failed} failed tests, but {who} says pass"
        yield _report(handoff, proof, problem, "no failed tests", f"{counts.failed} failed")
    for attempt in tested:
        claimed = parse_words(attempt.summary or "")
        for name in ("total", "passed", "failed", "skipped"):
            said, shown = getattr(claimed, name, None), getattr(counts, name)
            if said is not None and shown is not None and said != shown:
                problem = f"has {shown} {name}, but {attempt.agent or attempt.phase} says {said}"
                yield _report(handoff, proof, problem, f"{said} {name}", f"{shown} {name}", name)
    if counts.total is not None and counts.passed is not None and counts.failed is not None:
        parts = counts.passed + counts.failed + (counts.skipped or 0)
        if parts != counts.total:
            problem = f"does not add up: {parts} of {counts.total} tests are accounted for"
            yield _report(handoff, proof, problem, f"{counts.total} tests", f"{parts} tests", "sum")


def _report(
    handoff: Handoff, proof: Proof, problem: str, expected: str, actual: str, aspect: str = "content"
) -> RuleFinding:
    message = f"{handoff.id}: the proof {proof.path} {problem}"
    return RuleFinding(message, f"{proof.path} {aspect}", Place(path=proof.path), expected, actual)
