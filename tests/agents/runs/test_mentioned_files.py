"""Files that an output names."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.agents.runs.mentioned_files import MentionedFile, find_mentioned_files


@pytest.mark.parametrize(
    ("line", "places"),
    [
        ("src/app.py:12: error: no", [("src/app.py", 12)]),
        ("FAILED tests/test_app.py::test_add - assert 1 == 2", [("tests/test_app.py", None)]),
        ('  File "src/app.py", line 7, in add', [("src/app.py", 7)]),
        ('  File "/desk/src/app.py", line 7, in add', [("src/app.py", 7)]),
        ("app.py:3", [("app.py", 3)]),
        ("app.py alone is a word", []),
        ("./a/b.rs:1 and ./a/b.rs:1 again, a/c.rs:2", [("a/b.rs", 1), ("a/c.rs", 2)]),
        ("see https://example.org/a/b.html:8", []),
        ("told by /desk/.git/handoff-tui/runs/H-1/prompt.md", []),
        ("/etc/passwd.txt:1 and ../../secret.txt:2", []),
        ("12:30:45 took 1.5s of v2.0.1", []),
        ("", []),
    ],
)
def test_places_are_found_as_they_are_written(line: str, places: list[tuple[str, int | None]]) -> None:
    """Nothing outside the repository, no address, no number."""
    assert [tuple(place) for place in find_mentioned_files([line], "/desk")] == places


def test_places_are_few_however_much_is_printed() -> None:
    """In the order of the lines."""
    places = find_mentioned_files(f"a/b{number}.py:1" for number in range(1_000))
    assert len(places) == 50
    assert places[0] == MentionedFile("a/b0.py", 1)


@pytest.mark.parametrize("piece", ["@", "+a", "a/", "a.", "a./", 'a.py", line '])
def test_hostile_lines_take_no_longer_than_others(piece: str) -> None:
    """What would be tried in every way is cut, and tried from few places."""
    assert len(find_mentioned_files([piece * 100_000] * 50)) <= 1


@given(st.lists(st.text(max_size=200), max_size=5))
@settings(max_examples=60, deadline=None)
def test_no_place_leads_out_of_the_repository(lines: list[str]) -> None:
    """Whatever is printed."""
    for place in find_mentioned_files(lines):
        assert not place.path.startswith("/")
        assert ".." not in place.path.split("/")
