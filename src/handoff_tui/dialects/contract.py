"""What a dialect is, what it is given, and what it gives back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

from handoff_tui.config.settings import Settings
from handoff_tui.dialects.frontmatter import split_frontmatter
from handoff_tui.dialects.json_document import JsonDocument, JsonNode, parse_json, parse_json_lines
from handoff_tui.dialects.markdown import Outline, parse_markdown
from handoff_tui.models.document import Document, DocumentRole
from handoff_tui.models.place import Place, Problem, ProblemLevel

if TYPE_CHECKING:
    from handoff_tui.models.handoff import Handoff

CERTAIN = 1.0
LIKELY = 0.8
POSSIBLE = 0.5
"""The least confidence with which a dialect may own a file."""
NO = 0.0

_MOST_PROBLEMS = 100
"""A file that is wrong throughout is not listed line by line."""


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

    @classmethod
    def of_text(cls, path: str, text: str) -> Source:
        """For tests and for texts that are no files (notes, commit messages)."""
        return cls(path, text, sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())

    def renew(self) -> Source:
        """The same file as if nobody had asked about it yet: what was reported of it is forgotten.

        The outline of a plain text is kept, as no reader changes it.
        """
        new = Source(self.path, self.text, sha256=self.sha256, problems=self._first_problems, readable=self.readable)
        if "outline" in self.__dict__ and self._split[0] is None:
            new.__dict__.update({name: self.__dict__[name] for name in ("_split", "outline")})
        return new

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]

    @cached_property
    def json_document(self) -> JsonDocument:
        return parse_json(self.path, self.text)

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
        markdown = self.readable and self.path.lower().endswith((".md", ".markdown"))
        return Document(
            path=self.path,
            role=role,
            title=self.outline.title if markdown else None,
            sha256=self.sha256,
            sections=self.outline.headings() if markdown else (),
            missing=missing,
            out_of_order=out_of_order,
            confidence=confidence,
        )

    def problems(self) -> list[Problem]:
        """Everything that was found wrong with this file so far."""
        found = list(self._problems)
        parsed: list[JsonDocument] = []
        if "json_document" in self.__dict__:
            parsed.append(self.json_document)
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
