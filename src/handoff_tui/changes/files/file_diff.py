"""The two contents of a changed file, and their hunks, read no further than asked."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from handoff_tui.changes.files import file_kinds
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.file_modes import LINK, SUBMODULE
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.command import Git
from handoff_tui.git.file_diff import BlobFacts, DiffLine, DiffOptions, FileChange, FileDiff, FileKind, Hunk
from handoff_tui.git.objects.tree_diff import WHITESPACE_WORDS, IsolatedObjects, open_isolated_objects
from handoff_tui.git.stream import GitStream

_KINDS = frozenset({"code", "markdown", "raw"})
_RESULTS = ("outputs", "execution_count")
_INDENT = "    "
"""Sources are indented and our own lines aren't, so no source can look like the start of a cell."""


def render_notebook(content: bytes) -> bytes | None:
    """The text of a notebook; None if it isn't one, so its bytes are compared instead.

    Any difference between notebooks shows in their texts, except JSON layout. Cells have no numbers: inserting one
    would change all that follow.
    """
    try:
        value = json.loads(content.decode("utf-8"), object_pairs_hook=_refuse_double_keys)
        cells = value.get("cells") if isinstance(value, dict) else None
        if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
            return None
        lines = [line for cell in cells for line in _render_cell(cell)]
        rest = {key: part for key, part in value.items() if key != "cells"}
        lines.append(f"── notebook: {_list_keys(rest)} · {_digest(rest)}")
    except (ValueError, RecursionError):
        return None
    return "\n".join([*lines, ""]).encode("utf-8", "surrogatepass")


def _render_cell(cell: dict[str, object]) -> list[str]:
    kind, source = cell.get("cell_type"), _join_source(cell.get("source"))
    shown = set(_RESULTS)
    if isinstance(kind, str) and kind in _KINDS:
        shown.add("cell_type")
    lines = [f"── cell: {kind if 'cell_type' in shown else 'of another kind'}"]
    if source is not None:
        shown.add("source")
        lines += [f"{_INDENT}{line}" for line in source.split("\n")]
    folded = {key: part for key, part in cell.items() if key not in shown}
    if folded:
        lines.append(f"── folded: {_list_keys(folded)} · {_digest(folded)}")
    results = {key: cell[key] for key in _RESULTS if key in cell}
    if results:
        lines.append(f"── folded: {_count_outputs(cell.get('outputs'))} · {_digest(results)}")
    return [*lines, ""]


def _join_source(source: object) -> str | None:
    if isinstance(source, str):
        return source
    if isinstance(source, list):
        pieces = [piece for piece in source if isinstance(piece, str)]
        return "".join(pieces) if len(pieces) == len(source) else None
    return None


def _count_outputs(outputs: object) -> str:
    if not isinstance(outputs, list):
        return "outputs of no known shape"
    if not outputs:
        return "no outputs"
    kinds = Counter(str(output.get("output_type")) if isinstance(output, dict) else "other" for output in outputs)
    return "outputs " + ", ".join(f"{number} {_name(kind)}" for kind, number in sorted(kinds.items()))


def _list_keys(value: dict[str, object]) -> str:
    return ", ".join(map(_name, sorted(value))) or "nothing"


def _name(text: str) -> str:
    """A name from the notebook, on one line."""
    return json.dumps(text, ensure_ascii=True)[1:-1][:40]


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return "sha256 " + hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


def _refuse_double_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuses duplicate keys: programs disagree on which one counts, so one could hide the other."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


_HEADER = compile_later(rb"@@ -(\d{1,18})(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? @@(?: (.*))?", re.DOTALL)
_BINARY = compile_later(rb"Binary files .* differ", re.DOTALL)


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
_BLOB_WORDS = (
    *("diff", "--no-renames", "--no-relative", "--full-index", "--inter-hunk-context=0", "--submodule=short"),
    *("--diff-algorithm=myers", "--indent-heuristic", "--ws-error-highlight=none"),
)
_MODE_NAMES = {LINK: "a symbolic link", SUBMODULE: "a submodule"}
_NO_BLOB = frozenset({"000000", SUBMODULE})
_UNREADABLE_NOTEBOOK = "not a readable notebook, so shown as stored"
_SAME_CELLS = "only the layout of the notebook's JSON differs"
_CELLS = "cells as text, outputs folded; line numbers refer to this text"


class ComparedContents:
    """The two contents of a changed file: as stored, or as the text of a notebook's cells."""

    def __init__(self, view: IsolatedObjects, change: FileChange, options: DiffOptions) -> None:
        self._view = view
        self._options = options
        self.change = change
        self.old = None if change.old_mode in _NO_BLOB else change.old_id
        self.new = None if change.new_mode in _NO_BLOB else change.new_id
        """The blobs as stored; None if there is none: a missing side, a submodule."""
        self.note: str | None = None
        self._named_kind = file_kinds.classify(change.path, b"", file_kinds.find_mode(change))
        self._compared = (self.old or view.write_blob(b""), self.new or view.write_blob(b""))
        if self._named_kind is FileKind.NOTEBOOK and self.old != self.new and not options.as_stored:
            self._compare_cells()

    @property
    def are_same(self) -> bool:
        return self._compared[0] == self._compared[1]

    def _compare_cells(self) -> None:
        """Compares cells as text if both sides are notebooks, else the stored bytes."""
        contents = [b"" if side is None else self._read(side) for side in (self.old, self.new)]
        texts = [render_notebook(content) if content else content for content in contents]
        if any(text is None for text in texts):
            self.note = _UNREADABLE_NOTEBOOK
            return
        old, new = (self._view.write_blob(text or b"") for text in texts)
        self._compared = old, new
        self.note = _SAME_CELLS if self.are_same else _CELLS

    @contextmanager
    def open_patch(self, context: int) -> Iterator[GitStream]:
        text = ("--text",) if self._options.as_text else ()
        shown = (f"--unified={max(context, 0)}", *WHITESPACE_WORDS[self._options.whitespace])
        with self._view.open_stream(*_BLOB_WORDS, *text, *shown, *self._compared, "--") as patch:
            yield patch

    def finish(self, stream: GitStream) -> None:
        """Ends a stream that was read completely; the error says which content is missing."""
        answer = stream.finish()
        if not answer.ok:
            path = self.change.path
            named = {
                self.new: f"the new content of {path}",
                self.old: f"the old content of {self.change.old_path or path}",
            }
            wanted = {blob: text for blob, text in named.items() if blob is not None}
            raise self._view.explain(answer, stream.command, wanted)

    def find_kind(self, head: bytes | None) -> FileKind:
        """The kind of non-binary content; reads the blob only if neither the name nor the first lines tell."""
        side = self.new or self.old
        if self._named_kind is not FileKind.TEXT or side is None:
            return self._named_kind
        if head is None:
            head = b""
            with self._view.open_blob(side) as content:
                for chunk in content.chunks():
                    head += chunk
                    if len(head) >= file_kinds.HEAD_BYTES:
                        break
        return file_kinds.classify(self.change.path, head, file_kinds.find_mode(self.change))

    def read_facts(self) -> tuple[BlobFacts | None, BlobFacts | None]:
        """Size and digest of both contents, for those that are binary; None if there is none."""
        return self._read_facts(self.old), self._read_facts(self.new)

    def join_notes(self, note: str | None) -> str | None:
        """What the modes say but no line does, then the note."""
        return "; ".join(text for text in (_find_type_note(self.change), note) if text) or None

    def describe_no_lines(self) -> str:
        return f"no other differences with white space set to {self._options.whitespace}"

    def _read(self, blob_id: str) -> bytes | None:
        """A content; None if it is too large."""
        content = bytearray()
        with self._view.open_blob(blob_id) as stream:
            for chunk in stream.chunks():
                content += chunk
                if len(content) > MOST_NOTEBOOK_BYTES:
                    return None
            self.finish(stream)
        return bytes(content)

    def _read_facts(self, blob_id: str | None) -> BlobFacts | None:
        if blob_id is None:
            return None
        size, digest = 0, hashlib.sha256()
        with self._view.open_blob(blob_id) as stream:
            for chunk in stream.chunks():
                size += len(chunk)
                digest.update(chunk)
            self.finish(stream)
        return BlobFacts(size, digest.hexdigest())


@contextmanager
def open_contents(
    git: Git, change: FileChange, options: DiffOptions, extra: Mapping[str, str] | None = None
) -> Iterator[ComparedContents]:
    """Opens both contents of a changed file. `extra` names further object folders, as git's variables do."""
    with open_isolated_objects(git, change.new_id, extra) as view:
        yield ComparedContents(view, change, options)


def read_file_diff(
    git: Git, change: FileChange, options: DiffOptions | None = None, extra: Mapping[str, str] | None = None
) -> FileDiff:
    """The hunks of one changed file."""
    options = options or DiffOptions()
    with open_contents(git, change, options, extra) as contents:
        found, note = FoundHunks(()), contents.note
        if not contents.are_same:
            found = _read_hunks(contents, options)
            note = _find_note(contents, found) or note
        kind = FileKind.BINARY
        facts: tuple[BlobFacts | None, BlobFacts | None] = None, None
        if found.binary:
            note, facts = None, contents.read_facts()
        else:
            kind = contents.find_kind(
                find_first_lines(found.hunks, file_kinds.GENERATED_LINES, old=contents.new is None)
            )
        # unvalidated: all values are our own, and there may be very many lines
        return FileDiff.model_construct(
            change=change,
            kind=kind,
            hunks=found.hunks,
            old_facts=facts[0],
            new_facts=facts[1],
            note=contents.join_notes(note),
            truncated=found.truncated,
        )


def _read_hunks(contents: ComparedContents, options: DiffOptions) -> FoundHunks:
    with contents.open_patch(options.context) as patch:
        found = parse_hunks(patch.lines(), options.most_lines, MOST_BYTES)
        if not found.truncated and not found.binary:
            contents.finish(patch)
    return found


def _find_note(contents: ComparedContents, found: FoundHunks) -> str | None:
    if found.truncated:
        return f"only the first {sum(len(hunk.lines) for hunk in found.hunks):,} lines are shown"
    return None if found.hunks else contents.describe_no_lines()


def _find_type_note(change: FileChange) -> str | None:
    """What the modes say but no line does; None if nothing."""
    old, new = (_MODE_NAMES.get(mode, "a file") for mode in (change.old_mode, change.new_mode))
    if change.status == "T":
        return f"was {old}, is now {new}"
    if SUBMODULE in {change.old_mode, change.new_mode}:
        return "only the submodule's commit is compared, not its contents"
    if change.old_id == change.new_id:
        return "the content is the same"
    return None
