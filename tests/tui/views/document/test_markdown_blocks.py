"""Markdown becomes blocks of safe cells, each with its line; nothing that was written is left out."""

from __future__ import annotations

import pytest

from handoff_tui.core.text.page import Cell
from handoff_tui.tui.views.document.markdown_blocks import (
    Block,
    Prose,
    Ruler,
    Table,
    Verbatim,
    build_safe_cells,
    parse_blocks,
    split_lines,
)


def read_text(block: Block) -> str:
    if isinstance(block, Ruler):
        return "---"
    if isinstance(block, Table):
        return "/".join("|".join("".join(cell.text for cell in one) for one in row) for _, row in block.rows)
    lead = "".join(cell.text for cell in block.lead)
    return lead + "\n".join("".join(cell.text for cell in piece.cells) for piece in block.pieces)


def parse_one(text: str) -> Block:
    (block,) = parse_blocks(text)
    return block


def find_role(block: Block, text: str) -> str:
    assert isinstance(block, Prose | Verbatim)
    return next(cell.role for piece in block.pieces for cell in piece.cells if cell.text == text)


def test_heading_has_its_level_and_line() -> None:
    """The marks stay in front of it; emphasis within it goes."""
    blocks = parse_blocks("text\n\n### A *title*\n")
    heading = blocks[1]
    assert isinstance(heading, Prose)
    assert (heading.level, heading.pieces[0].line) == (3, 3)
    assert [cell.text for piece in heading.pieces for cell in piece.cells] == ["### ", "A ", "title"]


def test_paragraph_keeps_the_line_of_each_piece() -> None:
    """Strong words and code have roles of their own."""
    block = parse_one("a **strong** word\nand `code`\n")
    assert isinstance(block, Prose)
    assert [piece.line for piece in block.pieces] == [1, 2]
    assert (find_role(block, "strong"), find_role(block, "code"), find_role(block, "a ")) == (
        *("heading", "accent", "text"),
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[here](https://example.org/x)", "here ⟨https://example.org/x⟩"),
        ('[here](https://example.org "a title")', 'here ⟨https://example.org "a title"⟩'),
        ("<https://example.org>", "https://example.org"),
        ("<ada@example.org>", "ada@example.org"),
        ("![a lamp](lamp.png)", "[image: a lamp] ⟨lamp.png⟩"),
        ("[https://good.example](https://bad.example)", "https://good.example ⟨https://bad.example⟩"),
        ("~~gone~~ <b>raw</b>", "~~gone~~ <b>raw</b>"),
        ("a [ref][one]\n\n[one]: https://example.org", "a ref ⟨https://example.org⟩"),
    ],
)
def test_link_is_shown_with_where_it_leads(text: str, shown: str) -> None:
    """An address stands beside the words unless they are the same; nothing pretends to be another."""
    assert read_text(parse_blocks(text)[0]) == shown


def test_lists_and_quotes_have_their_marks_once() -> None:
    """The first block of an item gets the mark, what follows stands under it."""
    texts = [read_text(block) for block in parse_blocks("1. one\n\n   more\n2. two\n\n> said\n")]
    assert texts == ["1. one", "   more", "2. two", "│ said"]
    assert [read_text(block) for block in parse_blocks("- a\n  - b\n")] == ["• a", "  • b"]


def test_code_keeps_its_lines() -> None:
    """A fence shows what it calls itself; both kinds of code begin on the right line."""
    fenced, indented = parse_blocks("```sh\nmake\ntest\n```\n\ntext\n\n    x = 1\n")[::2]
    assert isinstance(fenced, Verbatim)
    assert [(piece.line, piece.cells[0].text) for piece in fenced.pieces] == [(1, "sh"), (2, "make"), (3, "test")]
    assert isinstance(indented, Verbatim)
    assert (indented.pieces[0].line, indented.pieces[0].cells[0].text, indented.code) == (8, "x = 1", True)


def test_table_has_its_rows_with_their_lines() -> None:
    """Cells keep code and emphasis."""
    block = parse_one("| a | b |\n|---|---|\n| 1 | `2` |\n")
    assert isinstance(block, Table)
    assert [line for line, _ in block.rows] == [1, 3]
    assert read_text(block) == "a|b/1|2"


def test_cells_beyond_the_last_column_are_shown() -> None:
    """A parser drops them; the line is shown as it is written beside the rest."""
    assert read_text(parse_one("| a |\n|---|\n| 1 | override |\n")) == "a/1|| 1 | override |"


def test_what_would_not_show_is_shown_as_written() -> None:
    """Comments, definitions and empty items: a reader of the page sees what a reader of the file sees."""
    text = "<!-- do as I say -->\n\n[//]: # (hidden)\n\n-\n\nend\n"
    assert [read_text(block) for block in parse_blocks(text)] == [
        "<!-- do as I say -->",
        "[//]: # (hidden)",
        "-",
        "end",
    ]


def test_hidden_characters_are_marked() -> None:
    """A right-to-left override stands there as what it is."""
    assert build_safe_cells("a\u202eb") == [Cell("a"), Cell("⟨U+202E⟩", "hidden"), Cell("b")]


def test_long_paragraph_is_left_as_it_is() -> None:
    """Thousands of brackets would take a parser minutes."""
    block = parse_one("[" * 20_000)
    assert read_text(block) == "[" * 20_000


def test_lines_are_counted_as_an_editor_does() -> None:
    """Every kind of line end ends a line."""
    assert split_lines("a\r\nb\rc\nd") == ["a", "b", "c", "d"]
