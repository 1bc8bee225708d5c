"""The rejection packet: reasons, remarks with their code, failing checks with remedies, what became of earlier ones."""

from __future__ import annotations

from handoff_tui.decision_log.log_index import Vote
from handoff_tui.errors import HandoffError
from handoff_tui.models.check_report import is_open, sort_worst_first
from handoff_tui.models.log_record import DecisionVerb
from handoff_tui.models.packet import Demand, Packet, QuotedComment
from handoff_tui.models.review_record import Comment, ReviewRecord
from handoff_tui.repo.history import read_blobs
from handoff_tui.repo.private_objects import offer_objects
from handoff_tui.repo.state_files import find_cache_folder
from handoff_tui.repo.tree_diff import list_changes
from handoff_tui.review.evidence_record import build_shown_check
from handoff_tui.review.examine import Examined
from handoff_tui.review.review_store import find_review

_SENDING_BACK = frozenset({DecisionVerb.REJECT, DecisionVerb.RETRY, DecisionVerb.HOLD})
_AROUND = 3
_MOST_BYTES = 4 * 1024 * 1024


def build_packet(examined: Examined) -> Packet:
    """Everything the next attempt has to know, from the log and from what is here now."""
    target, index = examined.target, examined.index
    votes = [
        vote
        for vote in reversed(index.votes_at.get((target.handoff, target.phase), ()))
        if vote.decision.verb in _SENDING_BACK and not index.is_void(vote.entry.id)
    ]
    records = {vote.entry.id: find_review(examined.desk.repository.root, vote.decision.review) for vote in votes}
    changed = {vote.entry.id: _list_changed(examined, vote) for vote in votes}
    last = votes[0] if votes else None
    attempt = max(target.attempt, (last.work.attempt + 1) if last else 1)
    return Packet(
        handoff=target.handoff,
        phase=target.phase,
        attempt=attempt,
        state=examined.gate.state.value,
        demands=tuple(_build_demand(examined, vote, records[vote.entry.id], changed[vote.entry.id]) for vote in votes),
        comments=tuple(
            quoted
            for vote in votes
            for quoted in _quote_all(examined, vote, records[vote.entry.id], changed[vote.entry.id])
        ),
        failing=tuple(build_shown_check(one) for one in sort_worst_first(filter(is_open, examined.report.results))),
        changed_files=tuple(sorted(changed[last.entry.id] or ())) if last else (),
        notes=_list_notes(votes, records, changed),
    )


def _build_demand(
    examined: Examined, vote: Vote, record: ReviewRecord | None, changed: frozenset[str] | None
) -> Demand:
    failed = _list_failed(record)
    failing_now = {result.id for result in examined.report.results if result.blocking and is_open(result)}
    commented = tuple(dict.fromkeys(one.path for one in record.comments if one.path)) if record else ()
    untouched = tuple(path for path in commented if changed is not None and path not in changed)
    still = tuple(check for check in failed if check in failing_now)
    measurable = bool(failed) or (bool(commented) and changed is not None)
    return Demand(
        entry=vote.entry.id,
        attempt=vote.work.attempt,
        author=vote.entry.actor,
        verb=vote.decision.verb.value,
        time=vote.entry.time,
        reason=vote.decision.reason,
        checks=failed,
        still_failing=still,
        commented=commented,
        untouched=untouched,
        addressed=not still and not untouched if measurable else None,
    )


def _list_failed(record: ReviewRecord | None) -> tuple[str, ...]:
    closed = {"pass", "not-applicable"}
    return tuple(one.id for one in record.checks if one.blocking and one.outcome not in closed) if record else ()


def _list_changed(examined: Examined, vote: Vote) -> frozenset[str] | None:
    """Paths that differ between the attempt that was sent back and now; nothing where its files are not here."""
    repository = examined.desk.repository
    objects = offer_objects(repository, find_cache_folder(repository.root))
    try:
        changes = list_changes(repository.git, vote.work.subject.tree, examined.taken.captured.tree.tree, extra=objects)
    except HandoffError:
        return None
    return frozenset(path for change in changes for path in (change.path, change.old_path) if path is not None)


def _quote_all(
    examined: Examined, vote: Vote, record: ReviewRecord | None, changed: frozenset[str] | None
) -> list[QuotedComment]:
    if record is None:
        return []
    paths = [f"{vote.work.subject.tree}:{comment.path}" for comment in record.comments if comment.path]
    repository = examined.desk.repository
    objects = offer_objects(repository, find_cache_folder(repository.root))
    contents = read_blobs(repository.git, list(dict.fromkeys(paths)), _MOST_BYTES, extra=objects) if paths else {}
    return [
        QuotedComment(
            comment=comment,
            author=vote.entry.actor,
            code=_quote(comment, contents.get(f"{vote.work.subject.tree}:{comment.path}")),
            changed=None if changed is None or not comment.path else comment.path in changed,
        )
        for comment in record.comments
    ]


def _quote(comment: Comment, content: bytes | None) -> tuple[str, ...]:
    """The lines that a remark is about and a few around them, numbered."""
    if content is None or comment.line is None:
        return ()
    lines = content.decode("utf-8", "replace").splitlines()
    first = max(1, comment.line - _AROUND)
    last = min(len(lines), (comment.end_line or comment.line) + _AROUND)
    return tuple(f"{number:>5}  {lines[number - 1]}" for number in range(first, last + 1))


def _list_notes(
    votes: list[Vote], records: dict[str, ReviewRecord | None], changed: dict[str, frozenset[str] | None]
) -> tuple[str, ...]:
    notes = [
        f"the record of {vote.entry.actor}'s decision on attempt {vote.work.attempt} is not here, only its reason"
        for vote in votes
        if records[vote.entry.id] is None
    ]
    notes += [
        f"the files of attempt {vote.work.attempt} are not here, so what has changed since cannot be told"
        for vote in votes
        if changed[vote.entry.id] is None
    ]
    return tuple(dict.fromkeys(notes))
