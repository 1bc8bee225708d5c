"""Reads a file of comments: one per paragraph, each with the file or lines it is about."""

from __future__ import annotations

import re
from pathlib import Path

from handoff_tui.core.errors import UsageError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.log.review_record import Comment
from handoff_tui.system.files.user_files import read_user_file

_PARAGRAPHS = compile_later(r"\n[ \t]*\n+")
_PLACED = compile_later(
    r"(?P<path>[^\s:][^:\n]*?)(?::(?P<line>[0-9]{1,9})(?:-(?P<end>[0-9]{1,9}))?)?:[ \t]+(?P<text>.*)", re.DOTALL
)
_REPLY = compile_later(
    r"@(?P<thread>[0-9a-f]{8}\.[0-9]{1,4})(?P<resolves>[ \t]+resolved)?(?::[ \t]+(?P<text>.*)|:?)", re.DOTALL
)
_MOST_BYTES = 1024 * 1024


def read_comments(file: Path) -> tuple[Comment, ...]:
    """Reads the comments of a file that the user named."""
    content = read_user_file(file, _MOST_BYTES)
    if content is None:
        raise UsageError(f"{file} does not exist", "Name a file with comments, or leave --comments out.")
    return parse_comments(content.decode("utf-8", "replace"))


def parse_comments(text: str) -> tuple[Comment, ...]:
    """Parses `path:12-15: text`, `path: text`, `@thread: text`, `@thread resolved`, or just text.

    A path contains a dot or a slash.
    """
    paragraphs = (part.strip() for part in _PARAGRAPHS.split(text.replace("\r\n", "\n")))
    return tuple(_parse_one(paragraph) for paragraph in paragraphs if paragraph)


def _parse_one(paragraph: str) -> Comment:
    reply = _REPLY.fullmatch(paragraph)
    if reply is not None and (reply["text"] or reply["resolves"]):
        return Comment(text=(reply["text"] or "").strip(), thread=reply["thread"], resolves=bool(reply["resolves"]))
    placed = _PLACED.fullmatch(paragraph)
    if placed is None or not _is_path(placed["path"]):
        return Comment(text=paragraph)
    line = int(placed["line"]) if placed["line"] else None
    end = int(placed["end"]) if placed["end"] else None
    if line == 0 or (line is not None and end is not None and end < line):
        written = f"{placed['path']}:{placed['line']}" + (f"-{placed['end']}" if placed["end"] else "")
        raise UsageError(f"{written} is not a range of lines", "Lines count from 1.")
    return Comment(text=placed["text"].strip(), path=placed["path"], line=line, end_line=end)


def _is_path(words: str) -> bool:
    return ("." in words or "/" in words) and " " not in words.strip()
