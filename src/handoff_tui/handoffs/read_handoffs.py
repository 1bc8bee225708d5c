"""The door of the room: reads every handoff of a repository."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.git.session import session_of
from handoff_tui.handoffs.placed_by_runs import find_disagreement, place_by_runs
from handoff_tui.handoffs.reading.format import HandoffFormat
from handoff_tui.handoffs.reading.read import ReadHandoffs, ReadingMemory, is_candidate, read_handoffs
from handoff_tui.handoffs.reading.source_files import RepositoryFiles
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.probe import OFTEN_IGNORED, list_named

_HANDOFF_FOLDERS: Final = ("handoffs", "docs/handoffs", ".handoffs")


class RepositoryReading(NamedTuple):
    """What was read, and the files it was read from, which keep what was read of them and of the history."""

    files: RepositoryFiles
    result: ReadHandoffs


def read_repository(
    session: Session, files: RepositoryFiles | None = None, memory: ReadingMemory | None = None
) -> RepositoryReading:
    """Reads every handoff of the repository, in every format.

    `files` are those of the session if somebody has read some, and `memory` has what earlier readings found.
    """
    files = files or RepositoryFiles(session.repository, session.work_tree, session.loaded.settings)
    return _build_reading(session, files, read_handoffs(files, _load_formats(session, files), memory))


def _load_formats(session: Session, files: RepositoryFiles) -> tuple[HandoffFormat, ...]:
    """Every format; none where there is neither a file nor a commit that one could be about."""
    if not files.paths and not session_of(session.repository.git).list_refs():
        return ()
    from handoff_tui.handoffs.formats.registry import FORMATS  # noqa: PLC0415 - takes long to import

    return FORMATS


def _build_reading(session: Session, files: RepositoryFiles, result: ReadHandoffs) -> RepositoryReading:
    """What was read, with each handoff in the phase that its runs brought it to."""
    facts = session.work_tree.facts
    placed = place_by_runs(session.repository, (*facts.changed, *facts.untracked), files.commits, result.handoffs)
    disagreeing = tuple(problem for handoff in placed for problem in find_disagreement(handoff))
    problems = (*result.problems, *disagreeing, *_report_submodules(session))
    return RepositoryReading(files, result._replace(handoffs=placed, problems=problems))


def _report_submodules(session: Session) -> Iterator[Problem]:
    """Names the submodules that hold handoffs: another repository's, so they are not read here."""
    for folder in session.work_tree.facts.submodules:
        places = [f"{folder}/{name}" for name in (*OFTEN_IGNORED, *_HANDOFF_FOLDERS)]
        inside = (path.removeprefix(f"{folder}/") for path in list_named(session.repository.root, places))
        found = next(filter(is_candidate, inside), None)
        if found is not None:
            message = f"is a submodule with handoffs of its own, such as {found}; "
            message += f"they aren't read here: handoff-tui --repo {folder} opens it"
            yield Problem(path=folder, message=message, level=ProblemLevel.WARNING)
