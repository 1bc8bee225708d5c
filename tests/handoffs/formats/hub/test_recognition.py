from __future__ import annotations

import pytest

from handoff_tui.handoffs.formats.hub.format import recognise
from handoff_tui.handoffs.reading.format import CERTAIN, LIKELY, NO, POSSIBLE, Source, SourceFile

_HEAD = "Generated: 2031-02-03 04:05:06\nRun ID: 12 | Project: Lantern | Task: T007\n"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("HANDOFF_12_T007.md", f"# Handoff Context\n{_HEAD}", CERTAIN),
        ("docs/context.md", f"\n# WorkCycle Context\n{_HEAD}", CERTAIN),
        ("WORK_CYCLE_0_T009.md", "# WorkCycle Context\nRun 0 not found.", CERTAIN),
        ("HANDOFF_12_T007.md", "# Handoff Context\nGenera", LIKELY),
        ("docs/context.md", "# Handoff Context\n\nFreely told.", NO),
        ("HANDOFF_12_T007.md", "# Something else\n", NO),
        ("HANDOFF_12_T007.md", "", POSSIBLE),
        ("HANDOFF.md", "", NO),
        ("todo.json", '{"project": "Lantern", "tasks": [{"id": 1, "title": "wick"}]}', CERTAIN),
        ("todo.json", '{"tasks": [{"id": 1, "title": "wick"}]}', LIKELY),
        ("todo.json", '{"tasks": [{"cron": "* *"}]}', NO),
        ("todo.json", '["milk"]', NO),
        ("todo.json", '{"tasks": [', POSSIBLE),
        ("handoffs/a.json", '{"from_role": "DEV", "to_role": "QA", "status": "pending"}', CERTAIN),
        ("handoffs/a.json", '[{"from_role": "DEV", "to_role": "QA", "stage": "qa"}]', CERTAIN),
        ("handoffs/a.json", '{"work_cycles": [{"from_role": "DEV", "to_role": "QA", "stage": "qa"}]}', CERTAIN),
        ("handoffs/a.json", '{"from": "here"}', NO),
        ("handoffs/a.json", "{", NO),
        ("security_report.json", '{"vulnerabilities": [{"severity": "low"}]}', CERTAIN),
        ("security_report.json", '{"vulnerabilities": []}', LIKELY),
        ("security_report.json", '{"colour": "red"}', NO),
        ("bugs.json", '[{"title": "x", "severity": "low"}]', CERTAIN),
        ("bugs.json", "[]", POSSIBLE),
        ("bugs.json", "[1, 2]", NO),
        ("runs/12/qa_report.json", '{"role": "QA", "status": "pass", "summary": "ok"}', LIKELY),
        ("runs/12/qa_report.json", '{"role": "QA", "status": "shiny", "summary": "ok"}', NO),
    ],
)
def test_recognise_judges_by_content(path: str, text: str, expected: float) -> None:
    """Content decides; a name alone never gives more than possible, foreign content nothing."""
    assert recognise(Source.of_text(path, text)) == expected


def test_recognise_keeps_an_unreadable_file_of_its_name() -> None:
    """A file that cannot be read is shown under the dialect whose name it bears."""
    assert recognise(Source(SourceFile("HANDOFF_12_T007.md", "", readable=False))) == POSSIBLE
    assert recognise(Source(SourceFile("docs/context.md", "", readable=False))) == NO
