"""Markdown as a reader sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from markdown_it.token import Token

_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def read_markdown(text: str) -> list[Token]:
    return _READER.parse(text)


def list_tables(text: str) -> list[list[list[str]]]:
    """The cells of each row of each table, the head first, as plain text."""
    tables: list[list[list[str]]] = []
    inside = False
    for token in read_markdown(text):
        if token.type in {"table_open", "table_close"}:
            inside = token.type == "table_open"
            tables.extend([[]] if inside else [])
        elif token.type == "tr_open":
            tables[-1].append([])
        elif token.type == "inline" and inside:
            tables[-1][-1].append(read_words(token))
    return tables


def read_words(token: Token) -> str:
    """The text of an inline token, code included, tags left out."""
    kept = {"text", "code_inline", "text_special"}
    return "".join(child.content for child in token.children or () if child.type in kept)
