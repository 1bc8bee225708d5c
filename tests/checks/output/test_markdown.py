from __future__ import annotations

from handoff_tui.checks.output.markdown import render_check_markdown
from handoff_tui.checks.result import Outcome, Remedy
from tests.support.check_reports import build_blocked_report, build_findings, build_report, build_result
from tests.support.markdown import list_tables


def test_table_has_a_row_for_each_open_check_and_each_pass() -> None:
    """What is open first, worst first; what passed is folded away."""
    still_open, passed = list_tables(render_check_markdown(build_blocked_report()))
    assert [row[1] for row in still_open[1:3]] == ["referenced-files-exist", "nothing-unpushed"]
    assert (len(still_open), len(passed)) == (9, 3)
    assert "<details>\n<summary>2 passed</summary>\n\n|" in render_check_markdown(build_blocked_report())


def test_details_hold_findings_and_commands() -> None:
    """Each open check has what was found, and what to do."""
    text = render_check_markdown(build_blocked_report())
    assert "- notes/figs.md is named and not there\n  - at `state/ledger.json:16`; expected `a file`" in text
    assert "**Action required:** Push the branch.\n\n```sh\ngit push origin harvest\n```" in text


def test_many_findings_are_cut_and_counted() -> None:
    """A comment stays readable."""
    text = render_check_markdown(build_report(build_result("x", Outcome.FAIL, *build_findings(23))))
    assert "- … and 3 more" in text
    assert "row 21" not in text


def test_command_cannot_close_its_fence() -> None:
    """The fence is longer than any run of backticks inside."""
    remedy = Remedy(text="Run it.", commands=("echo ````", "```"))
    text = render_check_markdown(build_report(build_result("x", Outcome.FAIL, remedy=remedy)))
    assert "`````sh\necho ````\n```\n`````" in text


def test_all_passed_has_no_open_table() -> None:
    """Nothing open, nothing shown as open."""
    text = render_check_markdown(build_report(build_result()))
    assert text.startswith("## ✓ pass: 1/1 passed, 0 warnings")
    assert len(list_tables(text)) == 1
