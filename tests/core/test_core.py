"""What every room may use: errors, patterns compiled late, frozen values."""

from __future__ import annotations

import copy
import dataclasses
import gc
import importlib
import inspect
import marshal
import pkgutil
import re
import sys
import weakref
from collections.abc import Callable
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import ClassVar, get_type_hints
from unittest.mock import patch

import pytest

import handoff_tui
from handoff_tui.core import classes, errors
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.lazy_pattern import KeptPatterns, LaterPattern, compile_later
from handoff_tui.core.model import Model
from handoff_tui.core.pause_collection import without_collection
from handoff_tui.core.place import Place
from handoff_tui.core.validation import read_annotations
from handoff_tui.handoffs.handoff import HandoffDraft

CLASSES = [value for _, value in inspect.getmembers(errors, inspect.isclass)]


@pytest.mark.parametrize("error", CLASSES)
def test_error_descends_from_the_one_base_and_says_what_it_means(error: type[HandoffError]) -> None:
    """One handler catches them all."""
    assert issubclass(error, HandoffError)
    assert error.__name__.endswith("Error")
    assert error.__doc__


def test_later_pattern_answers_like_a_compiled_one() -> None:
    """Every method and attribute is that of the compiled pattern."""
    later, compiled = compile_later(r"(?P<word>[a-z]+)", re.IGNORECASE), re.compile(r"(?P<word>[a-z]+)", re.IGNORECASE)
    assert later.findall("one Two") == compiled.findall("one Two") == ["one", "Two"]
    assert later.sub("x", "one 2") == "x 2"
    assert (later.pattern, later.flags, later.groupindex) == (compiled.pattern, compiled.flags, compiled.groupindex)
    found = later.fullmatch("Word")
    assert found is not None
    assert found["word"] == "Word"


def test_later_pattern_is_not_compiled_until_it_is_used() -> None:
    """What is never asked is never compiled, so even a broken pattern is not noticed."""
    broken = compile_later("(")
    with pytest.raises(re.error, match="unterminated"):
        broken.search("")


@pytest.mark.parametrize("source", [r"(?i)(?P<word>\w+) (b)", rb"[\x80-\xff]+", "[äöü]{2,3}(?!x)"])
def test_pattern_that_was_kept_is_the_same(
    source: str | bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next start reads what this one compiled."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    kept = tmp_path / "kept"
    first = KeptPatterns(kept)
    assert first.compile(source, 8) == re.compile(source, 8)
    first._write()
    with patch.object(re, "compile", side_effect=AssertionError("compiled again")):
        again = KeptPatterns(kept).compile(source, 8)
    assert again == re.compile(source, 8)
    assert (again.groups, again.groupindex) == (first.compile(source, 8).groups, first.compile(source, 8).groupindex)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no such thing",
        marshal.dumps(("another Python", {("a+", 0): (0, b"", 0, {}, ())})),
        marshal.dumps((sys.version, {("a+", 0): (0, b"1234", 0, {}, ())})),
        marshal.dumps((sys.version, {("a+", 0): "nothing"})),
        marshal.dumps((sys.version, 3)),
    ],
)
def test_kept_patterns_that_make_no_sense_are_compiled_again(content: bytes, tmp_path: Path) -> None:
    """No file there can stop or change a pattern by accident."""
    kept = tmp_path / "kept"
    kept.write_bytes(content)
    assert KeptPatterns(kept).compile("a+", 0) == re.compile("a+")


def test_later_pattern_can_be_copied() -> None:
    """A protocol that asks for a special method gets a plain answer, and no endless search."""
    duplicate = copy.deepcopy(compile_later("a+"))
    assert isinstance(duplicate, LaterPattern)
    assert duplicate.match("aa") is not None


def list_models() -> list[type[Model]]:
    """Every value class, whichever room it is in; settings have rules of their own."""
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(handoff_tui.__path__, "handoff_tui.")
        if not found.name.endswith("__main__") and not found.name.startswith("handoff_tui.config.settings")
    ]
    classes = [value for module in modules for _, value in inspect.getmembers(module, inspect.isclass)]
    own = {value for value in classes if issubclass(value, Model) and value not in {Model, HandoffDraft}}
    return sorted((value for value in own if ".config.settings." not in value.__module__), key=str)


MODELS = list_models()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_model_is_frozen_and_refuses_unknown_fields(model: type[Model]) -> None:
    """No model of the room loosens the rules of the base."""
    assert (model.model_config["frozen"], model.model_config["extra"]) == (True, "forbid")


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_model_has_a_schema_and_a_docstring(model: type[Model]) -> None:
    """Its fields can be described to a machine, and it says what it is."""
    schema = model.model_json_schema()
    assert set(schema["properties"]) == set(model.model_fields)
    assert schema["additionalProperties"] is False
    assert model.__doc__


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_no_model_holds_a_list(model: type[Model]) -> None:
    """A frozen value with a list in it could still be changed; sequences are tuples."""
    for name, kind in read_annotations(model).items():
        assert "list[" not in str(kind), name
        assert "set[" not in str(kind).replace("frozenset[", ""), name


def test_collection_is_off_inside_and_on_again_after() -> None:
    """Also when what is done inside fails."""
    with pytest.raises(ValueError, match="off, as it should be"), without_collection():
        int("on" if gc.isenabled() else "off, as it should be")
    assert gc.isenabled()


def test_collection_that_was_off_stays_off() -> None:
    """One put off inside another does not end it."""
    with without_collection():
        with without_collection():
            pass
        assert not gc.isenabled()


def test_what_was_made_inside_is_not_looked_through_at_the_end() -> None:
    """It joins the oldest generation, and a full collection still finds what nobody holds."""

    class Knot:
        """Holds itself."""

    with without_collection():
        knot = Knot()
        knot.itself = knot  # type: ignore[attr-defined]
    young = {id(one) for generation in (0, 1) for one in gc.get_objects(generation)}
    assert id(knot) not in young
    gone: list[str] = []
    weakref.finalize(knot, gone.append, "gone")
    del knot
    gc.collect()
    assert gone == ["gone"]


def test_a_model_that_is_made_often_behaves_as_before() -> None:
    """Its own method takes the same fields, has the same defaults, and refuses the same; so does that of a subclass."""

    class Parent(Model):
        """Has a default."""

        name: str
        size: int = 1

    class Child(Parent):
        """Has a field more."""

        depth: int

    for number in range(250):
        assert Parent(name="a", size=number) == Parent(size=number, name="a")
        assert Child(name="a", depth=number).model_dump() == {"name": "a", "size": 1, "depth": number}
    assert Parent(name="a").model_copy(update={"size": 2}) == Parent(name="a", size=2)
    for wrong in ({}, {"name": "a", "depth": 1}):
        with pytest.raises(TypeError):
            Parent.model_construct(**wrong)


def test_place_is_written_as_editors_read_it() -> None:
    """Path, colon, line; the path alone where no line is known."""
    assert str(Place(path="a/b.md", line=3)) == "a/b.md:3"
    assert str(Place(path="a/b.md")) == "a/b.md"


def _describe(module: ModuleType, **options: bool) -> list[object]:
    """What a dataclass does when it is built with one module or the other."""

    class Base:
        name: str
        size: int = module.field(default=3, compare=False)
        parts: list[str] = module.field(default_factory=list, repr=False)
        count: int = module.field(default=0, init=False)
        kinds: ClassVar[int] = 2

        def double(self) -> int:
            return self.size * 2

    made = module.dataclass(**options)(Base)
    one, same, other = made(name="a"), made(name="a", size=4), made(name="b", parts=["x"])
    told: list[object] = [repr(one), repr(other), one == same, one == other, one == 3, one.double(), other.parts]
    told += [made.__match_args__, hasattr(one, "__dict__"), one.parts is same.parts, made.kinds, one.count]
    told += [module.replace(other, size=9).size, copy.copy(other).parts, made("p", size=1).name]
    calls: tuple[Callable[[], object], ...] = (
        lambda: hash(one) == hash(same),
        lambda: setattr(one, "name", "z"),
        lambda: delattr(one, "name"),
        made,
        lambda: made(name="a", unknown=1),
        lambda: module.replace(one, unknown=1),
    )
    for call in calls:
        try:
            told.append(call())
        except (AttributeError, TypeError) as refused:
            told.append(TypeError if isinstance(refused, TypeError) else AttributeError)
    return told


@pytest.mark.parametrize("options", [*product([False, True], repeat=3)])
def test_a_dataclass_of_ours_does_what_one_of_python_does(options: tuple[bool, bool, bool]) -> None:
    """Text, equality, hash, frozen fields, defaults, copies and refused arguments are the same."""
    given = dict(zip(("frozen", "slots", "eq"), options, strict=True))
    assert _describe(classes, **given) == _describe(dataclasses, **given)


def test_a_dataclass_of_ours_extends_another_and_runs_its_own_last_step() -> None:
    """Fields come after the inherited ones; fields by name only come last; `__post_init__` sets what isn't given."""

    @classes.dataclass(slots=True)
    class First:
        a: int
        total: int = classes.field(init=False)

        def __post_init__(self) -> None:
            self.total = self.a + 1

    @classes.dataclass(slots=True, kw_only=True)
    class Second(First):
        b: int
        c: int = 5

    second = Second(1, b=2)
    assert (second.total, second, Second.__match_args__) == (2, Second(1, b=2, c=5), ("a",))
    with pytest.raises(TypeError):
        Second(1, 2)  # type: ignore[call-arg]


def test_a_named_tuple_of_ours_is_one_of_python() -> None:
    """Fields, defaults, methods, annotations and the usual helpers are there."""

    class Pair(classes.NamedTuple):
        """Two of them."""

        left: int
        right: str = "r"

        @property
        def both(self) -> str:
            return f"{self.left}{self.right}"

    pair = Pair(1)
    assert (pair, pair.both, Pair._fields, Pair.__doc__) == ((1, "r"), "1r", ("left", "right"), "Two of them.")
    assert (pair._replace(left=2), pair._asdict()) == ((2, "r"), {"left": 1, "right": "r"})
    assert (Pair.__mro__[0], Pair.__mro__[-2:], Pair.__module__) == (Pair, (tuple, object), __name__)
    assert get_type_hints(Pair) == {"left": int, "right": str}
    assert (Pair(right="x", left=3), Pair._make([4, "y"]), copy.copy(pair), repr(pair)) == (
        (3, "x"),
        (4, "y"),
        pair,
        "Pair(left=1, right='r')",
    )
    made: Callable[..., Pair] = Pair
    for values, named in (((), {}), ((1, "r", 2), {}), ((1,), {"left": 2}), ((1,), {"other": 2})):
        with pytest.raises(TypeError):
            made(*values, **named)
