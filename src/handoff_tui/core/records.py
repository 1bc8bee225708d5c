"""The dataclasses of this program: what `dataclasses` makes of a class at import, made when the first value is.

A start imports some hundred such classes and makes values of a few; and it does without `inspect`, which comes along.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    from operator import attrgetter

    _ABSENT = object()

    class _Field:
        """What a class says of a field other than its type."""

        __slots__ = ("compare", "default", "factory", "init", "kw_only", "repr")

        def __init__(self, default=_ABSENT, factory=_ABSENT, *, init=True, compare=True, repr=True, kw_only=False):
            self.default = default
            self.factory = factory
            self.init = init
            self.compare = compare
            self.repr = repr
            self.kw_only = kw_only

    def field(*, default=_ABSENT, default_factory=_ABSENT, **options):
        return _Field(default, default_factory, **options)

    def replace(value, /, **changes):
        """The same value with other fields."""
        fields = value.__record_fields__.items()
        return type(value)(**{name: getattr(value, name) for name, one in fields if one.init} | changes)

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, kw_only=False):
        def convert(cls):
            return _convert(cls, frozen=frozen, slots=slots, eq=eq, kw_only=kw_only)

        return convert if cls is None else convert(cls)

    def _convert(cls, *, frozen, slots, eq, kw_only):
        body = cls.__dict__
        fields = {}
        for base in reversed(cls.__mro__[1:]):
            fields |= base.__dict__.get("__record_fields__", {})
        own = [name for name, kind in body.get("__annotations__", {}).items() if not kind.startswith("ClassVar")]
        for name in own:
            given = body.get(name, _ABSENT)
            one = given if isinstance(given, _Field) else _Field(given)
            one.kw_only = one.kw_only or kw_only
            fields[name] = one
            if given is not _ABSENT:
                if slots or one.default is _ABSENT:
                    delattr(cls, name)
                elif given is one:
                    setattr(cls, name, one.default)
        if slots:
            cls = _with_slots(cls, own)
        cls.__record_fields__, cls.__dataclass_fields__ = fields, _StandardFields()
        cls.__match_args__ = tuple(name for name, one in fields.items() if one.init and not one.kw_only)
        if "__init__" not in cls.__dict__:
            cls.__init__ = _init_later(cls, fields, frozen=frozen)
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = _repr
        if eq:
            _compare(cls, tuple(name for name, one in fields.items() if one.compare), frozen=frozen)
        if frozen:
            cls.__setattr__ = cls.__delattr__ = _refuse
            if slots:
                cls.__getstate__, cls.__setstate__ = _get_state, _set_state
        return cls

    class _StandardFields:
        """The fields as the functions of `dataclasses` want them, for those who use these."""

        def __get__(self, value, cls):
            import dataclasses  # noqa: PLC0415

            standard = {}
            for name, one in cls.__record_fields__.items():
                given = {} if one.default is _ABSENT else {"default": one.default}
                given |= {} if one.factory is _ABSENT else {"default_factory": one.factory}
                standard[name] = made = dataclasses.field(
                    **given, init=one.init, compare=one.compare, kw_only=one.kw_only
                )
                made.name, made._field_type = name, dataclasses._FIELD  # noqa: SLF001
            return standard

    def _with_slots(cls, own):
        """The class again: slots can't be added to one that exists."""
        taken = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
        body = {name: value for name, value in cls.__dict__.items() if name not in {"__dict__", "__weakref__"}}
        body["__slots__"] = tuple(name for name in own if name not in taken)
        again = type(cls)(cls.__name__, cls.__bases__, body)
        again.__qualname__ = cls.__qualname__
        return again

    def _init_later(cls, fields, *, frozen):
        def build_init(self, /, *args, **kwargs):
            cls.__init__ = init = _build_init(cls, fields, frozen=frozen)
            init(self, *args, **kwargs)

        return build_init

    def _build_init(cls, fields, *, frozen):
        """A function with the fields as its parameters: a third of the cost of one that looks them up at each call."""
        scope = {"_absent": _ABSENT, "_set": object.__setattr__}
        parameters, named, lines = ["self"], [], []
        for name, one in fields.items():
            value = parameter = name
            if one.factory is not _ABSENT:
                scope[f"_make_{name}"] = one.factory
                parameter, value = f"{name}=_absent", f"_make_{name}() if {name} is _absent else {name}"
            elif one.default is not _ABSENT:
                scope[f"_default_{name}"] = one.default
                parameter = f"{name}=_default_{name}"
            if not one.init:
                if value == name and one.default is _ABSENT:
                    continue  # the class sets it itself
                value = f"_make_{name}()" if one.factory is not _ABSENT else f"_default_{name}"
            else:
                (named if one.kw_only else parameters).append(parameter)
            lines.append(f" _set(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            lines.append(" self.__post_init__()")
        header = ", ".join([*parameters, *(["*", *named] if named else [])])
        exec(f"def __init__({header}):\n" + "\n".join(lines or [" pass"]), scope)  # noqa: S102 - as `dataclasses` does
        init = scope["__init__"]
        init.__qualname__ = f"{cls.__qualname__}.__init__"
        return init

    def _compare(cls, names, *, frozen):
        get = attrgetter(*names) if names else lambda value: ()

        def __eq__(self, other):
            return get(self) == get(other) if other.__class__ is self.__class__ else NotImplemented

        def __hash__(self):
            return hash(get(self))

        if "__eq__" not in cls.__dict__:
            cls.__eq__ = __eq__
        if cls.__dict__.get("__hash__") is None:
            cls.__hash__ = __hash__ if frozen else None

    def _repr(self):
        shown = (f"{name}={getattr(self, name)!r}" for name, one in self.__record_fields__.items() if one.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def _refuse(self, name, value=None):
        raise AttributeError(f"{type(self).__name__} is frozen: {name} stays")

    def _get_state(self):
        return [getattr(self, name) for name in self.__record_fields__]

    def _set_state(self, state):
        for name, value in zip(self.__record_fields__, state, strict=True):
            object.__setattr__(self, name, value)


@contextmanager
def without_collection() -> Iterator[None]:
    """Pauses collection: scanning long-lived values again and again takes up to a third of the time to create them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


__all__ = ["dataclass", "field", "replace", "without_collection"]
