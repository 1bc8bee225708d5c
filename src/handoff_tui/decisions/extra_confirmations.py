"""Finds why a decision needs an extra confirmation: what was not read, not measured, or is overridden.

Also names the files that a person should know about: those that decide over checks, and those that no diff shows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from handoff_tui.changes.comparison.sides import Side
from handoff_tui.changes.diff import compare_trees, write_own_sides
from handoff_tui.changes.files.file_kinds import is_binary
from handoff_tui.changes.risk import find_hidden_characters
from handoff_tui.checks.facts.changed_files import is_match
from handoff_tui.checks.report import Outcome
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.file_modes import WITHOUT_TEXT
from handoff_tui.core.text.labels import name_some, plural
from handoff_tui.decisions.decide import PreparedDecision
from handoff_tui.decisions.drafts import StoredDrafts
from handoff_tui.decisions.examine import ExaminedGate
from handoff_tui.decisions.views import ExtraConfirmation
from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.log.entry import PASSING, DecisionVerb
from handoff_tui.system.files.cache_files import find_cache_folder

_SHOWN_BYTES: Final = 4 * 1024 * 1024
"""Larger files are cut when a diff is shown."""
_SHOWN_LINES: Final = 50_000
_LONG_LINE: Final = 2_000
"""A longer line is minified or data; nobody reads it."""
_FILES_AT_ONCE: Final = 50


class NoticedFiles(NamedTuple):
    """Why files are named, and which."""

    text: str
    paths: tuple[str, ...]


def find_noticed_files(examined: ExaminedGate, changes: Iterable[FileChange]) -> tuple[NoticedFiles, ...]:
    """Lists configuration, test and CI files among the changes, and those that no diff shows in full."""
    listed = tuple(changes)
    settings = examined.session.loaded.settings
    kinds = (
        ("configuration file", settings.risk.policy_files),
        ("CI file", settings.tamper.ci_files),
        ("test file", settings.tamper.test_files),
    )
    named = [
        NoticedFiles(f"{plural(len(paths), kind)} changed", paths)
        for kind, patterns in kinds
        if (paths := tuple(change.path for change in listed if is_match(change.path, patterns)))
    ]
    cut = tuple(_find_cut(examined, [one for one in listed if one.status != "D" and one.new_mode not in WITHOUT_TEXT]))
    if cut:
        text = f"{plural(len(cut), 'file')} that no diff shows in full: binary, minified or too large"
        named.append(NoticedFiles(text, cut))
    return tuple(named)


def _find_cut(examined: ExaminedGate, changes: list[FileChange]) -> Iterator[str]:
    repository = examined.session.repository
    objects = offer_objects(repository, find_cache_folder(repository.root))
    for start in range(0, len(changes), _FILES_AT_ONCE):
        some = changes[start : start + _FILES_AT_ONCE]
        contents = read_blobs(repository.git, sorted({one.new_id for one in some}), _SHOWN_BYTES, objects)
        yield from (change.path for change in some if _is_cut(contents.get(change.new_id)))


def _is_cut(content: bytes | None) -> bool:
    if content is None or is_binary(content) or content.count(b"\n") > _SHOWN_LINES:
        return True
    return len(content) > _LONG_LINE and any(len(line) > _LONG_LINE for line in content.split(b"\n"))


_NAMED: Final = 1
_GRAVE: Final = frozenset({DecisionVerb.OVERRIDE, DecisionVerb.SKIP})
_NO_RESULT: Final = frozenset({Outcome.ERROR, Outcome.TIMEOUT, Outcome.UNKNOWN, Outcome.CANCELLED, Outcome.SKIPPED})


class ReadWork(NamedTuple):
    """The handoff's own changes, as captured for this decision, and those that the reviewer has read."""

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


def compare_named(examined: ExaminedGate, paths: Collection[str]) -> tuple[StoredDrafts, ReadWork]:
    """The same, if a person names the files and documents that they have read."""
    read = compare_read(examined, StoredDrafts())
    named = frozenset(paths)
    documents = examined.handoff.documents
    opened = {one.path: one.sha256 for one in documents if one.sha256 and one.path in named}
    viewed = tuple(change.path for change in read.changes if change.path in named)
    return StoredDrafts(opened=opened), read._replace(viewed=viewed)


def find_extra_confirmations(
    prepared: PreparedDecision, drafts: StoredDrafts, read: ReadWork, looked: Collection[str] = ()
) -> tuple[ExtraConfirmation, ...]:
    """Lists what is still open; sending work back needs only a reason.

    The name must be typed to override or skip, and to approve problems that nobody looked at: `looked` are the checks
    whose findings were. What was merely not read is said.
    """
    if prepared.verb not in PASSING:
        return ()
    found = (
        *_find_open_checks(prepared.examined, looked),
        *_find_unread_files(prepared.examined, read),
        *_find_unopened(prepared.examined, drafts),
    )
    return tuple(one._replace(asks=True) for one in found) if prepared.verb in _GRAVE else found


def _list_changes(examined: ExaminedGate) -> tuple[FileChange, ...]:
    """The handoff's own changes; what belongs to others is not part of this decision."""
    session = examined.session
    own = write_own_sides(session, examined.gates.work.scopes, examined.handoff.id)
    files = compare_trees(session, Side(None, own.before), Side(None, own.after))
    return tuple(files.listed.changes) if files is not None else ()


def _find_open_checks(examined: ExaminedGate, looked: Collection[str]) -> Iterator[ExtraConfirmation]:
    failing = examined.failing
    if failing:
        words = "1 blocking check does not pass" if len(failing) == 1 else f"{len(failing)} blocking checks do not pass"
        yield ExtraConfirmation(words, name_some(failing, _NAMED))
    silent = [one.id for one in examined.report.results if one.outcome in _NO_RESULT and one.id not in failing]
    if silent:
        words = "1 check has no result" if len(silent) == 1 else f"{len(silent)} checks have no result"
        yield ExtraConfirmation(words, name_some(silent, _NAMED), asks=not looked_at(silent, looked))
    warned = [one.id for one in examined.report.warned if one.id not in silent]
    if warned and not looked_at(warned, looked):
        words = "1 problem was not looked at" if len(warned) == 1 else f"{len(warned)} problems were not looked at"
        yield ExtraConfirmation(words, name_some(warned, _NAMED))


def looked_at(checks: Sequence[str], looked: Collection[str]) -> bool:
    return all(check in looked for check in checks)


def _find_unread_files(examined: ExaminedGate, read: ReadWork) -> Iterator[ExtraConfirmation]:
    """Finds changed files that were not marked as read, and invisible characters in them."""
    if read.trouble:
        yield ExtraConfirmation("the files could not be compared, so none was read as a change", read.trouble)
    paths = [change.path for change in read.changes]
    unread = [path for path in paths if path not in read.viewed]
    if unread:
        all_of_them = "file is" if len(paths) == 1 else "files are"
        yield ExtraConfirmation(
            f"{len(unread):,} of {len(paths):,} changed {all_of_them} not marked as read",
            name_some(unread, _NAMED),
            asks=False,
        )
    session = examined.session
    objects = offer_objects(session.repository, find_cache_folder(session.repository.root))
    for fact in find_hidden_characters(session, list(read.changes), objects):
        places = [str(place) for place in fact.places]
        seen = all(place.path in read.viewed for place in fact.places)
        yield ExtraConfirmation(fact.text, name_some(places, _NAMED), asks=not seen)


def _find_unopened(examined: ExaminedGate, drafts: StoredDrafts) -> Iterator[ExtraConfirmation]:
    documents = examined.handoff.documents
    if not documents or any(one.sha256 and drafts.opened.get(one.path) == one.sha256 for one in documents):
        return
    words = "its document was not opened" if len(documents) == 1 else "none of its documents was opened"
    yield ExtraConfirmation(words, name_some([document.path for document in documents], _NAMED), asks=False)
