from __future__ import annotations

from handoff_tui.core.place import Place, Problem, ProblemLevel


def test_place_is_written_as_editors_read_it() -> None:
    """Path, colon, line; the path alone where no line is known."""
    assert str(Place(path="a/b.md", line=3)) == "a/b.md:3"
    assert str(Place(path="a/b.md")) == "a/b.md"


def test_problem_is_an_error_unless_said_otherwise() -> None:
    """Nobody makes a loss look small by leaving the level out."""
    assert Problem(path="a.md", message="is gone").level is ProblemLevel.ERROR
