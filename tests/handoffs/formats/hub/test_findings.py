from __future__ import annotations

import json

import pytest

from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.hub.format import HUB
from handoff_tui.handoffs.handoff import Handoff
from tests.support.memory_files import MemoryFiles, read_with


def _read(path: str, content: object) -> tuple[Handoff, list[str]]:
    shelf = MemoryFiles({path: json.dumps(content, indent=1)})
    return read_with(HUB, shelf).handoffs[0], [problem.message for problem in shelf.source(path).problems()]


@pytest.mark.parametrize("key", [None, "vulnerabilities", "findings", "bugs", "issues"])
def test_findings_are_read_from_every_shape(key: str | None) -> None:
    """A bare list and a list under any known name give the same findings."""
    listed = [
        {"id": "F1", "title": "Open flame", "severity": "HIGH", "file": "lamp.py", "line": 4, "status": "open"},
        {"name": "Soot", "severity": "moderate", "location": "glass.py:7"},
        "Loose lid",
    ]
    handoff, problems = _read("bugs.json", listed if key is None else {key: listed})
    assert handoff.id == "bugs"
    assert [(found.id, found.title, found.severity, found.file, found.line) for found in handoff.findings] == [
        ("F1", "Open flame", Severity.HIGH, "lamp.py", 4),
        ("finding-2", "Soot", Severity.MEDIUM, "glass.py", 7),
        ("finding-3", "Loose lid", None, None, None),
    ]
    assert problems == []


def test_findings_that_disagree_with_their_summary_are_reported() -> None:
    """Numbers of the summary are compared with the list, one by one."""
    content = {
        "summary": {"critical": 1, "high": 1, "low": 0, "total": 3, "files_scanned": 9},
        "vulnerabilities": [{"title": "a", "severity": "high"}, {"title": "b", "severity": "high"}],
    }
    _, problems = _read("security_report.json", content)
    assert problems == [
        "summary.critical is 1, but the list has 0",
        "summary.high is 1, but the list has 2",
        "summary.total is 3, but the list has 2",
    ]


def test_findings_against_a_pass_are_reported() -> None:
    """A report that passes with open critical or high findings contradicts itself; fixed ones do not count."""
    severe = {"title": "a", "severity": "critical"}
    handoff, problems = _read("security_report.json", {"status": "pass", "findings": [severe]})
    assert [(claim.kind, claim.subject, claim.value) for claim in handoff.claims] == [
        (ClaimKind.CHECK, "security report", "pass")
    ]
    assert problems == ["says pass, but lists 1 open findings that are critical or high"]
    _, problems = _read("security_report.json", {"status": "pass", "findings": [{**severe, "status": "fixed"}]})
    assert problems == []


def test_findings_with_wrong_content_are_reported() -> None:
    """An unknown severity is left out with a problem; an element of another type too."""
    handoff, problems = _read("security_report.json", {"findings": [{"title": "a", "severity": "spicy"}, 5]})
    assert [found.severity for found in handoff.findings] == [None]
    assert problems == [
        "severity is none of critical, high, medium, low: spicy",
        "findings[1] should be an object, but is a number",
    ]


def test_findings_place_may_be_an_object() -> None:
    """A location with file and line inside is read."""
    handoff, _ = _read("bugs.json", [{"title": "a", "severity": "low", "location": {"file": "x.py", "line": "12"}}])
    assert (handoff.findings[0].file, handoff.findings[0].line) == ("x.py", 12)
