"""The documents of a handoff: rendered or raw, with their sections, claims and comments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from handoff_tui.core.text.columns import compute_width
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.handoffs.claim import Verdict, VerdictState
from handoff_tui.handoffs.handoff import Document, DocumentRole, Heading
from handoff_tui.live.state.app import PACKET, AppState, OpenDocument, Part
from handoff_tui.log.review_record import Comment
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.tui import messages
from handoff_tui.tui.views.documents.markdown_blocks import Block, Prose
from handoff_tui.tui.views.documents.panel import DocumentLines, DocumentPanel
from handoff_tui.tui.views.documents.rows import LineNotes, build_line_notes, describe_verdicts, find_worst, is_markdown
from handoff_tui.tui.views.view import Act, View
from handoff_tui.tui.widgets.bars import Divider
from handoff_tui.tui.widgets.row_list import RowList

Row = tuple[Cell, ...]
DOCUMENT, SECTION = "document:", "line:"
_DEEPEST = 4


class OutlineRows:
    """One row per document; below the open one its sections, then the missing ones."""

    def __init__(
        self,
        documents: Sequence[Document],
        open_path: str | None,
        sections: Sequence[Heading] = (),
        opened: frozenset[str] = frozenset(),
        wrong: Mapping[int, int] | None = None,
    ) -> None:
        self._rows: list[tuple[str, Row, str]] = []
        paths = [document.path for document in documents]
        self._names = Counter(path.rpartition("/")[2] for path in paths)
        if open_path is not None and open_path not in {*paths, PACKET}:
            self._add_document(open_path, "file", is_open=True)
            self._add_sections(sections, None, wrong or {})
        for document in documents:
            is_open = document.path == open_path
            self._add_document(document.path, document.role.value, is_open=is_open, is_read=document.path in opened)
            if is_open:
                self._add_sections(sections, document, wrong or {})
        if documents or open_path == PACKET:
            self._add_document(PACKET, "for the next attempt", is_open=open_path == PACKET)
        if open_path == PACKET:
            self._add_sections(sections, None, {})
        self.keys: Sequence[str] = tuple(key for key, _, _ in self._rows)

    def build_row(self, index: int, width: int) -> Row:
        _, cells, note = self._rows[index]
        taken = sum(compute_width(cell.text) for cell in cells)
        gap = width - taken - compute_width(note)
        return (*cells, Cell(" " * gap), Cell(note, "muted")) if note and gap > 0 else cells

    def _add_document(self, path: str, role: str, *, is_open: bool, is_read: bool | None = None) -> None:
        name = "rejection packet" if path == PACKET else render_safe(self._find_name(path))
        mark = Cell("  ") if is_read is None else Cell("✓ ", "pass") if is_read else Cell("○ ", "text")
        self._rows.append((f"{DOCUMENT}{path}", (mark, Cell(name, "heading" if is_open else "path")), role))

    def _find_name(self, path: str) -> str:
        """Returns the file's name, with its folder if several files share the name."""
        folders, _, name = path.rpartition("/")
        folder = folders.rpartition("/")[2]
        return f"{folder}/{name}" if folder and self._names[name] > 1 else name or path

    def _add_sections(self, sections: Sequence[Heading], document: Document | None, wrong: Mapping[int, int]) -> None:
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


def find_sections(document: Document | None, blocks: Iterable[Block]) -> tuple[Heading, ...]:
    """Returns the sections its format found, or those of the text if no format read it."""
    if document is not None and document.sections:
        return document.sections
    return tuple(
        Heading(
            title="".join(cell.text for piece in block.pieces[1:] for cell in piece.cells),
            line=block.pieces[0].line,
            level=block.level,
        )
        for block in blocks
        if isinstance(block, Prose) and block.level
    )


def count_wrong(verdicts: Iterable[Verdict], path: str) -> dict[int, int]:
    """Counts the false claims by line."""
    found: dict[int, int] = {}
    for verdict in verdicts:
        where = verdict.claim.where
        if verdict.state is VerdictState.CONTRADICTED and where.path == path and where.line is not None:
            found[where.line] = found.get(where.line, 0) + 1
    return found


def describe_sections(document: Document | None, count: int) -> str:
    """Says `5 of 6 required sections, 1 out of order`, or how many there are if none is required."""
    if document is None or not (document.missing or document.out_of_order):
        return f"{count} sections" if count != 1 else "1 section"
    words = []
    if document.missing:
        words.append(f"{plural(len(document.missing), 'required section')} missing")
    if document.out_of_order:
        words.append(f"{len(document.out_of_order)} out of order")
    return ", ".join(words)


_WITH_OUTLINE = 64
"""From this width on, the outline is beside the text."""
_ROOMY = 100
"""From this width on, it shows full names."""
_ON_A_LINE = frozenset({
    "app.edit", "app.copy", "app.copy-all", "nav.next-section", "nav.previous-section", "nav.next-file",
    "nav.previous-file", "review.compare", "review.comment", "review.select", "review.form",
})  # fmt: skip


class DocumentsView(View):
    """One document at a time, with the verdict of each claim in the margin; enter on one opens its evidence."""

    DEFAULT_CSS = """
    DocumentsView #outline-panel { width: 26; border-right: solid $border; }
    DocumentsView.-roomy #outline-panel { width: 38; }
    """
    parts: ClassVar[frozenset[Part]] = frozenset({Part.SHOWN, Part.DOCUMENT})
    hints: ClassVar[tuple[str, ...]] = (
        *("review.next", "app.open", "nav.next-section", "nav.next-file", "review.comment", "review.form"),
        *("decide.approve", "decide.reject", "review.select", "app.edit", "nav.next-handoff"),
    )

    words: ClassVar[Mapping[str, str]] = {"nav.next-section": "next section", "nav.next-file": "next document"}

    def __init__(self) -> None:
        super().__init__()
        self._drawn: tuple[object, ...] = ()
        self._sections: tuple[Heading, ...] = ()
        self._notes = LineNotes()
        self._asked: object = None

    def compose(self) -> ComposeResult:
        with Horizontal():
            with Vertical(id="outline-panel"):
                yield Divider(id="outline-title")
                yield RowList(id="outline")
            yield DocumentPanel(id="document-panel")

    def on_mount(self) -> None:
        self.query_one("#outline-title", Divider).show_title(Cell("Documents", "heading"))

    # content

    def show(self, state: AppState) -> None:
        self._state = state
        self._ask_for_first()
        now = (state.document, state.open_document, state.shown.value, state.drafts, state.inbox, state.chosen)
        if not self._drawn or any(a is not b for a, b in zip(now, self._drawn, strict=True)):
            self._drawn = now
            self._draw()

    def go_to(self, path: str, line: int | None) -> None:
        self._panel.expect(path, line or 1)
        if self._state.open_document != path:
            self._asked = self._state.chosen
            self.post_message(messages.DocumentWanted(path))

    def on_resize(self) -> None:
        self.set_class(self.size.width >= _ROOMY, "-roomy")
        self._place_outline()
        self.call_after_refresh(self._draw)

    @on(DocumentPanel.LaidOut)
    def show_sections(self, event: DocumentPanel.LaidOut) -> None:
        event.stop()
        self._draw_outline()
        self.post_message(messages.DescriptionChanged())

    @on(DocumentLines.Moved)
    def describe_line(self, event: DocumentLines.Moved) -> None:
        event.stop()
        self.post_message(messages.DescriptionChanged())

    @property
    def _document(self) -> OpenDocument | None:
        return self._state.document.value

    @property
    def _panel(self) -> DocumentPanel:
        return self.query_one(DocumentPanel)

    @property
    def _lines(self) -> DocumentLines:
        return self._panel.lines

    @property
    def _documents(self) -> tuple[Document, ...]:
        item = self._state.item
        return item.reviewed.handoff.documents if item else ()

    def _ask_for_first(self) -> None:
        state = self._state
        if state.open_document is None and self._documents and self._asked != state.chosen:
            self._asked = state.chosen
            told = (one.path for one in self._documents if one.role is DocumentRole.RESULTS)
            self.post_message(messages.DocumentWanted(next(told, self._documents[0].path)))

    def _draw(self) -> None:
        if not self._lines.room:
            return
        document, shown = self._document, self._state.shown.value
        verdicts = shown.verdicts if shown else ()
        self._notes = build_line_notes(document.path if document else "", verdicts, self._state.drafts.comments)
        self._panel.show(self._state.open_document or "", document, self._notes, self._build_note())
        self._draw_outline()

    def _draw_outline(self) -> None:
        document, shown = self._document, self._state.shown.value
        self._sections = find_sections(document.document, self._panel.blocks) if document else ()
        wrong = count_wrong(shown.verdicts, document.path) if shown and document else {}
        opened = self._state.drafts.opened
        rows = OutlineRows(self._documents, self._state.open_document, self._sections, opened, wrong)
        outline = self.query_one("#outline", RowList)
        outline.show(rows)
        if not outline.has_focus:  # the cursor follows what is being read
            outline.choose(f"{DOCUMENT}{self._state.open_document}")

    def _build_note(self) -> tuple[Cell, ...]:
        """Returns the message shown instead of a document, or below the last readable one."""
        trouble = self._state.document.trouble
        if trouble is not None:
            hint = f" {render_safe(trouble.hint)}" if trouble.hint else ""
            return (Cell(f" ✗ {render_safe(trouble.message)}", "fail"), Cell(hint, "muted"))
        if self._document is not None:
            return ()
        if self._state.open_document is not None:
            return (Cell(" reading…", "muted"),)
        words = " No handoff selected" if self._state.item is None else " This handoff has no documents"
        return (Cell(words, "muted"),)

    # what can be done

    def refuse(self, action: str) -> str:
        document = self._document
        if action not in _ON_A_LINE:
            return ""
        if action in {"nav.next-file", "nav.previous-file"}:
            return "" if self._list_paths() else "this handoff has no documents"
        if document is None:
            return "no document open"
        return self._refuse_here(action, document)

    def _refuse_here(self, action: str, document: OpenDocument) -> str:
        nowhere = ":" in document.path
        if action == "app.edit" and nowhere:
            return "it isn't a file"
        if action in {"review.comment", "review.select"} and document.path == PACKET:
            return "comment on documents and on the diff; the packet collects the comments"
        if action == "review.form" and self._panel.is_raw(document) and not self._panel.raw:
            return "it isn't Markdown" if not is_markdown(document.path) else "it's too long to render"
        if action in {"nav.next-section", "nav.previous-section"} and not self._sections:
            return "it has no sections"
        files = self._state.files.value
        if action == "review.compare" and files is not None:
            changed = any(file.change.path == document.path for file in files.files)
            return "" if changed else "unchanged since the baseline"
        return ""

    def list_acts(self) -> Mapping[str, Act]:
        acts: dict[str, Act] = {
            "review.form": self._toggle_raw,
            "nav.next-section": partial(self._step_section, 1),
            "nav.previous-section": partial(self._step_section, -1),
            "nav.next-file": partial(self._step_document, 1),
            "nav.previous-file": partial(self._step_document, -1),
            "review.select": self._lines.toggle_range,
        }
        if self._lines.has_range:
            acts["app.back"] = self._lines.toggle_range
        document = self._document
        if document is None:
            return acts
        path, line = document.path, self._lines.place
        if self.screen.focused is self._lines and self._notes.verdicts.get(line):
            acts["app.open"] = messages.EvidenceWanted(path, line)
        return acts | {
            "review.comment": partial(self._comment, path),
            "review.compare": messages.PlaceWanted(path, line),
            "app.edit": messages.EditorWanted(path, line),
            "app.copy": partial(self._copy, document.text),
            "app.copy-all": messages.CopyWanted(path, "the path"),
        }

    def find(self, text: str, *, backwards: bool = False, again: bool = False) -> str:
        found = self._lines.find(text, backwards=backwards, again=again)
        return "" if found else f'No matches for "{render_safe(text, 40)}" in this document'

    def describe(self) -> tuple[Cell, ...]:
        document = self._document
        if document is None:
            return ()
        line = self._lines.place
        lines = plural(document.text.count("\n") + (not document.text.endswith("\n")), "line")
        sections = describe_sections(document.document, len(self._sections))
        words = f" line {line} of {lines} · {sections}"
        if self._lines.has_range:
            first, last = self._lines.range
            words = f" lines {first} to {last} · c comments on them · v ends the selection"
        verdicts = self._notes.verdicts.get(line, ())
        if not verdicts:
            return (Cell(words, "muted"),)
        label = find_worst(verdicts)
        return (Cell(f" {label.glyph} {describe_verdicts(verdicts)}", label.role), Cell(f" ·{words}", "muted"))

    def focus_first(self) -> None:
        self._lines.focus(scroll_visible=False)

    @property
    def handoff(self) -> HandoffKey | None:
        return self._state.chosen

    @on(RowList.Opened)
    def jump(self, event: RowList.Opened) -> None:
        event.stop()
        if event.key.startswith(DOCUMENT):
            self.post_message(messages.DocumentWanted(event.key.removeprefix(DOCUMENT)))
        elif event.key.startswith(SECTION):
            self._lines.go_to(int(event.key.removeprefix(SECTION)))
        self.focus_first()

    @on(RowList.Highlighted)
    def stay(self, event: RowList.Highlighted) -> None:
        event.stop()

    def _place_outline(self) -> None:
        self.query_one("#outline-panel").display = self.size.width >= _WITH_OUTLINE and not self.zoomed

    def _toggle_raw(self) -> None:
        self._panel.raw = not self._panel.raw
        self._draw()

    def _step_section(self, by: int) -> None:
        lines = [section.line for section in self._sections]
        here = self._lines.place
        ahead = [line for line in lines if line > here] if by > 0 else [line for line in lines if line < here]
        if ahead:
            self._lines.go_to(ahead[0] if by > 0 else ahead[-1])

    def _list_paths(self) -> list[str]:
        return [*(document.path for document in self._documents), PACKET] if self._documents else []

    def _step_document(self, by: int) -> None:
        paths = self._list_paths()
        here = paths.index(self._state.open_document) if self._state.open_document in paths else -1
        self.post_message(messages.DocumentWanted(paths[(here + by) % len(paths)]))

    def _comment(self, path: str) -> None:
        """Comments on the line or range, or edits the comment that is there."""
        first, last = self._lines.range
        earlier = None if self._lines.has_range else self._find_comment(first)
        if earlier is not None:
            place = (earlier.line, earlier.end_line, earlier.text, earlier)
            self.post_message(messages.CommentWanted(path, *place))
            return
        self.post_message(messages.CommentWanted(path, first, last if last != first else None))
        if self._lines.has_range:
            self._lines.toggle_range()

    def _find_comment(self, line: int) -> Comment | None:
        """Returns a comment on this line; None if there is none."""
        about = (one for some in self._notes.comments.values() for one in some if one.line is not None)
        return next((one for one in about if (one.line or 0) <= line <= (one.end_line or one.line or 0)), None)

    def _copy(self, text: str) -> None:
        first, last = self._lines.range
        what = f"lines {first} to {last}" if last > first else f"line {first}"
        self.post_message(messages.CopyWanted("\n".join(text.split("\n")[first - 1 : last]), what))
