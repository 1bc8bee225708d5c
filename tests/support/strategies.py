"""Generators shared by the property tests."""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Sequence
from enum import Enum
from typing import Any, TypeVar

from hypothesis import strategies as st

from handoff_tui.core.model import Model
from handoff_tui.core.validation import read_annotations
from handoff_tui.handoffs.handoff import build_id
from handoff_tui.handoffs.reading.json_document import JsonValue

AnyModel = TypeVar("AnyModel", bound=Model)


def json_values(keys: Sequence[str], words: Sequence[str] = ()) -> st.SearchStrategy[JsonValue]:
    """JSON of any shape whose objects use a format's own keys, so that wrong types meet every reader."""
    scalars = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=20),
        st.sampled_from(["", *words]),
    )
    names = st.one_of(st.sampled_from(list(keys)), st.text(max_size=8))
    return st.recursive(
        scalars,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=6)),
        max_leaves=25,
    )


def json_texts(keys: Sequence[str], words: Sequence[str] = ()) -> st.SearchStrategy[str]:
    """JSON files of a format: well-formed, cut off, and with anything in their place."""
    whole = json_values(keys, words).map(lambda value: json.dumps(value, indent=2))
    cut = st.tuples(whole, st.integers(0, 200)).map(lambda pair: pair[0][: pair[1]])
    return st.one_of(whole, cut, st.text(max_size=60))


def line_texts(fragments: Sequence[str]) -> st.SearchStrategy[str]:
    """Documents put together from lines of a format and lines of anything."""
    lines = st.one_of(st.sampled_from(list(fragments)), st.text(max_size=30))
    return st.lists(lines, max_size=25).map("\n".join)


def model_values(model: type[AnyModel]) -> st.SearchStrategy[AnyModel]:
    """Values of the common model with anything in every field that the field allows."""
    return st.builds(model, **{name: _type_values(kind) for name, kind in read_annotations(model).items()})


def _type_values(kind: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401, PLR0911 - a type form, which has no type
    simple: dict[object, st.SearchStrategy[Any]] = {
        str: st.text(max_size=20),
        int: st.integers(),
        bool: st.booleans(),
        float: st.floats(allow_nan=False, allow_infinity=False),
        type(None): st.none(),
    }
    if kind in simple:
        return simple[kind]
    parts = typing.get_args(kind)
    if typing.get_origin(kind) is typing.Annotated:  # the line of a comment, or an id by its grammar
        return st.integers(1, 1000) if parts[0] is int else st.text(max_size=20).map(build_id)
    if typing.get_origin(kind) in {typing.Union, types.UnionType}:
        return st.one_of(*map(_type_values, parts))
    if typing.get_origin(kind) is tuple:
        return st.lists(_type_values(parts[0]), max_size=2).map(tuple)
    if typing.get_origin(kind) is frozenset:
        return st.frozensets(_type_values(parts[0]), max_size=2)
    if typing.get_origin(kind) is dict:
        return st.dictionaries(*map(_type_values, parts), max_size=2)
    if typing.get_origin(kind) is typing.Literal or issubclass(kind, Enum):
        return st.sampled_from(parts or list(kind))
    return model_values(kind)
