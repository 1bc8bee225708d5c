"""Remarks beside the code they are about: the lines quoted, and whether they are still the same. Pure."""

from __future__ import annotations

from handoff_tui.models.review_record import Comment

_AROUND = 3


def quote(comment: Comment, content: bytes | None) -> tuple[str, ...]:
    """The lines that a remark is about and a few around them, numbered; those meant have a mark."""
    if content is None or comment.line is None:
        return ()
    lines = _split(content)
    meant = range(comment.line, (comment.end_line or comment.line) + 1)
    first, last = max(1, meant.start - _AROUND), min(len(lines), meant.stop - 1 + _AROUND)
    return tuple(
        f"{'>' if number in meant else ' '}{number:>5}  {lines[number - 1]}" for number in range(first, last + 1)
    )


def has_changed(comment: Comment, then: bytes, now: bytes | None) -> bool:
    """Whether the lines meant are gone from the file; lines that have only moved are the same. Else: the whole file."""
    if now is None:
        return True
    if comment.line is None:
        return then != now
    old, new = _split(then), _split(now)
    meant = old[comment.line - 1 : comment.end_line or comment.line]
    if not meant:
        return then != now
    return not any(new[start : start + len(meant)] == meant for start in range(len(new) - len(meant) + 1))


def _split(content: bytes) -> list[str]:
    """By line feeds alone, as editors and diffs count lines."""
    return content.decode("utf-8", "replace").removesuffix("\n").split("\n")
