"""Review comments and the code they are about: quoted, and whether it has changed since. Follows renames."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import accumulate

from handoff_tui.core.classes import NamedTuple
from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.handoffs.session import Session
from handoff_tui.log.review_record import Comment
from handoff_tui.system.files.cache_files import find_cache_folder

_AROUND = 3
_MOST_MATCHED = 5_000
"""Between more changed lines than this, nothing is searched for."""


def quote(comment: Comment, content: bytes | None) -> tuple[str, ...]:
    """The lines a comment is about with some context, numbered; the commented ones are marked."""
    if content is None or comment.line is None:
        return ()
    lines = _split(content)
    meant = range(comment.line, (comment.end_line or comment.line) + 1)
    first, last = max(1, meant.start - _AROUND), min(len(lines), meant.stop - 1 + _AROUND)
    return tuple(
        f"{'>' if number in meant else ' '}{number:>5}  {lines[number - 1]}" for number in range(first, last + 1)
    )


def has_changed(comment: Comment, then: bytes, now: bytes, *, white_space: bool = False) -> bool:
    """Whether the commented lines changed, or the file if there are none. Lines that only moved are unchanged.

    Differences in white space, line breaks included, don't count unless `white_space` is set.
    """
    old, new = then.removesuffix(b"\n").split(b"\n"), now.removesuffix(b"\n").split(b"\n")
    meant = [] if comment.line is None else old[comment.line - 1 : comment.end_line or comment.line]
    if white_space or b"\0" in then or b"\0" in now:
        return not _has_run(new, meant) if meant else then != now
    if not meant:
        return b"".join(then.split()) != b"".join(now.split())
    bare = b"".join(map(_strip_all, meant))
    return not (_has_text(list(map(_strip_all, new)), bare) if bare else _has_run(new, meant))


def find_lines_now(comment: Comment, then: bytes, now: bytes) -> range | None:
    """Where the commented lines are now; None without lines, or if none of them is left.

    Lines that were changed in place keep their place between the unchanged lines around them.
    """
    if comment.line is None:
        return None
    old, new = then.split(b"\n"), now.split(b"\n")
    blocks = _match(old, new)
    first, last = comment.line - 1, (comment.end_line or comment.line) - 1
    start = next(b + first - a if a <= first else before for before, a, b, size in blocks if a + size > first)
    end = next(b + last - a if a <= last else b - 1 for _, a, b, size in blocks if a + size > last)
    lines = range(start + 1, min(end, len(new) - 1) + 2)
    return lines or None


def _match(old: list[bytes], new: list[bytes]) -> list[tuple[int, int, int, int]]:
    """The unchanged runs of lines: where the one before ends in `new`, start in `old`, start in `new`, length.

    The last one stands for the end of both. What both begin and end with is cheap to find.
    """
    shorter = min(len(old), len(new))
    head = next((number for number in range(shorter) if old[number] != new[number]), shorter)
    most = shorter - head
    tail = next((number for number in range(most) if old[-1 - number] != new[-1 - number]), most)
    middle = (old[head : len(old) - tail], new[head : len(new) - tail])
    runs = [(0, 0, head)]
    if max(map(len, middle)) <= _MOST_MATCHED:
        matched = SequenceMatcher(None, *middle, autojunk=False).get_matching_blocks()
        runs += [(head + a, head + b, size) for a, b, size in matched]
    runs += [(len(old) - tail, len(new) - tail, tail), (len(old), len(new), sys.maxsize)]
    filled = [run for run in runs if run[2]]
    ends = [0, *(b + size for _, b, size in filled)]
    return [(end, *run) for end, run in zip(ends, filled, strict=False)]


def _strip_all(line: bytes) -> bytes:
    return b"".join(line.split())


def _has_run(lines: list[bytes], run: list[bytes]) -> bool:
    return any(lines[start : start + len(run)] == run for start in range(len(lines) - len(run) + 1))


def _has_text(lines: list[bytes], text: bytes) -> bool:
    """Whether some consecutive lines add up to that text."""
    starts = [0, *accumulate(map(len, lines))]
    ends, joined = frozenset(starts), b"".join(lines)
    return any(start + len(text) in ends and joined.startswith(text, start) for start in starts)


def _split(content: bytes) -> list[str]:
    """Splits at line feeds only, as editors and diffs count lines."""
    return content.decode("utf-8", "replace").removesuffix("\n").split("\n")


_MOST_BYTES = 4 * 1024 * 1024
_LOOK = "check whether that answers it"
_RENAMED, _RETYPED = "R", "T"


class CommentFiles(NamedTuple):
    """The files comments are about, by the path the comment names."""

    then: Mapping[str, bytes | None] = {}
    """None if missing, too large, or not in this clone."""
    now: Mapping[str, bytes | None] = {}
    renamed: Mapping[str, str] = {}
    """Where a renamed file is now."""
    retyped: frozenset[str] = frozenset()
    """Files that became links, or the other way round."""
    unread: frozenset[str] = frozenset()
    """In a tree, but not readable."""


def read_comment_files(
    session: Session, trees: tuple[str, str], comments: Iterable[Comment], changes: Sequence[FileChange]
) -> CommentFiles:
    """Reads the contents on both sides; `changes` are the differences between the two trees."""
    paths = dict.fromkeys(comment.path for comment in comments if comment.path)
    moved = {one.old_path: one.path for one in changes if one.status == _RENAMED and one.old_path is not None}
    then, not_then = _read_files(session, trees[0], {path: path for path in paths})
    now, not_now = _read_files(session, trees[1], {path: moved.get(path, path) for path in paths})
    retyped = frozenset(one.path for one in changes if one.status == _RETYPED)
    return CommentFiles(then, now, moved, retyped, not_then | not_now)


def judge_comment(comment: Comment, files: CommentFiles, later: str) -> tuple[bool | None, str]:
    """Whether what a comment is about has changed, and how we know; None if it can't be measured."""
    if not comment.path:
        return None, "it is about the work as a whole, which isn't measured"
    if comment.path in files.unread:
        return None, "the file is too large to compare, or this clone lacks its content"
    before, after = files.then.get(comment.path), files.now.get(comment.path)
    if before is None:
        return None, "the file wasn't there when the comment was made"
    if after is None:
        return None, f"the file is gone from {later}: {_LOOK}"
    if comment.path in files.retyped:
        return None, f"it is a different kind of file in {later}: {_LOOK}"
    return _compare(comment, (before, after), files.renamed.get(comment.path), later)


def _compare(
    comment: Comment, contents: tuple[bytes, bytes], renamed: str | None, later: str
) -> tuple[bool | None, str]:
    before, after = contents
    what = "the file" if comment.line is None else "what it is about"
    where = later if renamed is None else f"{later}, where the file is {renamed}"
    if has_changed(comment, before, after):
        return True, f"{what} changed in {where}"
    if renamed is not None and comment.line is None:
        return None, f"only its name changed in {where}: {_LOOK}"
    if has_changed(comment, before, after, white_space=True):
        return False, f"only white space in {what} changed in {where}"
    return False, f"{what} is the same in {where}"


def _read_files(
    session: Session, tree: str, places: Mapping[str, str]
) -> tuple[dict[str, bytes | None], frozenset[str]]:
    """Contents, and which files are there but couldn't be read."""
    if not places:
        return {}, frozenset()
    repository = session.repository
    names = {path: f"{tree}:{place}" for path, place in places.items()}
    objects = offer_objects(repository, find_cache_folder(repository.root))
    contents = read_blobs(repository.git, list(names.values()), _MOST_BYTES, extra=objects)
    found = {path: contents.get(name) for path, name in names.items()}
    missing = [path for path, content in found.items() if content is None]
    unread = (
        path
        for path in missing
        if repository.git.run("rev-parse", "--verify", "--quiet", names[path], extra=objects).ok
    )
    return found, frozenset(unread)
