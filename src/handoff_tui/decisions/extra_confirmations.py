"""Finds why a decision needs an extra confirmation: what was not read, not measured, or is overridden."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from handoff_tui.changes.comparison.sides import Side, load_side
from handoff_tui.changes.diff import compare_sides
from handoff_tui.changes.hidden_characters import find_hidden_characters
from handoff_tui.checks.result import Outcome
from handoff_tui.core.errors import HandoffError, ObjectMissingError
from handoff_tui.decisions.decide import PreparedDecision
from handoff_tui.decisions.drafts import StoredDrafts
from handoff_tui.decisions.examine import ExaminedGate
from handoff_tui.decisions.views import ExtraConfirmation
from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.log.entry import PASSING
from handoff_tui.system.files.cache_files import find_cache_folder

_NAMED: Final = 1
_NO_RESULT: Final = frozenset({Outcome.ERROR, Outcome.TIMEOUT, Outcome.UNKNOWN, Outcome.CANCELLED, Outcome.SKIPPED})


class ReadWork(NamedTuple):
    """The files that differ from the baseline, as captured for this decision, and those the reviewer has read."""

    changes: tuple[FileChange, ...] = ()
    viewed: tuple[str, ...] = ()
    trouble: str = ""
    """Why nothing could be compared; empty if it could."""


def compare_read(examined: ExaminedGate, drafts: StoredDrafts) -> ReadWork:
    """Finds what was read. A mark counts only for the exact contents it was set on."""
    try:
        changes = _list_changes(examined)
    except HandoffError as refused:
        return ReadWork(trouble=refused.message)
    return ReadWork(changes, tuple(change.path for change in changes if drafts.is_viewed(change)))


def find_extra_confirmations(
    prepared: PreparedDecision, drafts: StoredDrafts, read: ReadWork
) -> tuple[ExtraConfirmation, ...]:
    """Lists extra confirmations; sending work back needs only a reason."""
    if prepared.verb not in PASSING:
        return ()
    return (
        *_find_open_checks(prepared.examined),
        *_find_unread_files(prepared.examined, read),
        *_find_unopened(prepared.examined, drafts),
    )


def _list_changes(examined: ExaminedGate) -> tuple[FileChange, ...]:
    baseline = examined.baseline
    if baseline.snapshot is None and baseline.commit is None:
        raise ObjectMissingError("there is no baseline")
    before = Side(None, load_side(examined.desk, baseline).tree)
    after = Side(None, examined.work_tree)
    files = compare_sides(examined.desk, (examined.handoff, ()), before, after)[1]
    if files is None:
        raise ObjectMissingError("the files of the baseline are missing")
    return tuple(files.listed.changes)


def _find_open_checks(examined: ExaminedGate) -> Iterator[ExtraConfirmation]:
    failing = examined.failing
    if failing:
        words = "1 blocking check does not pass" if len(failing) == 1 else f"{len(failing)} blocking checks do not pass"
        yield ExtraConfirmation(words, _name_some(failing))
    silent = [one.id for one in examined.report.results if one.outcome in _NO_RESULT and one.id not in failing]
    if silent:
        words = "1 check has no result" if len(silent) == 1 else f"{len(silent)} checks have no result"
        yield ExtraConfirmation(words, _name_some(silent))


def _find_unread_files(examined: ExaminedGate, read: ReadWork) -> Iterator[ExtraConfirmation]:
    """Finds changed files that were not marked as read, and invisible characters in them."""
    if read.trouble:
        yield ExtraConfirmation("the files could not be compared, so none was read as a change", read.trouble)
    paths = [change.path for change in read.changes]
    unread = [path for path in paths if path not in read.viewed]
    if unread:
        all_of_them = "file is" if len(paths) == 1 else "files are"
        yield ExtraConfirmation(
            f"{len(unread):,} of {len(paths):,} changed {all_of_them} not marked as read", _name_some(unread)
        )
    desk = examined.desk
    objects = offer_objects(desk.repository, find_cache_folder(desk.repository.root))
    for fact in find_hidden_characters(desk, list(read.changes), objects):
        yield ExtraConfirmation(fact.text, _name_some([str(place) for place in fact.places]))


def _find_unopened(examined: ExaminedGate, drafts: StoredDrafts) -> Iterator[ExtraConfirmation]:
    documents = examined.handoff.documents
    if not documents or any(one.sha256 and drafts.opened.get(one.path) == one.sha256 for one in documents):
        return
    words = "its document was not opened" if len(documents) == 1 else "none of its documents was opened"
    yield ExtraConfirmation(words, _name_some([document.path for document in documents]))


def _name_some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
