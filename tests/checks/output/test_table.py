from __future__ import annotations

import pytest

from handoff_tui.checks.output.table import build_progress_line, build_rule_table
from handoff_tui.core.severity import Severity
from tests.support.check_reports import build_rule
from tests.support.markdown import list_tables


def test_table_has_a_row_per_rule() -> None:
    """In the order given, with everything a reader asks for."""
    rules = (build_rule("tree-clean"), build_rule("briefing-fresh", Severity.LOW, "all"))
    [table] = list_tables(build_rule_table(rules))
    assert table[0] == ["id", "system", "severity", "blocks", "when", "reads", "holds when it passes", "remedy"]
    assert table[1][:5] == ["tree-clean", "A mosaic", "high", "yes", "pre, gate"]
    assert table[2][:4] == ["briefing-fresh", "all", "low", "no"]
    assert table[2][7] == "Write what is missing, then run handoff-tui check."


def test_rule_of_no_moment_has_a_dash() -> None:
    """An empty cell would look forgotten."""
    [table] = list_tables(build_rule_table((build_rule("x").model_copy(update={"moments": ()}),)))
    assert table[1][4] == "–"


@pytest.mark.parametrize(
    ("done", "total", "current", "line"),
    [
        (0, 4, "tree-clean", "checks ░░░░░░░░░░░░░░░░░░░░ 0/4  tree-clean"),
        (1, 4, None, "checks █████░░░░░░░░░░░░░░░ 1/4"),
        (4, 4, None, "checks ████████████████████ 4/4"),
        (0, 0, None, "checks ████████████████████ 0/0"),
        (1, 2, "a\x1b[2J\n", "checks ██████████░░░░░░░░░░ 1/2  a␛[2J "),
    ],
)
def test_progress_is_a_bar_and_numbers(done: int, total: int, current: str | None, line: str) -> None:
    """Never longer than its bar, and safe to write over."""
    assert build_progress_line(done, total, current) == line
