"""Our dataclasses do what those of `dataclasses` do."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any, ClassVar

import pytest

from handoff_tui.core import records


def make_classes(module: Any) -> tuple[type[Any], type[Any], type[Any]]:  # noqa: ANN401 - either of two modules
    @module.dataclass(frozen=True, slots=True)
    class Frozen:
        kind: ClassVar[str] = "k"
        first: int
        second: tuple[int, ...] = ()
        third: list[int] = module.field(default_factory=list, compare=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "first", self.first + 1)

    @module.dataclass
    class Loose:
        first: int = 1
        second: str = module.field(default="b", repr=False)
        third: str = module.field(init=False, default="c")

    @module.dataclass(kw_only=True)
    class Derived(Loose):
        fourth: int

    return Frozen, Loose, Derived


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize(
    "given",
    [
        ((), {}),
        ((1,), {}),
        ((1, (2,)), {}),
        ((), {"first": 3, "second": (4,)}),
        ((1,), {"first": 1}),
        ((5,), {"fourth": 6}),
        ((), {"unknown": 1}),
        ((1, 2, 3, 4, 5), {}),
    ],
)
def test_records_are_made_shown_and_compared_alike(number: int, given: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
    """The same arguments give a value that looks, compares and refuses the same."""
    shown = []
    for module in (records, dataclasses):
        kind = make_classes(module)[number]
        try:
            value = kind(*given[0], **given[1])
        except TypeError:
            shown.append("refused")
            continue
        assert value == kind(*given[0], **given[1])
        assert value != dataclasses.replace(value, first=77)
        fields = [(one.name, one.init, one.compare, one.kw_only) for one in dataclasses.fields(value)]
        again = (copy.deepcopy(value), module.replace(value, second=8))
        shown.append(f"{value} {fields} {again} {kind.__match_args__} {kind.__hash__ is None}")
    assert shown[0] == shown[1]


def test_frozen_record_stays_as_it_is() -> None:
    """Nothing can be set, and equal values count once in a set."""
    frozen = make_classes(records)[0]
    value = frozen(1)
    with pytest.raises(AttributeError, match="frozen"):
        value.first = 2
    with pytest.raises(AttributeError, match="frozen"):
        del value.first
    assert not hasattr(value, "__dict__")
    assert {value, frozen(1, third=[3])} == {value}
