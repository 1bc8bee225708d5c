"""Values read from JSON or TOML without pydantic, which takes long to import.

`restore` is for our own sealed files: their types are known, and nobody else wrote them. `read_strictly` and
`read_table` are for files that anybody may have written: they accept what pydantic's strict mode accepts, and less.
"""

from __future__ import annotations

import json
import math
import operator
import re
import types
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import Enum
from functools import cache, reduce
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from handoff_tui.core.model import Checked, Fits, Model, Prepared

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


_Reader = Callable[[object], Any]
_LEFT_TO_PYDANTIC = {"AwareDatetime": object, "JsonValue": object}
_readers: dict[type[Model], _Reader] = {}


def read_strictly(model: type[_AnyModel], content: bytes) -> _AnyModel:
    """The value that a JSON text holds. Raises ValueError if it may not be one; pydantic knows, and says why."""
    if b"\\ud" in content or b"\\uD" in content:  # half a character: Python takes it, pydantic doesn't
        raise ValueError("surrogates")
    return read_table(model, json.loads(content.decode("utf-8")))


def read_table(model: type[_AnyModel], table: object) -> _AnyModel:
    """The value that a parsed table holds. Raises ValueError if it may not be one; pydantic knows, and says why."""
    read: _AnyModel = _find_model_reader(model)(table)
    return read


def _find_reader(kind: Any) -> _Reader:  # noqa: ANN401, PLR0911 - a type form, which has no type; one line each
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return reduce(_demand, kind.__metadata__, _find_reader(kind.__origin__))
    if origin in {Union, types.UnionType}:
        return _read_any([_find_reader(part) for part in parts])
    if origin is Literal:
        return _read_literal(parts)
    if origin is tuple and parts[1:] == (...,):
        return _read_items(_find_reader(parts[0]))
    if origin is dict:
        return _read_dict(*map(_find_reader, parts))
    if kind in {str, int, bool, types.NoneType}:
        return _read_exactly(kind)
    if kind is float:
        return _read_number
    if isinstance(kind, type) and issubclass(kind, Model):
        return _find_model_reader(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _read_member(kind)
    raise ValueError(f"{kind} is left to pydantic")


@cache
def _read_exactly(kind: type) -> _Reader:
    def read(value: object) -> object:
        if type(value) is not kind:
            raise ValueError(f"no {kind.__name__}")
        return value

    return read


_members: dict[_Reader, Mapping[object, Enum]] = {}
"""The members that a reader knows, by their values."""


def _read_member(kind: type[Enum]) -> _Reader:
    members: dict[object, Enum] = {one.value: one for one in kind}

    def read(value: object) -> object:  # calling an enumeration takes three times as long
        return (members.get(value) if type(value) is str else None) or kind(value)

    _members[read] = members
    return read


def _read_literal(allowed: tuple[object, ...]) -> _Reader:
    def read(value: object) -> object:
        if not any(type(value) is type(one) and value == one for one in allowed):
            raise ValueError("none of the values")
        return value

    return read


def _read_any(readers: list[_Reader]) -> _Reader:
    def read(value: object) -> object:
        for reader in readers:
            try:
                return reader(value)
            except ValueError:
                continue
        raise ValueError("of none of the types")

    return read


_read_list: Callable[[object], list[object]] = _read_exactly(list)
_read_object: Callable[[object], dict[str, object]] = _read_exactly(dict)


def _read_items(reader: _Reader) -> _Reader:
    def read(value: object) -> object:
        return tuple(map(reader, _read_list(value)))

    return read


def _read_dict(read_key: _Reader, read_value: _Reader) -> _Reader:
    """Tables can be long: texts and members of an enumeration are looked at together."""
    has_texts, known = read_key is _read_exactly(str), _members.get(read_value, {})

    def read(value: object) -> object:
        table = _read_object(value)
        keys = table if has_texts and set(map(type, table)) <= {str} else map(read_key, table)
        given = table.values()
        values = map(known.get, given) if known and set(map(type, given)) <= {str} else None
        if values is None or not known.keys() >= set(given):
            values = map(read_value, given)
        return dict(zip(keys, values, strict=True))

    return read


_MOST_EXACT = 2**53


def _read_number(value: object) -> float:
    if (type(value) is float and math.isfinite(value)) or (type(value) is int and abs(value) <= _MOST_EXACT):
        return float(value)
    raise ValueError("no number")


def _demand(reader: _Reader, demand: object) -> _Reader:
    """The reader, and what an annotation demands beyond the type."""
    match demand:
        case Fits(words=words):
            return lambda value: _limit(reader(value), words)
        case Checked(function=check):
            return lambda value: check(reader(value))
        case Prepared(function=prepare):
            return lambda value: reader(prepare(value))
    raise ValueError(f"{demand} is left to pydantic")


def _limit(value: Any, words: dict[str, Any]) -> object:  # noqa: ANN401 - a number, a text or a group
    for word, limit in words.items():
        match word:
            case "ge" | "gt" | "le":
                fits = getattr(operator, word)(value, limit)
            case "min_length":
                fits = len(value) >= limit
            case "max_length":
                fits = len(value) <= limit
            case "pattern":  # only where both kinds of patterns say the same
                fits = value.isascii() and "\n" not in value and re.search(limit, value) is not None
            case "allow_inf_nan":  # no reader of numbers takes them
                fits = True
            case _:
                fits = False
        if not fits:
            raise ValueError(f"not {word} {limit}")
    return value


def _find_model_reader(model: type[Model]) -> _Reader:
    if model not in _readers:
        _readers[model] = _build_model_reader(model)
    return _readers[model]


def _build_model_reader(model: type[Model]) -> _Reader:
    hints = get_type_hints(model, localns=_LEFT_TO_PYDANTIC, include_extras=True)
    names = frozenset(model.model_fields)
    needed = names - model.model_defaults.keys()
    readers: dict[str, _Reader] = {}

    def read(value: object) -> Model:
        given = _read_object(value)
        if given.keys() - names or needed - given.keys():
            raise ValueError("other fields")
        readers.update((name, _find_reader(hints[name])) for name in given.keys() - readers.keys())
        whole = model(**{name: readers[name](one) for name, one in given.items()})
        whole.refuse_contradictions()
        return whole

    return read
