"""Puts foreign text into Markdown: shown as it is, never interpreted.

Special characters become entities, which no Markdown reader treats as markup, not even in a table. Only
`code` between single backticks stays code: nothing inside it is interpreted either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.safe_text import render_safe, render_safe_lines

_CALLING: Final = compile_later(r"[@#](?=\w)")
"""On GitHub `@name` notifies a person and `#12` links a page; inside code they do neither."""
_MARKUP: Final = compile_later(
    rf"(?P<calls>{_CALLING.pattern})"
    r"|(?<=http):|(?<=https):|(?<=ftp):|(?<=mailto):|(?<=xmpp):|(?<=www)\."  # becomes a link by itself
    r"|[\\`*{}\[\]<>&|~$]|(?<![^\W_])_|_(?![^\W_])",
    re.IGNORECASE,
)
_LEADING: Final = compile_later(r"[-+=#]|\d{1,9}[.)]")
"""At the start of a line: a list, a heading, or the line under one."""
_CODE: Final = compile_later(r"(?<!`)`([^`]+)`(?!`)")
_PLAIN_CODE: Final = compile_later(r"[^`|\\\s](?:[^`|\\]*[^`|\\\s])?")
_BACKTICKS: Final = compile_later("`+")


def render_markdown(text: str) -> str:
    """Renders text on one line, for a paragraph, a list item or a table cell."""
    line = render_safe(text).strip()
    leading = _LEADING.match(line)
    start = leading.end() if leading and not _CALLING.match(line) else 0
    words = _CODE.split(line[start:])
    shown = (render_code(part) if number % 2 else _render_words(part) for number, part in enumerate(words))
    return (_show(leading) if leading and start else "") + "".join(shown)


def render_code(text: str) -> str:
    """Renders text as code on one line, also in a table."""
    line = render_safe(text)
    if _PLAIN_CODE.fullmatch(line):
        return f"`{line}`"
    return f"<code>{_MARKUP.sub(_show, line)}</code>" if line.strip() else "–"


def render_quote(text: str) -> list[str]:
    """Quotes what somebody wrote, unchanged."""
    return render_block(render_safe_lines(text), "text")


def render_commands(commands: list[str]) -> list[str]:
    """Renders a block of commands to copy."""
    return render_block(commands, "sh")


def render_block(text: Iterable[str], language: str = "") -> list[str]:
    """Renders lines as they are, in a fence that none of them can close."""
    lines = [render_safe(line) for line in text]
    longest = max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *lines, fence]


def _render_words(text: str) -> str:
    return _MARKUP.sub(lambda match: f"<code>{_show(match)}</code>" if match["calls"] else _show(match), text)


def _show(match: re.Match[str]) -> str:
    """Returns the last character as an entity; before it are the digits of a list."""
    text = match.group()
    return f"{text[:-1]}&#{ord(text[-1])};"
