"""What a rejection asked for, point by point, and whether a later attempt addressed it: measured, never claimed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from handoff_tui.decision_log.log_index import Vote
from handoff_tui.models.attempt_history import Point, PointKind
from handoff_tui.models.check_result import Outcome
from handoff_tui.models.log_record import DecisionVerb
from handoff_tui.models.review_record import Comment, ReviewRecord, ShownCheck
from handoff_tui.repo.history import read_blobs
from handoff_tui.repo.private_objects import offer_objects
from handoff_tui.repo.state_files import find_cache_folder
from handoff_tui.review.desk import Desk
from handoff_tui.review.history_content import CLOSED, AttemptContent
from handoff_tui.review.history_sources import AttemptSources
from handoff_tui.review.place import SENDING_BACK
from handoff_tui.review.quoting import has_changed
from handoff_tui.review.review_store import find_review

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
_MOST_BYTES = 4 * 1024 * 1024


class _Files(NamedTuple):
    """Some files of a tree."""

    contents: Mapping[str, bytes | None]
    """Nothing for what is not there, is too large, or whose content this clone lacks."""
    unread: frozenset[str]
    """Those that are in the tree and could not be read."""


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
                found += [_build_check(vote, check, later) for check in record.checks if _is_blocking(check)]
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


def _build_check(vote: Vote, check: ShownCheck, later: AttemptContent | None) -> Point:
    addressed, evidence = judge_check(check.id, later)
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
    paths = list(dict.fromkeys(comment.path for comment in record.comments if comment.path))
    then = _read_files(desk, asked.tree, paths)
    now = None if later is None else _read_files(desk, later.tree, paths)
    points: list[Point] = []
    for comment in record.comments:
        addressed, evidence = _judge_remark(comment, then, now, later)
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
    comment: Comment, then: _Files | None, now: _Files | None, later: AttemptContent | None
) -> tuple[bool | None, str]:
    if not comment.path:
        return None, "it is about the whole, which is not measured"
    if later is None:
        return None, _NOTHING_FOLLOWED
    if then is None or now is None:
        return None, f"the files of {later.words if now is None else 'the attempt it was made on'} are not here"
    return _compare_file(comment, then, now, later.words)


def _compare_file(comment: Comment, then: _Files, now: _Files, later: str) -> tuple[bool | None, str]:
    """Whether what a remark is about has changed; lines that have only moved are the same."""
    if comment.path in then.unread | now.unread:
        return None, "the file is too large to compare, or this clone lacks its content"
    before, after = then.contents.get(comment.path), now.contents.get(comment.path)
    if before is None:
        return None, "the file was not there when the remark was made"
    if after is None:
        return True, f"the file is not in {later} any more"
    changed = has_changed(comment, before, after)
    what = "the file" if comment.line is None else "what it is about"
    return changed, f"{what} {'has changed' if changed else 'is the same'} in {later}"


def _read_files(desk: Desk, tree: str | None, paths: Iterable[str]) -> _Files | None:
    """Contents by path; nothing at all where the tree is not here."""
    if tree is None:
        return None
    names = {path: f"{tree}:{path}" for path in paths}
    if not names:
        return _Files({}, frozenset())
    repository = desk.repository
    objects = offer_objects(repository, find_cache_folder(repository.root))
    contents = read_blobs(repository.git, list(names.values()), _MOST_BYTES, extra=objects)
    missing = [path for path, name in names.items() if contents.get(name) is None]
    unread = (
        path
        for path in missing
        if repository.git.run("rev-parse", "--verify", "--quiet", names[path], extra=objects).ok
    )
    return _Files({path: contents.get(name) for path, name in names.items()}, frozenset(unread))
