from __future__ import annotations

import json

import pytest

from handoff_tui.changes.snapshots.captured_reports import parse_coverage

DOCTYPE = b"<!DOCTYPE coverage SYSTEM 'http://example.org/coverage-04.dtd'>"


@pytest.mark.parametrize(
    ("path", "content", "measured"),
    [
        ("coverage.xml", b'<coverage line-rate="0.8543"/>', 8543),
        ("coverage.xml", DOCTYPE + b'<coverage line-rate="1"/>', 10_000),
        ("a/coverage.xml", b'<coverage line-rate="0.5" lines-covered="2" lines-valid="3"/>', 6666),
        ("coverage.xml", b'<coverage line-rate="0.25" lines-covered="0" lines-valid="0"/>', 2500),
        ("coverage.json", json.dumps({"totals": {"covered_lines": 7, "num_statements": 8}}).encode(), 8750),
        ("lcov.info", b"SF:a\nLF:10\nLH:5\nend_of_record\nSF:b\nLF:10\nLH:10\nend_of_record\n", 7500),
    ],
)
def test_coverage_is_read(path: str, content: bytes, measured: int) -> None:
    """In hundredths of a percent, from whole numbers where there are any."""
    assert parse_coverage(path, content) == measured


@pytest.mark.parametrize(
    ("path", "content", "words"),
    [
        ("coverage.xml", b"", "not XML"),
        ("coverage.xml", b"<report/>", "no Cobertura"),
        ("coverage.xml", b"<coverage/>", "no line rate"),
        ("coverage.xml", b'<coverage line-rate="NaN"/>', ""),
        ("coverage.xml", b'<coverage line-rate="7"/>', "not between"),
        ("coverage.xml", b'<!DOCTYPE x [<!ENTITY a "b">]><coverage/>', "entities"),
        ("coverage.xml", b'<?xml version="1.0" encoding="none"?><coverage/>', "not XML"),
        ("coverage.json", b"[", "not JSON"),
        ("coverage.json", b"[]", "no totals"),
        ("coverage.json", b'{"totals": {"covered_lines": 9, "num_statements": 8}}', "no totals"),
        ("coverage.json", b'{"totals": {"covered_lines": true, "num_statements": 8}}', "no totals"),
        ("lcov.info", b"", "counts no lines"),
        ("lcov.info", b"LF:1\nLH:2\n", "counts no lines"),
    ],
)
def test_report_without_coverage_says_why(path: str, content: bytes, words: str) -> None:
    """A text, never a number that nobody measured."""
    answer = parse_coverage(path, content)
    assert isinstance(answer, str)
    assert words in answer
