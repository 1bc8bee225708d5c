from __future__ import annotations

import re

import pytest
from pydantic import ValidationError

from handoff_tui.handoffs.handoff import ID_PATTERN, Handoff, HandoffType, RegistryState, build_id


@pytest.mark.parametrize(
    ("parts", "built"),
    [
        (("H-18",), "H-18"),
        (("hub", "T007", "12"), "hub/T007/12"),
        (("notes", "docs/handoffs/lamp.md"), "notes/docs/handoffs/lamp.md"),
        (("a b\tc",), "a-b-c"),
        (("a///b",), "a///b"),
        (("", "H-1", ""), "H-1"),
        ((".mosaic",), "mosaic"),
        (("-/.-x",), "x"),
        (("Lämpchen",), "L-mpchen"),
        (("灯",), "unnamed"),
        (("",), "unnamed"),
        ((), "unnamed"),
        (("x" * 200,), "x" * 128),
        (("a\nb\x00c",), "a-b-c"),
    ],
)
def test_id_is_built_from_parts(parts: tuple[str, ...], built: str) -> None:
    """Joined by slashes; what the grammar does not know becomes a hyphen; never empty, never too long."""
    assert build_id(*parts) == built
    assert re.fullmatch(ID_PATTERN, build_id(*parts))


@pytest.mark.parametrize("wrong", ["", "-a", ".a", "/a", "a b", "a\n", "a\x00", "ä", "x" * 129, "a:b"])
def test_id_outside_the_grammar_is_refused(wrong: str) -> None:
    """The signed log could not name it."""
    with pytest.raises(ValidationError, match="id"):
        Handoff(id=wrong, dialect="builder")


@pytest.mark.parametrize("right", ["a", "0", "H-18B", "a.b_c/d-e", "x" * 128, "a/", "a--"])
def test_id_inside_the_grammar_is_taken_as_it_is(right: str) -> None:
    """Nothing is rewritten."""
    assert Handoff(id=right, dialect="builder").id == right


def test_handoff_says_nothing_that_was_not_said() -> None:
    """What is not given is absent or empty; only the kind and the first attempt have defaults."""
    handoff = Handoff(id="H-1", dialect="builder")
    said = {name: value for name, value in handoff.model_dump().items() if value not in (None, ())}
    assert said == {"id": "H-1", "dialect": "builder", "type": HandoffType.AGENT_HANDOFF, "attempt": 1}


def test_registry_states_are_the_words_of_the_registry() -> None:
    """As builders write them, with their spaces."""
    assert RegistryState("NOT DISPATCHED") is RegistryState.NOT_DISPATCHED
    assert Handoff.model_validate({"id": "H-1", "dialect": "b", "registry": "VALIDATED"}).registry == "VALIDATED"
