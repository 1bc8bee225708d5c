"""Several results for one handoff."""

from __future__ import annotations

from handoff_tui.config.settings.root import Builder
from handoff_tui.handoffs.formats.builder.draft import NumberedResults, number_results
from handoff_tui.handoffs.formats.builder.grouping import group_files
from handoff_tui.handoffs.handoff import DocumentRole
from handoff_tui.handoffs.reading.format import Source, SourceFile


def _results(status: str, more: str = "") -> str:
    return f"# Results: HANDOFF-7\n\n**Agent**: Ada\n**Date**: 2031-01-02\n{more}\n## Status: {status}\n"


def _number(sources: list[Source]) -> list[NumberedResults]:
    [group], _ = group_files(sources)
    return number_results(group.of(DocumentRole.RESULTS), Builder())


def _tell(files: dict[str, str]) -> list[tuple[int, str | None]]:
    numbered = _number([Source.of_text(path, text) for path, text in files.items()])
    return [(results.number, results.reading.status) for results in numbered]


def test_results_without_a_number_are_newer_than_the_first_attempt() -> None:
    """They take the lowest number that is free."""
    files = {"RESULTS_HANDOFF_7.md": _results("PASS"), "RESULTS_HANDOFF_7_ATTEMPT_1.md": _results("FAIL")}
    assert _tell(files) == [(1, "FAIL"), (2, "PASS")]


def test_results_alone_are_the_first_attempt() -> None:
    """Nothing was before them."""
    assert _tell({"RESULTS_HANDOFF_7.md": _results("PASS")}) == [(1, "PASS")]


def test_gaps_between_attempts_are_filled() -> None:
    """1 and 3 are stated; the one that says nothing is 2, the next such is 4."""
    files = {
        "RESULTS_HANDOFF_7_ATTEMPT_1.md": _results("FAIL"),
        "RESULTS_HANDOFF_7_ATTEMPT_3.md": _results("PARTIAL"),
        "a/RESULTS_HANDOFF_7.md": _results("PASS"),
        "b/RESULTS_HANDOFF_7.md": _results("BLOCKED"),
    }
    assert _tell(files) == [(1, "FAIL"), (2, "PASS"), (3, "PARTIAL"), (4, "BLOCKED")]


def test_number_in_the_name_outweighs_that_in_the_text() -> None:
    """The name is what people sort by."""
    files = {"RESULTS_HANDOFF_7_ATTEMPT_2.md": _results("PASS", "**Attempt**: 5\n")}
    assert _tell(files) == [(2, "PASS")]
    assert _tell({"RESULTS_HANDOFF_7.md": _results("PASS", "**Attempt**: 5\n")}) == [(5, "PASS")]


def test_copies_count_once() -> None:
    """The same bytes in two places are one attempt."""
    text = _results("PASS")
    assert _tell({"RESULTS_HANDOFF_7.md": text, "H-7/H-7_RESULTS.md": text}) == [(1, "PASS")]


def test_unreadable_results_are_attempts_each() -> None:
    """Nothing is known to be the same about two files that cannot be read."""
    numbered = _number([Source(SourceFile(f"{folder}/RESULTS_HANDOFF_7.md", "", readable=False)) for folder in "ab"])
    assert [(results.number, results.reading.status) for results in numbered] == [(1, None), (2, None)]


def test_two_attempts_of_one_number_are_reported() -> None:
    """Both are kept; the later path is told of the earlier."""
    sources = [
        Source.of_text("b/RESULTS_HANDOFF_7_ATTEMPT_1.md", _results("PASS")),
        Source.of_text("a/RESULTS_HANDOFF_7_ATTEMPT_1.md", _results("FAIL")),
    ]
    assert [results.number for results in _number(sources)] == [1, 1]
    assert [problem.message for problem in sources[0].problems()] == [
        "is attempt 1, as is a/RESULTS_HANDOFF_7_ATTEMPT_1.md"
    ]
    assert sources[1].problems() == []


def test_attempt_tells_who_when_and_how_it_ended() -> None:
    """With the place of its status."""
    [results] = _number([Source.of_text("RESULTS_HANDOFF_7.md", _results("PASS") + "\n## Summary\n\nLit.\n")])
    attempt = results.attempt()
    assert (attempt.number, attempt.agent, attempt.phase, attempt.status) == (1, "Ada", "build", "PASS")
    assert (attempt.when, attempt.summary, str(attempt.where)) == ("2031-01-02", "Lit.", "RESULTS_HANDOFF_7.md:6")
