"""What documents there are, what sections the one in view has, and which it lacks: as a list to jump by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from handoff_tui.core.text.cell_width import compute_width
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.claim import Verdict, VerdictState
from handoff_tui.handoffs.document import Document, Section
from handoff_tui.live.state.desk import PACKET
from handoff_tui.tui.views.document.markdown_blocks import Block, Prose

Row = tuple[Cell, ...]
DOCUMENT, SECTION = "document:", "line:"
_DEEPEST = 4


class OutlineRows:
    """Documents as rows; under the open one its sections, then those that are missing."""

    def __init__(
        self,
        documents: Sequence[Document],
        open_path: str | None,
        sections: Sequence[Section] = (),
        opened: frozenset[str] = frozenset(),
        wrong: Mapping[int, int] | None = None,
    ) -> None:
        self._rows: list[tuple[str, Row, str]] = []
        paths = [document.path for document in documents]
        self._names = Counter(path.rpartition("/")[2] for path in paths)
        if open_path is not None and open_path not in {*paths, PACKET}:
            self._add_document(open_path, "file", is_open=True, is_read=True)
            self._add_sections(sections, None, wrong or {})
        for document in documents:
            is_open = document.path == open_path
            self._add_document(document.path, document.role.value, is_open=is_open, is_read=document.path in opened)
            if is_open:
                self._add_sections(sections, document, wrong or {})
        if documents or open_path == PACKET:
            self._add_document(PACKET, "for the next attempt", is_open=open_path == PACKET, is_read=True)
        if open_path == PACKET:
            self._add_sections(sections, None, {})
        self.keys: Sequence[str] = tuple(key for key, _, _ in self._rows)

    def build_row(self, index: int, width: int) -> Row:
        _, cells, note = self._rows[index]
        taken = sum(compute_width(cell.text) for cell in cells)
        gap = width - taken - compute_width(note)
        return (*cells, Cell(" " * gap), Cell(note, "muted")) if note and gap > 0 else cells

    def _add_document(self, path: str, role: str, *, is_open: bool, is_read: bool) -> None:
        name = "rejection packet" if path == PACKET else render_safe(self._find_name(path))
        mark = Cell("● " if is_open else "○ " if not is_read else "  ", "accent" if is_open else "muted")
        self._rows.append((f"{DOCUMENT}{path}", (mark, Cell(name, "heading" if is_open else "path")), role))

    def _find_name(self, path: str) -> str:
        """The file's name, after its folder's where several have the same."""
        folders, _, name = path.rpartition("/")
        folder = folders.rpartition("/")[2]
        return f"{folder}/{name}" if folder and self._names[name] > 1 else name or path

    def _add_sections(self, sections: Sequence[Section], document: Document | None, wrong: Mapping[int, int]) -> None:
        moved = frozenset(document.out_of_order) if document else frozenset()
        top = min((section.level for section in sections), default=1)
        for number, section in enumerate(sections):
            indent = "  " * min(_DEEPEST, section.level - top + 1)
            end = sections[number + 1].line if number + 1 < len(sections) else None
            bad = sum(many for line, many in wrong.items() if section.line <= line and (end is None or line < end))
            cells = [Cell(indent), Cell(render_safe(section.title, 60) or "(no title)")]
            if bad:
                cells.append(Cell(f" ✗{bad}", "contradicted"))
            if any(name.casefold() in section.title.casefold() for name in moved):
                cells.append(Cell(" ≠ out of order", "warning"))
            self._rows.append((f"{SECTION}{section.line}", tuple(cells), ""))
        for title in document.missing if document else ():
            self._rows.append(("", (Cell("  ✗ ", "fail"), Cell(f"{render_safe(title, 60)} missing", "fail")), ""))


def find_sections(document: Document | None, blocks: Iterable[Block]) -> tuple[Section, ...]:
    """The sections that its dialect read; those of the text itself where no dialect did."""
    if document is not None and document.sections:
        return document.sections
    return tuple(
        Section(
            title="".join(cell.text for piece in block.pieces[1:] for cell in piece.cells),
            line=block.pieces[0].line,
            level=block.level,
        )
        for block in blocks
        if isinstance(block, Prose) and block.level
    )


def count_wrong(verdicts: Iterable[Verdict], path: str) -> dict[int, int]:
    """How many claims are contradicted, by line."""
    found: dict[int, int] = {}
    for verdict in verdicts:
        where = verdict.claim.where
        if verdict.state is VerdictState.CONTRADICTED and where.path == path and where.line is not None:
            found[where.line] = found.get(where.line, 0) + 1
    return found


def describe_sections(document: Document | None, count: int) -> str:
    """`5 of 6 required sections, 1 out of order`; how many there are where none is required."""
    if document is None or not (document.missing or document.out_of_order):
        return f"{count} sections" if count != 1 else "1 section"
    words = []
    if document.missing:
        words.append(f"{len(document.missing)} of the required sections missing")
    if document.out_of_order:
        words.append(f"{len(document.out_of_order)} out of order")
    return ", ".join(words)
