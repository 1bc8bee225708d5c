from __future__ import annotations

import json

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.hub.proofs import PROOFS_EXIST_AND_MATCH, is_picture, parse_result
from handoff_tui.core.tasks import TestCounts
from tests.support.memory_files import MemoryFiles
from tests.support.world import MemoryWorld, find_subjects

CONTEXT = "HANDOFF_3_T070.md"
HEAD = "# Handoff Context\nRun ID: 3 | Project: Boats | Task: T070\n\n"


def told(summary: str, status: str = "pass") -> str:
    return f"{HEAD}### QA Agent (now)\n**Status**: {status}\n**Summary**: {summary}\n"


def subjects(files: dict[str, str | bytes]) -> list[str]:
    """Pictures are bytes, which the shelf of the dialects lists by name only."""
    names = {path: content if isinstance(content, str) else "binary" for path, content in files.items()}
    world = MemoryWorld(files, shelf=MemoryFiles(names))
    return find_subjects(PROOFS_EXIST_AND_MATCH, world)


def test_proofs_that_are_what_they_say_pass() -> None:
    """A picture with a header, a log with lines, a result that agrees."""
    assert (
        subjects(
            {
                CONTEXT: told("35 passed, see proofs/T070/page.png"),
                "proofs/T070/page.png": b"\x89PNG\r\n\x1a\n rest",
                "proofs/T070/page.jpg": b"\xff\xd8\xff\xe0 rest",
                "proofs/T070/server.log": "start\n",
                "proofs/T070/test_results.json": '{"total": 37, "passed": 35, "failed": 0, "skipped": 2}',
            }
        )
        == []
    )


def test_proof_that_is_named_and_missing_is_found() -> None:
    """In what an agent reported; what the next one is told to make is not named yet."""
    text = told("done, see proofs/T070/page.png") + "\n## Your Deliverables\n- Save proofs/T070/later.png\n"
    assert subjects({CONTEXT: text}) == ["missing proofs/T070/page.png"]


def test_proof_that_a_report_lists_and_is_missing_is_found() -> None:
    """Under the keys that the settings name."""
    report = {"role": "qa", "task": "T070", "status": "pass", "summary": "ok", "screenshots": ["shots/a.png"]}
    assert subjects({CONTEXT: told("done"), "reports/qa_report.json": json.dumps(report)}) == ["missing shots/a.png"]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("proofs/T070/page.png", b""),
        ("proofs/T070/page.png", b"\xff\xd8\xff\xe0 a photo"),
        ("proofs/T070/page.png", b"<html>error</html>"),
        ("proofs/T070/page.gif", b"\x89PNG\r\n\x1a\n"),
        ("proofs/T070/page.jpeg", b"GIF89a"),
        ("proofs/T070/server.log", b"\n \n"),
        ("proofs/T070/test_results.json", b"{broken"),
        ("proofs/T070/test_results.json", b'{"note": "all fine"}'),
    ],
)
def test_proof_that_is_empty_or_something_else_is_found(path: str, content: bytes) -> None:
    """Nothing in it, another picture than its name says, no picture, no result."""
    assert subjects({CONTEXT: told("done"), path: content}) == [f"{path} content"]


@pytest.mark.parametrize(
    ("summary", "content", "aspects"),
    [
        ("done", '{"total": 10, "passed": 8, "failed": 2}', ["content"]),
        ("12 passed", '{"total": 10, "passed": 10, "failed": 0}', ["passed"]),
        ("done", '{"total": 10, "passed": 5, "failed": 0}', ["sum"]),
    ],
)
def test_proof_of_tests_that_disagrees_is_found(summary: str, content: str, aspects: list[str]) -> None:
    """Failures beside a pass, other numbers than claimed, numbers that do not add up."""
    path = "proofs/T070/test_results.json"
    assert subjects({CONTEXT: told(summary), path: content}) == [f"{path} {aspect}" for aspect in aspects]


def test_proof_of_failures_agrees_with_a_failure() -> None:
    """Who says fail may show failures."""
    files: dict[str, str | bytes] = {
        CONTEXT: told("done", "fail"),
        "proofs/T070/junit.xml": '<testsuite><testcase name="a"><failure/></testcase></testsuite>',
    }
    assert subjects(files) == []


def test_proofs_are_not_asked_for_where_none_is_named() -> None:
    """Neither offered nor named."""
    with pytest.raises(NotApplicableError):
        subjects({CONTEXT: told("done")})


@pytest.mark.parametrize(
    ("path", "content", "answer"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n", True),
        ("a.PNG", b"\x89PNG\r\n\x1a\n", True),
        ("a.jpg", b"\xff\xd8\xff\xe0", True),
        ("a.gif", b"GIF89a", True),
        ("a.bmp", b"BM..", True),
        ("a.webp", b"RIFF....WEBPVP8 ", True),
        ("a.webp", b"RIFF....WAVEfmt ", False),
        ("a.svg", b'<?xml version="1.0"?><svg xmlns="x">', True),
        ("a.svg", b"<html>", False),
        ("a.png", b"\x89PNG", False),
        ("a.tiff", b"II*\x00", None),
    ],
)
def test_pictures_are_told_by_their_first_bytes(path: str, content: bytes, *, answer: bool | None) -> None:
    """Each by its own; an ending that is not known is not judged."""
    assert is_picture(path, content) is answer


@pytest.mark.parametrize(
    ("path", "content", "counts"),
    [
        ("a.json", b'{"summary": {"total": 3, "passed": 2, "failed": 1}}', TestCounts(total=3, passed=2, failed=1)),
        ("a.json", b'{"passed": true}', None),
        ("a.json", b"[]", None),
        ("a.txt", b"= 3 passed, 1 failed, 2 skipped in 1s =", TestCounts(passed=3, failed=1, skipped=2)),
        ("a.txt", b"Ran 4 tests in 1s\n\nFAILED (failures=1, errors=1)\n", TestCounts(total=4, failed=2)),
        ("a.txt", b"Ran 4 tests in 1s\n\nOK\n", TestCounts(total=4, failed=0)),
        ("a.log", b"all is well", None),
        ("a.tap", b"1..2\nok 1 - a\nnot ok 2 - b\n", TestCounts(total=2, passed=1, failed=1, skipped=0)),
        (
            "a.xml",
            b"<testsuite><testcase name='a'/><testcase name='b'><skipped/></testcase></testsuite>",
            TestCounts(total=2, passed=1, failed=0, skipped=1),
        ),
        ("a.xml", b"<html/>", None),
    ],
)
def test_results_are_read_in_every_form(path: str, content: bytes, counts: TestCounts | None) -> None:
    """JSON, closing lines of runners, TAP and JUnit; nothing where there are no numbers."""
    assert parse_result(path, content) == counts
