from __future__ import annotations

import json
import sys
import time

import pytest

from handoff_tui.core.errors import EntryTooLargeError, NotCanonicalError
from handoff_tui.log.entries.canonical import (
    MAX_BYTES,
    MAX_INTEGER,
    MAX_NESTING,
    Value,
    decode,
    decode_shaped,
    encode,
    parse_json,
)


def nest(depth: int) -> Value:
    value: Value = "x"
    for number in range(depth):
        value = [value] if number % 2 else {"a": value}
    return value


@pytest.mark.parametrize(
    ("value", "data"),
    [
        ({"b": 1, "a": [True, False], "B": ""}, b'{"B":"","a":[true,false],"b":1}'),
        ([], b"[]"),
        ({}, b"{}"),
        ("", b'""'),
        (0, b"0"),
        (MAX_INTEGER, b"9007199254740991"),
        (-MAX_INTEGER, b"-9007199254740991"),
        ({"a_": 1, "a.": 1, "a": 1, "A": 1}, b'{"A":1,"a":1,"a.":1,"a_":1}'),
        ("\b\t\n\f\r", rb'"\b\t\n\f\r"'),
        ("\0\x0b\x1b\x1f", rb'"\u0000\u000b\u001b\u001f"'),
        ("\x7f\x80/'<>&", '"\x7f\x80/\'<>&"'.encode()),
        ('"\\', rb'"\"\\"'),
        ("ö€😀\u2028", '"ö€😀\u2028"'.encode()),
    ],
)
def test_value_has_one_form(value: Value, data: bytes) -> None:
    """Keys sorted, no spaces, integers as they are, text escaped as RFC 8785 says; the form gives the value back.

    Only quote, backslash and what is below a space are escaped; everything else stands for itself in UTF-8.
    """
    assert encode(value) == data
    assert decode(data) == value


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" {}",
        b"{}\n",
        b"{} ",
        b'{"a": 1}',
        b'{"b":1,"a":1}',
        b'{"a":1,"a":1}',
        b'{"a":1,"a":2}',
        b"\xef\xbb\xbf{}",
        rb'"\u0041"',
        rb'"\/"',
        rb'"\u000A"',
        rb'"\u001F"',
        rb'"\ud83d\ude00"',
        rb'"\ud800"',
        b'"\xed\xa0\x80"',
        b'"\xc0\xaf"',
        b'"\xff"',
        b'"\n"',
        b"-0",
        b"01",
        b"+1",
        b"1.0",
        b"1e2",
        b"0.5",
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"null",
        b'{"a":null}',
        b"[[null]]",
        b"9007199254740992",
        b"-9007199254740992",
        '{"ö":1}'.encode(),
        b"[1,]",
        b"{'a':1}",
        b"[]//",
        b"[][]",
        b"tru",
        "１".encode(),
        "{}".encode("utf-16"),
    ],
)
def test_other_form_is_refused(data: bytes) -> None:
    """Spaces, order, doubled keys, other escapes and numbers, null, half pairs, broken UTF-8, trailing bytes."""
    with pytest.raises(NotCanonicalError):
        decode(data)


@pytest.mark.parametrize(
    "value",
    [None, 1.0, float("nan"), 2**53, -(2**53), b"x", {1: "a"}, {"ö": 1}, [None], {"a": (1,)}, "\ud800", {"\ud800": 1}],
)
def test_value_outside_the_format_is_not_written(value: Value) -> None:
    """What could not be read back is refused before it is signed."""
    with pytest.raises(NotCanonicalError):
        encode(value)


def test_nesting_has_a_limit() -> None:
    """Sixteen levels are read and written, seventeen are not."""
    deepest = nest(MAX_NESTING)
    assert decode(encode(deepest)) == deepest
    with pytest.raises(NotCanonicalError, match="nested"):
        encode(nest(MAX_NESTING + 1))
    with pytest.raises(NotCanonicalError, match="nested"):
        decode(json.dumps(nest(MAX_NESTING + 1), separators=(",", ":")).encode())


def test_nesting_near_the_interpreters_own_limit_is_refused() -> None:
    """Whether reading or writing comes to the end of the stack first, the error is ours."""
    for depth in range(17, sys.getrecursionlimit() + 20):
        for read in (decode, decode_shaped):
            try:
                value = read(b"[" * depth + b"]" * depth)
            except NotCanonicalError:
                continue
            assert (read, type(value)) == (decode_shaped, list)


def test_shaped_value_is_in_its_one_form_but_not_looked_into() -> None:
    """Form is checked there, and what may be in it is left to who asked."""
    assert str(decode_shaped(b'{"a":null}')) == "{'a': None}"
    assert decode_shaped('{"ö":1}'.encode()) == {"ö": 1}
    for data in (b'{"a": null}', b'{"b":1,"a":1}', b'{"a":1,"a":1}', rb'"\u0041"', rb'"\ud800"', b"1.0", b"9" * 17):
        with pytest.raises(NotCanonicalError):
            decode_shaped(data)


def test_json_in_any_form_is_parsed_at_a_bounded_cost() -> None:
    """Spaces and order are free there; floats, giant numbers, broken text and giant files are not."""
    assert parse_json(b' {"b": 1, "a": [true]}\n') == {"a": [True], "b": 1}
    for data in (b"1.5", b"NaN", b"1" * 400, b"\xff", b"{", b"[" * 100_000):
        with pytest.raises(NotCanonicalError):
            parse_json(data)
    with pytest.raises(EntryTooLargeError):
        parse_json(b" " * MAX_BYTES + b"1")


def test_size_has_a_limit() -> None:
    """One byte more than the limit is too much in both directions; a caller may set another."""
    fitting = "x" * (MAX_BYTES - 2)
    assert decode(encode(fitting)) == fitting
    with pytest.raises(EntryTooLargeError):
        encode(fitting + "x")
    with pytest.raises(EntryTooLargeError):
        decode(b'"' + fitting.encode() + b'x"')
    assert encode(fitting + "x", max_bytes=MAX_BYTES + 1)


@pytest.mark.parametrize(
    "data",
    [
        b"[" * (MAX_BYTES // 2) + b"]" * (MAX_BYTES // 2),
        b'{"a":' * (MAX_BYTES // 6),
        b"[" * MAX_BYTES,
        b"9" * MAX_BYTES,
        b"-" + b"9" * (MAX_BYTES - 1),
        b"0." + b"9" * (MAX_BYTES - 2),
        b"1e" + b"9" * (MAX_BYTES - 2),
        b"[" + b"9" * 4301 + b"]",
        b'"' + b"\\u0041" * (MAX_BYTES // 6 - 1) + b'"',
        b"[" * (100 * MAX_BYTES),
    ],
    ids=["balanced", "objects", "open", "digits", "negative", "fraction", "exponent", "over-4300", "escapes", "huge"],
)
def test_bomb_is_refused_at_no_cost(data: bytes) -> None:
    """Deep nesting, huge numbers and huge files end at once, even where Python's own limits are lifted."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        start = time.process_time()
        with pytest.raises((NotCanonicalError, EntryTooLargeError)):
            decode(data)
        assert time.process_time() - start < 0.2
    finally:
        sys.set_int_max_str_digits(limit)
