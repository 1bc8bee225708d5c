"""The grammar of an entry's fields: each function returns the value, or says which field is wrong and how."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from itertools import pairwise

from handoff_tui.core.errors import EntrySchemaError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.log.entries.canonical import Value

PRINCIPAL = compile_later(r"[A-Za-z0-9._%+@-]{1,128}")
LABEL = compile_later(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,127}")
"""For handoffs and phases."""
ENTRY_ID = compile_later(r"sha256:[0-9a-f]{64}")
NONCE = compile_later(r"[0-9a-f]{32}")
SHA256 = compile_later(r"[0-9a-f]{64}")
GIT_OBJECT = compile_later(r"[0-9a-f]{40}|[0-9a-f]{64}")
TIME = compile_later(
    r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z"
)
MAX_ATTEMPT = 1_000_000
MAX_REASON = 4_000

_CONTROL = compile_later(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")

Fields = dict[str, Value]


def has_control(text: str) -> bool:
    """Whether a text contains control characters other than line ends."""
    return _CONTROL.search(text) is not None


def parse_object(value: Value, keys: frozenset[str], name: str) -> Fields:
    """Reads an object with exactly these keys."""
    if not isinstance(value, dict):
        raise EntrySchemaError(f"{name} is not an object")
    if value.keys() != keys:
        missing, unknown = sorted(keys - value.keys()), sorted(value.keys() - keys)
        words = [f"{name} lacks {', '.join(missing)}"] * bool(missing)
        words += [f"{name} has unknown fields: {', '.join(unknown)[:120]!a}"] * bool(unknown)
        raise EntrySchemaError("; ".join(words))
    return value


def parse_text(fields: Fields, name: str) -> str:
    value = fields[name]
    if not isinstance(value, str):
        raise EntrySchemaError(f"{name} is not text")
    return value


def parse_word(fields: Fields, name: str, grammar: re.Pattern[str]) -> str:
    value = fields[name]
    if not isinstance(value, str) or not grammar.fullmatch(value):
        raise EntrySchemaError(f"{name} is not of the form {grammar.pattern}")
    return value


def parse_integer(fields: Fields, name: str, most: int | None = None) -> int:
    """Reads an integer of at least 1."""
    value = fields[name]
    # True is an integer to Python, but not to the format.
    if type(value) is not int or value < 1 or (most is not None and value > most):
        raise EntrySchemaError(f"{name} is not a whole number from 1" + (f" to {most}" if most else ""))
    return value


def parse_words(fields: Fields, name: str, grammar: re.Pattern[str]) -> tuple[str, ...]:
    value = fields[name]
    if not isinstance(value, list):
        raise EntrySchemaError(f"{name} is not a list")
    words = tuple(word for word in value if isinstance(word, str) and grammar.fullmatch(word))
    if len(words) != len(value):
        raise EntrySchemaError(f"something in {name} is not of the form {grammar.pattern}")
    return words


def parse_ids(fields: Fields, name: str) -> tuple[str, ...]:
    """Reads ids of entries: sorted, without duplicates."""
    ids = parse_words(fields, name, ENTRY_ID)
    if not is_rising(ids):
        raise EntrySchemaError(f"{name} is not sorted, or has duplicates")
    return ids


def parse_time(fields: Fields, name: str) -> str:
    """Reads a UTC time in its one form, so that times sort as text."""
    value = parse_text(fields, name)
    if not TIME.fullmatch(value):
        raise EntrySchemaError(f"{name} is not of the form YYYY-MM-DDTHH:MM:SSZ")
    if not is_day(value):
        raise EntrySchemaError(f"{name} is not a day that exists")
    return value


def is_day(time: str) -> bool:
    """Whether a text that looks like a time starts with a day that exists."""
    try:
        date.fromisoformat(time[:10])
    except ValueError:
        return False
    return True


def is_rising(ids: Sequence[str]) -> bool:
    """Whether ids are sorted, without duplicates."""
    return all(first < second for first, second in pairwise(ids))


def parse_reason(fields: Fields, name: str, *, mandatory: bool) -> str:
    value = parse_text(fields, name)
    if len(value) > MAX_REASON:
        raise EntrySchemaError(f"{name} has {len(value)} characters; the limit is {MAX_REASON}")
    if has_control(value):
        raise EntrySchemaError(f"{name} has a control character other than a newline")
    if mandatory and not value.strip():
        raise EntrySchemaError(f"{name} is empty, and this decision needs one")
    return value
