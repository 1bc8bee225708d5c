"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import copy
import re

import pytest

from handoff_tui.core.lazy_pattern import LaterPattern, compile_later


def test_later_pattern_answers_like_a_compiled_one() -> None:
    """Every method and attribute is that of the compiled pattern."""
    later, compiled = compile_later(r"(?P<word>[a-z]+)", re.IGNORECASE), re.compile(r"(?P<word>[a-z]+)", re.IGNORECASE)
    assert later.findall("one Two") == compiled.findall("one Two") == ["one", "Two"]
    assert later.sub("x", "one 2") == "x 2"
    assert (later.pattern, later.flags, later.groupindex) == (compiled.pattern, compiled.flags, compiled.groupindex)
    found = later.fullmatch("Word")
    assert found is not None
    assert found["word"] == "Word"


def test_later_pattern_reads_bytes_as_well() -> None:
    """A pattern of bytes is one for bytes."""
    assert compile_later(rb"\d+").findall(b"1 22") == [b"1", b"22"]


def test_later_pattern_is_not_compiled_until_it_is_used() -> None:
    """What is never asked is never compiled, so even a broken pattern is not noticed."""
    broken = compile_later("(")
    with pytest.raises(re.error, match="unterminated"):
        broken.search("")


def test_later_pattern_fetches_a_method_once() -> None:
    """The second call of a method goes straight to the compiled pattern."""
    later = compile_later("a")
    assert later.search is later.search


def test_later_pattern_can_be_copied() -> None:
    """A protocol that asks for a special method gets a plain answer, and no endless search."""
    duplicate = copy.deepcopy(compile_later("a+"))
    assert isinstance(duplicate, LaterPattern)
    assert duplicate.match("aa") is not None
