"""The box in which a person says which files are a handoff's own. It shows what would change, and writes on one key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical

from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.text.columns import Field, Row, build_cells
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.decisions.correct_scope import ScopePreview
from handoff_tui.handoffs.scope.scope import Attribution
from handoff_tui.live.state.app import AppState, CorrectionPart, CorrectionStage, ScopeRow
from handoff_tui.log.gates.coverage import SOURCE_WORDS
from handoff_tui.tui.actions import Keys
from handoff_tui.tui.dialogs.box import LEAVING, Box, keep_key
from handoff_tui.tui.dialogs.palette import Answer, Offer, PaletteScreen
from handoff_tui.tui.messages import CorrectionConfirmed, CorrectionPreviewWanted, CorrectionUndone
from handoff_tui.tui.widgets.bars import Bar, Divider
from handoff_tui.tui.widgets.page_view import PageView
from handoff_tui.tui.widgets.row_list import EmptyRows, RowList

_FIELDS: Final = (
    Field("mark", "", 3),
    Field("path", "FILE", 28, grows=60),
    Field("why", "WHY", 26, grows=24),
)
_AS_IT_IS: Final = "where its first own change begins"
_MOST_NAMED = 20


class ScopeRows:
    """One row per file: whether it is to be the handoff's own, and why it is now."""

    def __init__(self, part: CorrectionPart) -> None:
        self._rows = part.rows
        self._wanted = frozenset(part.wanted)
        after = part.preview.after.results if part.preview is not None else {}
        self._kept = frozenset(after) - self._wanted
        self.keys: Sequence[str] = [row.path for row in part.rows]

    def build_row(self, index: int, width: int) -> Row:
        row = self._rows[index]
        wanted = row.path in self._wanted
        values: dict[str, Row] = {
            "mark": (Cell("[x]" if wanted else "[ ]", "accent" if wanted else "muted"),),
            "path": (Cell(render_safe(row.path), "path" if wanted else "muted"),),
            "why": (_describe_why(row, wanted=wanted, kept=row.path in self._kept),),
        }
        return build_cells(_FIELDS, values, width)


def _describe_why(row: ScopeRow, *, wanted: bool, kept: bool) -> Cell:
    """The evidence, or what would become of the file."""
    if row.source:
        if wanted:
            return Cell(SOURCE_WORDS[row.source], "warning" if row.source == Attribution.SPAN else "muted")
        return Cell("stays: a commit names this handoff", "warning") if kept else Cell("released", "removed")
    if wanted:
        return Cell("claimed", "added")
    return Cell(
        f"belongs to {render_safe(row.owner)}" if row.owner else "unclaimed", "muted" if row.owner else "unknown"
    )


def build_preview_page(part: CorrectionPart) -> Page:
    """Says what would change, for every handoff, and shows what would be written."""
    page = Page()
    if part.trouble is not None:
        page.line(Cell("✗ ", "fail"), Cell(render_safe(part.trouble.message)), indent=2)
        page.line(Cell(f"  {render_safe(part.trouble.hint)}", "muted"), indent=2)
        return page
    if part.preview is None:
        page.line(Cell("Nothing changes yet. Claim or release a file to see what would.", "muted"))
        if any(row.source == Attribution.SPAN for row in part.rows):
            page.line(
                Cell(
                    "Some files are guesses: they were committed before its report, and nothing names them.", "warning"
                )
            )
        return page
    _add_moves(page, part.preview)
    page.heading("Goes into handoff-tui.toml")
    for line in part.preview.correction.table.rstrip("\n").split("\n"):
        page.line(Cell(render_safe(line), "muted"), indent=4)
    return page


def _add_moves(page: Page, preview: ScopePreview) -> None:
    if not preview.moves:
        page.line(Cell("The same files, now stated instead of worked out.", "muted"))
    for move in preview.moves:
        name = render_safe(move.handoff) if move.handoff else "unclaimed"
        for sign, paths, role in (("+", move.gains, "added"), ("-", move.loses, "removed")):
            if paths:
                more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
                named = ", ".join(map(render_safe, paths[:_MOST_NAMED]))
                page.line(
                    Cell(f"{name}  ", "heading"),
                    Cell(f"{sign}{plural(len(paths), 'file')}  ", role),
                    Cell(f"{named}{more}", "path"),
                    indent=4,
                )
    page.line(Cell("A decision on a handoff whose files change is superseded.", "muted"))


def _name_start(part: CorrectionPart) -> str:
    """The commit after which its work begins, or would begin."""
    if part.preview is not None:
        return part.preview.correction.scope.since[:SHORT_COMMIT]
    return part.start[:SHORT_COMMIT]


class StartScreen(PaletteScreen):
    """The commits after which the work can begin; any other can be typed."""

    CSS_PATH = "palette.tcss"

    def __init__(self, part: CorrectionPart) -> None:
        offers = [
            Offer("start:", _AS_IT_IS, "now" if part.since is None else ""),
            *(
                Offer(
                    f"start:{one.name}",
                    f"{one.name[:SHORT_COMMIT]}  {one.text}",
                    "now" if one.name == part.since else one.at,
                )
                for one in part.starts
            ),
        ]
        super().__init__("Its work begins after…", offers, "or type a commit or a tag")

    def _filter(self, text: str) -> None:
        name = text.strip()
        known = [offer for offer in self._offers if not offer.id.startswith("start:typed ")]
        typed = [Offer(f"start:typed {name}", f"after {name}", "as typed")] if name else []
        self._offers = (*known, *typed)
        super()._filter(text)


class CorrectScopeScreen(Box[None]):
    """Space claims or releases a file, another key sets the start, and ctrl+s writes what is shown."""

    CSS = """
    CorrectScopeScreen { align: center middle; background: $background 60%; }
    #scope { width: 94%; max-width: 120; height: 90%; background: $surface; border: heavy $border; }
    #scope-rows { height: 3fr; min-height: 3; }
    #scope-page { height: 2fr; min-height: 4; padding: 0 1; }
    """

    def __init__(self, handoff: str, keys: Keys) -> None:
        super().__init__()
        self._handoff, self._keymap = handoff, keys
        self._part: CorrectionPart | None = None
        self._said = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="scope"):
            yield Divider(id="scope-title")
            yield RowList(id="scope-rows")
            yield Divider(id="scope-change")
            yield PageView(id="scope-page")
            yield Bar(id="scope-state")
            yield Bar(id="scope-keys", raised=True)

    def on_mount(self) -> None:
        self.query_one(RowList).show(EmptyRows(Cell("Reading the changes…", "muted")))
        self.query_one(RowList).focus(scroll_visible=False)
        self.call_after_refresh(self._draw)

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def show(self, state: AppState) -> None:
        """Shows the files and what would change."""
        part = state.correction
        if part is None or part is self._part or not self.is_mounted:
            return
        self._part = part
        if part.stage is CorrectionStage.DONE:
            self.dismiss(None)
            return
        if part.rows:
            self.query_one(RowList).show(ScopeRows(part))
        elif part.stage is not CorrectionStage.READING:
            self.query_one(RowList).show(EmptyRows(Cell("No changed files to choose from", "muted")))
        self.query_one(PageView).show(build_preview_page(part))
        self._draw()

    def on_key(self, event: events.Key) -> None:
        keep_key(event)
        self._perform(self._keymap.find(event, ("scope", "decision", "focus", "nav", "app")))

    @on(RowList.Opened)
    def toggle_clicked(self, event: RowList.Opened) -> None:
        event.stop()
        self._toggle(event.key)

    @on(RowList.Highlighted)
    def stay(self, event: RowList.Highlighted) -> None:
        event.stop()

    def _perform(self, action: str | None) -> None:
        self._said = ""
        rows, page = self.query_one(RowList), self.query_one(PageView)
        if action == "scope.toggle":
            self._toggle(rows.key)
        elif action == "scope.start":
            self._ask_for_start()
        elif action == "scope.undo":
            self._undo()
        elif action == "decision.confirm":
            self._confirm()
        elif action in LEAVING:
            self.dismiss(None)
        elif action in {"focus.next", "focus.previous"}:
            self.focus_next()
        elif action is not None and action.startswith("nav."):
            (page if page.has_focus else rows).navigate(action)
        self._draw()

    def _toggle(self, path: str) -> None:
        part = self._part
        if part is None or not path:
            return
        wanted = tuple(row.path for row in part.rows if (row.path in part.wanted) != (row.path == path))
        if wanted:
            self.post_message(CorrectionPreviewWanted(wanted, part.since))
        else:
            self._said = "A handoff keeps at least one file; without one there is nothing to state"

    def _ask_for_start(self) -> None:
        if self._part is not None and self._part.wanted:
            self.app.push_screen(StartScreen(self._part), self._take_start)

    def _take_start(self, offer: Answer | None) -> None:
        if isinstance(offer, str) and self._part is not None:
            name = offer.removeprefix("start:").removeprefix("typed ")
            self.post_message(CorrectionPreviewWanted(self._part.wanted, name or None))

    def _undo(self) -> None:
        if self._part is not None and self._part.undoable:
            self.post_message(CorrectionUndone())
        else:
            self._said = "No correction to undo in this session"

    def _confirm(self) -> None:
        part = self._part
        if part is None or part.preview is None or part.stage is not CorrectionStage.READY:
            self._said = "Not written: " + (
                part.trouble.message if part is not None and part.trouble is not None else "nothing has changed yet"
            )
        else:
            self.post_message(CorrectionConfirmed())

    def _draw(self) -> None:
        part = self._part
        if not self.is_mounted:
            return
        right = f"work after {_name_start(part)}" if part is not None and (part.since or part.start) else ""
        self.query_one("#scope-title", Divider).show_title(
            Cell("Own files of ", "heading"), Cell(render_safe(self._handoff), "accent"), right=right
        )
        self.query_one("#scope-change", Divider).show_title(Cell("What changes", "heading"))
        busy = part is None or part.stage in {CorrectionStage.READING, CorrectionStage.WRITING}
        idle = "Looking…" if busy else "Nothing is written yet"
        self.query_one("#scope-state", Bar).show(
            Cell(f" {render_safe(self._said or idle)}", "warning" if self._said else "muted")
        )
        self.query_one("#scope-keys", Bar).show(*self._build_keys(part))

    def _build_keys(self, part: CorrectionPart | None) -> tuple[Cell, ...]:
        armed = part is not None and part.preview is not None and part.stage is CorrectionStage.READY
        undo = f" undo {render_safe(part.undoable, 20)}" if part is not None and part.undoable else ""
        words = (
            (self._keymap.show("decision.confirm"), " write", armed),
            (self._keymap.show("scope.toggle"), " claim or release", True),
            (self._keymap.show("scope.start"), " since when…", True),
            (self._keymap.show("scope.undo"), undo, bool(undo)),
            (self._keymap.show("decision.cancel"), " cancel", True),
        )
        shown = [(key, text, usable) for key, text, usable in words if text]
        return tuple(
            cell
            for key, text, usable in shown
            for cell in (Cell(f" {key}", "key" if usable else "muted"), Cell(f"{text} ", "text" if usable else "muted"))
        )
