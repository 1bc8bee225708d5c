"""A notebook as text: cell sources in full, outputs and metadata folded into one line with a digest."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

_KINDS = frozenset({"code", "markdown", "raw"})
_RESULTS = ("outputs", "execution_count")
_INDENT = "    "
"""Sources are indented and our own lines aren't, so no source can look like the start of a cell."""


def render_notebook(content: bytes) -> bytes | None:
    """The text of a notebook; None if it isn't one, so its bytes are compared instead.

    Any difference between notebooks shows in their texts, except JSON layout. Cells have no numbers: inserting one
    would change all that follow.
    """
    try:
        value = json.loads(content.decode("utf-8"), object_pairs_hook=_refuse_double_keys)
        cells = value.get("cells") if isinstance(value, dict) else None
        if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
            return None
        lines = [line for cell in cells for line in _render_cell(cell)]
        rest = {key: part for key, part in value.items() if key != "cells"}
        lines.append(f"── notebook: {_list_keys(rest)} · {_digest(rest)}")
    except (ValueError, RecursionError):
        return None
    return "\n".join([*lines, ""]).encode("utf-8", "surrogatepass")


def _render_cell(cell: dict[str, object]) -> list[str]:
    kind, source = cell.get("cell_type"), _join_source(cell.get("source"))
    shown = set(_RESULTS)
    if isinstance(kind, str) and kind in _KINDS:
        shown.add("cell_type")
    lines = [f"── cell: {kind if 'cell_type' in shown else 'of another kind'}"]
    if source is not None:
        shown.add("source")
        lines += [f"{_INDENT}{line}" for line in source.split("\n")]
    folded = {key: part for key, part in cell.items() if key not in shown}
    if folded:
        lines.append(f"── folded: {_list_keys(folded)} · {_digest(folded)}")
    results = {key: cell[key] for key in _RESULTS if key in cell}
    if results:
        lines.append(f"── folded: {_count_outputs(cell.get('outputs'))} · {_digest(results)}")
    return [*lines, ""]


def _join_source(source: object) -> str | None:
    if isinstance(source, str):
        return source
    if isinstance(source, list):
        pieces = [piece for piece in source if isinstance(piece, str)]
        return "".join(pieces) if len(pieces) == len(source) else None
    return None


def _count_outputs(outputs: object) -> str:
    if not isinstance(outputs, list):
        return "outputs of no known shape"
    if not outputs:
        return "no outputs"
    kinds = Counter(str(output.get("output_type")) if isinstance(output, dict) else "other" for output in outputs)
    return "outputs " + ", ".join(f"{number} {_name(kind)}" for kind, number in sorted(kinds.items()))


def _list_keys(value: dict[str, object]) -> str:
    return ", ".join(map(_name, sorted(value))) or "nothing"


def _name(text: str) -> str:
    """A name from the notebook, on one line."""
    return json.dumps(text, ensure_ascii=True)[1:-1][:40]


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return "sha256 " + hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


def _refuse_double_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuses duplicate keys: programs disagree on which one counts, so one could hide the other."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found
