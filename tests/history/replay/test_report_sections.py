"""What a report for an auditor says, in which order."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.history.replay.report import OtherDecision, Standing
from handoff_tui.history.replay.report_sections import Code, Section, Table, Text, build_report
from handoff_tui.log.show.by_hand import SCRIPT
from tests.support.replays import ENTRY, OTHER, build_approval, build_metrics_report, build_replay_report

BY_HAND = Path(__file__).resolve().parents[3] / "docs" / "verify-by-hand.md"


def find(sections: list[Section], title: str) -> Section:
    return next(section for section in sections if section.title.startswith(title))


def build(*standings: Standing) -> list[Section]:
    approvals = [build_approval(rules=standing) for standing in standings]
    return build_report(build_replay_report(*approvals), build_metrics_report())


def test_report_begins_with_the_summary_and_how_to_verify() -> None:
    """The name of the repository and not its place on this machine; the pin in the command."""
    sections = build(Standing.FAILS)
    assert [section.title for section in sections][:3] == [
        "Handoff decisions of lamp",
        "How to verify this",
        "Without handoff-tui",
    ]
    assert "/home/ada" not in str(sections)
    assert any(f"--pin {OTHER}" in line for line in _list_code(find(sections, "How to verify")))


def test_script_is_the_one_of_the_documents() -> None:
    """An auditor can compare it with docs/verify-by-hand.md."""
    code = "\n".join(_list_code(find(build(), "Without"))) + "\n"
    assert SCRIPT in code
    assert SCRIPT in BY_HAND.read_text(encoding="utf-8")


def test_every_approval_has_a_row_and_a_section() -> None:
    """With its entry, its digests, and each answer in words."""
    sections = build(Standing.FAILS, Standing.HOLDS)
    table = next(part for part in find(sections, "Approvals").parts if isinstance(part, Table))
    assert [row[0] for row in table.rows] == ["✗ fails", "✓ holds"]
    assert table.rows[0][-1] == ENTRY
    own = find(sections, "approve of H-1")
    assert any(isinstance(part, Text) and "today's rules: what is said" in part.text for part in own.parts)
    assert "No work has passed" in str(find(build(), "Approvals"))


def test_figures_and_entries_are_listed() -> None:
    """Every entry of the log with its state; figures with their sources."""
    sections = build(Standing.HOLDS)
    entries = next(part for part in find(sections, "Every entry").parts if isinstance(part, Table))
    assert [row[-1] for row in entries.rows] == [ENTRY, OTHER]
    assert entries.rows[1][0] == "refused: the signature does not fit"
    assert ENTRY in _list_code(find(sections, "Entries behind"))
    figures = next(part for part in find(sections, "Figures").parts if isinstance(part, Table))
    assert figures.rows[0][1] == "–"
    assert "bad-signature" in str(find(sections, "What verification found"))
    assert "1 refused" in str(sections[0])


def test_refused_entry_is_announced_as_bad_by_the_script() -> None:
    """With its reason; where none is refused, no line may be bad."""
    words = str(find(build(), "Without"))
    assert "cdcdcdcdcdcd (the signature does not fit)" in words
    assert "may show as BAD" in words
    clean = build_report(build_replay_report(entries=()), build_metrics_report())
    assert "No line of it should begin with BAD" in str(find(clean, "Without"))


def test_reasons_of_what_was_sent_back_are_told() -> None:
    """And where nothing was, that."""
    back = OtherDecision(
        entry=OTHER, verb="reject", actor="bob", time="T", handoff="H-1", phase="build", attempt=2, reason="no tests"
    )
    [table] = find(build_report(build_replay_report(others=(back,)), build_metrics_report()), "Sent back").parts
    assert isinstance(table, Table)
    assert table.rows == (("T", "bob", "reject", "H-1 · build · 2", "no tests", OTHER),)
    assert "Nothing was sent back" in str(find(build(), "Sent back"))


def test_withdrawn_approval_names_what_took_it_back() -> None:
    """Its questions are not asked."""
    taken_back = build_approval().model_copy(update={"withdrawn": OTHER, "answers": ()})
    sections = build_report(build_replay_report(taken_back), build_metrics_report())
    assert f"withdrawn by its maker with the entry {OTHER}" in str(find(sections, "approve of H-1"))
    assert "↶ withdrawn" in str(find(sections, "Approvals"))


def test_broken_log_is_said_first() -> None:
    """Nobody reads on as if it could be believed."""
    sections = build_report(build_replay_report(fatal=True, problems=()), build_metrics_report())
    assert "FATAL" in str(sections[0])
    assert "Nothing: every entry" in str(find(sections, "What verification"))


def _list_code(section: Section) -> list[str]:
    return [line for part in section.parts if isinstance(part, Code) for line in part.lines]
