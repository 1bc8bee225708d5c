"""Named tuples and dataclasses that cost little until a value is made.

For whoever reads or checks the code they are Python's own, as far as this program uses them. Python's compile the type
of every field, and up to six methods of every class, when a module is imported; a command imports some two hundred.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - for others to import from here
    from dataclasses import field as field  # noqa: PLC0414
    from dataclasses import replace as replace  # noqa: PLC0414
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414


class _NamedTupleType(type):
    """Makes a tuple of a class body, without asking what its annotations mean."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:  # noqa: ANN401 - any tuple
        if not bases:
            return super().__new__(cls, name, bases, body)
        fields = body.get("__annotations__", {})
        defaults = [body[field] for field in fields if field in body]
        made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])  # type: ignore[misc]  # noqa: PYI024 - what it makes is dynamic
        for attribute, value in body.items():
            if attribute not in fields and attribute != "__module__":
                setattr(made, attribute, value)
        return made


class _NamedTuple(metaclass=_NamedTupleType):
    """The base that a class names."""


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
    dataclass, field, replace, NamedTuple = _dataclass, _Field, _replace, _NamedTuple
