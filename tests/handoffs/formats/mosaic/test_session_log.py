from __future__ import annotations

import json

from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.mosaic.format import MOSAIC
from tests.support.memory_files import MemoryFiles, read_with

_PATH = ".mosaic/session_log.jsonl"


def test_session_log_shows_the_last_ten_entries_and_the_total() -> None:
    """At most ten entries, newest last, and a fact with how many there are."""
    lines = [
        json.dumps({"timestamp": f"t{n}", "agent": "robin", "mode": "BUILD", "action": f"a{n}"}) for n in range(13)
    ]
    handoff = read_with(MOSAIC, MemoryFiles({_PATH: "\n".join(lines)})).handoffs[0]
    entries = [fact for fact in handoff.facts if fact.name == "session log"]
    assert len(entries) == 10
    assert entries[0].value == "t3 robin BUILD a3"
    assert entries[-1].where is not None
    assert entries[-1].where.line == 13
    assert [fact.value for fact in handoff.facts if fact.name == "session log entries"] == ["13"]


def test_session_log_claims_commits_files_and_numbers() -> None:
    """Every entry counts for claims, each file once."""
    lines = [
        json.dumps({"agent": "r", "action": "x", "files": ["src/a.py"], "commit": "aaa1111"}),
        json.dumps(
            {"agent": "r", "action": "y", "files": ["src/a.py", "b.md"], "outcome": "Commit bbb2222; 3/3 tests passed"}
        ),
    ]
    handoff = read_with(MOSAIC, MemoryFiles({_PATH: "\n".join(lines)})).handoffs[0]
    assert [(claim.kind, claim.subject, claim.value, claim.where.line) for claim in handoff.claims] == [
        (ClaimKind.COMMIT, None, "aaa1111", 1),
        (ClaimKind.COMMIT, None, "bbb2222", 2),
        (ClaimKind.COUNT, "session_log.total", 3, 2),
        (ClaimKind.COUNT, "session_log.passed", 3, 2),
        (ClaimKind.FILE_REFERENCED, "src/a.py", None, 1),
        (ClaimKind.FILE_REFERENCED, "b.md", None, 2),
    ]


def test_session_log_reports_broken_lines_and_reads_the_rest() -> None:
    """A broken line is a problem at its line; the others are read."""
    shelf = MemoryFiles({_PATH: '{"agent": "r", "action": "x"}\n{"agent": \n[1]\n'})
    handoff = read_with(MOSAIC, shelf).handoffs[0]
    assert [problem.line for problem in shelf.source(_PATH).problems()] == [2, 3]
    assert [fact.value for fact in handoff.facts] == ["1", "r x"]
