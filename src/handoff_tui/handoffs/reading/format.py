"""What a dialect is, what it is given, and what it gives back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, cast

from handoff_tui.config.settings.root import Settings
from handoff_tui.core.place import Place, Problem, ProblemLevel
from handoff_tui.handoffs.document import Document, DocumentRole
from handoff_tui.handoffs.reading.frontmatter import split_frontmatter
from handoff_tui.handoffs.reading.json_document import JsonDocument, JsonNode, parse_json, parse_json_lines
from handoff_tui.handoffs.reading.markdown import Outline, parse_markdown

if TYPE_CHECKING:
    from handoff_tui.handoffs.handoff import Handoff

CERTAIN = 1.0
LIKELY = 0.8
POSSIBLE = 0.5
"""The least confidence with which a dialect may own a file."""
NO = 0.0

_MOST_PROBLEMS = 100
"""A file that is wrong throughout is not listed line by line."""


Made = TypeVar("Made")


class _Noted(NamedTuple):
    """Something that a reader did to a source: it reported, or it asked for the JSON of it."""

    message: str = ""
    line: int | None = None
    level: ProblemLevel = ProblemLevel.WARNING
    in_json: bool = True


_ASKED = _Noted()


class _Kept(NamedTuple):
    """What a reader made of a text, from what, and what it did on the way."""

    made: object
    given: tuple[object, ...]
    noted: list[_Noted]

    def rests_on(self, given: tuple[object, ...]) -> bool:
        return len(given) == len(self.given) and all(one is other for one, other in zip(given, self.given, strict=True))


class Source:
    """One file as text, parsed on demand; each parse happens once and its problems are kept."""

    def __init__(
        self,
        path: str,
        text: str,
        *,
        sha256: str | None = None,
        problems: Iterable[Problem] = (),
        readable: bool = True,
    ) -> None:
        self.path = path
        self.text = text
        self.sha256 = sha256
        self.readable = readable
        self._first_problems = tuple(problems)
        self._problems = list(self._first_problems)
        self._reported: set[tuple[int | None, str]] = set()
        self._kept: dict[Hashable, _Kept] = {}
        self._earlier: dict[Hashable, _Kept] = {}
        """What readers made of this text before it was renewed."""
        self._parsed: JsonDocument | None = None
        """The JSON of this text, where it was parsed before."""
        self._noting: list[list[_Noted]] = []

    @classmethod
    def of_text(cls, path: str, text: str) -> Source:
        """For tests and for texts that are no files (notes, commit messages)."""
        return cls(path, text, sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())

    def renew(self) -> Source:
        """The same file as if nobody had asked about it yet: what was reported of it is forgotten.

        What was parsed of it is kept, as no reader changes that, and so is what readers made of it.
        """
        new = Source(self.path, self.text, sha256=self.sha256, problems=self._first_problems, readable=self.readable)
        known = self.__dict__
        new._parsed = known.get("_json", self._parsed)
        is_plain = "_split" not in known or self._split[0] is None
        if is_plain and "outline" in known:
            new.__dict__.update({name: known[name] for name in ("_split", "outline")})
        if is_plain and "json_lines" not in known:  # problems with those are found as they are read
            new._earlier = self._earlier | self._kept
        return new

    def keep(self, name: Hashable, read: Callable[[Source], Made], *given: object) -> Made:
        """What a reader makes of this file: made once, also when the file is renewed.

        The reader asks nothing but this source and what it is `given`, which are the very same things each time;
        nobody changes what it has made. Where the source itself is in it, the caller puts the renewed one there.
        What it reported is reported again.
        """
        kept = self._kept.get(name)
        if kept is None or not kept.rests_on(given):
            kept = self._earlier.get(name)
            if kept is not None and kept.rests_on(given):
                self._do_again(kept.noted)
            else:
                noted: list[_Noted] = []
                self._noting.append(noted)
                try:
                    kept = _Kept(read(self), given, noted)
                finally:
                    self._noting.pop()
            self._kept[name] = kept
        return cast("Made", kept.made)

    def _do_again(self, noted: list[_Noted]) -> None:
        for message, line, level, in_json in noted:
            if not in_json:
                self.report(message, line, level)
            elif line is not None:
                self.json_document.report_line(message, line, level)
            else:
                _ = self.json_document  # that it was parsed makes its problems count

    def _note(self, message: str, line: int, level: ProblemLevel) -> None:
        for noted in self._noting:
            noted.append(_Noted(message, line, level))

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]

    @property
    def json_document(self) -> JsonDocument:
        for noted in self._noting:
            noted.append(_ASKED)
        return self._json

    @cached_property
    def _json(self) -> JsonDocument:
        document = parse_json(self.path, self.text) if self._parsed is None else self._parsed.renew()
        document.tell = self._note
        return document

    @property
    def json(self) -> JsonNode | None:
        """The root of a JSON file; nothing when the file is not valid JSON."""
        return self.json_document.root if self.readable else None

    @cached_property
    def json_lines(self) -> list[JsonDocument]:
        return parse_json_lines(self.path, self.text) if self.readable else []

    @cached_property
    def _split(self) -> tuple[JsonDocument | None, str]:
        return split_frontmatter(self.path, self.text)

    @property
    def frontmatter(self) -> JsonNode | None:
        document = self._split[0]
        return document.root if document else None

    @cached_property
    def outline(self) -> Outline:
        return parse_markdown(self._split[1])

    def place(self, line: int | None = None) -> Place:
        return Place(path=self.path, line=line)

    def report(self, message: str, line: int | None = None, level: ProblemLevel = ProblemLevel.WARNING) -> None:
        for noted in self._noting:
            noted.append(_Noted(message, line, level, in_json=False))
        if (line, message) not in self._reported:
            self._reported.add((line, message))
            self._problems.append(Problem(path=self.path, line=line, message=message, level=level))

    def document(
        self,
        role: DocumentRole,
        *,
        confidence: float = CERTAIN,
        missing: tuple[str, ...] = (),
        out_of_order: tuple[str, ...] = (),
    ) -> Document:
        """This file as a document of a handoff; Markdown files bring their headings."""
        name = ("document", role, confidence, missing, out_of_order)
        return self.keep(name, lambda source: _build_document(source, role, confidence, missing, out_of_order))

    def problems(self) -> list[Problem]:
        """Everything that was found wrong with this file so far."""
        found = list(self._problems)
        parsed: list[JsonDocument] = []
        if "_json" in self.__dict__:
            parsed.append(self._json)
        if "json_lines" in self.__dict__:
            parsed.extend(self.json_lines)
        if "_split" in self.__dict__ and self._split[0] is not None:
            parsed.append(self._split[0])
        for document in parsed:
            found.extend(document.problems)
        left_out = len(found) - _MOST_PROBLEMS
        if left_out > 0:
            found = [
                *found[:_MOST_PROBLEMS],
                Problem(path=self.path, message=f"has {left_out} more problems like these"),
            ]
        return found


def _build_document(
    source: Source, role: DocumentRole, confidence: float, missing: tuple[str, ...], out_of_order: tuple[str, ...]
) -> Document:
    markdown = source.readable and source.path.lower().endswith((".md", ".markdown"))
    return Document(
        path=source.path,
        role=role,
        title=source.outline.title if markdown else None,
        sha256=source.sha256,
        sections=source.outline.headings() if markdown else (),
        missing=missing,
        out_of_order=out_of_order,
        confidence=confidence,
    )


class CommitFact(NamedTuple):
    """A commit as a dialect sees it."""

    id: str
    subject: str
    body: str
    author: str
    date: str


class RefFact(NamedTuple):
    """A ref as a dialect sees it; `commit` is the peeled target."""

    name: str
    commit: str
    subject: str


class Shelf(Protocol):
    """All that a dialect may read: files of the repository and facts of its history."""

    @property
    def settings(self) -> Settings:
        """The settings in force."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that can be read, sorted."""

    def source(self, path: str) -> Source:
        """A file, read once; one that cannot be read is empty, unreadable, and has a problem."""

    def size(self, path: str) -> int | None:
        """The size in bytes of a file that is not read as text (a proof)."""

    def commits(self) -> tuple[CommitFact, ...]:
        """The newest commits, newest first."""

    def refs(self) -> tuple[RefFact, ...]:
        """Tags and refs whose names speak of handoffs or of the TDD cycle."""

    def notes(self, ref: str) -> dict[str, Source]:
        """The notes under a ref by the commit they annotate, newest commit first."""


@dataclass(slots=True)
class Reading:
    """What a dialect read. Problems of single files stay with their sources; these are about the whole."""

    handoffs: list[Handoff] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    """Paths that were not recognised by themselves but belong to a handoff (a manifest, a proof)."""


class Dialect(NamedTuple):
    """One handoff format."""

    id: str
    may_own: Callable[[str], bool]
    """By path alone, cheaply: is it worth reading this file to see whether it is ours?"""
    recognise: Callable[[Source], float]
    """By content: how sure are we that this file is ours? A path alone never gives more than POSSIBLE."""
    read: Callable[[list[Source], Shelf], Reading]
    """Turns the files we own, and what the shelf has besides, into handoffs."""
