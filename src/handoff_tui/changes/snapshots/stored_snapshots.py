"""Captures, lists, shows and pins stored snapshots. Pins are the reviewer's own and kept outside the repository."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from handoff_tui.changes.snapshots.capture import Captured, capture_snapshot
from handoff_tui.changes.snapshots.snapshot import (
    Snapshot,
    SnapshotSummary,
    build_digest,
    build_path,
    build_snapshot_summary,
    find_snapshot,
    list_foreign,
    list_snapshots,
    read_snapshot,
    write_snapshot,
)
from handoff_tui.checks.report import CheckReport
from handoff_tui.checks.run.check import Prefetched, ProgressCallbacks, check, find_change_since_reading
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.core import errors
from handoff_tui.core.classes import NamedTuple, dataclass
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import CheckMoment
from handoff_tui.git.history.commits import read_commit_dates
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.reading.read import ReadHandoffs
from handoff_tui.handoffs.session import Session, reopen_session
from handoff_tui.status.show import find_id
from handoff_tui.system.files.cache_files import find_choices_folder
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER
from handoff_tui.system.files.sealed_files import load_json, write_json

EVERY_HANDOFF: Final = "*"
"""The key of the pin for handoffs without their own."""
_NAME = "pins.json"
_AT_GATES = CheckRequest(moment=CheckMoment.GATE)
_DIGEST: Final = compile_later(r"[0-9a-f]{64}")


def read_pins(common_dir: Path) -> dict[str, str]:
    """Handoff id, or `*`, to the pinned digest. A file that no person sealed pins nothing."""
    value = load_json(_find_pins(common_dir))
    return dict(sorted(value.items())) if isinstance(value, dict) else {}


def write_pin(common_dir: Path, handoff: str, digest: str | None) -> None:
    """Pins a snapshot for a handoff, or for all with `*`; None removes the pin."""
    pins = read_pins(common_dir)
    pins.pop(handoff, None)
    if digest is not None:
        pins[handoff] = digest
    place = _find_pins(common_dir)
    if not write_json(place, pins):
        raise errors.StoreWriteError(f"{place} can't be written", "Make its folder writable and try again.")


def _find_pins(common_dir: Path) -> Path:
    return find_choices_folder(common_dir) / LOCAL_FOLDER / _NAME


def find_pin(pins: dict[str, str], handoff: str | None) -> str | None:
    """The pin of a handoff, else the one for all; None if there is none."""
    return pins.get(handoff or EVERY_HANDOFF) or pins.get(EVERY_HANDOFF)


_ATTEMPTS = 2


@dataclass(frozen=True, slots=True)
class Taken:
    """What is here now: handoffs, check results, and the snapshot of both."""

    handoffs_read: ReadHandoffs
    report: CheckReport
    captured: Captured


class Stored(NamedTuple):
    """A stored snapshot."""

    summary: SnapshotSummary
    snapshot: Snapshot
    is_new: bool
    """Whether it wasn't stored before."""


class StoredList(NamedTuple):
    """The contents of `.handoff-tui/baselines/`."""

    summaries: tuple[SnapshotSummary, ...]
    lost_pins: dict[str, str]
    """Handoff, or `*`, to the digest of a pinned snapshot that isn't stored here."""
    foreign: tuple[str, ...]
    """Paths there that aren't snapshots."""


def take(
    session: Session,
    telling: ProgressCallbacks | None = None,
    request: CheckRequest = _AT_GATES,
    before: Prefetched | None = None,
    *,
    needed: Collection[str] | None = None,
    on_change: Callable[[], None] | None = None,
) -> Taken:
    """Takes a snapshot with the gate checks of the whole repository; stores nothing.

    With `needed`, files that never hold still are left out unless they are among these. `on_change` is called if the
    repository changes meanwhile.
    """
    before = before or Prefetched(read_repository(session))
    report = check(session, request, telling, before, on_change)
    handoffs_read = before.reading.result
    return Taken(handoffs_read, report, capture_snapshot(session, handoffs_read, report, needed))


def take_still(
    session: Session,
    telling: ProgressCallbacks | None = None,
    before: Prefetched | None = None,
    *,
    run_commands: bool = True,
) -> Taken:
    """The same, of one consistent state: if something changes meanwhile, tries once more, then fails."""
    moved: str | None = None
    for attempt in range(_ATTEMPTS):
        try:
            taken = take(session, telling, _AT_GATES._replace(run_commands=run_commands), before)
        except errors.TreeMovedError:
            if attempt + 1 == _ATTEMPTS:
                raise
        else:
            moved = find_change_since_reading(session, taken.handoffs_read)
            if moved is None or (telling is not None and telling.cancel.is_set()):
                return taken
        session, before = reopen_session(session), None
    raise errors.TreeMovedError(
        f"the repository kept changing while the snapshot was taken: {moved}",
        "Wait until nothing writes to it, then try again.",
    )


def capture(session: Session, telling: ProgressCallbacks | None = None) -> Stored:
    """Takes a snapshot and stores it in `.handoff-tui/baselines/`, unless cancelled."""
    snapshot = take_still(session, telling).captured.snapshot
    root = session.repository.root
    if telling is not None and telling.cancel.is_set():
        return Stored(build_snapshot_summary(build_digest(snapshot), snapshot), snapshot, is_new=False)
    known = list_snapshots(root)
    digest = write_snapshot(root, snapshot)
    summary = build_snapshot_summary(digest, snapshot, _find_pinned_for(session, digest))
    return Stored(summary, snapshot, is_new=digest not in known)


def list_summaries(session: Session, only: str | None = None) -> tuple[SnapshotSummary, ...]:
    """Every stored snapshot, or `only` one, by digest; unusable ones with the reason."""
    pins = read_pins(session.repository.common_dir)
    digests = list_snapshots(session.repository.root)
    return tuple(_summarise(session, digest, pins) for digest in digests if only is None or digest == only)


def list_newest_first(session: Session) -> StoredList:
    """The same, newest commit first; those whose commit isn't here come last."""
    summaries = list_summaries(session)
    dates = read_commit_dates(session.repository.git, {one.commit for one in summaries if one.commit})
    dated = [one.model_copy(update={"date": dates.get(one.commit or "")}) for one in summaries]
    stored = {one.digest for one in summaries}
    lost = {whom: pin for whom, pin in read_pins(session.repository.common_dir).items() if pin not in stored}
    ordered = tuple(sorted(dated, key=_sort_key, reverse=True))
    return StoredList(ordered, lost, list_foreign(session.repository.root))


def _sort_key(summary: SnapshotSummary) -> tuple[datetime, str]:
    date = datetime.min.replace(tzinfo=UTC) if summary.date is None else datetime.fromisoformat(summary.date)
    return date, summary.digest


def show_snapshot(session: Session, written: str) -> tuple[SnapshotSummary, Snapshot]:
    """One snapshot, by a prefix of its digest."""
    digest = find_snapshot(session.repository.root, written)
    snapshot = read_snapshot(session.repository.root, digest)
    return build_snapshot_summary(digest, snapshot, _find_pinned_for(session, digest)), snapshot


def pin(session: Session, written: str | None, handoff: str | None) -> tuple[str, str | None]:
    """Pins a snapshot for a handoff, or for all; None removes the pin. Returns for whom and which digest."""
    for_whom = EVERY_HANDOFF
    if handoff is not None:
        handoffs_read = read_repository(session).result
        for_whom = find_id(handoffs_read.handoffs, handoff)
    digest = None
    if written is not None:
        digest = find_snapshot(session.repository.root, written)
        read_snapshot(session.repository.root, digest)  # an unreadable one can't be a baseline
    write_pin(session.repository.common_dir, for_whom, digest)
    return for_whom, digest


def find_pinned(session: Session, handoff: str | None) -> str | None:
    return find_pin(read_pins(session.repository.common_dir), handoff)


def _find_pinned_for(session: Session, digest: str) -> tuple[str, ...]:
    return _list_pinned_for(read_pins(session.repository.common_dir), digest)


def _list_pinned_for(pins: dict[str, str], digest: str) -> tuple[str, ...]:
    return tuple(whom for whom, pin in pins.items() if pin == digest)


def _summarise(session: Session, digest: str, pins: dict[str, str]) -> SnapshotSummary:
    pinned_for = _list_pinned_for(pins, digest)
    try:
        snapshot = read_snapshot(session.repository.root, digest)
    except (errors.SnapshotUnusableError, errors.StoredFileDamagedError, errors.StoredFileMissingError) as unusable:
        problem = unusable.message.removeprefix(f"{build_path(digest)} ")
        return SnapshotSummary(digest=digest, pinned=bool(pinned_for), pinned_for=pinned_for, problem=problem)
    return build_snapshot_summary(digest, snapshot, pinned_for)
