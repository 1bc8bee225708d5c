from __future__ import annotations

import pytest

from handoff_tui.changes.snapshots.path_patterns import build_matcher


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("junit.xml", "junit.xml", True),
        ("junit.xml", "a/junit.xml", False),
        ("**/junit*.xml", "junit.xml", True),
        ("**/junit*.xml", "a/b/junit-1.xml", True),
        ("**/junit*.xml", "a/junit/x.xml", False),
        ("test-results/**/*.xml", "test-results/x.xml", True),
        ("test-results/**/*.xml", "test-results/a/b/x.xml", True),
        ("test-results/**/*.xml", "other/test-results/x.xml", False),
        ("**/.report.json", "sub/.report.json", True),
        ("a/**", "a/b/c", True),
        ("a/**", "a", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("a.b", "axb", False),
        ("a**b", "a/b", False),
        ("./x", "x", True),
        ("*.xml", "odd\nname.xml", True),
        ("/", "", False),
    ],
)
def test_pattern_matches_whole_paths(*, pattern: str, path: str, matches: bool) -> None:
    """A star stays in its part of the path, two stars are any number of parts."""
    assert bool(build_matcher((pattern,)).fullmatch(path)) is matches


def test_no_patterns_match_nothing() -> None:
    """Several match what any of them does."""
    assert not build_matcher(()).fullmatch("")
    assert build_matcher(("a", "b")).fullmatch("b")
