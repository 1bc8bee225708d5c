from __future__ import annotations

import json

import pytest

from handoff_tui.changes.files.notebook_text import render_notebook


def build(*cells: object, **more: object) -> bytes:
    return json.dumps({"cells": list(cells), **more}).encode()


def build_cell(source: object, **more: object) -> dict[str, object]:
    return {"cell_type": "code", "source": source, **more}


def test_sources_are_shown_and_the_rest_folded() -> None:
    """Each cell has its kind, its source, one line of metadata and one of outputs."""
    cell = build_cell(["a\n", "b"], metadata={}, outputs=[{"output_type": "stream", "text": "x"}], execution_count=3)
    text = (render_notebook(build(cell, {"cell_type": "markdown", "source": "# t"}, nbformat=4)) or b"").decode()
    lines = [line.split(" · ")[0] for line in text.splitlines()]
    assert lines == [
        "── cell: code",
        "    a",
        "    b",
        "── folded: metadata",
        "── folded: outputs 1 stream",
        "",
        "── cell: markdown",
        "    # t",
        "",
        "── notebook: nbformat",
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (build(build_cell("a")), build(build_cell("b"))),
        (build(build_cell("a", outputs=[1])), build(build_cell("a", outputs=[2]))),
        (build(build_cell("a", outputs=[])), build(build_cell("a"))),
        (build(build_cell("a", execution_count=1)), build(build_cell("a", execution_count=2))),
        (build(build_cell("a", metadata={"x": 1})), build(build_cell("a", metadata={"x": True}))),
        (build(build_cell("a"), nbformat=4), build(build_cell("a"), nbformat=5)),
        (build(build_cell(["a", 1])), build(build_cell(["a", 2]))),
        (build({**build_cell("a"), "cell_type": "x"}), build({**build_cell("a"), "cell_type": "y"})),
        (build(build_cell("a\n── cell: code\n    b")), build(build_cell("a"), build_cell("b"))),
        (build(build_cell("a\n\n── cell: code\n    b\n")), build(build_cell("a"), build_cell("b\n"))),
        (build(build_cell("\ud800")), build(build_cell("\ud801"))),
    ],
)
def test_texts_differ_where_notebooks_do(one: bytes, other: bytes) -> None:
    """Nothing is folded so far that a difference vanishes, and no source passes for a cell."""
    assert None not in {render_notebook(one), render_notebook(other)}
    assert render_notebook(one) != render_notebook(other)


def test_layout_of_the_json_does_not_matter() -> None:
    """Indentation, order of keys, and a source as one text or as lines."""
    one = build(build_cell("a\nb", metadata={"x": 1, "y": 2}))
    other = json.dumps(
        {"cells": [{"metadata": {"y": 2, "x": 1}, "source": ["a\n", "b"], "cell_type": "code"}]}, indent=2
    )
    assert render_notebook(one) == render_notebook(other.encode())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no",
        b"[]",
        b"{}",
        b'{"cells": {}}',
        b'{"cells": [1]}',
        b'{"cells": [], "cells": []}',
        b'{"cells": [{"source": "a", "source": "b"}]}',
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_what_is_no_notebook_is_none(content: bytes) -> None:
    """Not JSON, other JSON, or a key twice, behind which another could hide."""
    assert render_notebook(content) is None
