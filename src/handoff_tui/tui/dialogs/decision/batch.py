"""The box in which several handoffs are approved: it lists each, and one key signs one entry for each."""

from __future__ import annotations

from collections.abc import Mapping

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from handoff_tui.core.short_id import SHORT_ENTRY
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.live.state.app import AppState, BatchItem, BatchPart, BatchStage
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.tui.actions import Keys
from handoff_tui.tui.chrome import name_work, shorten_id
from handoff_tui.tui.dialogs.box import LEAVING, ArmedBox, keep_key, read_time
from handoff_tui.tui.messages import BatchConfirmed
from handoff_tui.tui.widgets.bars import Bar, Divider
from handoff_tui.tui.widgets.page_view import PageView


def build_batch_page(part: BatchPart | None, names: Mapping[HandoffKey, str]) -> Page:
    """Lists what is signed, then what is left out and why, each by its title."""
    page = Page()
    if part is None:
        page.line(Cell("Examining the selected handoffs…", "muted"))
        return page
    ready = [item for item in part.items if not item.left_out]
    page.line(Cell("Lets each of these go on. Each gets an entry of its own, which can be withdrawn, never deleted."))
    page.blank()
    for item in ready:
        page.line(*_describe(item, names), indent=4)
    left = [item for item in part.items if item.left_out]
    if left:
        page.heading("Left out", str(len(left)))
    for item in left:
        words = (
            Cell("✗ ", "fail"),
            Cell(f"{_name(item, names)}  "),
            Cell(render_safe(item.left_out), "muted"),
        )
        page.line(*words, indent=4)
    return page


def _name(item: BatchItem, names: Mapping[HandoffKey, str]) -> str:
    return render_safe(names.get(item.key, item.key.handoff))


def _name_all(state: AppState) -> Mapping[HandoffKey, str]:
    """Title and id of each handoff of the batch, with its repository if there are several."""
    several = len(state.repositories) > 1
    chosen = {item.key for item in state.batch.items} if state.batch is not None else set[HandoffKey]()
    return {
        item.key: " · ".join(
            word
            for word in (
                name_work(item.reviewed.handoff),
                shorten_id(item.key.handoff) if item.reviewed.handoff.title else "",
                item.repository if several else "",
            )
            if word
        )
        for item in state.inbox
        if item.key in chosen
    }


def _describe(item: BatchItem, names: Mapping[HandoffKey, str]) -> tuple[Cell, ...]:
    name = Cell(f"{_name(item, names)}  ", "heading")
    if item.entry:
        return (Cell("✓ ", "pass"), name, Cell(f"signed as {item.entry[:SHORT_ENTRY]}", "muted"))
    return (
        Cell("… " if not item.words else "○ ", "muted"),
        name,
        Cell(render_safe(item.words or "examining"), "muted"),
    )


class BatchScreen(ArmedBox[None]):
    """Only the signing key signs, and only what has been on the screen for a moment."""

    CSS = """
    BatchScreen { align: center middle; background: $background 60%; }
    #batch { width: 96%; max-width: 100; height: 94%; max-height: 18; background: $background; border: heavy $border; }
    #batch-page { height: 1fr; padding: 0 1; }
    """

    def __init__(self, keys: Keys) -> None:
        super().__init__()
        self._keymap = keys
        self._part: BatchPart | None = None
        self._names: Mapping[HandoffKey, str] = {}
        self._said = ""

    def compose(self) -> ComposeResult:
        with Vertical(id="batch"):
            yield Divider(id="batch-title")
            yield PageView(id="batch-page")
            yield Bar(id="batch-state")
            yield Bar(id="batch-keys", raised=True)

    def on_mount(self) -> None:
        self.call_after_refresh(self._draw)
        self.call_after_refresh(self._note_painted)

    def show(self, state: AppState) -> None:
        if state.batch is not None and state.batch is not self._part:
            self._part = state.batch
            self._names = _name_all(state)
            self.arm_again()
            self._draw()

    def on_key(self, event: events.Key) -> None:
        keep_key(event)
        action = self._keymap.find(event, ("decision", "nav", "app"))
        if action == "decision.confirm":
            self._confirm(event.time)
            return
        self._readable.begin_again(event.time)
        if action in LEAVING and not (self._part is not None and self._part.stage is BatchStage.SIGNING):
            self.dismiss(None)
        elif action is not None and action.startswith("nav."):
            self.query_one(PageView).navigate(action)

    def _confirm(self, at: float) -> None:
        part = self._part
        if part is None or part.stage is not BatchStage.READY or not self._count_ready(part):
            self._said = "There is nothing to sign yet"
        elif not self._readable.admits(at):
            self._said = f"Too fast; press {self._keymap.show('decision.confirm')} again"
        else:
            self._readable.disarm()
            self.post_message(BatchConfirmed(part.number))
        self._draw()

    def _count_ready(self, part: BatchPart) -> int:
        return sum(not item.left_out for item in part.items)

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        part = self._part
        number = self._count_ready(part) if part is not None else 0
        is_done = part is not None and part.stage is BatchStage.DONE
        asked = f"{'Approved' if is_done else 'Approve'} {plural(number, 'handoff')}{'' if is_done else '?'}"
        self.query_one("#batch-title", Divider).show_title(Cell(asked, "heading"))
        self.query_one("#batch-page", PageView).show(build_batch_page(part, self._names))
        self.query_one("#batch-state", Bar).show(*self._describe_state(part, number))
        key, back = self._keymap.show("decision.confirm"), self._keymap.show("decision.cancel")
        sign = () if is_done else (Cell(f" {key}", "key"), Cell(f" sign {plural(number, 'entry')} "))
        self.query_one("#batch-keys", Bar).show(
            *sign, Cell(f" {back}", "key"), Cell(" close" if is_done else " cancel")
        )

    def _describe_state(self, part: BatchPart | None, number: int) -> tuple[Cell, ...]:
        if self._said:
            return (Cell(f" {self._said}", "warning"),)
        stage = part.stage if part is not None else BatchStage.PREPARING
        if stage is BatchStage.READY and number:
            settled = self._readable.admits(read_time())
            words = f" ● Ready: {self._keymap.show('decision.confirm')} signs" if settled else " ○ Can't sign yet"
            return (Cell(words, "waiting" if settled else "warning"),)
        words = {
            BatchStage.PREPARING: " Running the checks of each…",
            BatchStage.READY: " None of them can be approved like this",
            BatchStage.SIGNING: " ● Signing…",
            BatchStage.DONE: " ✓ Done",
        }[stage]
        return (Cell(words, "muted"),)
