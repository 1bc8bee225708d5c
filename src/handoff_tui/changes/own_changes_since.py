"""A handoff's own diff since a decision on it: from the files that were decided on to its result."""

from __future__ import annotations

from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice, ComparedPair, DiffScope
from handoff_tui.changes.own_changes import OwnSides, write_own_sides
from handoff_tui.core.model import replace
from handoff_tui.git.signing.signing_key import read_identity
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.scope.find import find_behind
from handoff_tui.handoffs.scope.scope import Content, Scope
from handoff_tui.log.gates.all_gates import LogGates
from handoff_tui.log.gates.approved import describe_decision
from handoff_tui.log.gates.position import find_phase
from handoff_tui.log.gates.scoped_work import ScopedWork
from handoff_tui.log.index import DecisionEntry
from handoff_tui.log.storage.evidence import find_review


def find_decision(gates: LogGates, handoff: Handoff, scope: DiffScope) -> DecisionEntry | BaselineChoice:
    """The newest decision that is asked for; if there is none, the reason why."""
    if gates.index.verdict.fatal:
        reason = "the log is not intact, so nothing in it counts (`handoff-tui log verify`)"
        return BaselineChoice(reason=reason)
    decided = [
        made
        for made in sorted(gates.index.decisions.values(), key=lambda made: -made.entry.seq)
        if made.work.handoff == handoff.id and not gates.index.is_void(made.entry.id)
    ]
    if scope is DiffScope.SINCE_PREVIOUS_ATTEMPT:
        now = gates.work.find_attempt(handoff, find_phase(handoff))
        earlier = (made for made in decided if made.work.attempt < now)
        return next(earlier, BaselineChoice(reason="this is the first attempt in the log"))
    reviewer = read_identity(gates.session.repository.git).email
    if reviewer is None:
        return BaselineChoice(reason="git has no user.email here, so your reviews can't be found")
    mine = (made for made in decided if made.entry.actor == reviewer)
    return next(mine, BaselineChoice(reason=f"the log has no earlier review of yours of {handoff.id}"))


def write_own_sides_since(work: ScopedWork, handoff: str, decided: DecisionEntry, scope: DiffScope) -> OwnSides:
    """The own files as they were decided on, and as they are now."""
    own = write_own_sides(work.session, work.scopes, handoff, _find_decided(work, work.scopes.of(handoff), decided))
    subject = decided.work.subject
    before = BaselineChoice(
        snapshot=subject.snapshot or None, commit=subject.commit, tree=own.before, reason=describe_decision(decided)
    )
    return replace(own, since=ComparedPair(scope=scope, before=before, after=own.pair.after))


def _find_decided(work: ScopedWork, scope: Scope, decided: DecisionEntry) -> dict[str, Content]:
    """Each own path with what the decision was about: by its record if that has the content of now, else by history.

    Work that was not committed at the time is recognised by its hash once it is.
    """
    behind = find_behind(work.found.history, decided.work.subject.commit)
    contents = dict(scope.befores)
    contents.update({change.path: change.after for change in scope.changes if change.commit in behind})
    record = find_review(work.session.repository.root, decided.decision.review)
    if record is None or record.scope is None:
        return contents
    shown = {file.get("path"): file for file in record.scope.files}
    same = {
        file["path"] for file in work.digests.build_files(scope) if "path" in file and shown.get(file["path"]) == file
    }
    return contents | {path: scope.results[path] for path in same}
