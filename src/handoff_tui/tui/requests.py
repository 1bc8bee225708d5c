"""What the views ask of the desk: one line for each message."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from handoff_tui.tui import messages

if TYPE_CHECKING:
    from handoff_tui.live.desk import LiveDesk

REQUESTS: dict[type[messages.Asked], Callable[[LiveDesk, Any], None]] = {
    messages.HandoffChosen: lambda desk, asked: desk.choose(asked.key),
    messages.PhaseChosen: lambda desk, asked: desk.choose_phase(asked.phase),
    messages.ChecksWanted: lambda desk, asked: desk.run_checks(asked.only),
    messages.ChecksCancelled: lambda desk, _: desk.cancel_checks(),
    messages.ScopeWanted: lambda desk, asked: desk.choose_scope(asked.scope),
    messages.FileWanted: lambda desk, asked: desk.open_file(asked.path, asked.options),
    messages.DocumentWanted: lambda desk, asked: desk.open_document(asked.path),
    messages.EntryWanted: lambda desk, asked: desk.open_entry(asked.entry),
    messages.VerifyWanted: lambda desk, _: desk.verify_log(),
    messages.CommentWritten: lambda desk, asked: desk.add_comment(asked.comment),
    messages.CommentRemoved: lambda desk, asked: desk.remove_comment(asked.comment),
    messages.FileMarked: lambda desk, asked: desk.mark_viewed(asked.path, viewed=asked.viewed),
    messages.ReasonKept: lambda desk, asked: desk.keep_reason(asked.verb, asked.text),
    messages.DecisionAgainWanted: lambda desk, asked: desk.begin_decision(asked.verb),
    messages.OutputWanted: lambda desk, asked: desk.agents.want_output(asked.place),
    messages.OutputSearchWanted: lambda desk, asked: desk.agents.search(asked.place, asked.text),
    messages.ProposalWanted: lambda desk, asked: desk.agents.propose(asked.kind, asked.run),
    messages.ProposalConfirmed: lambda desk, asked: desk.agents.confirm(asked.number, asked.typed),
    messages.ProposalLeft: lambda desk, _: desk.agents.leave(),
    messages.RunPaused: lambda desk, asked: desk.agents.set_paused(asked.run, paused=asked.paused),
    messages.RunLookWanted: lambda desk, asked: desk.agents.look_at(asked.run),
    messages.CourseEnded: lambda desk, _: desk.agents.end_course(),
    messages.StopToggled: lambda desk, asked: desk.agents.toggle_stop(asked.place),
    messages.ProofsWanted: lambda desk, _: desk.agents.proofs.want_list(),
    messages.ProofWanted: lambda desk, asked: desk.agents.proofs.want_proof(asked.proof),
    messages.NoteWritten: lambda desk, asked: desk.agents.write_note(asked.text),
    messages.ComparisonWanted: lambda desk, asked: desk.debugging.compare(asked.before, asked.after),
    messages.FailureWanted: lambda desk, _: desk.debugging.explain(),
    messages.BisectWanted: lambda desk, asked: desk.bisecting.begin(asked.check),
    messages.BisectCancelled: lambda desk, _: desk.bisecting.cancel(),
    messages.TravelWanted: lambda desk, asked: desk.begin_travel(asked.at),
    messages.TravelMoved: lambda desk, asked: desk.travelling.go(asked.index),
    messages.TravelEnded: lambda desk, _: desk.end_travel(),
}
"""What a view asks for, as the desk does it. Every call returns at once; what comes of it is in a later state."""
IN_THE_PAST = frozenset(
    {
        *(messages.HandoffChosen, messages.PhaseChosen, messages.DocumentWanted, messages.EntryWanted),
        *(messages.FileWanted, messages.TravelWanted, messages.TravelMoved, messages.TravelEnded),
    }
)
"""What may be asked for while the desk shows how it was: to look, and nothing else."""
