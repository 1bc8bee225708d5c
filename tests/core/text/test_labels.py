from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from handoff_tui.changes.comparison.snapshot_diff import ItemChange
from handoff_tui.config.theme import ROLES
from handoff_tui.core.text.labels import (
    Label,
    label_difference,
    label_gate,
    label_mover,
    label_readiness,
    label_verdict,
    plural,
)
from handoff_tui.handoffs.claim import VerdictState
from handoff_tui.log.gates.gate_state import GateName, Mover


def label_all(find: Callable[..., Label], values: Iterable[object]) -> list[Label]:
    return [find(value) for value in values]


FAMILIES = {
    "gates": label_all(label_gate, [*GateName, None]),
    "movers": label_all(label_mover, Mover),
    "verdicts": label_all(label_verdict, VerdictState),
    "differences": label_all(label_difference, ItemChange),
    "readiness": [label_readiness(blocked=blocked) for blocked in (True, False)],
}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_state_has_a_word_of_its_own(family: str) -> None:
    """Meaning is never by colour alone: the words of one family differ, and each has a glyph."""
    labels = FAMILIES[family]
    assert len({label.word for label in labels}) == len(labels)
    assert all(len(label.glyph) == 1 for label in labels)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_role_of_a_label_is_in_the_themes(family: str) -> None:
    """A label that no theme can colour could not be drawn."""
    assert {label.role for label in FAMILIES[family]} <= set(ROLES)


def test_words_are_those_of_the_model() -> None:
    """What a person reads is what a script reads."""
    assert [label_gate(name).word for name in GateName] == [name.value for name in GateName]
    assert [label_verdict(state).word for state in VerdictState] == [state.value for state in VerdictState]
    assert [label_mover(mover).word for mover in Mover] == [mover.value for mover in Mover]
    assert [label_difference(change).word for change in ItemChange] == [
        change.replace("-", " ") for change in ItemChange
    ]


def test_gate_that_is_not_known_is_never_passed_off_as_another() -> None:
    """No state is `unknown`, with the glyph and colour of a question."""
    assert label_gate(None) == Label("?", "unknown", "unknown")


def test_pending_gate_says_whether_something_is_in_the_way() -> None:
    """Blocked looks like a failure, ready does not."""
    assert label_readiness(blocked=True) == label_gate(GateName.BLOCKED)
    assert str(label_readiness(blocked=False)) == "○ ready"


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 files"), (1, "1 file"), (2, "2 files"), (1234, "1,234 files"), (-1, "-1 files")]
)
def test_plural_follows_the_number(number: int, text: str) -> None:
    """Only one is one; thousands are parted."""
    assert plural(number, "file") == text
