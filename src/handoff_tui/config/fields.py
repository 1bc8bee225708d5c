"""Walking the settings' own structure: which model stands at a dotted key, and which names it knows."""

from __future__ import annotations

from collections.abc import Sequence
from types import NoneType
from typing import Annotated, get_args, get_origin

from handoff_tui.config.settings.root import Settings
from handoff_tui.core.model import Model


def find_names(path: Sequence[str | int]) -> tuple[str, ...]:
    """The keys that may stand in the table at a path; none where it is not a table of known keys."""
    place: object = Settings
    for part in path:
        place = _step(place, part)
    model = as_model(place)
    return tuple(model.model_fields) if model else ()


def find_models(model: type[Model] = Settings) -> dict[str, type[Model]]:
    """Every model that settings are made of, by name."""
    found = {model.__name__: model}
    for field in model.model_fields.values():
        inner = as_model(_find_content(field.annotation))
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
    field = model.model_fields.get(str(part))
    return field.annotation if field else None


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
