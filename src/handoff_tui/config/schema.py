"""The JSON Schema of the configuration file."""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise
from typing import Any

from handoff_tui.config.fields import find_models
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.model import Model

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def build_schema() -> dict[str, object]:
    """Every setting with its title, what it is for, what it takes, and its default."""
    schema: dict[str, Any] = Settings.model_json_schema()
    definitions = schema["$defs"]
    for name, model in find_models().items():
        definition = schema if model is Settings else definitions[name]
        _describe(definition, model)
        _allow_parts(definition, definitions)
    schema["title"] = "handoff-tui configuration"
    schema["description"] = "handoff-tui.toml in a repository, and config.toml in the user's configuration folder."
    return {"$schema": _DIALECT, **schema}


def _describe(definition: dict[str, Any], model: type[Model]) -> None:
    """Adds the docstrings of the fields. They are read only here, since finding them takes the source."""
    for name, text in _find_docstrings(model).items():
        definition["properties"][name]["description"] = text


def _allow_parts(definition: dict[str, Any], definitions: dict[str, Any]) -> None:
    """An entry of a table by name may be said in part, since it is merged over one that is already there."""
    for field in definition["properties"].values():
        reference = str(field.get("additionalProperties", {}).get("$ref", ""))
        definitions.get(reference.rpartition("/")[2], {}).pop("required", None)


def _find_docstrings(model: type[Model]) -> dict[str, str]:
    """The string below each field."""
    body = ast.parse(inspect.getsource(model)).body[0]
    statements = body.body if isinstance(body, ast.ClassDef) else []
    return {
        field.target.id: inspect.cleandoc(below.value.value)
        for field, below in pairwise(statements)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }
