from __future__ import annotations

import pytest

from handoff_tui.core.text.toml_text import find_table, parse_toml


@pytest.mark.parametrize("content", [b"a = ", b"\xff", "a = " + "1" * 5_000, "a = " + "[" * 10_000])
def test_whatever_is_wrong_is_one_kind_of_error(content: bytes | str) -> None:
    """Also what Python itself can't read: numbers that are too long, lists that are too deep."""
    with pytest.raises(ValueError, match=r"."):
        parse_toml(content)


@pytest.mark.parametrize("header", ["[roles.root]", '[roles."root"]', "  [ roles . 'root' ]  # who"])
def test_table_is_found_however_it_is_written(header: str) -> None:
    """From its header to the next one; the end of the text if there is none."""
    text = f"version = 1\n{header}\nthreshold = 2\n[roles.reviewer]\n"
    place = find_table(text, "roles", "root")
    assert text[place.start : place.content].strip() == header.strip()
    assert text[place.content : place.end] == "\nthreshold = 2\n"
    assert set(find_table(text, "roles", "agent")) == {len(text)}
