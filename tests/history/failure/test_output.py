from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.history.failure.failure import fold_output, is_error_line, read_excerpt


@pytest.mark.parametrize(
    "line",
    [
        "Traceback (most recent call last):",
        "ValueError: bad",
        "E       assert 1 == 2",
        "FAILED tests/test_a.py::test_b",
        "src/a.c:3: error: undefined reference",
        "not ok 3 - adds",
        "bash: foo: command not found",
        "panic: runtime",
        "1 failed, 3 passed, 0 errors",
        "  ✗ adds",
    ],
)
def test_line_that_speaks_of_an_error_is_found(line: str) -> None:
    """In the words of compilers, test runners and shells."""
    assert is_error_line(line)


@pytest.mark.parametrize(
    "line",
    ["0 errors, 0 warnings", "no failures", "Errors: 0", "ok 3 - handles errors", "collected 3 items", "✓ fails well"],
)
def test_line_that_counts_none_is_not(line: str) -> None:
    """Nor one that says that something passed."""
    assert not is_error_line(line)


def test_output_is_folded_around_its_errors() -> None:
    """Errors with what is around them, and the end; every line is there or in a fold."""
    lines = [f"step {number}" for number in range(1, 101)]
    lines[49] = "error: it broke"
    excerpt = fold_output("/log", lines)
    shown = [(line.number, line.folded) for line in excerpt.lines]
    assert shown == [
        (1, 47),
        *((number, 0) for number in range(48, 55)),
        (55, 40),
        *((number, 0) for number in range(95, 101)),
    ]
    assert (excerpt.first_error, excerpt.errors, excerpt.total_lines) == (50, 1, 100)
    assert [line.number for line in excerpt.lines if line.is_error] == [50]


def test_single_line_is_not_folded() -> None:
    """A fold takes a line itself."""
    lines = ["error", *["x"] * 4, "y", *["z"] * 6]
    assert all(not line.folded for line in fold_output("/log", lines).lines)


def test_many_errors_show_the_first_ones() -> None:
    """All are counted."""
    lines = [line for _ in range(500) for line in ("error: again", *["x"] * 20)]
    excerpt = fold_output("/log", lines)
    assert excerpt.errors == 500
    assert sum(line.is_error for line in excerpt.lines) == 12
    assert len(excerpt.lines) < 120


def test_excerpt_of_a_file_counts_from_its_beginning(tmp_path: Path) -> None:
    """Of a very long one the end is looked at, and what comes before is a fold."""
    place = tmp_path / "out.log"
    place.write_text("error: early\n" + "x\n" * 20_000 + "error: late\nend\n", encoding="utf-8")
    excerpt = read_excerpt(str(place))
    assert excerpt is not None
    assert (excerpt.total_lines, excerpt.first_error, excerpt.errors) == (20_003, 20_002, 1)
    assert (excerpt.lines[0].number, excerpt.lines[-1].number) == (1, 20_003)


def test_missing_or_empty_output_has_no_excerpt(tmp_path: Path) -> None:
    """It is nothing, and no error."""
    (tmp_path / "empty").touch()
    assert read_excerpt(None) is None
    assert read_excerpt(str(tmp_path / "none")) is None
    assert read_excerpt(str(tmp_path / "empty")) is None
