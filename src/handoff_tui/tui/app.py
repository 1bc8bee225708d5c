"""The app: passes what the views ask for to the backend, and the backend's state to the views.

It paints first: models, views and backend are imported afterwards, on a thread.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from textual import events, on
from textual.app import App, ComposeResult, SuspendNotSupported
from textual.filter import LineFilter
from textual.message import Message

from handoff_tui.core.errors import HandoffError
from handoff_tui.core.short_id import SHORT_ENTRY
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.tui import messages
from handoff_tui.tui.drawing.cells import AsciiFilter, SafeFilter
from handoff_tui.tui.drawing.theming import Ink, build_framework_theme
from handoff_tui.tui.first_paint import FIRST_TABS, FIRST_TITLE
from handoff_tui.tui.widgets.bars import Bar

if TYPE_CHECKING:
    from handoff_tui.config.theme import Theme
    from handoff_tui.live.backend import LiveBackend
    from handoff_tui.live.state.agents import Bell
    from handoff_tui.live.state.app import AppState
    from handoff_tui.log.review_record import Comment
    from handoff_tui.status.inbox_item import HandoffKey
    from handoff_tui.tui.dialogs.decision.screen import DecisionScreen
    from handoff_tui.tui.drawing.appearance import Appearance
    from handoff_tui.tui.main_screen import MainScreen


REQUESTS: dict[type[messages.Request], Callable[[LiveBackend, Any], None]] = {
    messages.HandoffChosen: lambda live, asked: live.choose(asked.key),
    messages.PhaseChosen: lambda live, asked: live.choose_phase(asked.phase),
    messages.ChecksWanted: lambda live, asked: live.checks.run(asked.only),
    messages.ChecksCancelled: lambda live, _: live.checks.cancel(),
    messages.ScopeWanted: lambda live, asked: live.parts.show_scope(asked.scope),
    messages.FileWanted: lambda live, asked: live.parts.open_file(asked.path, asked.options),
    messages.ChangedFileWanted: lambda live, asked: live.open_changed_file(asked.key, asked.path, asked.scope),
    messages.DocumentWanted: lambda live, asked: live.open_document(asked.path),
    messages.EntryWanted: lambda live, asked: live.requests.open_entry(asked.entry),
    messages.VerifyWanted: lambda live, _: live.requests.verify_log(),
    messages.CommentWritten: lambda live, asked: live.drafts.add_comment(asked.comment),
    messages.CommentRemoved: lambda live, asked: live.drafts.remove_comment(asked.comment),
    messages.FileMarked: lambda live, asked: live.drafts.mark_viewed(asked.path, viewed=asked.viewed),
    messages.ReasonKept: lambda live, asked: live.drafts.keep_reason(asked.verb, asked.text),
    messages.DecisionAgainWanted: lambda live, asked: live.decide_again(asked.verb),
    messages.TakeInWanted: lambda live, _: live.parts.take_in(),
    messages.BatchWanted: lambda live, asked: live.batch.begin(asked.keys),
    messages.BatchConfirmed: lambda live, asked: live.batch.sign(asked.number),
    messages.BatchLeft: lambda live, _: live.batch.leave(),
    messages.OutputWanted: lambda live, asked: live.agents.follower.want(asked.place),
    messages.OutputSearchWanted: lambda live, asked: live.agents.search(asked.place, asked.text),
    messages.ProposalWanted: lambda live, asked: live.agents.propose(asked.kind, asked.run),
    messages.ProposalConfirmed: lambda live, asked: live.agents.confirm(asked.number, asked.typed),
    messages.ProposalLeft: lambda live, _: live.agents.leave(),
    messages.RunPaused: lambda live, asked: live.agents.set_paused(asked.run, paused=asked.paused),
    messages.RunReviewWanted: lambda live, asked: live.agents.look_at(asked.run),
    messages.CorrectionWanted: lambda live, asked: live.scoping.begin(asked.key, asked.claimed),
    messages.CorrectionPreviewWanted: lambda live, asked: live.scoping.preview(asked.paths, asked.since),
    messages.CorrectionConfirmed: lambda live, _: live.scoping.write(),
    messages.CorrectionUndone: lambda live, _: live.scoping.undo(),
    messages.CorrectionLeft: lambda live, _: live.scoping.leave(),
    messages.SetupWanted: lambda live, asked: live.setting_up.begin(asked.root),
    messages.SetupLeft: lambda live, _: live.setting_up.leave(),
    messages.NewHandoffWanted: lambda live, asked: live.setting_up.begin_handoff(asked),
    messages.FollowUpsCancelled: lambda live, _: live.agents.cancel_follow_ups(),
    messages.BreakpointToggled: lambda live, asked: live.agents.toggle_breakpoint(asked.place),
    messages.AtWorkWanted: lambda live, _: live.agents.want_at_work(),
    messages.ProofsWanted: lambda live, _: live.agents.proofs.want_list(),
    messages.ProofWanted: lambda live, asked: live.agents.proofs.want_proof(asked.proof),
    messages.NoteWritten: lambda live, asked: live.agents.write_note(asked.text),
    messages.ComparisonWanted: lambda live, asked: live.requests.compare(asked.before, asked.after),
    messages.FailureWanted: lambda live, _: live.requests.explain(),
    messages.BisectWanted: lambda live, asked: live.bisecting.begin(asked.check),
    messages.BisectCancelled: lambda live, _: live.bisecting.cancel(),
    messages.TravelWanted: lambda live, asked: live.travelling.begin(asked.at),
    messages.TravelMoved: lambda live, asked: live.travelling.go(asked.index),
    messages.TravelEnded: lambda live, _: live.travelling.end(),
}
"""The backend call for each request of a view. Every call returns at once; its result arrives in a later state."""
IN_THE_PAST = frozenset(
    {
        *(messages.HandoffChosen, messages.PhaseChosen, messages.DocumentWanted, messages.EntryWanted),
        *(messages.FileWanted, messages.TravelWanted, messages.TravelMoved, messages.TravelEnded),
    }
)
"""Requests that are allowed while the app shows the past: only those that look at something."""


_MOST_COPIED = 75_000
"""Terminals silently drop longer texts."""


class ReviewApp(App[None], inherit_bindings=False):
    """The review app."""

    ENABLE_COMMAND_PALETTE = False
    TITLE = "handoff-tui"

    class StateArrived(Message):
        """There is a new state; only the latest one is drawn."""

    def __init__(
        self,
        starts: Sequence[Path],
        theme: Theme,
        load_look: Callable[[], Appearance],
        opening: tuple[str, str] | None = None,
        *,
        tour: bool = False,
        ascii_only: bool = False,
    ) -> None:
        """`opening` is a handoff and the tab to begin with; the demo begins with a tour.

        `theme` and `ascii_only` are for the first paint.
        """
        colourless = os.environ.pop("NO_COLOR", None)  # the framework would turn everything grey; our theme does better
        super().__init__()
        if colourless is not None:
            os.environ["NO_COLOR"] = colourless  # for the programs that the app starts
        self._starts = tuple(starts)
        self._load_look = load_look
        self._opening, self._tour = opening, tour
        self.ink = Ink(theme, ascii_only=ascii_only)
        self.look: Appearance | None = None
        self.state: AppState | None = None
        self.fault: BaseException | None = None
        self.live: LiveBackend | None = None
        self._main: MainScreen | None = None
        self._deciding: DecisionScreen | None = None
        self._safe, self._ascii = SafeFilter(), AsciiFilter()
        self._arriving = False
        self._interrupted = False
        self._rung = 0
        self._leaves_when_done = False
        self._apply_theme()

    def compose(self) -> ComposeResult:
        """Shows what is known before anything has been read."""
        for row in (FIRST_TITLE, FIRST_TABS):
            bar = Bar(raised=row is FIRST_TITLE)
            bar.show(*row)
            yield bar

    @property
    def main_screen(self) -> MainScreen:
        if self._main is None:
            raise RuntimeError("the main screen is not there yet")
        return self._main

    @property
    def _is_past(self) -> bool:
        return self.state is not None and self.state.travel is not None

    def on_mount(self) -> None:
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        Thread(target=self._load, name="load", daemon=True).start()

    def _load(self) -> None:
        try:
            self._load_backend()
        except HandoffError as refused:
            self.call_later(self._leave, refused)
        except Exception as fault:  # noqa: BLE001 - nobody else would hear of it, and the screen would wait for ever
            self._tell_bug(fault)

    def _load_backend(self) -> None:
        """Imports everything heavy while the screen already responds."""
        from handoff_tui.live.backend import LiveBackend  # noqa: PLC0415 - after the first paint

        look = self._load_look()
        live = LiveBackend(self._starts, self._tell, self._tell_bug)
        self.live = live
        self.call_later(self._open, live, look)

    async def _open(self, live: LiveBackend, look: Appearance) -> None:
        await self.furnish(look, live.state)
        live.need(self.main_screen.parts)
        live.start()

    async def furnish(self, look: Appearance, state: AppState) -> None:
        """Puts the main screen up."""
        from handoff_tui.tui.main_screen import MainScreen  # noqa: PLC0415 - after the first paint
        from handoff_tui.tui.openers import Opening  # noqa: PLC0415 - as above

        self.look, self.state = look, state
        self.ink = Ink(look.theme, ascii_only=look.ascii_only)
        self._apply_theme()
        opening = Opening(*self._opening) if self._opening is not None else None
        self._main = MainScreen(look, opening, tour=self._tour)
        await self.push_screen(self._main)
        self._main.show(state)

    def _tell(self, state: AppState) -> None:
        """Can be called from any thread. Several states between two frames cause one redraw."""
        self.state = state
        if not self._arriving:
            self._arriving = True
            self.post_message(self.StateArrived())

    def on_review_app_state_arrived(self) -> None:
        self._arriving = False
        if self._main is None or self.state is None or not self.is_running:  # a closing app has lost its widgets
            return
        self._ring(self.state.ring)
        if self._leaves_when_done and not self.state.activity.runs and not self.state.activity.reviewing:
            self.exit()
        frozen = self._main if self._deciding is not None else None  # the screen behind a decision doesn't move
        if frozen is not None:
            frozen.draw_tour(self.state)
        for screen in self.screen_stack:
            if screen is not frozen and (show := getattr(screen, "show", None)) is not None:
                show(self.state)

    def _ring(self, ring: Bell | None) -> None:
        """Rings the bell and notifies, once each; the sequence was checked where it was built."""
        if ring is not None and ring.number != self._rung and self._driver is not None:
            self._rung = ring.number
            self._driver.write(ring.sequence)

    def _tell_bug(self, fault: BaseException) -> None:
        self.call_later(self._fail, fault)

    def _fail(self, fault: BaseException) -> None:
        raise fault

    def _leave(self, refused: HandoffError) -> None:
        self.fault = refused
        self.exit()

    async def on_unmount(self) -> None:
        if self.live is not None:
            self.live.stop()

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), self._safe, *((self._ascii,) if self.ink.ascii_only else ())]

    def _handle_exception(self, error: Exception) -> None:
        self.fault = self.fault or error
        super()._handle_exception(error)

    def _print_error_renderables(self) -> None:
        """Prints no traceback: the report file says more, and the caller names it."""
        self._exit_renderables.clear()

    @on(messages.AppActionWanted)
    def perform(self, event: messages.AppActionWanted) -> None:
        known: dict[str, Callable[[], object]] = {
            "app.quit": self.exit,
            "app.redraw": partial(self.refresh, layout=True),
            "app.rescan": self._rescan,
            "app.screenshot": self._save_screenshot,
            "app.suspend": self.action_suspend_process,
            "app.interrupt": self._interrupt,
        }
        known[event.action]()
        self._interrupted = event.action == "app.interrupt"

    @on(messages.LeaveWanted)
    def leave_agents(self, event: messages.LeaveWanted) -> None:
        """Leaves agents running, or stops them and reviews their work before the program ends."""
        if self.live is None or not event.stops:
            self.exit()
            return
        self.say("Stopping the agents…", "warning")
        self._leaves_when_done = True
        self.live.agents.stop_all()

    @on(messages.ThemeChosen)
    def set_theme(self, event: messages.ThemeChosen) -> None:
        """Switches the theme for this session; the user's configuration file doesn't change."""
        from handoff_tui.tui.drawing.appearance import load_named_theme  # noqa: PLC0415 - rarely asked for

        self.ink = Ink(load_named_theme(event.name), ascii_only=self.ink.ascii_only)
        self._apply_theme()
        for screen in self.screen_stack:
            for widget in screen.walk_children(with_self=True):
                widget.notify_style_update()
                widget.refresh()

    def _apply_theme(self) -> None:
        theme = build_framework_theme(self.ink.theme)
        self.register_theme(theme)
        self.theme = theme.name

    def _rescan(self) -> None:
        if self.live is not None:
            self.live.rescan()

    def _save_screenshot(self) -> None:
        """Saves it in the user's folder of pictures, never in a repository."""
        from handoff_tui.live.edit import find_pictures_folder  # noqa: PLC0415 - rarely asked for

        try:
            folder = find_pictures_folder()
            self.say(f"Saved {self.save_screenshot(path=str(folder))}", "pass")
        except OSError as refused:
            self.say(f"Can't save the screenshot: {refused}", "warning")

    def _interrupt(self) -> None:
        if self._interrupted:
            self.exit()
        if self.live is not None:
            self.live.checks.cancel()
        self.say("Press again to quit", "warning")

    def say(self, text: str, role: str = "text") -> None:
        """Shows a sentence in the status line."""
        if self._main is not None:
            self._main.say_text(render_safe(text), role)

    @on(messages.StatusTextWanted)
    def tell(self, event: messages.StatusTextWanted) -> None:
        self.say(event.text, event.role)

    @on(messages.Request)
    def ask(self, event: messages.Request) -> None:
        """Passes a request on; no other selection while a decision is open, and in the past only requests to look."""
        late = self._deciding is not None and isinstance(event, messages.HandoffChosen)
        if self.live is not None and not late and (not self._is_past or type(event) in IN_THE_PAST):
            REQUESTS[type(event)](self.live, event)

    @on(messages.PartsChanged)
    @on(events.Resize)
    def need(self) -> None:
        """Keeps the parts on screen fresh, and only those."""
        if self.live is not None and self._main is not None:
            self.live.need(self._main.parts)

    @on(messages.CommentWanted)
    def ask_for_comment(self, event: messages.CommentWanted) -> None:
        from handoff_tui.tui.dialogs.comment import CommentScreen  # noqa: PLC0415 - not before the first paint

        screen = CommentScreen(event.path, event.line, event.end_line, event.text, event.thread)
        self.push_screen(screen, partial(self._take_comment, event.instead_of))

    def _take_comment(self, earlier: Comment | None, comment: Comment | None) -> None:
        """Stores what was written. An earlier comment is removed even if nothing replaces it."""
        if comment is None:
            return
        if earlier is not None:
            self.post_message(messages.CommentRemoved(earlier))
        if comment.text:
            self.post_message(messages.CommentWritten(comment))

    @on(messages.DecisionWanted)
    def begin_decision(self, event: messages.DecisionWanted) -> None:
        """Opens the dialog once; keys typed ahead don't open another."""
        from handoff_tui.tui.dialogs.decision.screen import DecisionScreen  # noqa: PLC0415 - not before the first paint

        if self._deciding is not None or self.look is None or self._is_past:
            return
        self._deciding = DecisionScreen(
            event.verb,
            self.main_screen.keys,
            getattr(self.look.reasons, event.verb, ()),
            tour=self.main_screen.tour.step is not None,
        )
        if self.live is not None:
            if event.key is not None:
                self.live.choose(event.key)
            self.live.deciding.begin(event.verb, event.looked)
        self.push_screen(self._deciding, self._end_decision)

    def _end_decision(self, following: HandoffKey | str | None) -> None:
        part = self.state.decision if self.state else None
        self._deciding = None
        self.main_screen.tour.note_box_left()
        if self.live is not None:
            self.live.deciding.leave()
        if self.state is not None:
            self.main_screen.show(self.state)
        if part is not None and part.entry is not None:
            self.say(f"{part.verb.capitalize()} {part.key.handoff}: signed as {part.entry[:SHORT_ENTRY]}", "pass")
        if isinstance(following, str):
            self.main_screen.post_message(messages.ActionWanted(following))
        elif following is not None:
            self.post_message(messages.HandoffChosen(following))

    @on(messages.DecisionConfirmed)
    def sign(self, event: messages.DecisionConfirmed) -> None:
        """Signs exactly what was on the screen."""
        if self.live is None or self.state is None or self.state.decision is not event.part:
            return
        if not event.part.needs_terminal:
            self.live.deciding.sign(event.reason)
        elif self._deciding is not None:
            said = self.give_terminal(partial(self.live.deciding.sign_here, event.reason))
            self._deciding.say(said) if said else self._deciding.arm_again()

    @on(messages.SetupConfirmed)
    def set_up(self, event: messages.SetupConfirmed) -> None:
        """Sets the repository up, at the terminal if a passphrase must be typed."""
        if self.live is None:
            return
        if event.needs_terminal:
            self.run_outside(partial(self.live.setting_up.write_here, event.choice))
        else:
            self.live.setting_up.write(event.choice)

    @on(messages.ReasonEditWanted)
    def edit_reason(self, event: messages.ReasonEditWanted) -> None:
        written: list[str] = []
        said = self.give_terminal(partial(_write_reason, event.text, self.look.editor if self.look else (), written))
        if self._deciding is not None:
            self._deciding.set_reason(written[0]) if written else self._deciding.say(said)
            self._deciding.arm_again()

    @on(messages.CopyWanted)
    def copy(self, event: messages.CopyWanted) -> None:
        size = len(event.text.encode())
        if size > _MOST_COPIED:
            self.say(f"{event.what} is too long for the terminal's clipboard ({size:,} bytes)", "warning")
            return
        self.copy_to_clipboard(event.text)
        self.say(f"Copied {event.what} to the terminal's clipboard", "pass")

    @on(messages.EditorWanted)
    def edit(self, event: messages.EditorWanted) -> None:
        if self._is_past:
            self.say("Read-only: the editor would open the current file. Press esc to return to now.", "warning")
            return
        root = self.state.repository.root if self.state and self.state.repository else ""
        editor = self.look.editor if self.look else ()
        self.run_outside(partial(_edit, Path(root), event.path, event.line, editor))
        self._rescan()

    def run_outside(self, work: Callable[[], object]) -> None:
        """Gives the terminal to another program until it ends; says why if that fails."""
        if said := self.give_terminal(work):
            self.say(said, "warning")

    def give_terminal(self, work: Callable[[], object]) -> str:
        """Returns why the work wasn't done; empty if it was. Ctrl+C goes to the program that has the terminal."""
        earlier = signal.signal(signal.SIGINT, lambda *_: None)
        try:
            with self.suspend():
                return _attempt(work)
        except SuspendNotSupported:
            return "this terminal can't be handed to another program"
        finally:
            signal.signal(signal.SIGINT, earlier)

    def on_app_focus(self) -> None:
        if self._deciding is not None:
            self._deciding.note_app_focus()
        if self.live is not None:
            self.live.set_focused(focused=True)

    def on_app_blur(self) -> None:
        if self.live is not None:
            self.live.set_focused(focused=False)


def _attempt(work: Callable[[], object]) -> str:
    try:
        work()
    except HandoffError as refused:
        return f"{refused.message}. {refused.hint}".strip()
    return ""


def _edit(root: Path, path: str, line: int | None, editor: tuple[str, ...]) -> None:
    from handoff_tui.live.edit import open_in_editor  # noqa: PLC0415 - not before the first paint

    open_in_editor(root, path, line, editor)


def _write_reason(text: str, editor: tuple[str, ...], written: list[str]) -> None:
    from handoff_tui.live.edit import edit_text  # noqa: PLC0415 - not before the first paint

    written.append(edit_text(text, editor))
