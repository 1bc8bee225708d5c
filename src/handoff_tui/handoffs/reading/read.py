"""Which dialect owns which file, and what they all read together."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.pause_collection import without_collection
from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.handoffs.reading.format import POSSIBLE, Dialect, Reading, Shelf, Source
from handoff_tui.handoffs.reading.reading_memory import ReadingMemory, RenewingShelf

_SPEAKS_OF_HANDOFF: Final = compile_later(r"hand[-_ ]?(?:off|over)", re.IGNORECASE)
_HANDOFF_FOLDER: Final = compile_later(r"(?:^|/)(?:hand[-_]?(?:offs|overs)|\.mosaic|\.ai-agents)$", re.IGNORECASE)
"""Folders whose files are handoffs, or the state of one, whatever they are called."""
_TEXT_ENDINGS: Final = (
    ".md",
    ".markdown",
    ".json",
    ".jsonl",
    ".yaml",
    ".yml",
    ".toml",
    ".txt",
    ".rst",
    ".log",
    ".lock",
)
"""Handoffs are written in these; a file with another ending is asked about by nobody, which keeps large trees cheap."""
_OWN_FILE: Final = "handoff-tui.toml"
_ROOM_FOR_A_NUMBER: Final = 120
"""So much of a long id is kept where a number must fit behind it."""


class Harvest(NamedTuple):
    """All handoffs of a repository, the candidates nobody understood, and every problem on the way."""

    handoffs: tuple[Handoff, ...]
    unknown: tuple[str, ...]
    problems: tuple[Problem, ...]


def read_handoffs(shelf: Shelf, dialects: tuple[Dialect, ...]) -> Harvest:
    """Asks every dialect about every candidate; the surest one owns it."""
    with without_collection():
        assigned = _assign(shelf, dialects, list_text_names(shelf.paths), _find_owner, {})
        return _finish(shelf, assigned, [dialect.read(assigned.owned[dialect.id], shelf) for dialect in dialects])


def read_again(shelf: RenewingShelf, dialects: tuple[Dialect, ...], names: list[str], memory: ReadingMemory) -> Harvest:
    """The same, when only some files have changed since: `memory` is that of the last reading, or a new one.

    `names` are the text names of the shelf.
    """

    def find_owner(source: Source, interested: list[Dialect]) -> Dialect | None:
        owner = memory.find_owner(source, lambda source: _find_owner(source, interested))
        return next((dialect for dialect in interested if dialect.id == owner), None)

    with without_collection():
        stale = memory.find_stale(shelf, dialects)
        assigned = _assign(shelf, dialects, names, find_owner, memory.interested)
        while outgrown := memory.find_outgrown(assigned.owned, stale):
            stale = memory.renew(shelf, stale | outgrown)
            assigned = _assign(shelf, dialects, names, find_owner, memory.interested)
        readings = [
            memory.read(dialect, assigned.owned[dialect.id], shelf, again=dialect.id in stale) for dialect in dialects
        ]
        return _finish(shelf, assigned, readings)


class _Assigned(NamedTuple):
    """Which files belong to whom."""

    owned: dict[str, list[Source]]
    """By dialect."""
    looked_at: list[Source]
    unowned: list[str]


def _assign(
    shelf: Shelf,
    dialects: tuple[Dialect, ...],
    names: list[str],
    find_owner: Callable[[Source, list[Dialect]], Dialect | None],
    known: dict[str, list[Dialect]],
) -> _Assigned:
    """`known` remembers who is interested in which path."""
    assigned = _Assigned({dialect.id: [] for dialect in dialects}, [], [])
    for path in names:
        interested = known.get(path)
        if interested is None:
            interested = known[path] = [dialect for dialect in dialects if dialect.may_own(path)]
        if not interested:
            if is_candidate(path):
                assigned.unowned.append(path)
            continue
        source = shelf.source(path)
        owner = find_owner(source, interested)
        if owner is not None:
            assigned.owned[owner.id].append(source)
            assigned.looked_at.append(source)
        elif is_candidate(path) or not source.readable:
            assigned.unowned.append(path)
            assigned.looked_at.append(source)
    return assigned


def _finish(shelf: Shelf, assigned: _Assigned, readings: list[Reading]) -> Harvest:
    """Puts together what all dialects have read."""
    unowned = [*assigned.unowned, *_find_left_over(readings, assigned.owned)]
    looked_at = [*assigned.looked_at, *_find_companions(readings, assigned.looked_at, shelf)]
    return _merge(readings, looked_at, unowned)


def _find_left_over(readings: list[Reading], owned: dict[str, list[Source]]) -> list[str]:
    """Files that a dialect took and then had no handoff for: nothing that was taken is dropped."""
    listed = {document.path for reading in readings for handoff in reading.handoffs for document in handoff.documents}
    return [source.path for sources in owned.values() for source in sources if source.path not in listed]


def _find_companions(readings: list[Reading], looked_at: list[Source], shelf: Shelf) -> list[Source]:
    """Documents that a dialect fetched itself (a note, an event log): what is wrong with them counts as well."""
    known = {source.path for source in looked_at}
    documents = [document for reading in readings for handoff in reading.handoffs for document in handoff.documents]
    paths = dict.fromkeys(document.path for document in documents if document.path not in known)
    return [shelf.source(path) for path in paths]


def is_candidate(path: str) -> bool:
    """Whether a path sounds like a handoff, so that it must be listed when nobody understands it."""
    folder, _, name = path.rpartition("/")
    if name == _OWN_FILE or not _is_text_name(name):
        return False
    return bool(_SPEAKS_OF_HANDOFF.search(name) or _HANDOFF_FOLDER.search(folder))


def _is_text_name(path: str) -> bool:
    return path.lower().endswith(_TEXT_ENDINGS) or "." not in path.rpartition("/")[2].lstrip(".")


def list_text_names(paths: tuple[str, ...]) -> list[str]:
    """The paths with such a name; of a large tree most are sorted out by their ending, and each ending is judged once.

    A name that begins with a dot, or has none, is no ending: it is looked at by itself.
    """
    endings = {path.rpartition(".")[2] for path in paths}
    others = {ending for ending in endings if "/" not in ending and not f".{ending}".lower().endswith(_TEXT_ENDINGS)}
    likely = [path for path in paths if path.rpartition(".")[2] not in others or "/." in path or "/" not in path]
    return [path for path in likely if _is_text_name(path)]


def _find_owner(source: Source, interested: list[Dialect]) -> Dialect | None:
    """The dialect with the highest confidence; the first of equals, in the order of the table."""
    best: Dialect | None = None
    best_confidence = 0.0
    for dialect in interested:
        confidence = source.keep(("recognise", dialect.id), dialect.recognise)
        if confidence >= POSSIBLE and confidence > best_confidence:
            best, best_confidence = dialect, confidence
    return best


def _merge(readings: list[Reading], looked_at: list[Source], unowned: list[str]) -> Harvest:
    problems: list[Problem] = []
    handoffs: list[Handoff] = []
    taken: dict[str, Handoff] = {}
    used: set[str] = set()
    for reading in readings:
        used |= reading.used
        problems.extend(reading.problems)
        for handoff in reading.handoffs:
            unique = _make_unique(handoff, taken, problems)
            taken[unique.id] = unique
            handoffs.append(unique)
    for source in looked_at:
        problems.extend(source.problems())
    ordered = sorted(set(problems), key=lambda problem: (problem.path, problem.line or 0, problem.message))
    return Harvest(tuple(handoffs), tuple(path for path in sorted(unowned) if path not in used), tuple(ordered))


def _make_unique(handoff: Handoff, taken: dict[str, Handoff], problems: list[Problem]) -> Handoff:
    """Two handoffs of one id are both kept; the later one is renamed, and that is said."""
    if handoff.id not in taken:
        return handoff
    candidate = build_id(handoff.dialect, handoff.id)
    number = 2
    while candidate in taken:
        candidate = build_id(f"{handoff.dialect}/{handoff.id}"[:_ROOM_FOR_A_NUMBER], str(number))
        number += 1
    path = handoff.documents[0].path if handoff.documents else handoff.id
    problems.append(
        Problem(
            path=path,
            message=f"the id {handoff.id} is also used by a {taken[handoff.id].dialect} handoff; listed as {candidate}",
            level=ProblemLevel.WARNING,
        )
    )
    return handoff.model_copy(update={"id": candidate})
