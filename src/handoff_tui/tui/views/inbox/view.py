"""The inbox: every handoff of every open repository, and the facts that make one urgent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import AppState, Loaded, RepositoryPart
from handoff_tui.status.inbox_item import HandoffKey, InboxItem, InboxOrder, UnclaimedWork
from handoff_tui.tui.messages import CopyWanted, EditorWanted, HandoffChosen, ViewWanted
from handoff_tui.tui.views.inbox.page import build_broken_page, build_inbox_page, build_unclaimed_page
from handoff_tui.tui.views.inbox.rows import InboxRows
from handoff_tui.tui.views.listed_view import ListedView
from handoff_tui.tui.views.view import Act, LooseFiles
from handoff_tui.tui.widgets.freshness import read_now
from handoff_tui.tui.widgets.row_list import RowList

_ORDERS = tuple(InboxOrder)


class InboxView(ListedView[InboxRows]):
    """All handoffs, those that need you first."""

    scope = "inbox"
    hints: ClassVar[tuple[str, ...]] = (
        *("app.open", "decide.approve", "decide.reject", "decide.retry"),
        *("inbox.sort", "view.coverage", "app.scope"),
    )
    shown = ("inbox", "repositories")
    _order = InboxOrder.URGENCY

    @property
    def part(self) -> Loaded[tuple[InboxItem, ...]]:
        return Loaded(self._state.inbox)

    def update_from(self, before: AppState) -> None:
        state = self._state
        if state.inbox is not before.inbox or _describe_repositories(state) != _describe_repositories(before):
            self.redraw()
            if (state.travel or before.travel) is not None and state.chosen is not None:
                self.rows.choose("\0".join(state.chosen))  # at another point in time: select the current handoff there
            self.show_page()

    def build_rows(self, value: tuple[InboxItem, ...]) -> InboxRows:
        return InboxRows(
            value,
            order=self._order,
            text=self._text,
            now=read_now(),
            broken=self._broken,
            unclaimed=list_unclaimed(self._state),
        )

    def build_page(self) -> Page:
        item = self._item
        if self.unclaimed is not None:
            return build_unclaimed_page(self.unclaimed, self.show_key("app.scope"), self.show_key("view.coverage"))
        if item is None:
            return build_broken_page(self._broken)
        repository = next((one for one in self._state.repositories if one.root == item.key.root), None)
        return build_inbox_page(item, repository, read_now())

    def describe_page(self) -> str:
        if self.unclaimed is not None:
            return "Unclaimed work"
        return "Why" if self._item is None else f"Why · {render_safe(self._item.key.handoff)}"

    def highlight(self, key: str) -> None:
        item = self._find_item(key)
        if item is not None:
            self.post_message(HandoffChosen(item.key))

    @property
    def handoff(self) -> HandoffKey | None:
        return self._item.key if self._item else None

    @property
    def unclaimed(self) -> UnclaimedWork | None:
        """The unclaimed work, if it is selected."""
        return self.table.find_unclaimed(self.rows.key) if self.table is not None else None

    def find_loose(self) -> LooseFiles | None:
        return LooseFiles(self.unclaimed.root, self.unclaimed.files) if self.unclaimed is not None else None

    def build_why(self) -> tuple[Cell, ...]:
        work = self.unclaimed
        if work is None:
            return ()
        words = f"{plural(len(work.files), 'changed file')} without a handoff"
        return (Cell(" ◆ Your call:", "waiting"), Cell(f" {words}; {self.show_key('app.scope')} gives them to one"))

    def open(self, event: RowList.Opened) -> None:
        if self.unclaimed is not None:
            self.post_message(ViewWanted("coverage"))
            return
        self.highlight(event.key)
        self.post_message(ViewWanted("pipeline"))

    def focus_first(self) -> None:
        """Selects the current handoff on the way back to the inbox."""
        if self._state.chosen is not None:
            self.rows.choose("\0".join(self._state.chosen))
        super().focus_first()

    def refuse(self, action: str) -> str:
        if action.startswith("decide.") and self.unclaimed is not None:
            return f"these files belong to no handoff; {self.show_key('app.scope')} gives them to one"
        if action == "inbox.sort" and not self._state.inbox:
            return "nothing to sort"
        if action in {"app.copy", "app.copy-all", "app.edit"} and self._item is None:
            return "no handoff selected"
        if action in {"app.copy-all", "app.edit"} and self._find_document() is None:
            return "this handoff has no file"
        return ""

    def list_acts(self) -> Mapping[str, Act]:
        acts: dict[str, Act] = {"inbox.sort": self._sort}
        if self._item is not None:
            acts["app.copy"] = CopyWanted(self._item.key.handoff, "the id")
        if (document := self._find_document()) is not None:
            acts |= {"app.copy-all": CopyWanted(document, "the path"), "app.edit": EditorWanted(document)}
        return acts

    def _sort(self) -> None:
        self._order = _ORDERS[(_ORDERS.index(self._order) + 1) % len(_ORDERS)]
        self.redraw()

    def describe_found(self) -> str:
        handoffs = plural(len(self._state.inbox), "handoff")
        return f"{self._count_matching()} of {handoffs} · also phase: who: state: repo: is:mine"

    def describe(self) -> tuple[Cell, ...]:
        waiting = sum(item.waits_on_me for item in self._state.inbox)
        closed = sum(bool(item.closed) for item in self._state.inbox)
        need = f"{waiting} need you" + (f", {closed} behind closed gates" if closed else "")
        words = f" {plural(len(self._state.inbox), 'handoff')}, {need} · sorted by {self._order.value}"
        filtered = f' · filter "{render_safe(self._text)}": {self._count_matching()}' if self._text else " · no filter"
        names = ", ".join(render_safe(one.name) for one in self._broken)
        broken = (Cell(f" ✗ Can't be read: {names} ·", "fail"),) if names else ()
        return (*broken, Cell(words, "muted"), Cell(filtered, "accent" if self._text else "muted"))

    @property
    def _broken(self) -> list[RepositoryPart]:
        return [one for one in self._state.repositories if one.state.trouble is not None]

    @property
    def _item(self) -> InboxItem | None:
        return self._find_item(self.rows.key)

    def _find_item(self, key: str) -> InboxItem | None:
        return self.table.find_handoff(key) if self.table is not None else None

    def _count_matching(self) -> int:
        return len(self.table.handoffs) if self.table is not None else 0

    def _find_document(self) -> str | None:
        item = self._item
        documents = item.reviewed.handoff.documents if item is not None else ()
        return next((one.path for one in documents if ":" not in one.path), None)

    def explain_empty(self) -> Cell:
        if self._text:
            return Cell(f'No matches for "{render_safe(self._text)}"; esc clears the filter', "muted")
        if not self._state.repositories or any(one.state.value is None for one in self._state.repositories):
            return Cell("Reading the repository…", "muted")
        return Cell("No handoff in a known format here. `handoff-tui demo` shows what they look like.", "muted")


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
        (one.name, one.state.trouble, one.state.value and one.state.value.unclaimed, one.reviewer_note)
        for one in state.repositories
    ]
