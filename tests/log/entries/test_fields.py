"""The grammar of an entry's fields and times."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.core.errors import EntrySchemaError
from handoff_tui.log.entries import fields
from handoff_tui.log.entries.canonical import Value
from handoff_tui.log.entries.times import add_seconds, build_time, parse_time

ID = "sha256:" + "0" * 64
OTHER = "sha256:" + "1" * 64
NO_TEXTS: list[Value] = [1, True, [], {}]
NO_LISTS: list[Value] = ["abc", {"a": 1}, True]
UNSORTED: list[Value] = [[OTHER, ID], [ID, ID]]


def test_unknown_key_is_shown_without_its_control_characters() -> None:
    """A message never carries what a terminal would obey, nor a whole file."""
    with pytest.raises(EntrySchemaError) as caught:
        fields.parse_object({"\x1b[2J" + "x" * 5000: 1}, frozenset(), "it")
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 200


@pytest.mark.parametrize(
    ("grammar", "right", "wrong"),
    [
        (
            fields.PRINCIPAL,
            ["a", "alice@example.com", "a.b_c%d+e-f", "x" * 128],
            ["", "x" * 129, "a b", "a\n", "ö", "a*", "a,b", "!a", "a/b", "а"],
        ),
        (
            fields.LABEL,
            ["H-32", "0", "a/b.c_d-e", "x" * 128],
            ["", "x" * 129, "-a", ".a", "/a", "_a", "a b", "a\n", "a@b"],
        ),
        (fields.ENTRY_ID, [ID], ["", ID[:-1], ID + "0", ID.upper(), ID + "\n", "0" * 64, "sha512:" + "0" * 64]),
        (fields.NONCE, ["0" * 32, "abcdef" + "1" * 26], ["0" * 31, "0" * 33, "A" * 32, "g" * 32]),
        (fields.SHA256, ["f" * 64], ["f" * 63, "F" * 64, "f" * 40]),
        (fields.GIT_OBJECT, ["f" * 40, "f" * 64], ["f" * 39, "f" * 41, "f" * 63, "F" * 40, "f" * 40 + "\n", "f" * 104]),
    ],
)
def test_word_fits_its_grammar_as_a_whole(grammar: re.Pattern[str], right: list[str], wrong: list[Value]) -> None:
    """Neither a part of it nor a newline after it."""
    for word in right:
        assert fields.parse_word({"x": word}, "x", grammar) == word
        assert fields.parse_words({"x": [word, word]}, "x", grammar) == (word, word)
    for value in [*wrong, *NO_TEXTS]:
        with pytest.raises(EntrySchemaError, match="x"):
            fields.parse_word({"x": value}, "x", grammar)
        with pytest.raises(EntrySchemaError, match="x"):
            fields.parse_words({"x": [right[0], value]}, "x", grammar)


@pytest.mark.parametrize(
    "value",
    [
        "2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T23:59:60Z",
        "0000-01-01T00:00:00Z", "2026-01-01T00:00:00", "2026-01-01T00:00:00+00:00", "2026-01-01T00:00:00z",
        "2026-01-01t00:00:00Z", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00.0Z", "2026-1-1T00:00:00Z",
        "2026-01-01T00:00:00Z\n", " 2026-01-01T00:00:00Z", "20260101T000000Z", "２０２６-01-01T00:00:00Z", "", 1, True,
    ],
)  # fmt: skip
def test_time_in_another_form_is_refused(value: Value) -> None:
    """Days that are not in the calendar, leap seconds, offsets, fractions, other digits."""
    with pytest.raises(EntrySchemaError, match="time"):
        fields.parse_time({"time": value}, "time")


@pytest.mark.parametrize("code", [*range(10), *range(11, 32), *range(0x7F, 0xA0)])
def test_reason_has_no_control_characters(code: int) -> None:
    """Neither of the old block nor of the new one; a newline is none in this sense."""
    with pytest.raises(EntrySchemaError, match="control"):
        fields.parse_reason({"reason": f"a{chr(code)}b"}, "reason", mandatory=False)


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)))  # noqa: DTZ001 - hypothesis adds the zone
def test_times_survive_and_sort_as_text(moment: datetime) -> None:
    """A time read back is the same to the second, and later times are later texts."""
    text = build_time(moment)
    assert parse_time(text) == moment.replace(microsecond=0)
    assert add_seconds(text, 1) > text


@pytest.mark.parametrize("text", ["2026-1-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01T00:00:00", "now", ""])
def test_other_forms_are_refused(text: str) -> None:
    """One form only, and only days of the calendar."""
    with pytest.raises(ValueError, match=r"isoformat|2026|day is out"):
        parse_time(text)
