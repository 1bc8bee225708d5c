"""No text reaches a parser of markup: in tui/ only our own widgets draw, and they draw cells."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "src" / "handoff_tui" / "tui").rglob("*.py"))
WIDGETS = {"Input", "TextArea"}
"""Of the framework: fields to write in. Everything else of it may parse what it shows."""
PARSING_CALLS = {"from_markup", "from_text", "from_ansi", "notify", "print"}
PARSING_NAMES = {"border_title", "border_subtitle", "tooltip"}


def find_offences(source: str) -> Iterator[str]:
    """What in a module could hand a text to a parser of markup."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("textual.widgets"):
            names = {alias.name for alias in node.names} - WIDGETS
            yield from (f"imports {name}" for name in sorted(names))
        if isinstance(node, ast.ImportFrom) and node.module in {"textual.content", "textual.markup", "rich.markup"}:
            yield f"imports from {node.module}"
        if isinstance(node, ast.keyword) and node.arg == "markup" and getattr(node.value, "value", True) is not False:
            yield "has markup"
        if isinstance(node, ast.Attribute) and node.attr in PARSING_CALLS | PARSING_NAMES:
            yield f"uses {node.attr}"
        if isinstance(node, ast.keyword) and node.arg in PARSING_NAMES:
            yield f"uses {node.arg}"


def test_no_text_reaches_a_parser_of_markup() -> None:
    """Nothing in the app hands a text of the repository to something that reads markup in it."""
    offences = {path.relative_to(ROOT).as_posix(): list(find_offences(path.read_text("utf-8"))) for path in FILES}
    assert {path: found for path, found in offences.items() if found} == {}


@pytest.mark.parametrize(
    ("source", "offence"),
    [
        ("from textual.widgets import Static", "imports Static"),
        ("from textual.widgets import Input, DataTable", "imports DataTable"),
        ("from textual.content import Content", "imports from textual.content"),
        ("Label(name, markup=True)", "has markup"),
        ("Text.from_markup(name)", "uses from_markup"),
        ("self.border_title = name", "uses border_title"),
        ("app.notify(name)", "uses notify"),
    ],
)
def test_rule_sees_what_it_forbids(source: str, offence: str) -> None:
    """Each way to a parser is found, so the test above can fail."""
    assert offence in list(find_offences(source))


def test_fields_to_write_in_are_allowed() -> None:
    """And so is saying that nothing is markup."""
    assert list(find_offences("from textual.widgets import Input, TextArea\nf(markup=False)")) == []
