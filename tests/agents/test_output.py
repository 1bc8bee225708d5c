from __future__ import annotations

from handoff_tui.agents.output import open_output
from tests.support.stepping import WORK, Stepping


def test_output_of_a_run_is_read_by_lines(stepping: Stepping) -> None:
    """As it was printed, and searched."""
    report = stepping.teach(f"{WORK}; seq 1 5000").step()
    reader = open_output(stepping.desk(), report.key)
    reader.advance()
    assert reader.line_count == 5001
    assert reader.read_lines(4999, 2) == ["4999", "5000"]
    assert reader.find("777") == 777
