from __future__ import annotations

import pytest

from handoff_tui.checks.rules.hub.proofs import is_picture, parse_result
from handoff_tui.core.tasks import TestCounts


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
