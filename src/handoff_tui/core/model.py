"""The base of every value in the common model, and dataclasses that cost little until one is made.

A value of the program's own making is right by its types; only what comes from outside is validated. So making one
validates nothing, and pydantic is imported when the first stored record, configuration or JSON is read.

`dataclass`, `field` and `replace` are Python's own for whoever reads or checks the code, as far as this program uses
them. Python's compile up to six methods for every class when its module is imported, and load `inspect` to do so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from enum import Enum
from operator import attrgetter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, Self, dataclass_transform

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - for others to import from here
    from dataclasses import field as field  # noqa: PLC0414 - for others to import from here
    from dataclasses import replace as replace  # noqa: PLC0414 - for others to import from here

SCHEMA_VERSION = 1
"""Increases if a field of the common model changes its meaning; added fields don't count."""

_PLAIN = frozenset({str, int, bool, float})
_GROUPS = {list: list, set: set, frozenset: frozenset}
"""What a group of values stays; named tuples become plain ones."""


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

    if not TYPE_CHECKING:

        def __init__(self, /, **given: object) -> None:
            values = self.model_defaults | given
            if values.keys() != self._names:
                _refuse(self, values)
            object.__setattr__(self, "__dict__", values)

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


def _refuse(value: Model, values: Mapping[str, object]) -> None:
    names = set(value.model_fields)
    wrong = [f"{name} is missing" for name in value.model_fields if name not in values]
    wrong += [f"{name} is no field of it" for name in values if name not in names]
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


_ABSENT: Any = type("_Absent", (), {"__repr__": lambda _: "..."})()
"""Stands where no default was given, and where an argument is left to its default."""


class _Field:
    """How a field of a dataclass behaves."""

    __slots__ = ("compare", "default", "default_factory", "init", "kw_only", "repr")

    def __init__(
        self,
        *,
        default: object = _ABSENT,
        default_factory: Callable[[], object] | None = None,
        init: bool = True,
        repr: bool = True,  # noqa: A002
        compare: bool = True,
        kw_only: bool = False,
    ) -> None:
        self.default, self.default_factory, self.kw_only = default, default_factory, kw_only
        self.init, self.repr, self.compare = init, repr, compare


def _dataclass(cls: Any = None, **options: bool) -> Any:  # noqa: ANN401 - any class
    return _build_dataclass(cls) if cls else lambda decorated: _build_dataclass(decorated, **options)


def _build_dataclass(
    cls: Any,  # noqa: ANN401 - any class
    *,
    frozen: bool = False,
    slots: bool = False,
    eq: bool = True,
    kw_only: bool = False,
) -> Any:  # noqa: ANN401
    """The class with the methods that it doesn't define itself; `__init__` is compiled when the first value is made."""
    inherited: dict[str, _Field] = getattr(cls, "_dataclass_fields", {})
    own: dict[str, _Field] = {}
    for name, kind in vars(cls).get("__annotations__", {}).items():
        if kind.startswith("ClassVar"):
            continue
        given = cls.__dict__.get(name, _ABSENT)
        own[name] = given if isinstance(given, _Field) else _Field(default=given)
        own[name].kw_only |= kw_only
        if given is not _ABSENT:
            delattr(cls, name)
        if own[name].default is not _ABSENT and not slots:
            setattr(cls, name, own[name].default)
    fields = inherited | own
    body: dict[str, Any] = {"_dataclass_fields": fields, "__match_args__": _list_positional(fields)}
    body["__repr__"] = _build_repr([name for name, one in fields.items() if one.repr])
    if eq:
        body |= _build_equality([name for name, one in fields.items() if one.compare], frozen=frozen)
    if frozen:
        body |= {"__setattr__": _refuse_change, "__delattr__": _refuse_change, "__setstate__": _restore_state}
    body = {name: value for name, value in body.items() if name not in cls.__dict__}
    if slots:
        body = {name: value for name, value in cls.__dict__.items() if name not in {"__dict__", "__weakref__"}} | body
        body["__qualname__"] = cls.__qualname__
        body["__slots__"] = [name for name in own if name not in inherited]
        cls = type(cls)(cls.__name__, cls.__bases__, body)
    else:
        for name, value in body.items():
            setattr(cls, name, value)

    def make_first(self: object, *given: object, **named: object) -> None:
        cls.__init__ = _compile_init(cls, fields, frozen=frozen)
        cls.__init__(self, *given, **named)

    cls.__init__ = make_first
    return cls


def _list_positional(fields: Mapping[str, _Field]) -> tuple[str, ...]:
    return tuple(name for name, one in fields.items() if one.init and not one.kw_only)


def _build_repr(names: list[str]) -> Callable[[object], str]:
    def represent(self: object) -> str:
        return f"{type(self).__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in names])})"

    return represent


def _build_equality(names: list[str], *, frozen: bool) -> dict[str, Any]:
    read: Callable[[object], object] = attrgetter(*names) if names else lambda _: ()

    def is_equal(self: object, other: object) -> bool:
        return read(self) == read(other) if type(other) is type(self) else NotImplemented

    return {"__eq__": is_equal, "__hash__": (lambda self: hash(read(self))) if frozen else None}


def _compile_init(cls: type, fields: Mapping[str, _Field], *, frozen: bool) -> Callable[..., None]:
    known: dict[str, Any] = {"_absent": _ABSENT, "_set": object.__setattr__}
    taken: dict[bool, list[str]] = {False: [], True: []}
    lines: list[str] = []
    for name, one in fields.items():
        known[default := f"_default_{name}"] = one.default_factory or one.default
        made = f"{default}()" if one.default_factory else default
        if one.init:
            optional = "=_absent" if one.default_factory else f"={default}" if one.default is not _ABSENT else ""
            taken[one.kw_only].append(name + optional)
            made = f"{made} if {name} is _absent else {name}" if one.default_factory else name
        elif made == default and one.default is _ABSENT:
            continue  # the class sets it itself, after the others
        lines.append(f"_set(self, {name!r}, {made})" if frozen else f"self.{name} = {made}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    words = ", ".join(["self", *taken[False], *(["*", *taken[True]] if taken[True] else [])])
    exec(f"def __init__({words}):\n " + "\n ".join(lines or ["pass"]), known)  # noqa: S102 - as Python's own does
    init: Callable[..., None] = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _refuse_change(self: object, name: str, *_: object) -> NoReturn:
    raise AttributeError(f"{type(self).__name__} is frozen: {name} stays")


def _restore_state(self: object, state: Any) -> None:  # noqa: ANN401 - as `copy` has it: with a dictionary, slots, or both
    for part in state if isinstance(state, tuple) else (state,):
        for name, value in (part or {}).items():
            object.__setattr__(self, name, value)


def _replace(value: Any, /, **changes: object) -> Any:  # noqa: ANN401 - any dataclass
    """The same value with other fields."""
    kept = {name: getattr(value, name) for name, one in value._dataclass_fields.items() if one.init}  # noqa: SLF001
    return type(value)(**kept | changes)


if not TYPE_CHECKING:
    dataclass, field, replace = _dataclass, _Field, _replace
