from __future__ import annotations

import pytest

from handoff_tui.checks.rules.mosaic.state_files import LIST, NUMBER, OBJECT, TEXT, Shape, compare_shape, name_type


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"),
        (True, "true or false"),
        (1, NUMBER),
        (1.5, NUMBER),
        ("", TEXT),
        ([], LIST),
        ({}, OBJECT),
    ],
)
def test_types_have_names(value: object, name: str) -> None:
    """Each type of JSON has its words; true is no number."""
    assert name_type(value) == name


def test_object_of_the_shape_fits() -> None:
    """Required fields there, types and values as they may be, unknown fields ignored, null as good as absent."""
    shape = Shape({"a": (TEXT, NUMBER), "n": (LIST,)}, ("a",), {"a": ("red", "wont-fix")}, commit="c")
    for value in ({"a": "Red"}, {"a": "wont fix", "n": None, "x": 1}, {"a": 1, "c": "abc1234"}):
        assert list(compare_shape(value, shape)) == []


def test_misfits_are_told_each() -> None:
    """Absent, null, of another type, of another value, and no commit."""
    shape = Shape({"a": (TEXT, NUMBER)}, ("x", "y"), {"v": ("red",)}, commit="c")
    found = list(compare_shape({"y": None, "a": [], "v": "", "c": "head"}, shape))
    assert [(misfit.field, misfit.expected, misfit.actual) for misfit in found] == [
        ("x", "x", "absent"),
        ("y", "y", "null"),
        ("a", "text or a number", "a list"),
        ("v", "one of red", "empty"),
        ("c", "7 to 64 hex digits", "head"),
    ]
