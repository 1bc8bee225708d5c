from __future__ import annotations

from handoff_tui.config.layer import find_leaves, join_path, merge_tables


def test_path_quotes_and_escapes_odd_parts() -> None:
    """Plain names stay plain; what could disturb a terminal is escaped."""
    assert join_path(["a", 0, "b-c"]) == "a.0.b-c"
    assert join_path(["a b", "\x1b", ""]) == '"a b"."\\x1b".""'


def test_leaves_are_values_lists_and_empty_tables() -> None:
    """In order; a list is one value."""
    table: dict[str, object] = {"b": {"c": 1, "d": [{"e": 2}]}, "a": {}}
    assert list(find_leaves(table)) == [("b.c", 1), ("b.d", [{"e": 2}]), ("a", {})]


def test_merging_joins_tables_and_replaces_the_rest() -> None:
    """The upper wins, lists are replaced, and the lower table is left as it was."""
    below: dict[str, object] = {"t": {"a": 1, "b": [1, 2]}, "v": 1}
    above: dict[str, object] = {"t": {"b": [3]}, "v": {"w": 2}}
    assert merge_tables(below, above) == {"t": {"a": 1, "b": [3]}, "v": {"w": 2}}
    assert below == {"t": {"a": 1, "b": [1, 2]}, "v": 1}
