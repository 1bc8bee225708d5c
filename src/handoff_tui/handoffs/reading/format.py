"""What a handoff format is, what it is given to read, and what it gives back.

A file is a value: its text never changes, and what was once made of the text is remembered with it. Whoever reads a
file gets a `Source`, which collects the problems that this reader reports.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from handoff_tui.config.settings.root import Settings
from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.place import Place, Problem, ProblemLevel
from handoff_tui.core.tasks import Fact
from handoff_tui.git.history.commits import Commit, Ref
from handoff_tui.git.work_tree.listing import list_below
from handoff_tui.handoffs.claim import Claim, ClaimKind, ClaimValue, build_claim
from handoff_tui.handoffs.handoff import Document, DocumentRole
from handoff_tui.handoffs.reading import json_document as json_text
from handoff_tui.handoffs.reading.markdown import Outline, parse_markdown

if TYPE_CHECKING:
    from handoff_tui.handoffs.handoff import Handoff


class Confidence:
    """How sure a format is that a file is its own."""

    CERTAIN = 1.0
    LIKELY = 0.8
    POSSIBLE = 0.5
    """The least with which a format may own a file."""
    NO = 0.0


Made = TypeVar("Made")


class _Remembered(NamedTuple):
    """What a reader made of a file, the other values it used, and the problems it reported."""

    made: object
    given: tuple[object, ...]
    problems: tuple[Problem, ...]


@dataclass(eq=False)
class SourceFile:
    """One file as it was read from disk or git. `problems` says what is wrong with the file itself."""

    path: str
    text: str
    sha256: str | None = None
    problems: Sequence[Problem] = ()
    readable: bool = True
    remembered: dict[Hashable, _Remembered] = field(default_factory=dict)

    @classmethod
    def of_text(cls, path: str, text: str) -> SourceFile:
        return cls(path, text, sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())

    @cached_property
    def json(self) -> json_text.ParsedJson:
        return json_text.parse_json(self.path, self.text)

    @cached_property
    def yaml(self) -> json_text.ParsedJson:
        return json_text.parse_yaml(self.path, self.text)

    @cached_property
    def json_lines(self) -> list[json_text.ParsedJson]:
        return json_text.parse_json_lines(self.path, self.text)

    @cached_property
    def _split(self) -> tuple[json_text.ParsedJson | None, str]:
        return json_text.split_frontmatter(self.path, self.text)

    @property
    def frontmatter(self) -> json_text.ParsedJson | None:
        return self._split[0]

    @cached_property
    def outline(self) -> Outline:
        return parse_markdown(self._split[1])


class Source:
    """A file as one reader sees it: the content, and the problems this reader came across."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.path = file.path
        self.text = file.text
        self.sha256 = file.sha256
        self.readable = file.readable
        self._problems = list(file.problems)
        self._reported: set[tuple[int | None, str]] = set()
        self._opened: list[json_text.JsonDocument] = []

    @classmethod
    def of_text(cls, path: str, text: str) -> Source:
        return cls(SourceFile.of_text(path, text))

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]

    @cached_property
    def json_document(self) -> json_text.JsonDocument:
        return self._open(self.file.json)

    @property
    def json(self) -> json_text.JsonNode | None:
        """The root of a JSON file; None if the file is not valid JSON."""
        return self.json_document.root if self.readable else None

    @cached_property
    def data(self) -> json_text.JsonNode | None:
        """The root of a JSON or YAML file; None if it can't be parsed."""
        if not self.path.lower().endswith((".yaml", ".yml")):
            return self.json
        return self._open(self.file.yaml).root if self.readable else None

    @cached_property
    def json_lines(self) -> list[json_text.JsonDocument]:
        return [self._open(line) for line in self.file.json_lines] if self.readable else []

    @cached_property
    def frontmatter(self) -> json_text.JsonNode | None:
        parsed = self.file.frontmatter
        return None if parsed is None else self._open(parsed).root

    @property
    def outline(self) -> Outline:
        _ = self.frontmatter  # its syntax errors count for readers of the text below it
        return self.file.outline

    def place(self, line: int | None = None) -> Place:
        return Place(path=self.path, line=line)

    def claim(
        self, kind: ClaimKind, line: int | None, text: str, *, subject: str | None = None, value: ClaimValue = None
    ) -> Claim:
        return build_claim(kind, self.place(line), text, subject=subject, value=value)

    def fact(self, name: str, value: str, line: int | None) -> Fact:
        return Fact(name=name, value=value, where=self.place(line))

    def report(self, message: str, line: int | None = None, level: ProblemLevel = ProblemLevel.WARNING) -> None:
        if (line, message) not in self._reported:
            self._reported.add((line, message))
            self._problems.append(Problem(path=self.path, line=line, message=message, level=level))

    def read_once(self, name: Hashable, read: Callable[..., Made], *given: object) -> Made:
        """Returns `read(source, *given)`, computed once per file as long as the given values are the same objects.

        The reader asks nothing but the source and what it is given, and nobody changes what it returns. If the source
        itself is in there, the caller replaces it. Its reports count for this reader as well.
        """
        known = self.file.remembered.get(name)
        if known is None or list(map(id, known.given)) != list(map(id, given)):
            source = Source(self.file)
            made = read(source, *given)
            known = self.file.remembered[name] = _Remembered(made, given, tuple(source.problems()))
        self._problems.extend(known.problems)
        return cast("Made", known.made)

    def document(
        self,
        role: DocumentRole,
        *,
        confidence: float = Confidence.CERTAIN,
        missing: tuple[str, ...] = (),
        out_of_order: tuple[str, ...] = (),
    ) -> Document:
        """This file as a document of a handoff; Markdown files bring their headings."""
        name = ("document", role, confidence, missing, out_of_order)
        return self.read_once(name, lambda source: _build_document(source, role, confidence, missing, out_of_order))

    def problems(self) -> list[Problem]:
        """Everything that this reader knows to be wrong with the file so far, each problem once."""
        opened = (problem for document in self._opened for problem in document.problems)
        return list(dict.fromkeys((*self._problems, *opened)))

    def _open(self, parsed: json_text.ParsedJson) -> json_text.JsonDocument:
        self._opened.append(json_text.JsonDocument(parsed))
        return self._opened[-1]


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


class SourceFiles(Protocol):
    """A repository's files, and the facts of its history that handoffs are kept in."""

    @property
    def settings(self) -> Settings:
        """The settings in force."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that can be read, sorted."""

    def file(self, path: str) -> SourceFile:
        """A file, read once; one that cannot be read is empty, unreadable, and has a problem."""

    def size(self, path: str) -> int | None:
        """The size in bytes of a file that is not read as text (a proof)."""

    def commits(self) -> Sequence[Commit]:
        """The newest commits, newest first."""

    def sort_by_age(self, paths: Sequence[str]) -> list[str]:
        """The paths in the order in which history has added them; those that are not committed last."""

    def refs(self) -> tuple[Ref, ...]:
        """Tags and refs named for handoffs or for the TDD cycle."""

    def notes(self, ref: str) -> dict[str, SourceFile]:
        """The notes under a ref by the commit they annotate, newest commit first."""


@lru_cache(maxsize=1)
def _fold_paths(paths: tuple[str, ...]) -> str:
    return "\0".join(paths).casefold()


class FormatFiles:
    """A repository as one format reads it: remembers which files it read and which problems it reported."""

    def __init__(self, files: SourceFiles) -> None:
        self.settings = files.settings
        self.paths = files.paths
        self.sources: dict[str, Source] = {}
        self.sizes: dict[str, int | None] = {}
        self._files = files
        self._notes: list[Source] = []

    def source(self, path: str) -> Source:
        if path not in self.sources:
            self.sources[path] = Source(self._files.file(path))
        return self.sources[path]

    def size(self, path: str) -> int | None:
        self.sizes[path] = self._files.size(path)
        return self.sizes[path]

    def list_below(self, folders: Iterable[str]) -> list[str]:
        """The paths below one of the folders, sorted, each once."""
        return sorted({path for folder in folders for path in list_below(self.paths, folder)})

    def list_containing(self, *words: str) -> list[str]:
        """The paths that contain one of the words (in lower case), whatever their own case."""
        everything = _fold_paths(self.paths)
        present = [word for word in words if word in everything]
        if not present:  # the usual answer for a large tree, without looking at each path
            return []
        folded = everything.split("\0")
        found = {number for word in present for number, path in enumerate(folded) if word in path}
        return [self.paths[number] for number in sorted(found)]

    def commits(self) -> Sequence[Commit]:
        return self._files.commits()

    def sort_by_age(self, paths: Sequence[str]) -> list[str]:
        return self._files.sort_by_age(paths)

    def refs(self) -> tuple[Ref, ...]:
        return self._files.refs()

    def notes(self, ref: str) -> dict[str, Source]:
        notes = {commit: Source(file) for commit, file in self._files.notes(ref).items()}
        self._notes.extend(notes.values())
        return notes

    def problems(self) -> list[Problem]:
        """What the format reported about single files."""
        return [problem for source in (*self.sources.values(), *self._notes) for problem in source.problems()]


@dataclass(slots=True)
class FormatReading:
    """What a format read. Problems of single files are reported to their sources; these are about several."""

    handoffs: list[Handoff] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    """Paths that were not recognised by themselves but belong to a handoff (a manifest, a proof)."""


class HandoffFormat(NamedTuple):
    """One format of handoffs."""

    id: str
    may_own: Callable[[str], bool]
    """By path alone, cheaply: is it worth reading this file to see whether it is ours?"""
    recognise: Callable[[Source], float]
    """By content: how sure are we that this file is ours? A path alone never gives more than POSSIBLE."""
    read: Callable[[list[Source], FormatFiles], FormatReading]
    """Turns the files we own, and what else the repository has, into handoffs."""
    surest: float = Confidence.CERTAIN
    """The highest confidence it ever has: it isn't asked about a file that another format is surer of."""
