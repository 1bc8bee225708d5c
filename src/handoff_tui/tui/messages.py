"""What the views ask of the desk. They only ask; the app alone calls review."""

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
    """Something for the desk behind the screen to do; the app's table says what."""


@dataclass
class HandoffChosen(Request):
    """Another handoff is in view."""

    key: HandoffKey


@dataclass
class PhaseChosen(Request):
    """Another phase of it is in view."""

    phase: str | None


@dataclass
class ViewWanted(Message):
    """Another view is to be shown."""

    view: str


@dataclass
class PlaceWanted(Message):
    """A file is to be shown at a line: in the diff where it changed, else as a document, else in the editor."""

    path: str
    line: int | None = None


@dataclass
class EditorWanted(Message):
    """The user's editor is to be opened at a line."""

    path: str
    line: int | None = None


@dataclass
class CopyWanted(Message):
    """A text is to be copied; `what` names it in the answer."""

    text: str
    what: str


@dataclass
class ChecksWanted(Request):
    """Checks are to run afresh: these, or all where none is named."""

    only: tuple[str, ...] = ()


class ChecksCancelled(Request):
    """The run is to end."""


@dataclass
class ScopeWanted(Request):
    """Changes are to be shown from somewhere else on."""

    scope: Scope


@dataclass
class FileWanted(Request):
    """The hunks of a file are to be read."""

    path: str
    options: DiffOptions


@dataclass
class DocumentWanted(Request):
    """A document is to be read."""

    path: str


@dataclass
class EntryWanted(Request):
    """An entry of the log is to be shown whole."""

    entry: str


class VerifyWanted(Request):
    """The whole log is to be verified, now."""


@dataclass
class CommentWanted(Message):
    """A remark is to be written on these lines; the app asks for its words and then posts `CommentWritten`."""

    path: str
    line: int | None = None
    end_line: int | None = None
    text: str = ""
    """What it begins with."""
    instead_of: Comment | None = None
    """The remark that is written anew; it goes when nothing is left of it."""


@dataclass
class CommentWritten(Request):
    """A remark on a line, a range or a file."""

    comment: Comment


@dataclass
class CommentRemoved(Request):
    """A remark was taken back."""

    comment: Comment


@dataclass
class FileMarked(Request):
    """A file was marked as read, or as not read."""

    path: str
    viewed: bool


@dataclass
class DecisionWanted(Message):
    """A decision is to be made; nothing is decided by that."""

    verb: str
    key: HandoffKey | None = None
    """The handoff under the cursor, where that may be on its way to be chosen; else the one in view."""


@dataclass
class DecisionAgainWanted(Request):
    """What would be signed is to be put together anew."""

    verb: str


@dataclass
class DecisionConfirmed(Message):
    """Somebody has read this very part, and confirmed it."""

    part: DecisionPart
    reason: str


@dataclass
class ReasonKept(Request):
    """A reason as far as it is written."""

    verb: str
    text: str


@dataclass
class ReasonEditWanted(Message):
    """A reason is to be written in the user's editor."""

    text: str


@dataclass
class OutputWanted(Request):
    """Some lines that an agent printed, or was told, are to be read."""

    place: OutputRange


@dataclass
class OutputSearchWanted(Request):
    """The next line with a text is to be found, from a place on; backwards where its height is negative."""

    place: OutputRange
    text: str


@dataclass
class ProposalWanted(Request):
    """Something about agents is to be shown, and done when it is confirmed."""

    kind: ProposalKind
    run: RunKey | None = None


@dataclass
class ProposalConfirmed(Request):
    """Somebody has read what is proposed under this number, and confirmed it."""

    number: int
    typed: str = ""


class ProposalLeft(Request):
    """Nothing is to be done."""


class FollowUpsCancelled(Request):
    """Nothing more is to start by itself for the handoff in view."""


@dataclass
class BreakpointToggled(Request):
    """A breakpoint is to be set, or taken away."""

    place: Breakpoint


class ProofsWanted(Request):
    """The proofs of work of the handoff in view are to be listed."""


@dataclass
class ProofWanted(Request):
    """One of them is to be read."""

    proof: MeasuredProof


@dataclass
class PlacesFound(Message):
    """One of these files is to be opened; which, is asked where there are several."""

    places: tuple[MentionedFile, ...]


@dataclass
class LeaveWanted(Message):
    """The program is to be left while agents are at work: they go on, or are stopped first."""

    stops: bool


@dataclass
class RunPaused(Request):
    """An agent is to be held where it is, or to go on."""

    run: RunKey
    paused: bool


@dataclass
class RunReviewWanted(Request):
    """The work of an agent that has ended is to be looked at."""

    run: RunKey


class NoteWanted(Message):
    """A word to the agent is to be written."""


@dataclass
class NoteWritten(Request):
    """A word to the agents of the handoff in view."""

    text: str


@dataclass
class ComparisonWanted(Request):
    """Two attempts are to be compared, by their names."""

    before: str
    after: str


class FailureWanted(Request):
    """Why the handoff in view fails is to be looked into."""


@dataclass
class BisectProposed(Message):
    """The commit where a check began to fail is to be found; a command is shown, and runs when it is confirmed."""

    check: str
    command: str = ""
    """For a check that is one: what is true when it passes, which names it."""


@dataclass
class BisectWanted(Request):
    """The commit where a check began to fail is to be found."""

    check: str


class BisectCancelled(Request):
    """The search is to end."""


@dataclass
class TravelWanted(Request):
    """The desk is to be shown as it was: at a commit or entry, or at the newest stop."""

    at: str | None = None


@dataclass
class TravelMoved(Request):
    """The slider stands on another stop."""

    index: int


class TravelEnded(Request):
    """The desk is to be shown as it is."""


@dataclass
class LogPlaceWanted(Message):
    """An entry is to be shown in the log."""

    entry: str


@dataclass
class ThemeChosen(Message):
    """Another theme, by name."""

    name: str


@dataclass
class AppActionWanted(Message):
    """An action that concerns the program itself: leave, suspend, redraw."""

    action: str


class PartsChanged(Message):
    """Other parts are on the screen now."""


class DescriptionChanged(Message):
    """What a view says in the status line, or which of its actions it refuses, is not what it was."""


class StatusChanged(Message):
    """A view has another status to tell, and no key was pressed."""


@dataclass
class StatusTextWanted(Message):
    """A sentence for the status line."""

    text: str
    role: str = "text"
