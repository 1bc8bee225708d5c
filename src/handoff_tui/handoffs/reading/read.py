"""Which format owns which file, and what they all read together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.pause_collection import without_collection
from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.core.text.safe_text import fold_lookalikes, is_disguised
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.handoffs.reading import format as contract
from handoff_tui.handoffs.reading.candidates import sounds_like_handoff
from handoff_tui.system.files.probe import OFTEN_IGNORED

_TEXT_ENDINGS: Final = (
    *(".md", ".markdown", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".txt", ".rst", ".log", ".lock"),
)
"""Handoffs are written in these; no format is asked about a file with another ending, which keeps large trees cheap."""
_OWN_FILE: Final = "handoff-tui.toml"
_GITIGNORE: Final = ".gitignore"
_MOST_PROBLEMS: Final = 100
"""A file that is wrong throughout is not listed line by line."""
_ROOM_FOR_A_NUMBER: Final = 120
"""How much of a long id is kept if a number must fit behind it."""


class ReadHandoffs(NamedTuple):
    """All handoffs of a repository, the candidates that no format understood, and every problem on the way."""

    handoffs: tuple[Handoff, ...]
    unknown: tuple[str, ...]
    problems: tuple[Problem, ...]
    ignored: frozenset[str] = frozenset()
    """Documents in folders that the repository's own list says to ignore."""


NOTHING_READ: Final = ReadHandoffs((), (), ())


class _Recognised(NamedTuple):
    """The format that owns a file, and what was reported while looking for it."""

    file: contract.SourceFile
    owner: str | None
    problems: list[Problem]


class _Read(NamedTuple):
    """What one format read, what it reported about single files, and everything that rests on."""

    reading: contract.FormatReading
    reported: list[Problem]
    owned: list[contract.SourceFile]
    files: contract.FormatFiles

    def still_holds(self, files: contract.SourceFiles, owned: list[contract.SourceFile]) -> bool:
        """Whether the format would read the very same now."""
        read = self.files
        return (
            owned == self.owned
            and (files.paths is read.paths or files.paths == read.paths)
            and all(files.size(path) == size for path, size in read.sizes.items())
            and all(files.file(path) is source.file for path, source in read.sources.items())
        )


class ReadingMemory:
    """What earlier readings of one repository found, as long as neither its history nor the settings change.

    A format reads only through its `FormatFiles`. If everything that it asked there is as it was, so is its reading.
    """

    def __init__(self) -> None:
        self._names: tuple[tuple[str, ...], list[str]] = ((), [])
        self._interested: dict[str, list[contract.HandoffFormat]] = {}
        self._recognised: dict[str, _Recognised] = {}
        self._read: dict[str, _Read] = {}

    def list_names(self, paths: tuple[str, ...]) -> list[str]:
        """The paths that a handoff can be written in."""
        if self._names[0] is not paths:
            self._names = (paths, list_text_names(paths))
        return self._names[1]

    def find_interested(self, path: str, formats: tuple[contract.HandoffFormat, ...]) -> list[contract.HandoffFormat]:
        """The formats that may own a path, by the path alone."""
        if path not in self._interested:
            self._interested[path] = [format_ for format_ in formats if format_.may_own(path)]
        return self._interested[path]

    def recognise(self, file: contract.SourceFile, interested: list[contract.HandoffFormat]) -> _Recognised:
        known = self._recognised.get(file.path)
        if known is None or known.file is not file:
            known = self._recognised[file.path] = _recognise(file, interested)
        return known

    def read(
        self, format_: contract.HandoffFormat, files: contract.SourceFiles, owned: list[contract.SourceFile]
    ) -> _Read:
        """What a format reads, or has read."""
        known = self._read.get(format_.id)
        if known is None or not known.still_holds(files, owned):
            given = contract.FormatFiles(files)
            reading = format_.read([given.source(file.path) for file in owned], given)
            known = self._read[format_.id] = _Read(reading, given.problems(), owned, given)
        return known


def read_handoffs(
    files: contract.SourceFiles, formats: tuple[contract.HandoffFormat, ...], memory: ReadingMemory | None = None
) -> ReadHandoffs:
    """Asks every format about every candidate; the surest one owns it. `memory` has what earlier readings found."""
    memory = memory or ReadingMemory()
    with without_collection():
        assigned = _assign(files, formats, memory)
        result = _merge(assigned, [memory.read(format_, files, assigned.owned[format_.id]) for format_ in formats])
        return result._replace(ignored=_find_ignored(files, result.handoffs))


class _Assigned(NamedTuple):
    """Which files belong to which format."""

    owned: dict[str, list[contract.SourceFile]]
    """By format."""
    unowned: list[str]
    looked_at: set[str]
    """Paths that are owned, or should have been: what is wrong with them counts."""
    reported: list[Problem]
    """While the formats looked for their files."""


def _assign(
    files: contract.SourceFiles, formats: tuple[contract.HandoffFormat, ...], memory: ReadingMemory
) -> _Assigned:
    assigned = _Assigned({format_.id: [] for format_ in formats}, [], set(), [])
    for path in memory.list_names(files.paths):
        interested = memory.find_interested(path, formats)
        disguised = None if path.isascii() else _find_disguise(path, formats, memory)
        if disguised is not None:
            assigned.looked_at.add(path)
            assigned.reported.append(disguised)
        if not interested:
            if disguised is not None or is_candidate(path):
                assigned.unowned.append(path)
            continue
        file, owner, problems = memory.recognise(files.file(path), interested)
        assigned.reported.extend(problems)
        if owner is not None:
            assigned.owned[owner].append(file)
            assigned.looked_at.add(path)
        elif disguised is not None or is_candidate(path) or not file.readable:
            assigned.unowned.append(path)
            assigned.looked_at.add(path)
    return assigned


def _find_disguise(path: str, formats: tuple[contract.HandoffFormat, ...], memory: ReadingMemory) -> Problem | None:
    """Reports a path that looks like a handoff's, but is written with other letters or hidden characters."""
    looks = "/".join(map(fold_lookalikes, path.split("/")))
    if looks == path or not (is_candidate(looks) or memory.find_interested(looks, formats)):
        return None
    return Problem(
        path=path,
        message=f"looks like {looks}, but is spelled with look-alike letters or hidden characters",
        level=ProblemLevel.WARNING,
    )


def _find_disguised_phases(handoff: Handoff) -> Iterator[Problem]:
    """Reports phases with look-alike letters or hidden characters; they meet the gate of the name they look like."""
    for phase in dict.fromkeys((handoff.source_phase, handoff.target_phase)):
        if phase and handoff.documents and is_disguised(phase):
            yield Problem(
                path=handoff.documents[0].path,
                message=f'the phase "{phase}" looks like {build_id(fold_lookalikes(phase))}, '
                "but is spelled with look-alike letters or hidden characters",
                level=ProblemLevel.WARNING,
            )


def _recognise(file: contract.SourceFile, interested: list[contract.HandoffFormat]) -> _Recognised:
    """The format with the highest confidence; the first of equals, in the order of the table."""
    source = contract.Source(file)
    owner: str | None = None
    best = 0.0
    for format_ in interested:
        if best >= format_.surest:
            continue
        confidence = source.read_once(("recognise", format_.id), format_.recognise)
        if confidence >= contract.Confidence.POSSIBLE and confidence > best:
            owner, best = format_.id, confidence
    return _Recognised(file, owner, source.problems())


def is_candidate(path: str) -> bool:
    """Whether a path sounds like a handoff, so that it must be listed if no format understands it."""
    name = path.rpartition("/")[2]
    return name != _OWN_FILE and _is_text_name(name) and sounds_like_handoff(path)


def _is_text_name(path: str) -> bool:
    return path.lower().endswith(_TEXT_ENDINGS) or "." not in path.rpartition("/")[2].lstrip(".")


def list_text_names(paths: tuple[str, ...]) -> list[str]:
    """The paths that a handoff can be written in. In a large tree most drop out by their ending, each judged once.

    A name that begins with a dot, or has none, has no ending: it is looked at on its own.
    """
    endings = {path.rpartition(".")[2] for path in paths}
    others = {ending for ending in endings if "/" not in ending and not f".{ending}".lower().endswith(_TEXT_ENDINGS)}
    likely = [path for path in paths if path.rpartition(".")[2] not in others or "/." in path or "/" not in path]
    return [path for path in likely if _is_text_name(path)]


def _merge(assigned: _Assigned, results: list[_Read]) -> ReadHandoffs:
    """Puts together what all formats have read."""
    problems = [problem for result in results for problem in result.reading.problems]
    handoffs: dict[str, Handoff] = {}
    for result in results:
        for handoff in result.reading.handoffs:
            unique = _make_unique(handoff, handoffs, problems)
            handoffs[unique.id] = unique
            problems.extend(_find_disguised_phases(unique))
    documents = {document.path for handoff in handoffs.values() for document in handoff.documents}
    # a file that a format took and then had no handoff for is unknown: nothing is dropped
    left_over = [file.path for owned in assigned.owned.values() for file in owned if file.path not in documents]
    used = {path for result in results for path in result.reading.used}
    unknown = tuple(path for path in sorted([*assigned.unowned, *left_over]) if path not in used)
    counting = assigned.looked_at | documents
    reported = {problem for result in results for problem in result.reported}.union(assigned.reported)
    problems.extend(_limit(sorted((problem for problem in reported if problem.path in counting), key=_order)))
    return ReadHandoffs(tuple(handoffs.values()), unknown, tuple(sorted(set(problems), key=_order)))


def _find_ignored(files: contract.SourceFiles, handoffs: tuple[Handoff, ...]) -> frozenset[str]:
    """Documents in a folder that the top `.gitignore` names. Where tools keep live state, that says nothing."""
    if not handoffs or _GITIGNORE not in files.paths:
        return frozenset()
    lines = (line.strip() for line in files.file(_GITIGNORE).text.splitlines())
    folders = [line.removeprefix("**/").strip("/") for line in lines if line.endswith("/") and line[0] not in "#!"]
    patterns = [compile_later(rf"(?:^|/){re.escape(one)}/") for one in folders if one]
    documents = {document.path for handoff in handoffs for document in handoff.documents}
    return frozenset(
        path
        for path in documents
        if not path.startswith(OFTEN_IGNORED) and any(pattern.search(path) for pattern in patterns)
    )


def _order(problem: Problem) -> tuple[str, int, str]:
    return problem.path, problem.line or 0, problem.message


def _limit(problems: list[Problem]) -> Iterator[Problem]:
    """The first problems of each file, and how many more it has; `problems` are sorted."""
    for path, group in groupby(problems, key=lambda problem: problem.path):
        of_file = list(group)
        yield from of_file[:_MOST_PROBLEMS]
        if len(of_file) > _MOST_PROBLEMS:
            yield Problem(path=path, message=f"has {len(of_file) - _MOST_PROBLEMS} more problems like these")


def _make_unique(handoff: Handoff, taken: dict[str, Handoff], problems: list[Problem]) -> Handoff:
    """Two handoffs with the same id are both kept; the later one is renamed, and a problem says so."""
    if handoff.id not in taken:
        return handoff
    candidate = build_id(handoff.dialect, handoff.id)
    number = 2
    while candidate in taken:
        candidate = build_id(f"{handoff.dialect}/{handoff.id}"[:_ROOM_FOR_A_NUMBER], str(number))
        number += 1
    problems.append(
        Problem(
            path=_name_file(handoff),
            message=f"has the id {handoff.id}, as has {_name_file(taken[handoff.id])}; it is listed as {candidate}",
            level=ProblemLevel.WARNING,
        )
    )
    return handoff.model_copy(update={"id": candidate})


def _name_file(handoff: Handoff) -> str:
    return handoff.documents[0].path if handoff.documents else handoff.id
