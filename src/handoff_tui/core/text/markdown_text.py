"""Text from elsewhere inside Markdown: shown as it is, never obeyed.

Characters with a meaning become entities, which no Markdown reader takes for markup, not even in a table. Only
`code` between single backticks stays code: nothing inside it is obeyed either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.safe_text import render_safe

_CALLING: Final = compile_later(r"[@#](?=\w)")
"""On GitHub `@name` calls a person and `#12` marks another page; within code they do neither."""
_MARKUP: Final = compile_later(
    rf"(?P<calls>{_CALLING.pattern})"
    r"|(?<=http):|(?<=https):|(?<=ftp):|(?<=mailto):|(?<=xmpp):|(?<=www)\."  # links itself
    r"|[\\`*{}\[\]<>&|~$]|(?<![^\W_])_|_(?![^\W_])",
    re.IGNORECASE,
)
_LEADING: Final = compile_later(r"[-+=#]|\d{1,9}[.)]")
"""At the beginning of a line: a list, a heading, or the line under one."""
_CODE: Final = compile_later(r"(?<!`)`([^`]+)`(?!`)")
_PLAIN_CODE: Final = compile_later(r"[^`|\\\s](?:[^`|\\]*[^`|\\\s])?")
_BACKTICKS: Final = compile_later("`+")


def render_markdown(text: str) -> str:
    """Text for a paragraph, a list entry or a table's cell, on one line."""
    line = render_safe(text).strip()
    leading = _LEADING.match(line)
    start = leading.end() if leading and not _CALLING.match(line) else 0
    words = _CODE.split(line[start:])
    shown = (render_code(part) if number % 2 else _render_words(part) for number, part in enumerate(words))
    return (_show(leading) if leading and start else "") + "".join(shown)


def render_code(text: str) -> str:
    """Text as code, on one line, in a table too."""
    line = render_safe(text)
    if _PLAIN_CODE.fullmatch(line):
        return f"`{line}`"
    return f"<code>{_MARKUP.sub(_show, line)}</code>" if line.strip() else "–"


def render_commands(commands: list[str]) -> list[str]:
    """A block of commands to copy."""
    return render_block(commands, "sh")


def render_block(text: Iterable[str], language: str = "") -> list[str]:
    """Lines as they are, behind a fence that none of them can close."""
    lines = [render_safe(line) for line in text]
    longest = max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *lines, fence]


def _render_words(text: str) -> str:
    return _MARKUP.sub(lambda match: f"<code>{_show(match)}</code>" if match["calls"] else _show(match), text)


def _show(match: re.Match[str]) -> str:
    """The last character as an entity; what stands before it are the digits of a list."""
    text = match.group()
    return f"{text[:-1]}&#{ord(text[-1])};"
