"""Generators shared by the property tests."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import strategies as st

from handoff_tui.dialects.json_document import JsonValue


def json_values(keys: Sequence[str], words: Sequence[str] = ()) -> st.SearchStrategy[JsonValue]:
    """JSON of any shape whose objects use a format's own keys, so that wrong types meet every reader."""
    scalars = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=20),
        st.sampled_from(["", *words]),
    )
    names = st.one_of(st.sampled_from(list(keys)), st.text(max_size=8))
    return st.recursive(
        scalars,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=6)),
        max_leaves=25,
    )


def json_texts(keys: Sequence[str], words: Sequence[str] = ()) -> st.SearchStrategy[str]:
    """JSON files of a format: well-formed, cut off, and with anything in their place."""
    whole = json_values(keys, words).map(lambda value: json.dumps(value, indent=2))
    cut = st.tuples(whole, st.integers(0, 200)).map(lambda pair: pair[0][: pair[1]])
    return st.one_of(whole, cut, st.text(max_size=60))


def line_texts(fragments: Sequence[str]) -> st.SearchStrategy[str]:
    """Documents put together from lines of a format and lines of anything."""
    lines = st.one_of(st.sampled_from(list(fragments)), st.text(max_size=30))
    return st.lists(lines, max_size=25).map("\n".join)
