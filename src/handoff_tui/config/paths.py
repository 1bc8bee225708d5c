"""Dotted keys: how a setting is named in messages and origins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from handoff_tui.core.lazy_pattern import compile_later

_PLAIN = compile_later(r"[A-Za-z0-9_.-]+")


def join_path(parts: Iterable[str | int]) -> str:
    """The dotted key. A part with odd characters is quoted and escaped, since a repository may have written it."""
    return ".".join(_render_part(str(part)) for part in parts)


def _render_part(part: str) -> str:
    return part if _PLAIN.fullmatch(part) else f'"{repr(part)[1:-1]}"'


def find_leaves(table: dict[str, object], above: tuple[str, ...] = ()) -> Iterator[tuple[str, object]]:
    """Every dotted key with its value, in order. A list is one value; so is a table with nothing in it."""
    for key, value in table.items():
        path = (*above, key)
        if isinstance(value, dict) and value:
            yield from find_leaves(value, path)
        else:
            yield join_path(path), value


def merge_tables(below: dict[str, object], above: dict[str, object]) -> dict[str, object]:
    """Tables merge key by key; anything else is replaced."""
    merged = dict(below)
    for key, value in above.items():
        lower = merged.get(key)
        merged[key] = merge_tables(lower, value) if isinstance(lower, dict) and isinstance(value, dict) else value
    return merged
