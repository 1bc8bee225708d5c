"""The queue: every handoff of every open repository, grouped by what the user can do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.text.columns import compute_width
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import AppState, Part, RepositoryPart
from handoff_tui.status.inbox_item import HandoffKey, InboxItem, QueueGroup, UnclaimedWork
from handoff_tui.tui.chrome import is_reading, name_work, shorten_id
from handoff_tui.tui.messages import (
    ActionWanted,
    BatchWanted,
    CopyWanted,
    DescriptionChanged,
    EditorWanted,
    HandoffChosen,
    HandoffOpened,
    ViewWanted,
)
from handoff_tui.tui.views.overview.cards import build_overview_page, list_card_parts
from handoff_tui.tui.views.queue.rows import QueueForm, QueueRows, build_key, describe_reason
from handoff_tui.tui.views.view import MOVES, Act, LooseFiles, View, read_now
from handoff_tui.tui.widgets.bars import Divider
from handoff_tui.tui.widgets.page_view import PageView
from handoff_tui.tui.widgets.row_list import EmptyRows, RowList, RowSource

_NAME = 8
_MOST_PLACES = 6
_MOST_FILES = 50


def build_unclaimed_page(work: UnclaimedWork, scope_key: str, coverage_key: str) -> Page:
    """Lists the files that belong to no handoff, and says what to do about them."""
    page = Page()
    number = plural(len(work.files), "changed file")
    verb = "belongs" if len(work.files) == 1 else "belong"
    page.line(Cell("? ", "unknown"), Cell(f"{number} {verb} to no handoff, so nobody is asked to approve them"))
    page.line(Cell(f"{scope_key:<{_NAME}}", "key"), Cell("gives them to a handoff"))
    page.line(Cell(f"{coverage_key:<{_NAME}}", "key"), Cell("lists every changed file and who approved it"))
    shown = work.files[:_MOST_FILES]
    for place, path in enumerate(shown):
        page.line(Cell(f"{'' if place else 'files':<{_NAME}}", "muted"), Cell(render_safe(path), "path"))
    if len(work.files) > len(shown):
        page.line(Cell(f"{'':<{_NAME}}… and {len(work.files) - len(shown):,} more", "muted"))
    if work.commits:
        ids = ", ".join(commit[:SHORT_COMMIT] for commit in work.commits[:_MOST_PLACES])
        more = f" and {len(work.commits) - _MOST_PLACES} more" if len(work.commits) > _MOST_PLACES else ""
        page.line(Cell(f"{'commits':<{_NAME}}", "muted"), Cell(f"{ids}{more}", "muted"))
    return page


class NothingFound:
    """The empty queue: what was looked for and where, and the keys that lead on."""

    _LOOKED_FOR = (
        ("notes", "HANDOFF.md, *handoff*.md, docs/handoffs/, session notes"),
        ("builder", "handoffs/ID/ID_RESULTS.md and its specification"),
        ("state files", ".mosaic/, .planning/, work_cycle.json, a procedure's JSON"),
        ("git", "notes of TDD cycles, and trailers in the latest commits"),
    )

    def __init__(self, names: Iterable[str], new_key: str, setup_key: str, *, is_set_up: bool = False) -> None:
        named = ", ".join(map(render_safe, names))
        setup = "shows what is left to set up" if is_set_up else "sets up the log, and tells agents how to hand over"
        ready = (Cell("The log has begun. What an agent commits and hands over appears here", "pass"),)
        self._rows: list[tuple[Cell, ...]] = [
            (Cell(f"No handoffs in {named}", "heading"),),
            ready if is_set_up else (),
            *([()] if is_set_up else []),
            (Cell("Looked at every tracked and new file of the work tree, for:", "muted"),),
            *((Cell(f"  {what:<13}"), Cell(where, "muted")) for what, where in self._LOOKED_FOR),
            (),
            (Cell(f"  {new_key:<4}", "key"), Cell("begins one from a template")),
            (Cell(f"  {setup_key:<4}", "key"), Cell(setup)),
            (Cell("      "), Cell("`handoff-tui demo` shows how it looks with work in it", "muted")),
        ]
        self.keys = ("",) * len(self._rows)

    def build_row(self, index: int, width: int) -> tuple[Cell, ...]:  # noqa: ARG002 - longer ones are cut
        return self._rows[index]


def build_broken_page(repositories: Iterable[RepositoryPart]) -> Page:
    """Says why a repository can't be read, and what to do about it."""
    page = Page()
    for repository in repositories:
        if (trouble := repository.state.trouble) is not None:
            page.line(Cell(f"✗ {render_safe(repository.name)}  ", "fail"), Cell(render_safe(trouble.message)), indent=4)
            page.line(Cell(f"    {render_safe(trouble.hint)}", "muted"), indent=4)
    return page


_TICK_SECONDS = 20.0
"""Ages change by the minute; refreshing more often would show nothing new."""
_BESIDE = 150
"""From this width on, the overview of the selected row is beside the list."""
_TWO_LINES = (100, 24)
"""From this room on, each row has its reason below it."""


class QueueView(View):
    """All handoffs, those that need you first."""

    DEFAULT_CSS = """
    QueueView RowList { width: 1fr; height: 1fr; }
    QueueView #queue-beside { width: 38%; display: none; border-left: solid $border; }
    QueueView.-beside #queue-beside { display: block; }
    QueueView #queue-reason { height: 2; display: none; }
    QueueView.-low #queue-reason { display: block; }
    """
    hints: ClassVar[tuple[str, ...]] = (
        *("app.open", "review.next", "decide.approve", "decide.reject", "agent.start"),
        *("find.open", "review.select", "review.filter", "view.coverage", "review.scope"),
    )

    def __init__(self) -> None:
        super().__init__()
        self._table: QueueRows | None = None
        self._text = ""
        self._only_mine = False
        self._groups: tuple[tuple[InboxItem, ...], dict[HandoffKey, QueueGroup]] = ((), {})
        self._opened: set[QueueGroup] = set()
        self._moved = False
        """Whether a person has moved the cursor; until then it is on the first row, or on the one to start with."""
        self._start = ""
        self.selected: set[str] = set()
        """The keys of rows that a batch is about."""

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield RowList(id="rows")
            with Vertical(id="queue-beside"):
                yield Divider()
                yield PageView(id="queue-overview")
        reason = PageView(id="queue-reason")
        reason.can_focus = False
        yield reason

    def on_mount(self) -> None:
        self.set_interval(_TICK_SECONDS, self._tick)

    @property
    def rows(self) -> RowList:
        return self.query_one("#rows", RowList)

    def list_parts(self) -> frozenset[Part]:
        return list_card_parts(self._state) if self.has_class("-beside") else frozenset()

    def show(self, state: AppState) -> None:
        before, self._state = self._state, state
        if state.batch is not None:  # what was signed is done with
            self.selected -= {"\0".join(one.key) for one in state.batch.items if one.entry}
        if state.inbox is not before.inbox or _describe_repositories(state) != _describe_repositories(before):
            self.redraw()
            if (state.travel or before.travel) is not None and state.chosen is not None:
                self.rows.choose("\0".join(state.chosen))  # at another point in time: select the current handoff there
        self._show_beside()

    def redraw(self) -> None:
        """Draws the list again with the current time; the cursor stays where it was."""
        known = {build_key(item) for item in self._state.inbox}
        self.selected &= known
        self._table = QueueRows(
            self._state.inbox,
            QueueForm(
                self._text,
                frozenset(self._opened),
                frozenset(self.selected),
                reasons=not self.has_class("-low"),
                only_mine=self._only_mine,
            ),
            now=read_now(),
            broken=self._broken,
            unclaimed=list_unclaimed(self._state),
            groups=self._find_groups(),
        )
        self.rows.show(self._table if self._table.keys else self._explain_empty())
        if (
            not self._moved and self._state.travel is None and any(self._table.keys)
        ):  # nobody has moved the cursor yet: what is ready stays in view
            begun = [key for key in self._table.keys if key and key == self._start]
            self.rows.choose(next(iter(begun), next(filter(None, self._table.keys))))
            if self.rows.index < self.rows.size.height:
                self.rows.scroll_to(y=0, animate=False, force=True)

    def _find_groups(self) -> dict[HandoffKey, QueueGroup]:
        """The group of each handoff, found once for a state: typing a filter only looks it up."""
        if self._groups[0] is not self._state.inbox:
            self._groups = (self._state.inbox, {item.key: item.group for item in self._state.inbox})
        return self._groups[1]

    def _show_beside(self, *, from_top: bool = False) -> None:
        """Shows the reason below the list, or the overview beside it."""
        row = self._item or self.unclaimed
        if self.has_class("-low"):
            page = Page()
            if row is not None:
                page.line(*self._name_cut(row), *describe_reason(row))
            self.query_one("#queue-reason", PageView).show(page, from_top=True)
        if self.has_class("-beside"):
            self.query_one(Divider).show_title(Cell(self._describe_beside(), "muted"))
            self.query_one("#queue-overview", PageView).show(self._build_beside(), from_top=from_top)

    def _name_cut(self, row: InboxItem | UnclaimedWork) -> tuple[Cell, ...]:
        """Returns the title of a row if the list has no room for all of it."""
        title = name_work(row.reviewed.handoff) if isinstance(row, InboxItem) else ""
        room = self._table.measure_title(self.rows.room - 2) if self._table is not None else 0
        return (Cell(f"{render_safe(title)}: ", "text"),) if compute_width(title) > room else ()

    def _describe_beside(self) -> str:
        if self.unclaimed or self._item is None:
            return "Unclaimed work" if self.unclaimed else ""
        handoff = self._item.reviewed.handoff
        return render_safe(f"{name_work(handoff)} · {shorten_id(handoff.id)}" if handoff.title else handoff.id)

    def _build_beside(self) -> Page:
        if self.unclaimed is not None:
            return build_unclaimed_page(self.unclaimed, self.show_key("review.scope"), self.show_key("view.coverage"))
        item = self._item
        if item is None:
            return build_broken_page(self._broken)
        return build_overview_page(self._state, item, read_now())

    def on_resize(self) -> None:
        width, height = self.size
        self.set_class(width >= _BESIDE, "-beside")
        self.set_class(width < _TWO_LINES[0] or height < _TWO_LINES[1], "-low")
        self.call_after_refresh(self._redraw_whole)

    def _redraw_whole(self) -> None:
        self.redraw()
        self._show_beside()

    def _tick(self) -> None:
        if self.display and self.is_attached:
            self.redraw()

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.key == self.rows.key and self.display:  # else the cursor has moved on, or a handoff was opened
            item = self._find_item(event.key)
            if item is not None and self.display:
                self.app.post_message(HandoffChosen(item.key))  # it can't overtake the choice of what was opened
            self._show_beside(from_top=True)
            self.post_message(DescriptionChanged())

    def on_row_list_opened(self, event: RowList.Opened) -> None:
        event.stop()
        group = self._table.find_group(event.key) if self._table is not None else None
        item = self._find_item(event.key)
        if group is not None:
            self._opened ^= {group}
            self.redraw()
            if group in self._opened:  # what was unfolded comes into view
                self.call_after_refresh(self.rows.scroll_to, y=self.rows.index, animate=False, force=True)
        elif item is not None:
            self.post_message(HandoffOpened(item.key))
        elif self.unclaimed is not None:
            self.post_message(ViewWanted("coverage"))

    @property
    def handoff(self) -> HandoffKey | None:
        return self._item.key if self._item else None

    @property
    def unclaimed(self) -> UnclaimedWork | None:
        """The unclaimed work, if it is selected."""
        return self._table.find_unclaimed(self.rows.key) if self._table is not None else None

    def find_loose(self) -> LooseFiles | None:
        return LooseFiles(self.unclaimed.root, self.unclaimed.files) if self.unclaimed is not None else None

    def choose(self, name: str) -> None:
        """Selects a row by its key, until a person moves the cursor."""
        self._start = name
        self.redraw()

    def perform(self, action: str) -> bool:
        self._moved = self._moved or action in MOVES
        return super().perform(action)

    def focus_first(self) -> None:
        """Selects the current handoff on the way back to the queue."""
        if self._state.chosen is not None:
            self._moved = True
            self.rows.choose("\0".join(self._state.chosen))
        super().focus_first()

    def refuse(self, action: str) -> str:
        if action.startswith("decide.") and self.unclaimed is not None:
            return f"these files belong to no handoff; {self.show_key('review.scope')} gives them to one"
        if action in {"app.copy", "app.copy-all", "app.edit", "review.select"} and self._item is None:
            return "no handoff selected"
        if action in {"app.copy-all", "app.edit"} and self._find_document() is None:
            return "this handoff has no file"
        return ""

    def list_acts(self) -> Mapping[str, Act]:
        acts: dict[str, Act] = {"review.filter": self._toggle_mine, "review.select": self._toggle_selected}
        if self._has_nothing:  # there is nothing to find
            acts["find.next"] = ActionWanted("app.new")
        if self._text or self.selected:
            acts["app.back"] = self._clear
        if self.selected:
            keys = (item.key for item in self._state.inbox if build_key(item) in self.selected)
            acts["decide.approve"] = BatchWanted(tuple(keys))
        if self._item is not None:
            acts["app.copy"] = CopyWanted(self._item.key.handoff, "the id")
        if (document := self._find_document()) is not None:
            acts |= {"app.copy-all": CopyWanted(document, "the path"), "app.edit": EditorWanted(document)}
        return acts

    def _toggle_mine(self) -> None:
        self._only_mine = not self._only_mine
        self.redraw()

    def _toggle_selected(self) -> None:
        self.selected ^= {self.rows.key}
        self.redraw()
        self.rows.move(1)

    def _clear(self) -> None:
        """Ends a filter that was kept, or the selection."""
        if self._text:
            self._text = ""
        else:
            self.selected.clear()
        self.redraw()

    def find(self, text: str, *, backwards: bool = False, again: bool = False) -> str:
        """Filters the list and lands on the best match; asked again, moves to the next one."""
        if again:
            self.rows.move(-1 if backwards else 1)
            return ""
        self._text = text
        self.redraw()
        if not text or self._table is None:
            return ""
        self._moved = True
        self.rows.choose(self._table.find_best(text))
        handoffs = plural(len(self._state.inbox), "handoff")
        return f"{len(self._table.handoffs)} of {handoffs} · also phase: who: state: repo: is:mine"

    def describe(self) -> tuple[Cell, ...]:
        names = ", ".join(render_safe(one.name) for one in self._broken)
        broken = (Cell(f" ✗ Can't be read: {names} ·", "fail"),) if names else ()
        if is_reading(self._state):
            return (*broken, Cell(" Reading the repository…", "muted"))
        closed = sum(bool(item.closed) for item in self._state.inbox)
        past = sum(item.group is QueueGroup.PAST for item in self._state.inbox)
        words = f" {plural(len(self._state.inbox) - past, 'handoff')}{f', {past} past' if past else ''}"
        words += f", {closed} behind closed gates" if closed else ""
        cells = [*broken, Cell(words, "muted")]
        if self._text:
            cells.append(Cell(f' · filter "{render_safe(self._text)}": {self._count_matching()}', "accent"))
        if self._only_mine:
            cells.append(Cell(" · only what needs you", "accent"))
        if self.selected:
            cells.append(Cell(f" · {len(self.selected)} selected; a approves those that are ready", "accent"))
        return tuple(cells)

    @property
    def _broken(self) -> list[RepositoryPart]:
        return [one for one in self._state.repositories if one.state.trouble is not None]

    @property
    def _item(self) -> InboxItem | None:
        return self._find_item(self.rows.key)

    def _find_item(self, key: str) -> InboxItem | None:
        return self._table.find_handoff(key) if self._table is not None else None

    def _count_matching(self) -> int:
        return len(self._table.handoffs) if self._table is not None else 0

    def _find_document(self) -> str | None:
        item = self._item
        documents = item.reviewed.handoff.documents if item is not None else ()
        return next((one.path for one in documents if ":" not in one.path), None)

    @property
    def _has_nothing(self) -> bool:
        """Whether everything was read, and there is no handoff at all."""
        return not self._state.inbox and not is_reading(self._state) and not self._broken

    def _explain_empty(self) -> RowSource:
        if self._text:
            return EmptyRows(Cell(f'No matches for "{render_safe(self._text)}"; esc clears the filter', "muted"))
        if is_reading(self._state):
            return EmptyRows(Cell("Reading the repository…", "muted"))
        if self._state.inbox:
            return EmptyRows(Cell("Nothing needs you; f shows everything", "muted"))
        names = [one.name for one in self._state.repositories]
        is_set_up = all(one.begun for one in self._state.repositories)
        return NothingFound(names, self.show_key("find.next"), self.show_key("app.setup"), is_set_up=is_set_up)


def list_unclaimed(state: AppState) -> list[UnclaimedWork]:
    """Lists the unclaimed work of every repository that has handoffs at all."""
    known = [(one, one.state.value) for one in state.repositories]
    return [
        UnclaimedWork(one.root, one.name, value.unclaimed, value.unclaimed_commits)
        for one, value in known
        if value is not None and value.unclaimed and value.handoffs
    ]


def _describe_repositories(state: AppState) -> list[tuple[object, ...]]:
    """Returns what is drawn of the repositories; the watcher's messages change far more often."""
    return [
        (one.name, one.state.trouble, one.state.value and one.state.value.unclaimed, one.state.value is None)
        for one in state.repositories
    ]
