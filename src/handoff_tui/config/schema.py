"""The structure of the settings: the JSON Schema of the configuration file, and which names a table knows."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from itertools import pairwise
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from handoff_tui.config.settings.root import Settings
from handoff_tui.core.model import Model
from handoff_tui.core.validation import read_annotations

_JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema"


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
    return {"$schema": _JSON_SCHEMA, **schema}


def _describe(definition: dict[str, Any], model: type[Model]) -> None:
    """Adds the docstrings of the fields. They are read only here, since that needs the source code."""
    for name, text in _find_docstrings(model).items():
        definition["properties"][name]["description"] = text


def _allow_parts(definition: dict[str, Any], definitions: dict[str, Any]) -> None:
    """A named entry may be given in part, since it is merged over an existing one."""
    for field in definition["properties"].values():
        reference = str(field.get("additionalProperties", {}).get("$ref", ""))
        definitions.get(reference.rpartition("/")[2], {}).pop("required", None)


def _find_docstrings(model: type[Model]) -> dict[str, str]:
    """Returns the string below each field; for a field without one, what its section says of itself."""
    sections = {name: as_model(kind) for name, kind in read_annotations(model).items()}
    found = {name: inspect.cleandoc(section.__doc__ or "") for name, section in sections.items() if section}
    body = ast.parse(inspect.getsource(model)).body[0]
    for field, below in pairwise(body.body if isinstance(body, ast.ClassDef) else []):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = inspect.cleandoc(text)
    return found


def find_names(path: Sequence[str | int]) -> tuple[str, ...]:
    """The keys that a table at a path may have; empty if it is not a table of known keys."""
    place: object = Settings
    for part in path:
        place = _step(place, part)
    model = as_model(place)
    return model.model_fields if model else ()


def find_models(model: type[Model] = Settings) -> dict[str, type[Model]]:
    """Every model that settings are made of, by name."""
    found = {model.__name__: model}
    for kind in read_annotations(model).values():
        inner = as_model(_find_content(kind))
        if inner and inner.__name__ not in found:
            found |= find_models(inner)
    return found


def as_model(annotation: object) -> type[Model] | None:
    annotation = _unwrap(annotation)
    return annotation if isinstance(annotation, type) and issubclass(annotation, Model) else None


def _step(annotation: object, part: str | int) -> object:
    model = as_model(annotation)
    if model is None:
        return _take_content(_unwrap(annotation))
    return read_annotations(model).get(str(part))


def _find_content(annotation: object) -> object:
    """What a table or a list holds, or the annotation itself."""
    annotation = _unwrap(annotation)
    return _take_content(annotation) or annotation


def _take_content(annotation: object) -> object:
    arguments = get_args(annotation)
    if get_origin(annotation) is dict:
        return arguments[1]
    return arguments[0] if get_origin(annotation) is tuple and arguments else None


def _unwrap(annotation: object) -> object:
    """The annotation without constraints and without `| None`."""
    if get_origin(annotation) is Annotated:
        return _unwrap(get_args(annotation)[0])
    present = [argument for argument in get_args(annotation) if argument is not NoneType]
    is_optional = len(present) == 1 and len(get_args(annotation)) > 1 and get_origin(annotation) is not tuple
    return _unwrap(present[0]) if is_optional else annotation
