"""Named tuples and dataclasses that cost little to define.

For whoever reads or checks the code they are Python's own, as far as this program uses them. Python's compile the type
of every field, and up to six methods of every class, when a module is imported; a command imports some two hundred.
"""

from __future__ import annotations

from collections import _tuplegetter  # type: ignore[attr-defined]
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - for others to import from here
    from dataclasses import field as field  # noqa: PLC0414
    from dataclasses import replace as replace  # noqa: PLC0414
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414


_OFTEN = 200
"""As many values as make it worth compiling what makes them."""
_made: dict[type, int] = {}


def is_made_often(cls: type) -> bool:
    """Once for each class: whether so many values were made that it gets a method of its own."""
    _made[cls] = made = _made.get(cls, 0) + 1
    return made == _OFTEN


def compile_method(source: str, names: dict[str, Any]) -> Any:  # noqa: ANN401 - any function
    exec(f"def compiled({source}", names)  # noqa: S102 - made of the names of fields, as Python's own are
    return names["compiled"]


def _complete(
    cls: type, names: tuple[str, ...], defaults: dict[str, Any], given: tuple[object, ...], named: dict[str, Any]
) -> tuple[object, ...]:
    """The values of all fields, of which some were given by name, and some are defaults."""
    others = names[len(given) :]
    values = defaults | named if defaults else named
    try:
        complete = given + tuple([values[name] for name in others])
    except KeyError as missing:
        raise TypeError(f"{cls.__qualname__}: {missing.args[0]} is missing") from None
    if len(complete) > len(names) or not named.keys() <= {*others}:
        raise TypeError(f"{cls.__qualname__} has the fields {names}, each once")
    return complete


class _TupleOfFields(tuple[Any, ...]):
    """What `namedtuple` compiles again for each class, compiled once for all of them."""

    __slots__ = ()

    def __new__(cls: Any, *given: object, **named: object) -> Any:  # noqa: ANN401 - any tuple
        if named or len(given) != len(cls._fields):
            given = _complete(cls, cls._fields, cls._field_defaults, given, named)
        if is_made_often(cls):
            listed = "".join(f"{name}, " for name in cls._fields)
            new = compile_method(f"_cls, {listed}): return _new(_cls, ({listed}))", {"_new": tuple.__new__})
            new.__defaults__ = tuple(cls._field_defaults.values()) or None
            cls.__new__ = staticmethod(new)
        return tuple.__new__(cls, given)

    @classmethod
    def _make(cls, values: Iterable[object]) -> Any:  # noqa: ANN401
        return cls(*values)

    def _asdict(self: Any) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def _replace(self, /, **changes: object) -> Any:  # noqa: ANN401
        return type(self)(**self._asdict() | changes)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join([f'{name}={value!r}' for name, value in self._asdict().items()])})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)


class _NamedTupleType(type):
    """Makes a tuple of a class body, without asking what its annotations mean."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:  # noqa: ANN401 - any tuple
        if not bases:
            return super().__new__(cls, name, bases, body)
        fields = tuple(body.get("__annotations__", ()))
        body["_field_defaults"] = {field: body[field] for field in fields if field in body}
        body |= {field: _tuplegetter(number, None) for number, field in enumerate(fields)}
        return type(name, (_TupleOfFields,), body | {"__slots__": (), "_fields": fields, "__match_args__": fields})


class _NamedTuple(metaclass=_NamedTupleType):
    """The base that a class names."""


_ABSENT: Any = type("_Absent", (), {"__repr__": lambda _: "..."})()
"""Marks that no default was given, or that an argument is left to its default."""


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
    """The class with the methods that it doesn't define itself."""
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

    cls.__init__ = _build_init(cls, fields)
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


def _build_init(cls: type, fields: Mapping[str, _Field]) -> Callable[..., None]:
    positional = _list_positional(fields)
    names = positional + tuple(name for name, one in fields.items() if one.init and one.kw_only)
    known = {name: one.default for name, one in fields.items() if one.init and one.default is not _ABSENT}
    factories = [(name, one.default_factory) for name, one in fields.items() if one.init and one.default_factory]
    others = [
        (name, one)
        for name, one in fields.items()
        if not one.init and (one.default_factory or one.default is not _ABSENT)
    ]
    finish: Callable[[object], None] | None = getattr(cls, "__post_init__", None)
    put = object.__setattr__

    def init(self: object, /, *given: object, **named: Any) -> None:  # noqa: ANN401
        if named or len(given) != len(positional) or names is not positional:
            if len(given) > len(positional):
                raise TypeError(f"{cls.__qualname__} takes {len(positional)} values without a name")
            defaults = known
            if factories:
                defaults = known | {name: make() for name, make in factories if name not in named}
            given = _complete(cls, names, defaults, given, named)
        if not others and names is positional and is_made_often(cls):
            _compile_init(cls, names, known, dict(factories), finish)
        for name, value in zip(names, given):  # noqa: B905 - of the same length
            put(self, name, value)
        for name, one in others:
            put(self, name, one.default_factory() if one.default_factory else one.default)
        if finish is not None:
            finish(self)

    return init


def _compile_init(
    cls: Any,  # noqa: ANN401 - any class
    names: tuple[str, ...],
    known: Mapping[str, object],
    factories: Mapping[str, Callable[[], object]],
    finish: Callable[[object], None] | None,
) -> None:
    """Gives a class a method that takes its fields by their names."""
    values = {name: f"_make[{name!r}]() if {name} is _absent else {name}" for name in factories}
    puts = [f"_put(self, {name!r}, {values.get(name, name)})" for name in names] + (["_finish(self)"] if finish else [])
    source = f"self, {', '.join(names)}): {'; '.join(puts)}"
    outer = {"_put": object.__setattr__, "_finish": finish, "_make": factories, "_absent": _ABSENT}
    cls.__init__ = compile_method(source, outer)
    cls.__init__.__defaults__ = tuple(known.get(name, _ABSENT) for name in names if name in known or name in factories)


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
