"""The steps of a decision, each on the calling thread: draft, compare again, sign, judge a failure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event

from handoff_tui.agents.runs.branches import open_work
from handoff_tui.checks.report import CheckResult
from handoff_tui.checks.run.check import ProgressCallbacks
from handoff_tui.core.classes import NamedTuple, dataclass, replace
from handoff_tui.core.errors import (
    AgentRunError,
    AppendRefusedError,
    HandoffError,
    KeyLockedError,
    LogBrokenError,
    LogLockedError,
    NoHumanError,
    SigningError,
    SigningRefusedError,
    StoreWriteError,
    UsageError,
)
from handoff_tui.core.text.labels import plural
from handoff_tui.decisions.decide import (
    DecideRequest,
    PreparedDecision,
    build_decision_view,
    complete_decision,
    prepare_decision,
    sign_decision,
)
from handoff_tui.decisions.drafts import StoredDrafts
from handoff_tui.decisions.evidence_record import add_comments
from handoff_tui.decisions.examine import FrozenWork, build_gate_view, find_changes_since, judge_again, name_files
from handoff_tui.decisions.extra_confirmations import compare_read, find_extra_confirmations
from handoff_tui.decisions.views import DecisionView, ExtraConfirmation, GateView
from handoff_tui.git.signing.signing_key import is_locked
from handoff_tui.git.signing.ssh_keygen import Prompt
from handoff_tui.handoffs.session import open_session
from handoff_tui.live.feed.snapshot import RepositorySnapshot
from handoff_tui.live.state.app import DecisionStage, Trouble
from handoff_tui.log.entry import CLOSING, DecisionVerb, Entry, LogVerdict, PhaseKey
from handoff_tui.log.open_log import OpenLog, open_log
from handoff_tui.log.person import Confirmation, require_person
from handoff_tui.log.review_record import Comment
from handoff_tui.status.inbox_item import HandoffKey
from handoff_tui.system.processes.terminal import write_line

_KEPT = "Nothing was signed. Your reason is kept."


@dataclass(frozen=True, slots=True)
class DecisionDraft:
    """What would be signed, and how it is shown."""

    log: OpenLog
    prepared: PreparedDecision
    view: DecisionView
    demands: tuple[ExtraConfirmation, ...]
    needs_terminal: bool
    comments: tuple[Comment, ...] = ()
    """As the reviewer wrote them."""

    @property
    def tree(self) -> str:
        """The tree of files it was prepared on."""
        return self.prepared.examined.work_tree


class Failure(NamedTuple):
    """Why nothing was signed, and at which stage the dialog goes on."""

    stage: DecisionStage
    trouble: Trouble
    needs_terminal: bool = False


def draft_decision(
    verb: DecisionVerb,
    place: tuple[HandoffKey, str | None],
    drafts: StoredDrafts,
    follow: Callable[[CheckResult, int, int], None],
    cancel: Event,
    opened: RepositorySnapshot | None = None,
    looked: frozenset[str] = frozenset(),
) -> DecisionDraft:
    """Runs the checks afresh and returns everything that would be signed; the reason comes later.

    `place` is the handoff, and its phase if that is not the open one. `opened` is the state the reviewer has before
    them: a rejection, retry or hold is about that, whatever was saved since. `looked` are the checks whose findings
    they looked at.
    """
    require_person("decide", Confirmation.APP)
    key, phase = place
    session = open_session(Path(key.root))
    work = open_work(session, key.handoff, phase)
    if work is not session:
        raise AgentRunError(
            f"its newest work is on {work.work_tree.facts.branch}, not in the files that you see here",
            f"`handoff-tui decide {verb.value} {key.handoff}` decides on it; its files are in {work.repository.root}.",
        )
    log = open_log(session.repository)
    comments = drafts.get(key.handoff).comments
    frozen = None
    if opened is not None and opened.gates is not None and verb in CLOSING:
        frozen = FrozenWork(opened.reading, opened.gates.work.found)
    request = DecideRequest(verb, key.handoff, phase, None, confirmed=Confirmation.APP)
    bare = prepare_decision(session, log, request, ProgressCallbacks(follow, cancel), frozen=frozen)
    read = compare_read(bare.examined, drafts)
    prepared = replace(bare, record=add_comments(bare.record, comments, read.viewed))
    return DecisionDraft(
        log,
        prepared,
        build_decision_view(prepared),
        find_extra_confirmations(prepared, drafts, read, looked),
        is_locked(prepared.signing.key),
        comments,
    )


def describe_unseen(draft: DecisionDraft, opened: RepositorySnapshot | None) -> str:
    """Names the files that differ from what the reviewer has before them; empty for what lets nothing go on."""
    if opened is None or draft.prepared.verb in CLOSING:
        return ""
    examined = draft.prepared.examined
    before = opened.handoff_reviewer.scopes.of(examined.handoff.id)
    paths = before.compare_bound(examined.scope)
    words = f"{plural(len(paths), 'file')} of this handoff changed since you opened it"
    return f"{words}: {name_files(paths)}" if paths else ""


def find_changes(draft: DecisionDraft) -> tuple[str, ...]:
    """Says what has changed since the decision was prepared: its own files, the handoff, its gate, the policy.

    A rejection, retry or hold is about what was shown, so files saved since do not matter to it.
    """
    examined = draft.prepared.examined
    log = _find_log_changes(examined.index.verdict, draft.log.verify(), examined.key.place)
    return log if draft.prepared.verb in CLOSING else (*find_changes_since(examined), *log)


def sign_draft(draft: DecisionDraft, reason: str, *, at_terminal: bool) -> tuple[str, GateView]:
    """Signs and stores; returns the entry's id and the gate with it. Checks everything again under the log's lock."""
    prepared = complete_decision(draft.prepared, reason)
    signing = prepared.signing
    if at_terminal:
        key = prepared.examined.key
        write_line(f"{prepared.verb.value} {key.handoff} ({key.phase}, attempt {key.attempt})")
        write_line("Enter the passphrase of your key to sign. ctrl+c cancels.")
    tool = signing.key.build_tool(Prompt.TERMINAL if at_terminal else Prompt.NOBODY)
    entry = sign_decision(draft.log, replace(prepared, signing=replace(signing, tool=tool)))
    return entry.id, build_gate_view(judge_again(prepared.examined, draft.log))


def judge_failure(draft: DecisionDraft, refused: HandoffError | OSError) -> Failure:
    """Decides how to go on: try the key again, refuse because the log is closed, or look at everything again."""
    if isinstance(refused, OSError):
        return Failure(DecisionStage.READY, Trouble(f"the system refused: {refused}", _KEPT))
    if isinstance(refused, LogBrokenError | AppendRefusedError | NoHumanError):
        return Failure(DecisionStage.REFUSED, Trouble(refused.message, refused.hint))
    if isinstance(refused, UsageError):  # its hint is about the command line
        return Failure(DecisionStage.READY, Trouble(refused.message, _KEPT))
    if not isinstance(refused, SigningError | LogLockedError | StoreWriteError):
        return Failure(DecisionStage.MOVED, Trouble(refused.message, refused.hint))
    asks = isinstance(refused, KeyLockedError) or (
        isinstance(refused, SigningRefusedError) and draft.prepared.signing.key.needs_touch
    )
    return Failure(DecisionStage.READY, Trouble(refused.message, f"{refused.hint} {_KEPT}".strip()), asks)


def _find_log_changes(then: LogVerdict, now: LogVerdict, place: PhaseKey) -> tuple[str, ...]:
    """What happened in the log that matters to this gate; decisions on other handoffs do not."""
    if now.fatal and not then.fatal:
        return ("the log is no longer intact",)
    if now.policy != then.policy:
        return ("the policy has changed",)
    if now.heads == then.heads:
        return ()
    known = {entry.id for entry in then.entries}
    here = [entry for entry in now.entries if entry.work is not None and entry.work.key.place == place]
    return tuple(map(_describe_entry, [entry for entry in here if entry.id not in known][-1:]))


def _describe_entry(entry: Entry) -> str:
    about = f" {entry.work.handoff}" if entry.work else ""
    verb = entry.decision.verb.value if entry.decision else entry.kind.name.lower()
    return f"the log has a new entry: {verb}{about}, by {entry.actor}"
