from __future__ import annotations

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rules.procedure.data_intact import list_file_sums, parse_sum
from tests.support.world import MemoryWorld

DIGITS = "0123456789abcdef" * 4


@pytest.mark.parametrize("text", [DIGITS, f"sha256:{DIGITS}", f" {DIGITS.upper()}\n"])
def test_sum_is_sixty_four_digits(text: str) -> None:
    """With or without its name, in small or capital letters."""
    assert parse_sum(text) == DIGITS


@pytest.mark.parametrize("text", [DIGITS[:-1], f"{DIGITS}0", "md5:" + DIGITS, "", None, 7])
def test_anything_else_is_no_sum(text: object) -> None:
    """Too short, too long, of another kind, or no text."""
    assert parse_sum(text) is None


def test_lists_of_sums_are_known_by_their_names() -> None:
    """A name that only ends like one is another file."""
    text = f"{DIGITS}  a.txt\n"
    world = MemoryWorld(files={"x/SHA256SUMS": text, "OLDSHA256SUMS": text, "b.txt.sha256": DIGITS})
    found = [(entry.path, str(entry.where)) for entry in list_file_sums(Context(Answers(world)))]
    assert found == [("b.txt", "b.txt.sha256:1"), ("x/a.txt", "x/SHA256SUMS:1")]
