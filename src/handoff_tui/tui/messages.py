"""What the views ask the app for. They only ask: the app alone calls the backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, dataclass_transform

from textual.message import Message

from handoff_tui.core.classes import dataclass

if TYPE_CHECKING:  # loaded after the first paint
    from handoff_tui.agents.proofs import MeasuredProof
    from handoff_tui.agents.runs.run import RunKey
    from handoff_tui.agents.set_up import SetupChoice
    from handoff_tui.git.file_diff import DiffOptions
    from handoff_tui.live.state.agents import Breakpoint, MentionedFile, OutputRange, ProposalKind
    from handoff_tui.live.state.app import DecisionPart, DiffRange
    from handoff_tui.log.review_record import Comment
    from handoff_tui.status.inbox_item import HandoffKey


@dataclass_transform()
class Wish(Message):
    """Something a view asks for; every kind is a dataclass."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(cls)


class Request(Wish):
    """Something for the backend to do; the app's table says what."""


class HandoffChosen(Request):
    """Another handoff was selected."""

    key: HandoffKey


class HandoffOpened(Wish):
    """Asks for a handoff in one of its tabs."""

    key: HandoffKey | None
    view: str = "overview"


class PhaseChosen(Request):
    """Another phase of the handoff was selected."""

    phase: str | None


class ViewWanted(Wish):
    """Asks for another view."""

    view: str


class ActionWanted(Wish):
    """Asks for an action by its id."""

    action: str


class PlaceWanted(Wish):
    """Asks for a file at a line: in the diff if it changed, otherwise as a document, otherwise in the editor."""

    path: str
    line: int | None = None


class EditorWanted(Wish):
    """Asks for the user's editor at a line."""

    path: str
    line: int | None = None


class CopyWanted(Wish):
    """Asks to copy a text; the answer calls it `what`."""

    text: str
    what: str


class EvidenceWanted(Wish):
    """Asks for the evidence about a claim."""

    path: str
    line: int


class CheckShown(Wish):
    """Asks for a check among the evidence."""

    check: str


class PointsWanted(Wish):
    """Asks what to compare with; the user chooses."""


class ChecksWanted(Request):
    """Asks to run these checks again, or all of them if none is named."""

    only: tuple[str, ...] = ()


class ChecksCancelled(Request):
    """Asks to cancel the running checks."""


class ScopeWanted(Request):
    """Asks to compare with something else."""

    scope: DiffRange


class FileWanted(Request):
    """Asks for the hunks of a file."""

    path: str
    options: DiffOptions


class ChangedFileWanted(Request):
    """Asks for a file in the diff of a handoff, or of the repository if it belongs to none."""

    key: HandoffKey | None
    path: str
    scope: DiffRange


class DocumentWanted(Request):
    """Asks for a document."""

    path: str


class EntryWanted(Request):
    """Asks for a log entry in full."""

    entry: str


class VerifyWanted(Request):
    """Asks to verify the complete log now."""


class CommentWanted(Wish):
    """Asks for a comment on these lines; the app opens the box and then posts `CommentWritten`."""

    path: str
    line: int | None = None
    end_line: int | None = None
    text: str = ""
    """The text to start with."""
    instead_of: Comment | None = None
    """The comment being edited; it is removed if its text is."""
    thread: str = ""
    """The thread that it replies to."""


class CommentWritten(Request):
    """A comment on a line, a range or a file was written."""

    comment: Comment


class CommentRemoved(Request):
    """A comment was removed."""

    comment: Comment


class FileMarked(Request):
    """A file was marked as read or unread."""

    path: str
    viewed: bool


class DecisionWanted(Wish):
    """Asks to prepare a decision; this decides nothing yet."""

    verb: str
    key: HandoffKey | None = None
    """The selected handoff, which may not be loaded yet; otherwise the current one."""
    looked: frozenset[str] = frozenset()
    """The checks whose findings were looked at."""


class DecisionAgainWanted(Request):
    """Asks to prepare the content to sign again."""

    verb: str


class DecisionConfirmed(Wish):
    """A person has read exactly this and confirmed it."""

    part: DecisionPart
    reason: str


class BatchWanted(Request):
    """Asks to prepare the approval of several handoffs; this decides nothing yet."""

    keys: tuple[HandoffKey, ...]


class BatchConfirmed(Request):
    """A person has read the batch with this number and confirmed it."""

    number: int


class BatchLeft(Request):
    """The batch was closed: sign nothing more."""


class ReasonKept(Request):
    """A reason, as far as it has been written."""

    verb: str
    text: str


class ReasonEditWanted(Wish):
    """Asks to write a reason in the user's editor."""

    text: str


class OutputWanted(Request):
    """Asks for some lines that an agent printed or was given."""

    place: OutputRange


class OutputSearchWanted(Request):
    """Asks for the next line with a text, from a position on; backwards if its height is negative."""

    place: OutputRange
    text: str


class ProposalWanted(Request):
    """Asks to show something about agents, and to do it once confirmed."""

    kind: ProposalKind
    run: RunKey | None = None


class ProposalConfirmed(Request):
    """A person has read the proposal with this number and confirmed it."""

    number: int
    typed: str = ""


class ProposalLeft(Request):
    """The proposal was closed: do nothing."""


@dataclass
class CorrectionWanted(Request):
    """Asks to correct which files are a handoff's own; `claimed` are those it is to be given."""

    key: HandoffKey
    claimed: tuple[str, ...] = ()


@dataclass
class CorrectionPreviewWanted(Request):
    """Asks what would change if the handoff had these files, since a commit."""

    paths: tuple[str, ...]
    since: str | None = None


class CorrectionConfirmed(Request):
    """A person has read the preview and wants it written."""


class TakeInWanted(Request):
    """Asks to show the handoff as it is now, with what changed since it was opened."""


class CorrectionUndone(Request):
    """Asks to undo the last correction."""


class CorrectionLeft(Request):
    """The box was closed: write nothing."""


class FollowUpsCancelled(Request):
    """Asks that nothing more starts automatically for the current handoff."""


class BreakpointToggled(Request):
    """Asks to set or remove a breakpoint."""

    place: Breakpoint


class ProofsWanted(Request):
    """Asks for the list of proofs of work of the current handoff."""


class AtWorkWanted(Request):
    """Asks for everything that runs in the repository."""


class ProofWanted(Request):
    """Asks for one proof."""

    proof: MeasuredProof


class PlacesFound(Wish):
    """Asks to open one of these files; the user chooses if there are several."""

    places: tuple[MentionedFile, ...]


class LeaveWanted(Wish):
    """Asks to quit while agents are running: they keep running, or are stopped first."""

    stops: bool


class RunPaused(Request):
    """Asks to pause an agent, or to resume it."""

    run: RunKey
    paused: bool


class RunReviewWanted(Request):
    """Asks to review the work of an agent that has ended."""

    run: RunKey


class NoteWanted(Wish):
    """Asks for a note to the agent."""


class NoteWritten(Request):
    """A note to the agents of the current handoff was written."""

    text: str


class ComparisonWanted(Request):
    """Asks to compare two attempts, by name."""

    before: str
    after: str


class FailureWanted(Request):
    """Asks why the current handoff fails."""


class BisectProposed(Wish):
    """Asks for the commit that broke a check; a command is shown first and runs once confirmed."""

    check: str
    command: str = ""
    """For a check that is a command: the statement that holds if it passes."""


class BisectWanted(Request):
    """Asks for the commit that broke a check."""

    check: str


class BisectCancelled(Request):
    """Asks to stop the search."""


class TravelWanted(Request):
    """Asks to show the past: as of a commit or entry, or the newest stop."""

    at: str | None = None


class TravelMoved(Request):
    """The slider moved to another stop."""

    index: int


class TravelEnded(Request):
    """Asks to return to now."""


class LogPlaceWanted(Wish):
    """Asks to show an entry in the log."""

    entry: str


class ThemeChosen(Wish):
    """Another theme was chosen."""

    name: str


class AppActionWanted(Wish):
    """Asks for an action of the program itself: quit, suspend, redraw."""

    action: str


class PartsChanged(Wish):
    """Other parts are on screen now."""


class DescriptionChanged(Wish):
    """A view's status line or its refused actions changed."""


class StatusChanged(Wish):
    """A view's status changed without a key press."""


class StatusTextWanted(Wish):
    """Asks for a sentence in the status line."""

    text: str
    role: str = "text"


class SetupWanted(Request):
    """Asks what a repository can be set up with."""

    root: str


class SetupConfirmed(Wish):
    """Asks to do what was chosen; the app gives the terminal away if a passphrase must be typed."""

    choice: SetupChoice
    needs_terminal: bool


class SetupLeft(Request):
    """The setup was left or is done."""


class NewHandoffWanted(Request):
    """Asks to begin a handoff of a system, with an id and a title."""

    root: str
    system: str
    name: str
    title: str
