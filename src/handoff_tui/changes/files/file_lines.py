"""The one file in view with all of its lines, told in parts while git still writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from handoff_tui.changes.files.file_diff import (
    BLOB_WORDS,
    find_sides,
    find_type_note,
    name_blobs,
    read_facts,
    read_sides,
    take_head,
)
from handoff_tui.changes.files.file_kinds import GENERATED_LINES, classify, find_mode
from handoff_tui.changes.files.notebook_text import render_notebook
from handoff_tui.changes.files.patch_lines import PatchLines
from handoff_tui.changes.files.patch_parser import PatchParser
from handoff_tui.changes.files.shown_file import ShownFile
from handoff_tui.git.command import Git
from handoff_tui.git.file_diff import DiffOptions, FileChange, FileKind
from handoff_tui.git.objects.isolated import BareView, open_bare_view
from handoff_tui.git.objects.tree_diff import WHITESPACE_WORDS

MOST_BYTES = 1 << 30
"""More than this of one file's patch is not held in memory."""
_WHOLE_FILE = "--unified=100000000"
_TOLD_AGAIN = 4
"""What was read is told when it has grown so many times over."""

Tell = Callable[[ShownFile], None]


class _Asked(NamedTuple):
    change: FileChange
    options: DiffOptions
    tell: Tell
    is_unwanted: Callable[[], bool]


def read_file_lines(
    git: Git,
    change: FileChange,
    options: DiffOptions,
    extra: Mapping[str, str] | None = None,
    tell: Tell | None = None,
    is_unwanted: Callable[[], bool] | None = None,
) -> ShownFile | None:
    """The whole file with its changes; folding is left to who shows it. Nothing when it is unwanted by then.

    `tell` gets the first lines as soon as they are there, and more as they come.
    """
    asked = _Asked(change, options, tell or (lambda _: None), is_unwanted or (lambda: False))
    old, new = find_sides(change)
    with open_bare_view(git, change.new_id, extra) as view:
        if old == new:
            return _build(asked, PatchLines(), _find_kind(view, asked, PatchLines()))
        if not options.as_stored and classify(change.path, b"", find_mode(change)) is FileKind.NOTEBOOK:
            return _read_notebook(view, asked)
        return _read(view, asked, (old or view.write_blob(b""), new or view.write_blob(b"")))


def _read_notebook(view: BareView, asked: _Asked) -> ShownFile | None:
    texts = [render_notebook(content) if content else content for content in read_sides(view, asked.change)]
    if any(text is None for text in texts):
        old, new = find_sides(asked.change)
        sides = (old or view.write_blob(b""), new or view.write_blob(b""))
        return _read(view, asked, sides, "it cannot be read as a notebook, so it is shown as it is stored")
    old, new = (view.write_blob(text or b"") for text in texts)
    if old == new:
        return _build(asked, PatchLines(), FileKind.NOTEBOOK, note="only the layout of the notebook's JSON differs")
    return _read(view, asked, (old, new), "cells as text, outputs folded; line numbers are of this text")


def _read(view: BareView, asked: _Asked, sides: tuple[str, str], note: str | None = None) -> ShownFile | None:
    parser = PatchParser()
    whole = _take_in(view, asked, sides, parser, note)
    if whole is None:
        return None
    if parser.binary:
        old, new = find_sides(asked.change)
        binary = _build(asked, PatchLines(), FileKind.BINARY, note=note)
        return replace(
            binary,
            old_facts=read_facts(view, asked.change, old),
            new_facts=read_facts(view, asked.change, new),
        )
    parser.flush(ended=True)
    lines = parser.build()
    if not whole:
        note = f"only the first {len(lines):,} lines are shown: the patch is larger than {MOST_BYTES >> 20:,} MB"
    elif not len(lines):
        note = f"nothing else differs with white space set to {asked.options.whitespace}"
    return _build(asked, lines, _find_kind(view, asked, lines), note=note)


def _take_in(
    view: BareView, asked: _Asked, sides: tuple[str, str], parser: PatchParser, note: str | None
) -> bool | None:
    """Whether all of it was read; nothing when it became unwanted."""
    text = ("--text",) if asked.options.as_text else ()
    words = (*BLOB_WORDS, *text, _WHOLE_FILE, *WHITESPACE_WORDS[asked.options.whitespace], *sides, "--")
    told = 0
    with view.open_stream(*words) as patch:
        for chunk in patch.chunks():
            if asked.is_unwanted():
                return None
            parser.feed(chunk)
            if not told:
                parser.flush()
            if parser.count > told * _TOLD_AGAIN:
                told = parser.count
                lines = parser.build()
                asked.tell(_build(asked, lines, _guess_kind(asked, lines), note=note, complete=False))
            if parser.size > MOST_BYTES:
                return False
            if parser.binary:
                return True
        answer = patch.finish()
    if not answer.ok:
        raise view.explain(answer, "diff", name_blobs(asked.change))
    return True


def _guess_kind(asked: _Asked, lines: PatchLines) -> FileKind:
    """As far as the name and the lines tell."""
    head = _find_head(asked, lines) or b""
    return classify(asked.change.path, head, find_mode(asked.change))


def _find_kind(view: BareView, asked: _Asked, lines: PatchLines) -> FileKind:
    old, new = find_sides(asked.change)
    head = _find_head(asked, lines)
    if head is None and (side := new or old) is not None:
        with view.open_blob(side) as content:
            head = take_head(content)
    return classify(asked.change.path, head or b"", find_mode(asked.change))


def _find_head(asked: _Asked, lines: PatchLines) -> bytes | None:
    """The first lines of what is there now, or of what was there; nothing where no line is known."""
    other = "+" if find_sides(asked.change)[1] is None else "-"
    found: list[str] = []
    for index in range(len(lines)):
        if lines.read_mark(index) != other:
            found.append(lines.read_line(index).text)
        if len(found) == GENERATED_LINES:
            break
    return "\n".join(found).encode("utf-8", "surrogateescape") if found else None


def _build(
    asked: _Asked, lines: PatchLines, kind: FileKind, *, note: str | None = None, complete: bool = True
) -> ShownFile:
    return ShownFile(asked.change, asked.options, kind, lines, complete, note=_join(asked, note))


def _join(asked: _Asked, note: str | None) -> str | None:
    return "; ".join(text for text in (find_type_note(asked.change), note) if text) or None
