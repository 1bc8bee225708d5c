"""What the bytes of a proof say: whether a picture is one, and what a test result holds."""

from __future__ import annotations

import json
import re

from handoff_tui.checks.facts.reports import TestReport, parse_junit, parse_tap
from handoff_tui.checks.result import Outcome
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import TestCounts

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
    """Whether the content begins as its name says; nothing for an ending that is not known."""
    ending = "." + path.rpartition(".")[2].lower()
    if ending == ".svg":
        return _SVG.search(content) is not None
    if ending not in _MAGIC:
        return None
    if ending == ".webp" and content[8:12] != b"WEBP":
        return False
    return content.startswith(_MAGIC[ending])


def parse_result(path: str, content: bytes) -> TestCounts | None:
    """The numbers of a test result: JUnit, JSON, TAP, or the closing lines of a test runner."""
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
    """`35 passed, 2 skipped`, or the closing lines of unittest."""
    ran = _RAN.search(text)
    pairs = [(word, number) for number, word in _WORDS.findall(text)]
    found = _add_up(_UNITTEST.findall(text) if ran else pairs)
    if ran is not None:
        found = {"failed": 0, **found, "total": int(ran[1])}
    return TestCounts(**found) if found else None


def _count_cases(report: TestReport) -> TestCounts | None:
    if report.problem is not None or not report.cases:
        return None
    skipped = sum(case.outcome is Outcome.SKIPPED for case in report.cases)
    failed = len(report.failing())
    total = len(report.cases)
    return TestCounts(total=total, passed=total - failed - skipped, failed=failed, skipped=skipped)


def _parse_json(text: str) -> TestCounts | None:
    try:
        root = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    holders = (
        [root, *(root.get(key) for key in ("summary", "totals", "stats", "results"))] if isinstance(root, dict) else []
    )
    for holder in holders:
        if isinstance(holder, dict):
            found = _add_up([(key.lower(), value) for key, value in holder.items() if _is_count(value)])
            if found.keys() & {"passed", "failed"}:
                return TestCounts(**found)
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
