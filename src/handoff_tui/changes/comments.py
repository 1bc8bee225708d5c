"""Whether what remarks are about has changed from one tree to another; a file that was renamed is followed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.review_record import Comment
from handoff_tui.system.files.cache_files import find_cache_folder

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


_MOST_BYTES = 4 * 1024 * 1024
_LOOK = "look whether that answers it"
_RENAMED, _RETYPED = "R", "T"


class CommentFiles(NamedTuple):
    """The files that remarks are about, by the path that the remark names."""

    then: Mapping[str, bytes | None] = {}
    """Nothing for what was not there, is too large, or whose content this clone lacks."""
    now: Mapping[str, bytes | None] = {}
    renamed: Mapping[str, str] = {}
    """Where a file is now, if it is called otherwise."""
    retyped: frozenset[str] = frozenset()
    """A file that has become a link, or the other way round."""
    unread: frozenset[str] = frozenset()
    """In a tree, and not readable."""


def read_comment_files(
    desk: Desk, trees: tuple[str, str], comments: Iterable[Comment], changes: Sequence[FileChange]
) -> CommentFiles:
    """The contents on both sides; `changes` is how the second tree differs from the first."""
    paths = dict.fromkeys(comment.path for comment in comments if comment.path)
    moved = {one.old_path: one.path for one in changes if one.status == _RENAMED and one.old_path is not None}
    then, not_then = _read_files(desk, trees[0], {path: path for path in paths})
    now, not_now = _read_files(desk, trees[1], {path: moved.get(path, path) for path in paths})
    retyped = frozenset(one.path for one in changes if one.status == _RETYPED)
    return CommentFiles(then, now, moved, retyped, not_then | not_now)


def judge_comment(comment: Comment, files: CommentFiles, later: str) -> tuple[bool | None, str]:
    """Whether what a remark is about has changed, and by what that was found; nothing where it cannot be measured."""
    if not comment.path:
        return None, "it is about the whole, which is not measured"
    if comment.path in files.unread:
        return None, "the file is too large to compare, or this clone lacks its content"
    before, after = files.then.get(comment.path), files.now.get(comment.path)
    if before is None:
        return None, "the file was not there when the remark was made"
    if after is None:
        return None, f"the file is gone from {later}: {_LOOK}"
    if comment.path in files.retyped:
        return None, f"it is another kind of file in {later}: {_LOOK}"
    return _compare(comment, (before, after), files.renamed.get(comment.path), later)


def _compare(
    comment: Comment, contents: tuple[bytes, bytes], renamed: str | None, later: str
) -> tuple[bool | None, str]:
    before, after = contents
    what = "the file" if comment.line is None else "what it is about"
    where = later if renamed is None else f"{later}, where the file is {renamed}"
    if has_changed(comment, before, after):
        return True, f"{what} has changed in {where}"
    if renamed is not None and comment.line is None:
        return None, f"only its name has changed in {where}: {_LOOK}"
    if has_changed(comment, before, after, white_space=True):
        return False, f"only white space of {what} has changed in {where}"
    return False, f"{what} is the same in {where}"


def _read_files(desk: Desk, tree: str, places: Mapping[str, str]) -> tuple[dict[str, bytes | None], frozenset[str]]:
    """Contents, and what is there and could not be read."""
    if not places:
        return {}, frozenset()
    repository = desk.repository
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
