"""What the views ask the app for. They only ask: the app alone calls the backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:  # loaded after the first paint
    from handoff_tui.agents.proofs import MeasuredProof
    from handoff_tui.agents.runs.mentioned_files import MentionedFile
    from handoff_tui.agents.runs.run import RunKey
    from handoff_tui.git.file_diff import DiffOptions
    from handoff_tui.live.state.agents import Breakpoint, OutputRange, ProposalKind
    from handoff_tui.live.state.app import DecisionPart, Scope
    from handoff_tui.log.review_record import Comment
    from handoff_tui.status.inbox_item import HandoffKey


class Request(Message):
    """Something for the backend to do; the app's table says what."""


@dataclass
class HandoffChosen(Request):
    """Another handoff was selected."""

    key: HandoffKey


@dataclass
class PhaseChosen(Request):
    """Another phase of the handoff was selected."""

    phase: str | None


@dataclass
class ViewWanted(Message):
    """Asks for another view."""

    view: str


@dataclass
class PlaceWanted(Message):
    """Asks for a file at a line: in the diff if it changed, otherwise as a document, otherwise in the editor."""

    path: str
    line: int | None = None


@dataclass
class EditorWanted(Message):
    """Asks for the user's editor at a line."""

    path: str
    line: int | None = None


@dataclass
class CopyWanted(Message):
    """Asks to copy a text; the answer calls it `what`."""

    text: str
    what: str


@dataclass
class ChecksWanted(Request):
    """Asks to run these checks again, or all of them if none is named."""

    only: tuple[str, ...] = ()


class ChecksCancelled(Request):
    """Asks to cancel the running checks."""


@dataclass
class ScopeWanted(Request):
    """Asks to compare with something else."""

    scope: Scope


@dataclass
class FileWanted(Request):
    """Asks for the hunks of a file."""

    path: str
    options: DiffOptions


@dataclass
class DocumentWanted(Request):
    """Asks for a document."""

    path: str


@dataclass
class EntryWanted(Request):
    """Asks for a log entry in full."""

    entry: str


class VerifyWanted(Request):
    """Asks to verify the complete log now."""


@dataclass
class CommentWanted(Message):
    """Asks for a comment on these lines; the app opens the box and then posts `CommentWritten`."""

    path: str
    line: int | None = None
    end_line: int | None = None
    text: str = ""
    """The text to start with."""
    instead_of: Comment | None = None
    """The comment being edited; it is removed if its text is."""


@dataclass
class CommentWritten(Request):
    """A comment on a line, a range or a file was written."""

    comment: Comment


@dataclass
class CommentRemoved(Request):
    """A comment was removed."""

    comment: Comment


@dataclass
class FileMarked(Request):
    """A file was marked as read or unread."""

    path: str
    viewed: bool


@dataclass
class DecisionWanted(Message):
    """Asks to prepare a decision; this decides nothing yet."""

    verb: str
    key: HandoffKey | None = None
    """The selected handoff, which may not be loaded yet; otherwise the current one."""


@dataclass
class DecisionAgainWanted(Request):
    """Asks to prepare the content to sign again."""

    verb: str


@dataclass
class DecisionConfirmed(Message):
    """A person has read exactly this and confirmed it."""

    part: DecisionPart
    reason: str


@dataclass
class ReasonKept(Request):
    """A reason, as far as it has been written."""

    verb: str
    text: str


@dataclass
class ReasonEditWanted(Message):
    """Asks to write a reason in the user's editor."""

    text: str


@dataclass
class OutputWanted(Request):
    """Asks for some lines that an agent printed or was given."""

    place: OutputRange


@dataclass
class OutputSearchWanted(Request):
    """Asks for the next line with a text, from a position on; backwards if its height is negative."""

    place: OutputRange
    text: str


@dataclass
class ProposalWanted(Request):
    """Asks to show something about agents, and to do it once confirmed."""

    kind: ProposalKind
    run: RunKey | None = None


@dataclass
class ProposalConfirmed(Request):
    """A person has read the proposal with this number and confirmed it."""

    number: int
    typed: str = ""


class ProposalLeft(Request):
    """The proposal was closed: do nothing."""


class FollowUpsCancelled(Request):
    """Asks that nothing more starts automatically for the current handoff."""


@dataclass
class BreakpointToggled(Request):
    """Asks to set or remove a breakpoint."""

    place: Breakpoint


class ProofsWanted(Request):
    """Asks for the list of proofs of work of the current handoff."""


@dataclass
class ProofWanted(Request):
    """Asks for one proof."""

    proof: MeasuredProof


@dataclass
class PlacesFound(Message):
    """Asks to open one of these files; the user chooses if there are several."""

    places: tuple[MentionedFile, ...]


@dataclass
class LeaveWanted(Message):
    """Asks to quit while agents are running: they keep running, or are stopped first."""

    stops: bool


@dataclass
class RunPaused(Request):
    """Asks to pause an agent, or to resume it."""

    run: RunKey
    paused: bool


@dataclass
class RunReviewWanted(Request):
    """Asks to review the work of an agent that has ended."""

    run: RunKey


class NoteWanted(Message):
    """Asks for a note to the agent."""


@dataclass
class NoteWritten(Request):
    """A note to the agents of the current handoff was written."""

    text: str


@dataclass
class ComparisonWanted(Request):
    """Asks to compare two attempts, by name."""

    before: str
    after: str


class FailureWanted(Request):
    """Asks why the current handoff fails."""


@dataclass
class BisectProposed(Message):
    """Asks for the commit that broke a check; a command is shown first and runs once confirmed."""

    check: str
    command: str = ""
    """For a check that is a command: the statement that holds if it passes."""


@dataclass
class BisectWanted(Request):
    """Asks for the commit that broke a check."""

    check: str


class BisectCancelled(Request):
    """Asks to stop the search."""


@dataclass
class TravelWanted(Request):
    """Asks to show the past: as of a commit or entry, or the newest stop."""

    at: str | None = None


@dataclass
class TravelMoved(Request):
    """The slider moved to another stop."""

    index: int


class TravelEnded(Request):
    """Asks to return to now."""


@dataclass
class LogPlaceWanted(Message):
    """Asks to show an entry in the log."""

    entry: str


@dataclass
class ThemeChosen(Message):
    """Another theme was chosen."""

    name: str


@dataclass
class AppActionWanted(Message):
    """Asks for an action of the program itself: quit, suspend, redraw."""

    action: str


class PartsChanged(Message):
    """Other parts are on screen now."""


class DescriptionChanged(Message):
    """A view's status line or its refused actions changed."""


class StatusChanged(Message):
    """A view's status changed without a key press."""


@dataclass
class StatusTextWanted(Message):
    """Asks for a sentence in the status line."""

    text: str
    role: str = "text"
