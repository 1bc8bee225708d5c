"""The base of every value in the common model, and what a field takes beyond its type if it comes from outside.

A value of the program's own making is right by its types; only what comes from outside is validated. So making one
validates nothing, and pydantic is imported when the first stored record, configuration or JSON is read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, dataclass_transform

from handoff_tui.core.classes import compile_method, is_made_often

SCHEMA_VERSION = 1
"""Increases if a field of the common model changes its meaning; added fields don't count."""
_PLAIN = frozenset({str, int, bool, float})
_GROUPS = {list: list, set: set, frozenset: frozenset}
"""What a group of values stays; named tuples become plain ones."""


class Fits:
    """Limits in pydantic's words: ge, gt, le, min_length, max_length, pattern, allow_inf_nan."""

    def __init__(self, **words: object) -> None:
        self.words = words

    def __get_pydantic_core_schema__(self, source: object, handler: Callable[[object], Any]) -> Any:  # noqa: ANN401
        return {**handler(source), **self.words}


class Checked:
    """A function that returns the value, or raises ValueError. `described` is added to the JSON Schema."""

    def __init__(self, function: Callable[[Any], Any], described: dict[str, object] | None = None) -> None:
        self.function = function
        self.described = described

    def __get_pydantic_core_schema__(self, source: object, handler: Callable[[object], Any]) -> Any:  # noqa: ANN401
        from pydantic_core.core_schema import no_info_after_validator_function  # noqa: PLC0415

        metadata = {"pydantic_js_updates": self.described} if self.described else None
        return no_info_after_validator_function(self.function, handler(source), metadata=metadata)


class Prepared:
    """A function that gets the value as it was written, before anything else looks at it."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def __get_pydantic_core_schema__(self, source: object, handler: Callable[[object], Any]) -> Any:  # noqa: ANN401
        from pydantic_core.core_schema import no_info_before_validator_function  # noqa: PLC0415

        return no_info_before_validator_function(self.function, handler(source))


@dataclass_transform(kw_only_default=True)
class Model:
    """A frozen value that refuses unknown fields; equal content means equal value."""

    # the last three are what pydantic sets on a value that it has validated
    __slots__ = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__", "__weakref__")
    model_config: ClassVar[dict[str, object]] = {"frozen": True, "extra": "forbid"}
    """For pydantic, which asks when it describes a model."""
    model_fields: ClassVar[tuple[str, ...]] = ()
    """The names of the fields, in the order of declaration."""
    model_defaults: ClassVar[dict[str, object]] = {}
    _names: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls) -> None:
        body = cls.__dict__
        annotations: dict[str, str] = body.get("__annotations__", {})
        own = [name for name, kind in annotations.items() if not kind.startswith("ClassVar")]
        cls.model_fields = tuple(dict.fromkeys((*cls.model_fields, *own)))
        cls.model_defaults = cls.model_defaults | {name: body[name] for name in own if name in body}
        cls._names = frozenset(cls.model_fields)
        if not TYPE_CHECKING and "__init__" not in body:
            cls.__init__ = _init

    if not TYPE_CHECKING:

        def __init__(self, /, **given: object) -> None:
            values = self.model_defaults | given
            if values.keys() != self._names:
                _refuse(self, values)
            object.__setattr__(self, "__dict__", values)
            if is_made_often(type(self)):
                _compile_init(type(self))

    @classmethod
    def model_construct(cls, **given: Any) -> Self:  # noqa: ANN401 - fields of any type
        return cls(**given)

    def model_copy(self, *, update: Mapping[str, object] | None = None) -> Self:
        """The same value with other fields."""
        return type(self)(**self.__dict__ | dict(update or {}))

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return ((name, self.__dict__[name]) for name in self.model_fields)

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is type(self) and self.__dict__ == other.__dict__)

    def __hash__(self) -> int:
        return hash(tuple(map(self.__dict__.__getitem__, self.model_fields)))

    def __repr__(self) -> str:
        values = self.__dict__
        return f"{type(self).__name__}({', '.join([f'{name}={values[name]!r}' for name in self.model_fields])})"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} stays")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} stays")

    def refuse_contradictions(self) -> None:
        """Raises ValueError if fields that came from outside don't go together."""

    def model_dump(
        self,
        *,
        mode: Literal["python", "json"] = "python",
        include: Collection[str] | None = None,
        exclude: Collection[str] | None = None,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
    ) -> dict[str, Any]:
        """The fields as a dictionary, values within values too; with the mode "json", of nothing but JSON."""
        return {
            name: dump_value(value, json=mode == "json", bare=(exclude_defaults, exclude_none))
            for name, value in self.list_dumped(exclude_defaults=exclude_defaults)
            if (include is None or name in include)
            and (exclude is None or name not in exclude)
            and not (exclude_none and value is None)
        }

    def list_dumped(self, *, exclude_defaults: bool) -> Iterator[tuple[str, object]]:
        """The fields that are written; a class may have its own opinion."""
        absent = object()
        usual = self.model_defaults if exclude_defaults else {}
        return ((name, value) for name, value in self if usual.get(name, absent) != value)

    @classmethod
    def model_validate(cls, value: object, *, strict: bool | None = None) -> Self:
        """Reads what came from outside; raises ValueError if it doesn't fit."""
        from handoff_tui.core.validation import build_adapter  # noqa: PLC0415 - most runs read nothing of the kind

        return build_adapter(cls).validate_python(value, strict=strict)

    @classmethod
    def model_validate_json(cls, text: str | bytes, *, strict: bool | None = None) -> Self:
        from handoff_tui.core.validation import build_adapter  # noqa: PLC0415

        return build_adapter(cls).validate_json(text, strict=strict)

    @classmethod
    def model_json_schema(cls, *, mode: Literal["validation", "serialization"] = "validation") -> dict[str, Any]:
        from handoff_tui.core.validation import describe_model  # noqa: PLC0415

        return describe_model(cls, mode)

    def model_dump_json(self) -> str:
        from pydantic_core import to_json  # noqa: PLC0415

        return to_json(self.model_dump(), inf_nan_mode="null").decode()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: Any) -> Any:  # noqa: ANN401 - pydantic's own
        from handoff_tui.core.validation import build_core_schema  # noqa: PLC0415

        return build_core_schema(cls, handler)


_init = Model.__init__


def _compile_init(cls: Any) -> None:  # noqa: ANN401 - any model
    """Gives a class whose values are made often a method that takes its fields by their names."""
    names = cls.model_fields
    listed = ", ".join(f"{name}=_defaults[{name!r}]" if name in cls.model_defaults else name for name in names)
    values = ", ".join(f"{name!r}: {name}" for name in names)
    outer = {"_put": object.__setattr__, "_defaults": cls.model_defaults}
    cls.__init__ = compile_method(f"self, /, *, {listed}): _put(self, '__dict__', {{{values}}})", outer)
    cls.__init__.__qualname__ = cls.__qualname__  # which a refusal names


def _refuse(value: Model, values: Mapping[str, object]) -> None:
    names = set(value.model_fields)
    wrong = [f"{name} is missing" for name in value.model_fields if name not in values]
    wrong += [f"{name} is not a field of it" for name in values if name not in names]
    raise TypeError(f"{type(value).__name__}: {', '.join(wrong)}")


def dump_value(value: object, *, json: bool, bare: tuple[bool, bool] = (False, False)) -> object:
    """One value of a field; `bare` is whether defaults are left out, and whether None is."""
    if value is None or type(value) in _PLAIN:
        return value
    if isinstance(value, Model):
        mode: Literal["python", "json"] = "json" if json else "python"
        return value.model_dump(mode=mode, exclude_defaults=bare[0], exclude_none=bare[1])
    if isinstance(value, Mapping):
        return {dump_value(key, json=json): dump_value(one, json=json, bare=bare) for key, one in value.items()}
    if isinstance(value, tuple | list | set | frozenset):
        items = [dump_value(one, json=json, bare=bare) for one in value]
        return items if json else _GROUPS.get(type(value), tuple)(items)
    return _dump_single(value) if json else value


def _dump_single(value: object) -> object:
    """A single value as JSON has it."""
    match value:
        case Enum():
            return value.value
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case PurePath():
            return str(value)
    return value
