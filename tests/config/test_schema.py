from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from handoff_tui.config.schema import build_schema, find_models
from handoff_tui.config.settings.root import Settings


def test_schema_is_a_valid_schema_and_says_which() -> None:
    """The result is JSON Schema 2020-12."""
    schema = build_schema()
    assert next(iter(schema)) == "$schema"
    jsonschema.Draft202012Validator.check_schema(schema)


def test_schema_accepts_the_defaults() -> None:
    """The default settings satisfy their own schema."""
    jsonschema.validate(Settings().model_dump(mode="json"), build_schema())


@pytest.mark.parametrize(
    "table",
    [
        {},
        {"limits": {"commits": 5}},
        {"procedures": {"rules": {"VR001": {"retries": 1}}}},
        {"keymap": {"app.quit": "Q"}},
    ],
)
def test_schema_accepts_a_file_that_says_a_part(table: dict[str, object]) -> None:
    """A file need not repeat what it does not change."""
    jsonschema.validate(table, build_schema())


@pytest.mark.parametrize("table", [{"limit": {}}, {"limits": {"commits": "x"}}, {"keymap": {"app.quid": "Q"}}])
def test_schema_refuses_what_loading_refuses(table: dict[str, object]) -> None:
    """Unknown keys, wrong types and unknown actions."""
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(table, build_schema())


def test_schema_describes_every_setting() -> None:
    """No setting is without a sentence."""
    schema: dict[str, Any] = build_schema()
    parts = {"": schema, **schema["$defs"]}
    silent = [
        f"{name}.{field}"
        for name, part in parts.items()
        for field, definition in part.get("properties", {}).items()
        if not definition.get("description")
    ]
    assert silent == []


def test_schema_is_the_same_each_time() -> None:
    """Two calls give the same bytes."""
    assert json.dumps(build_schema()) == json.dumps(build_schema())


def test_models_have_names_of_their_own() -> None:
    """Each model is one definition of the schema; none shadows another."""
    schema: dict[str, Any] = build_schema()
    described = {name for name, definition in schema["$defs"].items() if "properties" in definition}
    assert described == set(find_models()) - {"Settings"}
