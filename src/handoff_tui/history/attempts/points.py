"""What a rejection asked for, point by point, and whether a later attempt addressed it: measured, never claimed."""

from __future__ import annotations

from collections.abc import Sequence

from handoff_tui.changes.comment_changes import RemarkFiles, judge_remark, read_remark_files
from handoff_tui.checks.result import Outcome
from handoff_tui.core.errors import HandoffError
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.objects.tree_diff import list_changes
from handoff_tui.handoffs.session import Desk
from handoff_tui.history.attempts.content import CLOSED, AttemptContent
from handoff_tui.history.attempts.report import Point, PointKind
from handoff_tui.history.attempts.sources import AttemptSources
from handoff_tui.log.gates.position import SENDING_BACK
from handoff_tui.log.index import Vote
from handoff_tui.log.record import DecisionVerb
from handoff_tui.log.review_record import Comment, ReviewRecord, ShownCheck
from handoff_tui.log.storage.review_records import find_review
from handoff_tui.system.files.cache_files import find_cache_folder

_ASKING = SENDING_BACK | {DecisionVerb.HOLD}
_NO_ANSWER = (None, "it has no result in {later}: {outcome}")
_BY_OUTCOME: dict[str, tuple[bool | None, str]] = {
    Outcome.PASS.value: (True, "it passes in {later}"),
    Outcome.NOT_APPLICABLE.value: (True, "it does not apply in {later} any more"),
    Outcome.SKIPPED.value: _NO_ANSWER,
    Outcome.CANCELLED.value: _NO_ANSWER,
    Outcome.UNKNOWN.value: _NO_ANSWER,
}
_NOTHING_FOLLOWED = "no attempt has followed yet"


def read_points(
    desk: Desk, sources: AttemptSources, asked: AttemptContent, later: AttemptContent | None
) -> tuple[Point, ...]:
    """Everything that the decisions on an attempt ask for, measured on a later one where there is one."""
    found: list[Point] = []
    for vote in sources.last_votes:
        if vote.decision.verb in _ASKING:
            record = find_review(desk.repository.root, vote.decision.review)
            found.append(_build_reason(vote))
            if record is not None:
                found += [_build_check(vote, check, asked, later) for check in record.checks if _is_blocking(check)]
                found += _build_remarks(desk, vote, record, asked, later)
    return tuple(found)


def has_lost_record(desk: Desk, sources: AttemptSources) -> bool:
    """Whether a decision that asks for something has lost what its author was shown and wrote."""
    asking = (vote for vote in sources.last_votes if vote.decision.verb in _ASKING)
    return any(find_review(desk.repository.root, vote.decision.review) is None for vote in asking)


def _is_blocking(check: ShownCheck) -> bool:
    return check.blocking and check.outcome not in CLOSED


def _build_reason(vote: Vote) -> Point:
    return Point(
        kind=PointKind.REASON,
        text=vote.decision.reason,
        author=vote.entry.actor,
        evidence="words are not measured: read what was done",
    )


def _build_check(vote: Vote, check: ShownCheck, asked: AttemptContent, later: AttemptContent | None) -> Point:
    addressed, evidence = judge_check(check.id, later)
    if later is not None and later.handoff != asked.handoff:
        addressed, evidence = None, f"{later.handoff} is another handoff: what a check says of it is no answer"
    return Point(
        kind=PointKind.CHECK,
        text=check.summary,
        subject=check.id,
        author=vote.entry.actor,
        addressed=addressed,
        evidence=evidence,
    )


def judge_check(check: str, later: AttemptContent | None) -> tuple[bool | None, str]:
    """Whether a check that blocked has come right since, and by what."""
    if later is None:
        return None, _NOTHING_FOLLOWED
    if later.shown is None:
        return None, f"the results of {later.words} are not here"
    outcome = later.shown.get(check)
    if outcome is None:
        return None, f"it was not among the checks of {later.words}"
    addressed, words = _BY_OUTCOME.get(outcome, (False, "it does not pass in {later} either: {outcome}"))
    return addressed, words.format(later=later.words, outcome=outcome)


def _build_remarks(
    desk: Desk, vote: Vote, record: ReviewRecord, asked: AttemptContent, later: AttemptContent | None
) -> list[Point]:
    files = None if later is None else _read_files(desk, record.comments, asked.tree, later.tree)
    points: list[Point] = []
    for comment in record.comments:
        addressed, evidence = _judge_remark(comment, files, asked, later)
        points.append(
            Point(
                kind=PointKind.REMARK,
                text=comment.text,
                subject=comment.place,
                author=vote.entry.actor,
                addressed=addressed,
                evidence=evidence,
            )
        )
    return points


def _judge_remark(
    comment: Comment, files: RemarkFiles | None, asked: AttemptContent, later: AttemptContent | None
) -> tuple[bool | None, str]:
    if later is None and comment.path:
        return None, _NOTHING_FOLLOWED
    words = "" if later is None else later.words
    if files is None and comment.path:
        return None, f"the files of {'the attempt it was made on' if asked.tree is None else words} are not here"
    return judge_remark(comment, files or RemarkFiles(), words)


def _read_files(desk: Desk, comments: Sequence[Comment], then: str | None, now: str | None) -> RemarkFiles | None:
    """Nothing where the files of one side are not here."""
    if then is None or now is None:
        return None
    if not any(comment.path for comment in comments):
        return RemarkFiles()
    repository = desk.repository
    objects = offer_objects(repository, find_cache_folder(repository.root))
    try:
        changes = list_changes(repository.git, then, now, extra=objects)
    except HandoffError:
        changes = []
    return read_remark_files(desk, (then, now), comments, changes)
