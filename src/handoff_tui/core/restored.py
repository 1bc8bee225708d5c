"""Values read back from our own sealed files: their types are known, and nobody else wrote them."""

from __future__ import annotations

import types
from collections.abc import Callable
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from handoff_tui.core.model import Model

_AnyModel = TypeVar("_AnyModel", bound=Model)
_Restorer = Callable[[Any], Any]
_restorers: dict[type[Model], _Restorer] = {}


def restore(model: type[_AnyModel], value: object) -> _AnyModel:
    """The value that `model_dump(mode="json")` was made of. Raises TypeError, ValueError or KeyError if it was not."""
    if model not in _restorers:
        _restorers[model] = _restore_model(model)
    restored: _AnyModel = _restorers[model](value)
    return restored


def _find_restorer(kind: Any) -> _Restorer:  # noqa: ANN401, PLR0911 - a type form, which has no type; one line each
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _find_restorer(parts[0])
    if origin in {Union, types.UnionType}:
        return _restore_optional([part for part in parts if part is not type(None)])
    if origin in {tuple, frozenset}:
        inner = _find_restorer(parts[0]) if parts else _keep
        return origin if inner is _keep else lambda value: origin(map(inner, value))
    if origin is dict:
        keys, values = map(_find_restorer, parts)
        if keys is _keep and values is _keep:
            return _keep
        return lambda value: {keys(key): values(one) for key, one in value.items()}
    if kind is datetime:
        return datetime.fromisoformat
    if isinstance(kind, type) and issubclass(kind, Model):
        return _restore_model(kind)
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        inners = [_find_restorer(hint) for hint in get_type_hints(kind, include_extras=True).values()]
        return lambda value: kind(*(inner(one) for inner, one in zip(inners, value, strict=True)))
    return kind if isinstance(kind, type) and issubclass(kind, Enum) else _keep


def _keep(value: object) -> object:
    return value


def _restore_optional(parts: list[object]) -> _Restorer:
    inner = _find_restorer(parts[0]) if len(parts) == 1 else _keep
    return _keep if inner is _keep else lambda value: None if value is None else inner(value)


def _restore_model(model: type[Model]) -> _Restorer:
    hints = get_type_hints(model, include_extras=True)
    found = ((name, _find_restorer(hints[name])) for name in model.model_fields)
    special = [(name, restorer) for name, restorer in found if restorer is not _keep]

    def restore_fields(value: dict[str, Any]) -> Model:
        given = dict(value)
        for name, restorer in special:
            if name in given:
                given[name] = restorer(given[name])
        return model(**given)

    return restore_fields
