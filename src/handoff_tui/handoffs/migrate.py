"""Moves the flat files of each builder handoff into a folder of its own, under the names of the standard."""

from __future__ import annotations

from collections import Counter

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.handoff import DocumentRole, Handoff
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.atomic_write import delete_file, write_file
from handoff_tui.system.files.probe import is_present
from handoff_tui.system.files.reader import FileReader

_FIXED = {
    DocumentRole.ANSWERS: "13Q_ANSWERS.md",
    DocumentRole.REVIEW: "REVIEW_REPORT.md",
    DocumentRole.EVALUATION: "EVALUATION_REPORT.md",
}
_NAMED = {DocumentRole.SPEC: "spec", DocumentRole.RESULTS: "results", DocumentRole.PROMPT: "prompt"}


class Move(NamedTuple):
    """One file that would be moved, or the reason why it can't be."""

    handoff: str
    source: str
    target: str
    problem: str = ""


def plan_migration(session: Session, handoffs: tuple[Handoff, ...]) -> tuple[Move, ...]:
    """Lists the flat documents of builder handoffs with their places in folders; changes nothing."""
    moves = [
        Move(handoff.id, document.path, target)
        for handoff in handoffs
        if handoff.dialect == "builder"
        for document in handoff.documents
        if (target := _find_target(session, handoff.id, document.path, document.role)) is not None
    ]
    wanted = Counter(move.target for move in moves)
    shared = Counter(move.source for move in moves)
    return tuple(_add_problem(session, move, wanted[move.target], shared[move.source]) for move in moves)


def apply_migration(session: Session, moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """Moves what can be moved, byte by byte; returns what was moved. Committing it is up to the person."""
    done = tuple(move for move in moves if not move.problem)
    if not done:
        raise UsageError("there is nothing to move", "Every builder handoff has its folder already.")
    root = session.repository.root
    reader = FileReader(root, session.loaded.settings.limits.hash_bytes)
    for move in done:
        write_file(root, move.target, reader.read_bytes(move.source))
        delete_file(root, move.source)
    return done


def _find_target(session: Session, handoff: str, path: str, role: DocumentRole) -> str | None:
    """The place of a document in the folder of its handoff; None if it has none, or is there already."""
    folder, _, _ = path.rpartition("/")
    names = session.loaded.settings.builder.file_names
    name = f"{handoff}_{names[_NAMED[role]]}.md" if role in _NAMED else _FIXED.get(role)
    if name is None or folder.rpartition("/")[2].casefold() == handoff.casefold():
        return None
    return f"{folder}/{handoff}/{name}" if folder else f"{handoff}/{name}"


def _add_problem(session: Session, move: Move, alike: int, owners: int) -> Move:
    if owners > 1:
        return move._replace(problem="several handoffs share it")
    if alike > 1:
        return move._replace(problem="another file would get the same name")
    if is_present(session.repository.root, move.target):
        return move._replace(problem="the place is taken")
    return move
