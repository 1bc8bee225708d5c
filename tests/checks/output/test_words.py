from __future__ import annotations

import pytest

from handoff_tui.checks.output.words import (
    describe_numbers,
    describe_place,
    find_relative_path,
    list_commands,
    list_details,
    list_messages,
    list_notes,
    map_rules,
)
from handoff_tui.checks.result import Evidence, Finding, Outcome, Remedy
from tests.support.check_reports import build_report, build_result, build_rule

EVIL = "\x1b[2J"


def test_numbers_are_told_in_one_line() -> None:
    """Passed of all that apply, and the warnings."""
    report = build_report(build_result(), build_result("b", Outcome.FAIL, blocking=False))
    assert describe_numbers(report) == "1/2 passed, 1 warning"


def test_place_has_a_line_where_one_is_known() -> None:
    """Without a path there is no place."""
    assert describe_place(Evidence(path="a.md", line=3)) == "a.md:3"
    assert describe_place(Evidence(path=f"a{EVIL}.md")) == "a␛[2J.md"
    assert describe_place(Evidence(line=3)) is None


def test_details_are_place_then_values() -> None:
    """Each value is cut where asked; a piece of evidence without anything says nothing."""
    evidence = (
        Evidence(path="a.md", line=3, expected="x" * 9, actual=EVIL),
        Evidence(actual="only this"),
        Evidence(),
    )
    finding = Finding(message="m", fingerprint="f", evidence=evidence)
    assert list_details(finding, 5) == ["at a.md:3", "expected: xxxx…, actual: ␛[2J", "actual: only…"]
    assert list_details(finding)[1] == f"expected: {'x' * 9}, actual: ␛[2J"


def test_commands_are_those_of_the_remedy() -> None:
    """None where there is no remedy."""
    assert list_commands(build_result(remedy=Remedy(text="t", commands=("a", f"b{EVIL}")))) == ["a", "b␛[2J"]
    assert list_commands(build_result()) == []


def test_notes_tell_how_a_result_came_about() -> None:
    """From the cache, by luck, or because something changed; mostly nothing."""
    assert list_notes(build_result()) == []
    noted = build_result().model_copy(
        update={"from_cache": True, "flaky": True, "rerun_because": f"a.md{EVIL} changed"}
    )
    assert list_notes(noted) == [
        "cached",
        "flaky: the same inputs had another outcome before",
        "ran: a.md␛[2J changed",
    ]


def test_messages_are_the_findings_or_the_summary() -> None:
    """Something is always said."""
    found = build_result("a", Outcome.FAIL, Finding(message="one", fingerprint="1"))
    assert list_messages(found) == ["one"]
    assert list_messages(build_result(summary=f"all is well{EVIL}")) == ["all is well␛[2J"]


def test_rules_are_found_by_their_id() -> None:
    """As the report lists them."""
    rule = build_rule("ledger-exists")
    assert map_rules(build_report(rules=(rule,))) == {"ledger-exists": rule}


@pytest.mark.parametrize(
    ("path", "repository", "inside"),
    [
        ("a.md", "/r", "a.md"),
        ("/r/deep/a.md", "/r", "deep/a.md"),
        ("/r/a.md", "/r/", "a.md"),
        ("/other/a.md", "/r", None),
        ("/rest/a.md", "/r", None),
        ("../a.md", "/r", None),
        ("a/../../b", "/r", None),
        ("", "/r", None),
        ("/r/", "/r", None),
        ("/a.md", "/", None),
    ],
)
def test_path_is_told_inside_the_repository_or_not_at_all(path: str, repository: str, inside: str | None) -> None:
    """Tools that show results open files by it."""
    assert find_relative_path(path, repository) == inside
