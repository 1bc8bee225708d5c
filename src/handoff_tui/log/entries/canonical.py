"""Canonical JSON: RFC 8785 without floats and null, so that each value has exactly one form in bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NoReturn

from handoff_tui.core.errors import EntryTooLargeError, NotCanonicalError

MAX_BYTES = 256 * 1024
MAX_NESTING = 16
MAX_INTEGER = 2**53 - 1

Value = dict[str, "Value"] | list["Value"] | str | bool | int

_MOST_DIGITS = len(f"-{MAX_INTEGER}")
_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, sort_keys=True, separators=(",", ":"))


def encode(value: Value, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Returns the canonical bytes of a value; refuses a value that has none."""
    _check(value, MAX_NESTING)
    data = _render(value)
    _check_size(data, max_bytes)
    return data


def decode(data: bytes, *, max_bytes: int = MAX_BYTES) -> Value:
    """Returns the value of canonical bytes; refuses all others."""
    value = decode_shaped(data, max_bytes=max_bytes)
    _check(value, MAX_NESTING)
    return value


def decode_shaped(data: bytes, *, max_bytes: int = MAX_BYTES) -> Value:
    """As `decode`, for callers that check every part's type: null, other keys and nesting are not checked."""
    value = parse_json(data, max_bytes=max_bytes)
    if _render(value) != data:
        raise NotCanonicalError("not in canonical form: spaces, key order, a key twice, or escapes")
    return value


def parse_json(data: bytes, *, max_bytes: int = MAX_BYTES) -> Value:
    """Returns the value of JSON in any form, at a bounded cost; the caller encodes it again and compares."""
    _check_size(data, max_bytes)
    try:
        value: Value = _DECODER.decode(data.decode())
    except UnicodeDecodeError as wrong:
        raise NotCanonicalError(f"not UTF-8 at byte {wrong.start}") from wrong
    except RecursionError as wrong:
        raise NotCanonicalError(f"nested deeper than {MAX_NESTING}") from wrong
    except json.JSONDecodeError as wrong:
        raise NotCanonicalError(f"not JSON: {wrong.msg.lower()} at character {wrong.pos}") from wrong
    return value


def _render(value: Value) -> bytes:
    try:
        return _ENCODER.encode(value).encode()
    except UnicodeEncodeError as wrong:
        raise NotCanonicalError("half a surrogate pair is not text") from wrong
    except RecursionError as wrong:
        raise NotCanonicalError(f"nested deeper than {MAX_NESTING}") from wrong


def _check_size(data: bytes, max_bytes: int) -> None:
    if len(data) > max_bytes:
        raise EntryTooLargeError(f"{len(data)} bytes; the limit is {max_bytes}")


def _check(value: object, depth: int) -> None:
    """Refuses what the encoder would write but the format does not know. The costliest step, so written for speed."""
    inner: Iterable[object]
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str) or not key.isascii():
                raise NotCanonicalError("a key that is not ASCII text")
        inner = value.values()
    elif isinstance(value, list):
        inner = value
    else:
        _check_scalar(value)
        return
    if not depth:
        raise NotCanonicalError(f"nested deeper than {MAX_NESTING}")
    for item in inner:
        # Most are strings, and asking here saves the call.
        if type(item) is not str:
            _check(item, depth - 1)


def _check_scalar(value: object) -> None:
    if isinstance(value, int):
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise NotCanonicalError("an integer of 2^53 or more")
    elif not isinstance(value, str):
        raise NotCanonicalError("null" if value is None else f"a value of type {type(value).__name__}")


def _parse_integer(digits: str) -> int:
    # Before int(): its cost grows with the square of the digits.
    if len(digits) > _MOST_DIGITS or not -MAX_INTEGER <= (number := int(digits)) <= MAX_INTEGER:
        raise NotCanonicalError("an integer of 2^53 or more")
    return number


def _refuse_number(number: str) -> NoReturn:
    raise NotCanonicalError(f"{number[:20]} is not an integer")


_DECODER = json.JSONDecoder(parse_int=_parse_integer, parse_float=_refuse_number, parse_constant=_refuse_number)
