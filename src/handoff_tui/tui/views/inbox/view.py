"""The inbox: every handoff of every open repository, and the facts that make one urgent."""

from __future__ import annotations

from typing import ClassVar

from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import AppState, RepositoryPart
from handoff_tui.status.inbox_item import HandoffKey, InboxItem, InboxOrder
from handoff_tui.tui.messages import CopyWanted, EditorWanted, HandoffChosen, ViewWanted
from handoff_tui.tui.views.inbox.page import build_broken_page, build_inbox_page
from handoff_tui.tui.views.inbox.rows import InboxRows
from handoff_tui.tui.views.listed_view import ListedView
from handoff_tui.tui.widgets.freshness import read_now
from handoff_tui.tui.widgets.row_list import EmptyRows

_ORDERS = tuple(InboxOrder)


class InboxView(ListedView):
    """All handoffs, those that need you first."""

    scope = "inbox"
    hints: ClassVar[tuple[str, ...]] = (*("app.open", "decide.approve", "decide.reject", "decide.retry", "inbox.sort"),)

    def __init__(self) -> None:
        super().__init__(id="inbox")
        self._state = AppState()
        self._order = InboxOrder.URGENCY
        self._rows = InboxRows(())

    def show(self, state: AppState) -> None:
        before, self._state = self._state, state
        if state.inbox is not before.inbox or _describe_repositories(state) != _describe_repositories(before):
            self.redraw()
            if (state.travel or before.travel) is not None and state.chosen is not None:
                self.rows.choose("\0".join(state.chosen))  # at another point in time: select the current handoff there
            self.show_page()

    def redraw(self) -> None:
        self._rows = InboxRows(
            self._state.inbox, order=self._order, text=self._text, now=read_now(), broken=self._broken
        )
        if self._rows.keys:
            self.show_rows(self._rows, self._rows.build_heading(self.room))
        else:
            self.show_rows(EmptyRows(self._explain_empty()))

    def build_page(self) -> Page:
        item = self._item
        if item is None:
            return build_broken_page(self._broken)
        return build_inbox_page(item, self._find_repository(item), read_now())

    def describe_page(self) -> tuple[Cell, ...]:
        item = self._item
        return (Cell("Why" if item is None else f"Why · {render_safe(item.key.handoff)}", "muted"),)

    def highlight(self, key: str) -> None:
        item = self._rows.find(key)
        if item is not None:
            self.post_message(HandoffChosen(item.key))

    @property
    def handoff(self) -> HandoffKey | None:
        return self._item.key if self._item else None

    def open(self, key: str) -> None:
        self.highlight(key)
        self.post_message(ViewWanted("pipeline"))

    def focus_first(self) -> None:
        """Selects the current handoff on the way back to the inbox."""
        if self._state.chosen is not None:
            self.rows.choose("\0".join(self._state.chosen))
        super().focus_first()

    def refuse(self, action: str) -> str:
        if action == "inbox.sort" and not self._state.inbox:
            return "nothing to sort"
        if action in {"app.copy", "app.copy-all", "app.edit"} and self._item is None:
            return "no handoff selected"
        if action in {"app.copy-all", "app.edit"} and self._find_document() is None:
            return "this handoff has no file"
        return ""

    def perform(self, action: str) -> bool:
        item, document = self._item, self._find_document()
        if action == "inbox.sort":
            self._order = _ORDERS[(_ORDERS.index(self._order) + 1) % len(_ORDERS)]
            self.redraw()
        elif action == "app.copy" and item is not None:
            self.post_message(CopyWanted(item.key.handoff, "the id"))
        elif action == "app.copy-all" and document is not None:
            self.post_message(CopyWanted(document, "the path"))
        elif action == "app.edit" and document is not None:
            self.post_message(EditorWanted(document))
        else:
            return super().perform(action)
        return True

    def describe_found(self) -> str:
        return (
            f"{len(self._rows.items)} of {plural(self._rows.total, 'handoff')} · also phase: who: state: repo: is:mine"
        )

    def describe(self) -> tuple[Cell, ...]:
        waiting = sum(item.waits_on_me for item in self._state.inbox)
        closed = sum(bool(item.closed) for item in self._state.inbox)
        need = f"{waiting} need you" + (f", {closed} behind closed gates" if closed else "")
        words = f" {plural(len(self._state.inbox), 'handoff')}, {need} · sorted by {self._order.value}"
        filtered = f' · filter "{render_safe(self._text)}": {len(self._rows.items)}' if self._text else " · no filter"
        names = ", ".join(render_safe(one.name) for one in self._broken)
        broken = (Cell(f" ✗ Can't be read: {names} ·", "fail"),) if names else ()
        return (*broken, Cell(words, "muted"), Cell(filtered, "accent" if self._text else "muted"))

    @property
    def _broken(self) -> list[RepositoryPart]:
        return [one for one in self._state.repositories if one.state.trouble is not None]

    @property
    def _item(self) -> InboxItem | None:
        return self._rows.find(self.rows.key) if self.rows.key else None

    def _find_document(self) -> str | None:
        item = self._item
        documents = item.reviewed.handoff.documents if item is not None else ()
        return next((one.path for one in documents if ":" not in one.path), None)

    def _find_repository(self, item: InboxItem) -> RepositoryPart | None:
        return next((one for one in self._state.repositories if one.root == item.key.root), None)

    def _explain_empty(self) -> Cell:
        if self._text:
            return Cell(f'No matches for "{render_safe(self._text)}"; esc clears the filter', "muted")
        if not self._state.repositories or any(one.state.value is None for one in self._state.repositories):
            return Cell("Reading the repository…", "muted")
        return Cell("No handoff in a known format here. `handoff-tui demo` shows what they look like.", "muted")


def _describe_repositories(state: AppState) -> list[tuple[object, ...]]:
    """Returns what is drawn of the repositories; the watcher's messages change far more often."""
    return [(one.name, one.state.trouble, one.state.value is None, one.reviewer_note) for one in state.repositories]
