from __future__ import annotations

import pytest

from handoff_tui.checks.testcode.code_assertions import (
    Strength,
    build_assertion,
    is_always_true,
    is_pair_of_equals,
    judge_truth,
    read_arguments,
    read_chain,
)
from handoff_tui.checks.testcode.code_text import Family, parse_code


@pytest.mark.parametrize(
    ("text", "always"),
    [("true", True), ("!false", True), ("a||true", True), ("true||a", True), ("a", False), ("a&&true", False)],
)
def test_condition_that_always_holds_is_told(text: str, always: bool) -> None:  # noqa: FBT001 - a table of truths
    """By its words alone."""
    assert is_always_true(text) is always


@pytest.mark.parametrize(
    ("text", "strength"),
    [
        ("(a == b)", Strength.EXACT),
        ("(a.equals(b))", Strength.EXACT),
        ("(a > 3)", Strength.EXACT),
        ("(a.b(() => c))", Strength.LOOSE),
        ("('a == b')", Strength.LOOSE),
        ("(true)", Strength.TRIVIAL),
        ("()", Strength.LOOSE),
    ],
)
def test_truth_is_exact_where_it_compares(text: str, strength: Strength) -> None:
    """In code, not in strings."""
    code = parse_code(text, Family.SCRIPT)
    assert judge_truth(code, 0, read_arguments(code, 0)) is strength


def test_chain_is_read_as_far_as_it_goes() -> None:
    """Over lines, with the arguments of its last call."""
    text = "a(b)\n  .not\n  .toBe( c ,d ); e.f()"
    code = parse_code(text, Family.SCRIPT)
    chain = read_chain(code, 4)
    assert (chain.members, chain.arguments, text[chain.end]) == (("not", "toBe"), ("c", "d"), ";")


def test_arguments_are_compared_without_white_space() -> None:
    """Two that are the same say nothing."""
    code = parse_code("(a( 1 ), a(1))", Family.GO)
    assert is_pair_of_equals(read_arguments(code, 0))
    assert not is_pair_of_equals(("a",))


def test_assertion_is_quoted_shortly() -> None:
    """On one line."""
    code = parse_code("a(\n" + "b" * 200 + ")", Family.GO)
    words = build_assertion(code, 0, len(code.text), Strength.LOOSE).words
    assert words.startswith("a( bbb")
    assert len(words) == 80
