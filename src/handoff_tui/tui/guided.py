"""The guided review: everything worth looking at in one handoff, in order, and how much of it was looked at. Pure."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum

from handoff_tui.changes.files.file_kinds import find_change_notices
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.place import Place
from handoff_tui.git.file_diff import ChangedFile
from handoff_tui.live.state.app import AppState


class ReviewStopKind(Enum):
    """What is to be looked at."""

    PROBLEM = "overview"
    FILE = "changes"


class ReviewStop(NamedTuple):
    """One thing to look at; the value of its kind is the tab that shows it."""

    kind: ReviewStopKind
    key: str
    place: Place | None = None


def list_stops(state: AppState) -> tuple[ReviewStop, ...]:
    """Problems, worst first; risky files, then the others."""
    problems = state.problems.value.problems if state.problems.value is not None else ()
    files = state.files.value.files if state.files.value is not None else ()
    ordered = sorted(files, key=lambda file: not _is_risky(file))
    return (
        *(ReviewStop(ReviewStopKind.PROBLEM, problem.key, problem.place) for problem in problems),
        *(ReviewStop(ReviewStopKind.FILE, file.change.path, Place(path=file.change.path)) for file in ordered),
    )


def _is_risky(file: ChangedFile) -> bool:
    """Whether a file changes more than its lines: CI, check configuration, a mode, a link."""
    return bool(find_change_notices(file.change))


def find_next(state: AppState, looked: Collection[str]) -> ReviewStop | None:
    """Returns the first thing that nobody has looked at; None at the end."""
    return next((stop for stop in list_stops(state) if not _is_seen(stop, state, looked)), None)


def describe_progress(state: AppState, looked: Collection[str]) -> str:
    """`2 of 6 looked at`; `…` while it isn't known what there is, empty if there is nothing."""
    if state.problems.value is None or state.files.value is None:
        is_coming = state.problems.trouble is None and state.files.trouble is None
        return "…" if is_coming and state.chosen is not None else ""
    stops = list_stops(state)
    seen = sum(_is_seen(stop, state, looked) for stop in stops)
    return f"{seen} of {len(stops)} looked at" if stops else ""


def _is_seen(stop: ReviewStop, state: AppState, looked: Collection[str]) -> bool:
    return stop.key in looked or (stop.kind is ReviewStopKind.FILE and stop.key in state.drafts.viewed)
