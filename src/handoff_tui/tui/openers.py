"""What opens from any tab: dialogs, and the tab that shows a place."""

from __future__ import annotations

from contextlib import suppress

from textual import on
from textual.message import Message
from textual.screen import Screen

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import HandoffNotFoundError
from handoff_tui.live.state.app import AppState
from handoff_tui.log.review_record import Comment
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.tui.actions import Keys
from handoff_tui.tui.dialogs.comment import NoteScreen
from handoff_tui.tui.dialogs.decision.batch import BatchScreen
from handoff_tui.tui.dialogs.lists import ScopeScreen, build_owner_dialog, build_place_dialog, has_place
from handoff_tui.tui.dialogs.palette import Answer
from handoff_tui.tui.dialogs.proofs import ProofsScreen
from handoff_tui.tui.dialogs.proposal import ProposalScreen
from handoff_tui.tui.messages import (
    ActionWanted,
    BatchLeft,
    BatchWanted,
    BisectProposed,
    ChangedFileWanted,
    CheckShown,
    CorrectionLeft,
    CorrectionWanted,
    EditorWanted,
    EvidenceWanted,
    LogPlaceWanted,
    NoteWanted,
    NoteWritten,
    PlacesFound,
    PlaceWanted,
    PointsWanted,
    ProofsWanted,
    ProposalLeft,
    ProposalWanted,
    ScopeWanted,
    SetupLeft,
    SetupWanted,
    StatusTextWanted,
)
from handoff_tui.tui.views.view import View

_SHOWN_IN: dict[type[Message], str] = {ScopeWanted: "changes"}


class Opening(NamedTuple):
    """Where the app begins: at one handoff, in one of its tabs."""

    handoff: str
    view: str = "overview"


class Openers(Screen[None], inherit_bindings=False):
    """The part of the main screen that opens dialogs and places."""

    keys: Keys
    state: AppState

    @property
    def view(self) -> View:
        """The tab in view."""
        raise NotImplementedError

    async def jump(self, name: str) -> None:
        """Opens the tab that a row leads to; escape leads back."""
        raise NotImplementedError

    async def open_view(self, name: str) -> None:
        """Opens a tab."""
        raise NotImplementedError

    async def perform(self, action: str) -> None:
        """Performs an action, or says why it can't be done."""
        raise NotImplementedError

    def _find_opening(self, opening: Opening) -> tuple[HandoffKey | None, str]:
        """Finds the handoff as commands do, in the first repository that has it."""
        from handoff_tui.status.show import find_id, find_near  # noqa: PLC0415 - for an app that opens a handoff

        inbox = self.state.inbox
        for root in dict.fromkeys(item.key.root for item in inbox):
            there = tuple(item.reviewed.handoff for item in inbox if item.key.root == root)
            with suppress(HandoffNotFoundError):
                return HandoffKey(root, find_id(there, opening.handoff)), opening.view
        near = find_near(tuple(item.reviewed.handoff for item in inbox), opening.handoff)
        meant = f"; did you mean {', '.join(near)}?" if near else ""
        self.post_message(StatusTextWanted(f'No handoff is called "{opening.handoff}" here{meant}', "warning"))
        return None, opening.view

    async def _correct_scope(self) -> None:
        """Opens the box for the handoff in view; for unclaimed files or a list, asks for the handoff first."""
        loose = self.view.find_loose()
        key = self.view.handoff or self.state.chosen
        if loose is not None:
            owners = [item for item in self.state.inbox if item.key.root == loose.root]
            await self.app.push_screen(build_owner_dialog(owners, loose.paths), self._take)
        elif key is not None:
            self._open_scope(key, ())

    def _open_scope(self, key: HandoffKey, claimed: tuple[str, ...]) -> None:
        from handoff_tui.tui.dialogs.scope import CorrectScopeScreen  # noqa: PLC0415 - rarely asked for

        self.app.push_screen(CorrectScopeScreen(key.handoff, self.keys), self._leave_scope)
        self.post_message(CorrectionWanted(key, claimed))

    def _leave_scope(self, _: None) -> None:
        self.post_message(CorrectionLeft())

    def open_box(self, action: str) -> bool:
        """Opens the box of an action; False if it has none."""
        boxes = {"app.setup": self._open_setup, "app.new": self._open_new_handoff, "app.runs": self._open_runs}
        if action not in boxes:
            return False
        boxes[action]()
        return True

    def _open_runs(self) -> None:
        from handoff_tui.tui.dialogs.runs import RunsScreen  # noqa: PLC0415 - rarely asked for

        self.app.push_screen(RunsScreen(self.keys, self.state))

    def _open_setup(self) -> None:
        """Opens the box that sets up the repository in view."""
        from handoff_tui.tui.dialogs.setup import SetupScreen  # noqa: PLC0415 - rarely asked for

        if (repository := self.state.repository) is not None:
            self.app.push_screen(SetupScreen(repository.name, self.keys), self._leave_setup)
            self.post_message(SetupWanted(repository.root))

    def _leave_setup(self, _: None) -> None:
        self.post_message(SetupLeft())

    def _open_new_handoff(self) -> None:
        """Asks for the format of a new handoff, then for its id and title."""
        from handoff_tui.tui.dialogs.setup import NewHandoffScreen, build_system_dialog  # noqa: PLC0415 - rare

        repository = self.state.repository
        if repository is None:
            return

        def ask_for_name(system: Answer | None) -> None:
            if isinstance(system, str):
                self.app.push_screen(NewHandoffScreen(repository.root, system), self._take)

        self.app.push_screen(build_system_dialog(self.state), ask_for_name)

    async def _take(self, answer: Answer | None) -> None:
        """Does what was chosen in a dialog, and opens the view that shows it."""
        if isinstance(answer, Message):
            self.post_message(answer)
            if type(answer) in _SHOWN_IN:
                await self.jump(_SHOWN_IN[type(answer)])
            return
        kind, _, name = (answer or "").partition(":")
        if kind == "action":
            await self.perform(name)
        elif kind == "owner":
            found = (item.key for item in self.state.inbox if "\0".join(item.key) == name)
            if (owner := next(found, None)) is not None and (loose := self.view.find_loose()) is not None:
                self._open_scope(owner, loose.paths)

    @on(PlaceWanted)
    async def go_to_place(self, event: PlaceWanted) -> None:
        """Opens the changes if the file changed, otherwise the document, otherwise the editor."""
        event.stop()
        for name in ("changes", "documents"):
            if has_place(self.state, name, event.path):
                await self.jump(name)
                self.view.go_to(event.path, event.line)
                return
        self.post_message(EditorWanted(event.path, event.line))

    @on(EvidenceWanted)
    async def go_to_evidence(self, event: EvidenceWanted) -> None:
        event.stop()
        await self.jump("evidence")
        self.view.go_to(event.path, event.line)

    @on(CheckShown)
    async def go_to_check(self, event: CheckShown) -> None:
        event.stop()
        await self.jump("evidence")
        self.view.choose(event.check)

    @on(BatchWanted)
    def show_batch(self) -> None:
        """Opens the box for several approvals; the app has them prepared."""
        self.app.push_screen(BatchScreen(self.keys), self._leave_batch)

    def _leave_batch(self, _: None) -> None:
        self.post_message(BatchLeft())

    @on(PointsWanted)
    def choose_points(self, event: PointsWanted) -> None:
        event.stop()
        self.app.push_screen(ScopeScreen(self.state), self._take)

    @on(ChangedFileWanted)
    async def go_to_changed_file(self, event: ChangedFileWanted) -> None:
        """Opens the changes at a file; the app has the handoff and the comparison changed."""
        await self.jump("changes")
        self.view.go_to(event.path, None)

    @on(LogPlaceWanted)
    async def go_to_entry(self, event: LogPlaceWanted) -> None:
        event.stop()
        await self.open_view("log")
        self.view.go_to(event.entry, None)

    @on(BisectProposed)
    def follow_bisect(self, event: BisectProposed) -> None:
        from handoff_tui.tui.dialogs.bisect import BisectScreen  # noqa: PLC0415 - rarely asked for

        event.stop()
        self.app.push_screen(BisectScreen(event.check, event.command, self.keys), self._take)

    @on(ProposalWanted)
    def show_proposal(self, event: ProposalWanted) -> None:
        """Opens the box for reading and confirming a proposal, one at a time; the app has it prepared."""
        if not self.is_active:
            event.stop()
            return
        self.app.push_screen(ProposalScreen(event.kind, self.keys), self._leave_proposal)

    def _leave_proposal(self, action: str | None) -> None:
        self.post_message(ProposalLeft())
        if action is not None:
            self.post_message(ActionWanted(action))

    @on(PlacesFound)
    def choose_place(self, event: PlacesFound) -> None:
        """Opens the only place at once; asks if there are several."""
        event.stop()
        if len(event.places) == 1:
            self.post_message(PlaceWanted(*event.places[0]))
        elif event.places:
            self.app.push_screen(build_place_dialog(event.places), self._take)

    @on(ProofsWanted)
    def show_proofs(self) -> None:
        self.app.push_screen(ProofsScreen(self.keys, self.state), self._leave_proofs)

    async def _leave_proofs(self, name: str | None) -> None:
        if name is not None:
            self.view.choose(name)

    @on(NoteWanted)
    def ask_for_note(self, event: NoteWanted) -> None:
        event.stop()
        name = self.state.chosen.handoff if self.state.chosen else ""
        self.app.push_screen(NoteScreen(name), self._take_note)

    def _take_note(self, note: Comment | None) -> None:
        if note is not None and note.text:
            self.post_message(NoteWritten(note.text))
