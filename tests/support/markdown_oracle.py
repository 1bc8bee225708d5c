"""The outline of a document by the parser of others, to compare ours with."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from handoff_tui.handoffs.reading.markdown import Code, Item, Paragraph, Row, Section, Table, plain

if TYPE_CHECKING:
    from markdown_it.token import Token

_BOXES = {"[ ]": False, "[x]": True, "[X]": True}


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


def collect_sections(text: str) -> list[Section]:
    """The sections as markdown-it's tokens have them."""
    tokens = _parser().parse(text)
    sections = [Section(0, "", 1)]
    lists: list[bool] = []
    marker: Token | None = None
    quotes = 0
    position = 0
    while position < len(tokens):
        token = tokens[position]
        line = token.map[0] + 1 if token.map else sections[-1].line
        blocks = sections[-1].blocks
        match token.type:
            case "heading_open":
                sections.append(Section(int(token.tag[1:]), tokens[position + 1].content, line))
                position += 2
            case "bullet_list_open" | "ordered_list_open":
                lists.append(token.type == "ordered_list_open")
            case "bullet_list_close" | "ordered_list_close":
                lists.pop()
            case "list_item_open" | "list_item_close":
                marker = token if token.nesting > 0 else None
            case "blockquote_open" | "blockquote_close":
                quotes += token.nesting
            case "table_open":
                end = next(place for place in range(position, len(tokens)) if tokens[place].type == "table_close")
                blocks.append(_build_table(line, tokens[position:end]))
                position = end
            case "inline" if marker is not None:
                item = _build_item(line, token.content, marker, len(lists))
                blocks.append(item._replace(ordered=lists[-1], quoted=quotes > 0))
                marker = None
            case "inline":
                blocks.append(Paragraph(line, token.content, quoted=quotes > 0))
            case "html_block":
                blocks.append(Paragraph(line, token.content.rstrip("\n"), html=True))
            case "fence" | "code_block":
                first = line + 1 if token.type == "fence" and token.content else line
                blocks.append(Code(first, token.content.rstrip("\n"), token.info.strip()))
        position += 1
    return sections


def _build_item(line: int, content: str, marker: Token, depth: int) -> Item:
    checked = _BOXES.get(content[:3]) if content[3:4].isspace() else None
    text = content if checked is None else content[3:].lstrip()
    number = int(marker.info) if marker.info else None
    return Item(line, text, depth, checked, number=number, bullet="" if marker.info else marker.markup)


def _build_table(line: int, tokens: list[Token]) -> Table:
    rows: list[Row] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append(Row(token.map[0] + 1 if token.map else 0, ()))
        elif token.type == "inline":
            rows[-1] = rows[-1]._replace(cells=(*rows[-1].cells, token.content))
    return Table(line, tuple(map(plain, rows[0].cells)), tuple(rows[1:]))
