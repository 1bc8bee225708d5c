"""Remarks beside the code they are about: the lines quoted, and whether they are still the same. Pure."""

from __future__ import annotations

from itertools import accumulate

from handoff_tui.log.review_record import Comment

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


def has_changed(comment: Comment, then: bytes, now: bytes, *, white_space: bool = False) -> bool:
    """Whether the lines meant are gone from the file; lines that have only moved are the same. Else: the whole file.

    What differs in white space alone, line breaks among it, is the same too, unless that is asked for.
    """
    old, new = then.removesuffix(b"\n").split(b"\n"), now.removesuffix(b"\n").split(b"\n")
    meant = [] if comment.line is None else old[comment.line - 1 : comment.end_line or comment.line]
    if white_space or b"\0" in then or b"\0" in now:
        return not _has_run(new, meant) if meant else then != now
    if not meant:
        return b"".join(then.split()) != b"".join(now.split())
    bare = b"".join(map(_strip_all, meant))
    return not (_has_text(list(map(_strip_all, new)), bare) if bare else _has_run(new, meant))


def _strip_all(line: bytes) -> bytes:
    return b"".join(line.split())


def _has_run(lines: list[bytes], run: list[bytes]) -> bool:
    return any(lines[start : start + len(run)] == run for start in range(len(lines) - len(run) + 1))


def _has_text(lines: list[bytes], text: bytes) -> bool:
    """Whether some whole lines, one after the other, come to that text."""
    starts = [0, *accumulate(map(len, lines))]
    ends, joined = frozenset(starts), b"".join(lines)
    return any(start + len(text) in ends and joined.startswith(text, start) for start in starts)


def _split(content: bytes) -> list[str]:
    """By line feeds alone, as editors and diffs count lines."""
    return content.decode("utf-8", "replace").removesuffix("\n").split("\n")
