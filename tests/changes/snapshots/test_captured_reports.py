from __future__ import annotations

import json

import pytest

from handoff_tui.changes.snapshots.captured_reports import parse_coverage
from handoff_tui.changes.snapshots.snapshot import Snapshot, TestOutcome
from tests.support.captures import capture_repository
from tests.support.repositories import RepositoryBuilder

ONE = '<testsuite><testcase name="one"/></testsuite>'

ONE_FAILS = '<testsuite><testcase name="one"><failure/></testcase></testsuite>'


def capture(builder: RepositoryBuilder, settings: str = "") -> Snapshot:
    return capture_repository(builder.write("handoff-tui.toml", settings)).snapshot


def test_reports_of_all_kinds_are_read(builder: RepositoryBuilder) -> None:
    """JUnit, TAP and pytest's JSON, committed, untracked or ignored."""
    report = {"tests": [{"nodeid": "t.py::three", "outcome": "skipped"}]}
    builder.write("junit.xml", ONE).commit().write(".gitignore", "*.tap\n").write(
        "deep/run.tap", "1..1\nnot ok 1 two\n"
    )
    snapshot = capture(builder.write(".report.json", json.dumps(report)))
    assert snapshot.tests == {
        "one": TestOutcome.PASS,
        "t::three": TestOutcome.SKIPPED,
        "two": TestOutcome.FAIL,
    }
    assert list(snapshot.reports) == [".report.json", "deep/run.tap", "junit.xml"]


def test_disagreeing_reports_are_noted(builder: RepositoryBuilder) -> None:
    """The worse outcome counts."""
    snapshot = capture(builder.write("junit.xml", ONE).write("sub/junit.xml", ONE_FAILS).commit())
    assert snapshot.tests == {"one": TestOutcome.FAIL}
    assert [unread.path for unread in snapshot.unread] == ["sub/junit.xml"]


def test_report_that_is_not_whole_is_noted_and_read(builder: RepositoryBuilder) -> None:
    """What it has counts; that it has not all is said."""
    snapshot = capture(builder.write("run.tap", "1..3\nok 1 a\n").commit())
    assert snapshot.tests == {"a": TestOutcome.PASS}
    assert "3 tests" in snapshot.unread[0].reason


def test_other_patterns_find_other_reports(builder: RepositoryBuilder) -> None:
    """The configuration says which files are reports."""
    snapshot = capture(
        builder.write("junit.xml", ONE).write("out/tests.xml", ONE_FAILS).commit(),
        '[baseline]\nreports = ["out/*.xml"]\n',
    )
    assert list(snapshot.reports) == ["out/tests.xml"]


def test_reports_beyond_the_limit_are_said(builder: RepositoryBuilder) -> None:
    """The first in order of path are read."""
    for name in "abc":
        builder.write(f"{name}/junit.xml", ONE)
    snapshot = capture(builder.commit(), "[baseline]\nreports_maximum = 1\n")
    assert list(snapshot.reports) == ["a/junit.xml"]
    assert [(unread.path, unread.reason) for unread in snapshot.unread] == [
        ("b/junit.xml", "is one of 2 test reports beyond the limit of 1")
    ]


def test_report_that_is_too_large_is_named(builder: RepositoryBuilder) -> None:
    """Whether it is in the tree or ignored."""
    builder.write("junit.xml", ONE).write(".gitignore", "*.tap\n").commit().write("x.tap", "1..0" + " " * 50)
    snapshot = capture(builder, "[baseline]\nreport_bytes = 20\n")
    assert snapshot.tests == {}
    assert [unread.path for unread in snapshot.unread] == ["junit.xml", "x.tap"]


def test_crowded_ignored_folders_are_said(builder: RepositoryBuilder) -> None:
    """Reports that were not looked for are not taken for absent."""
    builder.write(".gitignore", "out/\n").commit()
    for number in range(5):
        builder.write(f"out/{number}")
    snapshot = capture(builder, "[baseline]\nentries_maximum = 3\n")
    assert "more than 3 entries" in snapshot.unread[0].reason


def test_first_coverage_report_that_says_something_counts(builder: RepositoryBuilder) -> None:
    """In the order of the patterns; one that says nothing is noted."""
    builder.write("coverage.xml", "<html/>").write("lcov.info", "LF:4\nLH:1\n").write("a/lcov.info", "LF:1\nLH:1\n")
    snapshot = capture(builder.commit())
    assert snapshot.measures["coverage_basis_points"] == 2500
    assert [unread.path for unread in snapshot.unread] == ["coverage.xml"]


def test_link_is_no_report(builder: RepositoryBuilder) -> None:
    """A link that leads out of the repository is not followed."""
    snapshot = capture(builder.link("junit.xml", "/etc/hostname").commit())
    assert snapshot.tests == {}
    assert [unread.path for unread in snapshot.unread] == ["junit.xml"]


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
