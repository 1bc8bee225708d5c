"""Whatever stands in a report, each format stays what it is."""

from __future__ import annotations

import json
import re
import unicodedata
from xml.etree.ElementTree import fromstring

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from handoff_tui.checks.output.formats import (
    render_check_github,
    render_check_junit,
    render_check_markdown,
    render_check_tap,
)
from handoff_tui.checks.output.json import build_check_json, render_check_jsonl
from handoff_tui.checks.output.page import build_check_page
from handoff_tui.checks.output.sarif import build_check_sarif
from handoff_tui.checks.report import CheckReport, Outcome, RuleInfo
from handoff_tui.cli.progress import build_progress_line
from handoff_tui.core.text.markdown_text import render_code, render_markdown
from handoff_tui.core.text.safe_text import has_hidden_characters, render_safe
from tests.support.check_reports import nasty_reports, nasty_rules, nasty_texts
from tests.support.checks_document import build_rule_table
from tests.support.desk_states import render_page
from tests.support.report_formats import (
    SARIF_SCHEMA,
    list_faults,
    list_tables,
    read_directive,
    read_markdown,
    read_tap,
    read_words,
)


def assert_printable(text: str) -> None:
    """No control but the line feed, and bytes for every character."""
    text.encode("utf-8")
    assert not has_hidden_characters(text)
    assert all(unicodedata.category(character) != "Cc" or character == "\n" for character in text)


@given(nasty_reports(), st.booleans())
def test_page_is_safe_to_draw(report: CheckReport, everything: bool) -> None:  # noqa: FBT001 - hypothesis gives it
    """No cell holds a line end or anything hidden."""
    page = build_check_page(report, everything=everything)
    text = render_page(page)
    assert_printable(text)
    assert text.count("\n") == len(page.parts) - 1


@given(nasty_reports())
def test_json_gives_back_what_went_in(report: CheckReport) -> None:
    """Text is escaped, never changed, and ASCII on the wire."""
    value = json.loads(json.dumps(build_check_json(report)))
    assert [result["summary"] for result in value["results"]] == [result.summary for result in report.results]
    text = render_check_jsonl(report)
    assert text.isascii()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["type"] for line in lines] == ["result"] * len(report.results) + ["summary"]
    assert [line["id"] for line in lines[:-1]] == [result.id for result in report.results]


@given(nasty_reports())
def test_junit_parses_and_fits_its_schema(report: CheckReport) -> None:
    """One case per result, whatever it says."""
    text = render_check_junit(report)
    assert_printable(text)
    root = fromstring(text.encode())  # noqa: S314 - our own output
    assert list_faults(root) == []
    assert [case.attrib["name"] for case in root.iter("testcase")] == [
        render_safe(result.id) for result in report.results
    ]


@given(nasty_reports())
def test_sarif_fits_its_schema(report: CheckReport) -> None:
    """Every text and every path, in every field."""
    log = json.loads(json.dumps(build_check_sarif(report, "1.2.3")))
    Draft7Validator(SARIF_SCHEMA).validate(log)
    texts = [entry["message"]["text"] for entry in log["runs"][0]["results"]]
    for text in texts:
        assert not re.search(r"(?<!\{)(?:\{\{)*\{\d+\}", text)
        assert not re.search(r"(?<!\\)\]\(", text)
        assert_printable(text)


@given(nasty_reports())
def test_tap_has_a_point_per_result(report: CheckReport) -> None:
    """A strict reader finds each point, its directive, and YAML that says what was found."""
    text = render_check_tap(report)
    assert_printable(text)
    points = read_tap(text)
    assert len(points) == len(report.results)
    for point, result in zip(points, report.results, strict=True):
        assert read_directive(point.line) in {None, "SKIP", "TODO"}
        failing = point.line.startswith("not ok") and read_directive(point.line) is None
        assert failing == (result.blocking and result.outcome not in {Outcome.PASS, Outcome.NOT_APPLICABLE})
        if point.diagnostics is not None:
            assert point.diagnostics["message"] == render_safe(result.summary)


@given(nasty_reports())
def test_github_lines_are_commands_of_ours(report: CheckReport) -> None:
    """Each line is one command with our properties only, at most ten of a kind."""
    lines = render_check_github(report).split("\n")
    shape = re.compile(r"::(error|warning|notice) (file=[^,:]*,(line=\d+,)?)?title=[^,:]*::.*")
    kinds = [match.group(1) for line in lines if (match := shape.fullmatch(line))]
    assert len(kinds) == len(lines)
    assert all(kinds.count(kind) <= 10 for kind in set(kinds))
    for line in lines:
        assert_printable(line)
        assert not re.search("%(?!25|0A|3A|2C)", line)


@given(nasty_reports())
def test_markdown_tables_keep_their_columns(report: CheckReport) -> None:
    """Rows and columns are as many as they should be, and no markup comes from the report."""
    text = render_check_markdown(report)
    assert_printable(text)
    tables = list_tables(text)
    rows = len(report.blocking_failures) + len(report.warned)
    assert [len(table) - 1 for table in tables] == [number for number in (rows, len(report.passing)) if number]
    assert {len(row) for table in tables for row in table} <= {5}
    kinds = {child.type for token in read_markdown(text) for child in token.children or ()}
    assert not kinds & {"link_open", "image", "em_open", "s_open"}
    blocks = [token for token in read_markdown(text) if token.type in {"html_block", "heading_open"}]
    assert len(blocks) == 1 + rows + 2 * bool(report.passing)


@given(st.lists(nasty_rules(), max_size=3))
def test_rule_table_keeps_its_columns(rules: list[RuleInfo]) -> None:
    """One row per rule, eight columns each."""
    [table] = list_tables(build_rule_table(rules))
    assert [len(row) for row in table] == [8] * (len(rules) + 1)


@given(nasty_texts())
def test_markdown_reader_sees_the_text(text: str) -> None:
    """What a reader sees is the text made safe, as words and as code."""
    [_, words, _] = read_markdown(f"x {render_markdown(text)}")
    seen = read_words(words)
    assert seen.removeprefix("x").split() == re.sub(r"(?<!`)`([^`]+)`(?!`)", r"\1", render_safe(text)).split()
    [_, code, _] = read_markdown(f"x {render_code(text)}")
    assert read_words(code).removeprefix("x").split() == (render_safe(text).split() or ["–"])


@given(st.integers(0, 500), st.integers(0, 500), nasty_texts())
def test_progress_is_one_line(done: int, total: int, current: str) -> None:
    """It is written over itself, so it must not break."""
    line = build_progress_line(done, total, current)
    assert_printable(line)
    assert "\n" not in line
