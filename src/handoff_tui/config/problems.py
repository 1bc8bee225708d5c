"""What is wrong with a value, in words: which key, what it should be, what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from handoff_tui.config.fields import find_names
from handoff_tui.config.nearest import shorten, suggest
from handoff_tui.config.paths import join_path

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_DICT_KEY = "[key]"
"""What pydantic adds to the place of an error in the key of a table."""

_EXPECTED = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "a text in quotes",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "enum": "one of {expected}",
    "literal_error": "one of {expected}",
    "string_pattern_mismatch": "of the form {pattern}",
    "string_too_short": "a text that is not empty",
    "too_short": "a list with at least {min_length} entry",
}


def describe_problem(error: ErrorDetails) -> tuple[str, str]:
    """The dotted key and a sentence about it."""
    path = tuple(part for part in error["loc"] if part != _DICT_KEY)
    key = join_path(path)
    kind = error["type"]
    context: dict[str, Any] = error.get("ctx", {})
    if kind == "extra_forbidden":
        return key, f"{key} is unknown; {suggest(str(path[-1]), find_names(path[:-1]))}"
    if kind == "missing":
        return key, f"{key} is missing"
    if kind == "value_error":
        return key, f"{key}: {context['error']}"
    expected = _EXPECTED.get(kind)
    if expected is None:
        return key, f"{key}: {error['msg']}, is {shorten(error['input'])}"
    return key, f"{key} should be {expected.format(**context)}, is {shorten(error['input'])}"
