from __future__ import annotations

import json

from handoff_tui.checks.output.json import build_check_json, render_check_jsonl
from handoff_tui.checks.result import CheckResult
from tests.support.check_reports import build_blocked_report, build_report, build_result

PROMISED = {"mode", "verdict", "passed", "total", "warnings", "results"}
PROMISED_OF_A_RESULT = {
    "id", "outcome", "severity", "blocking", "summary", "findings", "remedy", "from_cache", "duration",
}  # fmt: skip


def test_promised_fields_are_there() -> None:
    """The public shape, with its schema."""
    report = build_blocked_report()
    value = json.loads(json.dumps(build_check_json(report)))
    assert value["schema"] == "handoff-tui/check/v1"
    assert value.keys() >= PROMISED
    assert (value["mode"], value["verdict"], value["passed"], value["total"]) == ("pre", "blocked", 2, 10)
    for result in value["results"]:
        assert result.keys() >= PROMISED_OF_A_RESULT
    [referenced] = [result for result in value["results"] if result["id"] == "referenced-files-exist"]
    assert referenced["findings"][0]["evidence"][0] == {
        "path": "state/ledger.json", "line": 10, "expected": "a file", "actual": "nothing",
    }  # fmt: skip
    assert referenced["remedy"]["commands"] == ["git status", "ls notes"]
    assert value["trust"] == {"digest": "sha256:" + "0f" * 32, "trusted": False}


def test_every_field_of_a_result_is_told() -> None:
    """A field added to the model is not forgotten here. When a check ran is for the screen: it is no result."""
    [result] = json.loads(json.dumps(build_check_json(build_report(build_result()))))["results"]
    assert result.keys() == set(CheckResult.model_fields) - {"ran_at"}


def test_what_is_not_known_is_null() -> None:
    """No guess in place of a value."""
    value = build_check_json(build_report(build_result()).model_copy(update={"head": None}))
    assert [value[name] for name in ("head", "baseline", "baseline_reason", "handoff", "trust")] == [None] * 5


def test_lines_are_results_and_a_summary() -> None:
    """One object a line; the last sums up."""
    report = build_blocked_report()
    lines = [json.loads(line) for line in render_check_jsonl(report).splitlines()]
    assert [line["type"] for line in lines] == ["result"] * len(report.results) + ["summary"]
    assert [line["id"] for line in lines[:-1]] == [result.id for result in report.results]
    assert (lines[-1]["verdict"], lines[-1]["warnings"]) == ("blocked", 4)
