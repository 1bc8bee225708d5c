"""Where a handoff is by the runs of its agents, if these are newer than its documents.

A run says in which phase its commits were made; documents say what their author wrote down. An agent that leaves the
documents alone moves the work on all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import Commit, read_commits
from handoff_tui.git.repository import Repository
from handoff_tui.git.session import session_of
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.scope.run_commits import RunCommits, read_run_commits

_NOTE = "notes:"
ROLLBACK = "handoff-tui: roll back"
"""How the subject of a rollback of ours begins."""


class _LastRun(NamedTuple):
    """The newest run of a handoff, by the places of its commits in the history; 0 is HEAD."""

    phase: str
    stated: str
    """What the documents said when it began: repeated, it isn't news."""
    newest: int
    oldest: int


def place_by_runs(
    repository: Repository,
    changed: Sequence[str],
    read_history: Callable[[], list[Commit]],
    handoffs: tuple[Handoff, ...],
) -> tuple[Handoff, ...]:
    """The handoffs, each in the phase of its last run unless its documents have named another one since.

    `changed` are the paths that differ from HEAD.
    """
    records = read_run_commits(repository.root)
    if not records:
        return handoffs
    history = read_history()
    places = {commit.id: place for place, commit in enumerate(history)}
    undone = find_undone(history)
    runs = _find_last_runs(records, {commit: place for commit, place in places.items() if commit not in undone})
    handoffs = tuple(
        _place(one, runs[one.id], _find_written(repository, changed, places, one)) if one.id in runs else one
        for one in handoffs
    )
    branches = _find_branches(repository.git, [one for one in records if one.head not in places])
    return tuple(one.model_copy(update={"branch": branches[one.id]}) if one.id in branches else one for one in handoffs)


def find_disagreement(handoff: Handoff) -> Iterator[Problem]:
    """Reports documents that were written during or after a run in one phase and that name another."""
    if handoff.stated_phase is not None and not handoff.ran and handoff.documents:
        message = f"says {handoff.stated_phase}, but its last run worked on {handoff.id} in {handoff.source_phase}"
        yield Problem(path=handoff.documents[0].path, message=message, level=ProblemLevel.WARNING)


def find_undone(history: Sequence[Commit]) -> frozenset[str]:
    """The commits that a rollback of ours took back: those between the one it went back to and its own."""
    undone: set[str] = set()
    for place, commit in enumerate(history):
        target = commit.subject.removeprefix(f"{ROLLBACK} to ").partition(",")[0]
        if not commit.subject.startswith(ROLLBACK) or commit.id in undone:
            continue
        behind = next((end for end, one in enumerate(history) if one.id.startswith(target) and end > place), place)
        undone.update(one.id for one in history[place + 1 : behind])
    return frozenset(undone)


def _find_last_runs(records: Sequence[RunCommits], places: dict[str, int]) -> dict[str, _LastRun]:
    found: dict[str, _LastRun] = {}
    for record in records:
        made = [places[commit.id] for commit in record.commits if commit.id in places]
        if made and (record.handoff not in found or min(made) < found[record.handoff].newest):
            found[record.handoff] = _LastRun(record.phase, record.stated, min(made), max(made))
    return found


def _find_branches(git: Git, records: Sequence[RunCommits]) -> dict[str, str]:
    """The branch of each handoff whose newest run is not merged here; `records` are of runs that may be elsewhere."""
    tips = dict(line.split(" ", 1) for line in session_of(git).list_refs().decode("utf-8", "replace").splitlines())
    if not any(one.head in tips for one in records):
        return {}
    listed = git.read("for-each-ref", "--no-merged=HEAD", "--format=%(objectname) %(refname:short)", "refs/heads/")
    open_tips = dict(line.split(" ", 1) for line in listed.decode("utf-8", "replace").splitlines())
    newest = sorted(records, key=lambda one: (one.attempt, one.run))
    return {one.handoff: open_tips[one.head] for one in newest if one.head in open_tips}


def _find_written(
    repository: Repository, changed: Sequence[str], places: dict[str, int], handoff: Handoff
) -> int | None:
    """The place of the commit that last wrote what it says of itself; -1 if that is in no commit, None if it is old."""
    stating = [claim.where.path for claim in handoff.claims if claim.kind is ClaimKind.STATUS]
    paths = stating or [document.path for document in handoff.documents]
    files = tuple(path for path in paths if not path.startswith(_NOTE))
    if not set(files).isdisjoint(changed):
        return -1
    written = [places[path.rpartition("/")[2]] for path in paths if path.rpartition("/")[2] in places]
    if files:
        written += [places[one.id] for one in read_commits(repository.git, 1, files) if one.id in places]
    return min(written, default=None)


def _place(handoff: Handoff, run: _LastRun, written: int | None) -> Handoff:
    is_since = written is not None and written < run.newest
    if is_since and handoff.said_phase.casefold() != run.stated.casefold():
        return handoff
    is_same = (handoff.source_phase or "").casefold() == run.phase.casefold()
    stated = None if is_same else handoff.source_phase
    if written is not None and written <= run.oldest:  # by the agent itself, or by somebody after it
        placed = {"source_phase": run.phase, "stated_phase": stated}
        return handoff if is_same else handoff.model_copy(update={**placed, "target_phase": None})
    return handoff.model_copy(
        update={"source_phase": run.phase, "stated_phase": stated, "target_phase": None, "ran": True}
    )
