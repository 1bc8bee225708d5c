from __future__ import annotations

from handoff_tui.config.schema import find_models, find_names


def test_names_are_found_through_tables_and_lists() -> None:
    """The keys known at a place, also inside named tables and lists."""
    assert "commits" in find_names(["limits"])
    assert "retries" in find_names(["procedures", "rules", "VR001"])
    assert "tests_minimum" in find_names(["builder", "size_classes", 0])


def test_names_are_none_where_no_table_is_known() -> None:
    """A single value has no keys, and neither has a place that does not exist."""
    assert find_names(["limits", "commits"]) == ()
    assert find_names(["nothing", "here"]) == ()
    assert find_names(["keymap"]) == ()


def test_models_are_found_at_every_depth() -> None:
    """Directly, in tables by name, and in lists inside those."""
    assert {"Settings", "Limits", "ValidationRule", "ProcedureStep", "QuestionGroup"} <= set(find_models())
