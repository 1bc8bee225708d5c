"""Reads the hunks of one file from its two blobs, no further than asked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from handoff_tui.changes.files.file_kinds import (
    GENERATED_LINES,
    HEAD_BYTES,
    SUBMODULE_MODE,
    SYMLINK_MODE,
    classify,
    find_mode,
)
from handoff_tui.changes.files.notebook_text import render_notebook
from handoff_tui.git.command import Git
from handoff_tui.git.file_diff import BlobFacts, DiffLine, DiffOptions, FileChange, FileDiff, FileKind, Hunk
from handoff_tui.git.objects.isolated import IsolatedObjects, open_isolated_objects
from handoff_tui.git.objects.tree_diff import WHITESPACE_WORDS
from handoff_tui.git.stream import GitStream

_HEADER = re.compile(rb"@@ -(\d{1,18})(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? @@(?: (.*))?", re.DOTALL)
_BINARY = re.compile(rb"Binary files .* differ", re.DOTALL)


class FoundHunks(NamedTuple):
    """The contents of a one-file patch."""

    hunks: tuple[Hunk, ...]
    binary: bool = False
    truncated: bool = False


def parse_hunks(lines: Iterable[bytes], most_lines: int | None = None, most_bytes: int | None = None) -> FoundHunks:
    """Parses until the end, or until there are enough lines or bytes."""
    hunks: list[Hunk] = []
    gathered: list[DiffLine] = []
    old_number = new_number = taken = size = 0
    for line in lines:
        header = _HEADER.match(line) if line[:1] == b"@" else None
        if header:
            _close_hunk(hunks, gathered)
            hunk = _parse_header(header)
            hunks.append(hunk)
            old_number, new_number = hunk.old_start, hunk.new_start
        elif not hunks:
            if _BINARY.fullmatch(line):
                return FoundHunks((), binary=True)
        elif line[:1] == b"\\" and gathered:
            gathered[-1] = gathered[-1]._replace(ends_without_newline=True)
        else:
            if _is_enough(taken, most_lines) or _is_enough(size, most_bytes):
                _close_hunk(hunks, gathered)
                return FoundHunks(tuple(hunks), truncated=True)
            mark, text = line[:1].decode("latin-1"), line[1:].decode("utf-8", "surrogateescape")
            in_old, in_new = mark != "+", mark != "-"
            gathered.append(DiffLine(mark, text, old_number if in_old else None, new_number if in_new else None))
            old_number, new_number = old_number + in_old, new_number + in_new
            taken, size = taken + 1, size + len(line)
    _close_hunk(hunks, gathered)
    return FoundHunks(tuple(hunks))


def find_first_lines(hunks: tuple[Hunk, ...], number: int, *, old: bool) -> bytes | None:
    """The first lines of a side, if the first hunk has that many; else None."""
    start = 0 if not hunks else hunks[0].old_start if old else hunks[0].new_start
    if start != 1:
        return None
    other = "+" if old else "-"
    lines = [line.text for line in hunks[0].lines if line.mark != other][:number]
    return "\n".join(lines).encode("utf-8", "surrogateescape") if len(lines) == number else None


def _is_enough(taken: int, most: int | None) -> bool:
    return most is not None and taken >= most


def _close_hunk(hunks: list[Hunk], gathered: list[DiffLine]) -> None:
    if hunks:
        hunks[-1] = hunks[-1]._replace(lines=tuple(gathered))
    gathered.clear()


def _parse_header(header: re.Match[bytes]) -> Hunk:
    old_start, old_count, new_start, new_count = (
        default if number is None else int(number)
        for number, default in zip(header.groups()[:4], (0, 1, 0, 1), strict=True)
    )
    # git truncates headings by bytes, even inside a character
    heading = (header.group(5) or b"").decode("utf-8", "ignore").rstrip()
    return Hunk(old_start, old_count, new_start, new_count, heading, ())


MOST_BYTES = 32 * 1024 * 1024
"""No more than this of one file's hunks is held in memory."""
MOST_NOTEBOOK_BYTES = 16 * 1024 * 1024

# only the porcelain compares blobs; options override anything the user's configuration could change
BLOB_WORDS = (
    *("diff", "--no-renames", "--no-relative", "--full-index", "--inter-hunk-context=0", "--submodule=short"),
    *("--diff-algorithm=myers", "--indent-heuristic", "--ws-error-highlight=none"),
)
_MODE_NAMES = {SYMLINK_MODE: "a symbolic link", SUBMODULE_MODE: "a submodule"}
_NOTHING_MODE = "000000"

BlobSide = str | None
"""The blob id of one side; None if there is no blob."""


def read_file_diff(
    git: Git,
    change: FileChange,
    options: DiffOptions | None = None,
    extra: Mapping[str, str] | None = None,
) -> FileDiff:
    """Compares one changed file. `extra` names further object folders, as git's variables do."""
    options = options or DiffOptions()
    old, new = find_sides(change)
    with open_isolated_objects(git, change.new_id, extra) as view:
        if old == new:
            return _build_diff(change, _find_kind(view, change, FoundHunks(())), FoundHunks(()))
        if not options.as_stored and classify(change.path, b"", find_mode(change)) is FileKind.NOTEBOOK:
            return _compare_notebooks(view, change, options)
        return _compare_blobs(view, change, options)


def find_sides(change: FileChange) -> tuple[BlobSide, BlobSide]:
    """The blobs of both sides; a submodule has none."""
    return (
        None if change.old_mode in {_NOTHING_MODE, SUBMODULE_MODE} else change.old_id,
        None if change.new_mode in {_NOTHING_MODE, SUBMODULE_MODE} else change.new_id,
    )


def _compare_blobs(view: IsolatedObjects, change: FileChange, options: DiffOptions) -> FileDiff:
    old, new = find_sides(change)
    found = _read_hunks(view, change, (old or view.write_blob(b""), new or view.write_blob(b"")), options)
    if found.binary:
        facts = read_facts(view, change, old), read_facts(view, change, new)
        return _build_diff(change, FileKind.BINARY, found, facts)
    return _build_diff(change, _find_kind(view, change, found), found, note=_find_note(found, options))


def _find_kind(view: IsolatedObjects, change: FileChange, found: FoundHunks) -> FileKind:
    """The kind of non-binary content; reads the blob only if name and hunks don't tell."""
    by_name = classify(change.path, b"", find_mode(change))
    old, new = find_sides(change)
    side = new or old
    if by_name is not FileKind.TEXT or side is None:
        return by_name
    head = find_first_lines(found.hunks, GENERATED_LINES, old=new is None)
    if head is None:
        with view.open_blob(side) as content:
            head = take_head(content)
    return classify(change.path, head, find_mode(change))


def _read_hunks(view: IsolatedObjects, change: FileChange, sides: tuple[str, str], options: DiffOptions) -> FoundHunks:
    text = ("--text",) if options.as_text else ()
    context = f"--unified={max(options.context, 0)}"
    with view.open_stream(*BLOB_WORDS, *text, context, *WHITESPACE_WORDS[options.whitespace], *sides, "--") as patch:
        found = parse_hunks(patch.lines(), options.most_lines, MOST_BYTES)
        if found.truncated or found.binary:
            return found
        answer = patch.finish()
    if not answer.ok:
        raise view.explain(answer, "diff", name_blobs(change))
    return found


def take_head(content: GitStream) -> bytes:
    """The start of a content, enough to tell its kind."""
    head = b""
    for chunk in content.chunks():
        head += chunk
        if len(head) >= HEAD_BYTES:
            break
    return head


def _compare_notebooks(view: IsolatedObjects, change: FileChange, options: DiffOptions) -> FileDiff:
    """Compares cells as text if both sides are notebooks, else the stored bytes."""
    texts = [render_notebook(content) if content else content for content in read_sides(view, change)]
    if any(text is None for text in texts):
        stored = _compare_blobs(view, change, options)
        note = "not a readable notebook, so shown as stored"
        return stored if stored.kind is FileKind.BINARY else _with_note(stored, note)
    old, new = (view.write_blob(text or b"") for text in texts)
    found = _read_hunks(view, change, (old, new), options)
    if old == new:
        note = "only the layout of the notebook's JSON differs"
    else:
        note = _find_note(found, options) or "cells as text, outputs folded; line numbers refer to this text"
    return _build_diff(change, FileKind.NOTEBOOK, found, note=note)


def read_sides(view: IsolatedObjects, change: FileChange) -> list[bytes | None]:
    """Both contents: empty for a missing side, None if too large."""
    return [b"" if side is None else _read_content(view, change, side) for side in find_sides(change)]


def _read_content(view: IsolatedObjects, change: FileChange, blob_id: str) -> bytes | None:
    content = bytearray()
    with view.open_blob(blob_id) as stream:
        for chunk in stream.chunks():
            content += chunk
            if len(content) > MOST_NOTEBOOK_BYTES:
                return None
        answer = stream.finish()
    if not answer.ok:
        raise view.explain(answer, "cat-file", name_blobs(change))
    return bytes(content)


def read_facts(view: IsolatedObjects, change: FileChange, blob_id: BlobSide) -> BlobFacts | None:
    """Size and digest of binary content; None if there is none."""
    if blob_id is None:
        return None
    size, digest = 0, hashlib.sha256()
    with view.open_blob(blob_id) as stream:
        for chunk in stream.chunks():
            size += len(chunk)
            digest.update(chunk)
        answer = stream.finish()
    if not answer.ok:
        raise view.explain(answer, "cat-file", name_blobs(change))
    return BlobFacts(size, digest.hexdigest())


def _find_note(found: FoundHunks, options: DiffOptions) -> str | None:
    if found.truncated:
        shown = sum(len(hunk.lines) for hunk in found.hunks)
        return f"only the first {shown:,} lines are shown"
    if not found.hunks:
        return f"no other differences with white space set to {options.whitespace}"
    return None


def find_type_note(change: FileChange) -> str | None:
    """What the modes say but no line does; None if nothing."""
    old, new = (_MODE_NAMES.get(mode, "a file") for mode in (change.old_mode, change.new_mode))
    if change.status == "T":
        return f"was {old}, is now {new}"
    if SUBMODULE_MODE in {change.old_mode, change.new_mode}:
        return "only the submodule's commit is compared, not its contents"
    if change.old_id == change.new_id:
        return "the content is the same"
    return None


def _build_diff(
    change: FileChange,
    kind: FileKind,
    found: FoundHunks,
    facts: tuple[BlobFacts | None, BlobFacts | None] = (None, None),
    note: str | None = None,
) -> FileDiff:
    notes = [text for text in (find_type_note(change), note) if text]
    # unvalidated: all values are our own, and there may be very many lines
    return FileDiff.model_construct(
        change=change,
        kind=kind,
        hunks=found.hunks,
        old_facts=facts[0],
        new_facts=facts[1],
        note="; ".join(notes) or None,
        truncated=found.truncated,
    )


def _with_note(diff: FileDiff, note: str) -> FileDiff:
    return diff.model_copy(update={"note": f"{note}; {diff.note}" if diff.note else note})


def name_blobs(change: FileChange) -> dict[str, str]:
    """What error messages call the two contents."""
    old, new = find_sides(change)
    named = {new: f"the new content of {change.path}", old: f"the old content of {change.old_path or change.path}"}
    return {blob_id: text for blob_id, text in named.items() if blob_id is not None}
