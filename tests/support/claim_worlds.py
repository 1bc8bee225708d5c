"""Little repositories whose documents claim what is true, false, or was true; and how well that is found out.

A world is one history in one format: files that were always there, then for each document a commit of work and a commit
of the document, then a commit that undoes what only *was* true. Some documents stay uncommitted.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from handoff_tui.handoffs.claim import ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.claims.evidence import RepositoryEvidence
from handoff_tui.handoffs.claims.measure import measure_claims, prepare
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import open_session
from tests.support.claim_sentences import CLAIMED, CLAIMING, COUNTS, NOT_CLAIMING, SILENT, Sentence
from tests.support.repositories import RepositoryBuilder

TRUE, FALSE, WAS, UNKNOWN = "true", "false", "was-true", "unknown"
"""The truth of a claim; unknown: nothing in the repository can tell."""
_FOLDERS: Final = ("src", "app/lib", "packages/core/src", "tests")
_SLOT: Final = re.compile(r"<([a-z-]+)>")
_IDENTITY: Final = "Ada Example <ada@example.org>"
_FIRST_SECOND: Final = 1_750_000_000
_PASSAGES: Final = 4
_MEASURED: Final = frozenset(ClaimKind(kind) for kind in (*CLAIMED.values(), "count"))
Files = dict[str, str | None]
"""Contents by path; None removes a path."""


_EARLY: Final[list[tuple[Files, str]]] = [
    ({f"early{number}.txt": f"{number}\n"}, f"early {number}") for number in range(12)
]


class Expected(NamedTuple):
    """A claim that a passage makes, and whether it is true."""

    kind: ClaimKind
    about: str
    truth: str


@dataclass
class Passage:
    """One sentence in a document: where it stands, and what it claims."""

    text: str
    written: str
    expected: list[Expected] = field(default_factory=list)
    first: int = 0
    last: int = 0


@dataclass
class WrittenDocument:
    """A document, the work it reports, and what is undone later."""

    path: str
    passages: list[Passage]
    text: str = ""
    committed: bool = True
    work: Files = field(default_factory=dict)
    undone: Files = field(default_factory=dict)
    unsaved: Files = field(default_factory=dict)
    extra: Files = field(default_factory=dict)
    refs: list[str] = field(default_factory=list)


class FormatOfWorld(NamedTuple):
    """Where a format keeps its documents, and what it writes above the passages."""

    name: str
    path: str
    head: str
    extra: tuple[tuple[str, str], ...] = ()


FORMATS: Final = (
    FormatOfWorld(
        "notes",
        "docs/handoffs/{0:03}-topic.md",
        "# Handoff {0}\n\n**From:** ada\n\n## Summary\n\nWork on part {0}.\n\n## Next steps\n\nNone.\n",
    ),
    FormatOfWorld(
        "builder",
        "handoffs/RESULTS_HANDOFF_{0}.md",
        "# RESULTS HANDOFF-{0}: part {0}\n\n## Status: PASS\n\n## Summary\n\nPart {0} works.\n",
    ),
    FormatOfWorld(
        "mosaic",
        "services/s{0}/.mosaic/SESSION_HANDOFF_2026-02-03.md",
        "# Session handoff {0}\n\n**Agent**: ada\n",
        (
            (
                "services/s{0}/.mosaic/agent_state.json",
                '{{"version": 1, "last_agent": "ada", "handoff_message": "part {0}"}}\n',
            ),
        ),
    ),
    FormatOfWorld(
        "gsd",
        "services/s{0}/.planning/.continue-here.md",
        "---\nphase: {0}\ntask: 1\ntotal_tasks: 2\nstatus: paused\n---\n\n# Phase {0}\n",
    ),
    FormatOfWorld(
        "procedure",
        "reports/contract_{0}_report.md",
        "# Contract report {0}\n\n**Contract ID**: C-{0:03}\n**Status**: COMPLETED\n**Agent**: ada\n",
    ),
)


class _Slots:
    """Fills the slots of sentences and prepares the world so that they are true, false, or were true."""

    def __init__(self, dice: random.Random, commits: Sequence[str], base: Files) -> None:
        self.dice, self.commits, self.base = dice, commits, base
        self.number = 0

    def fill(self, sentence: Sentence, document: WrittenDocument) -> Passage:
        passage = Passage("", sentence.written)
        self.sha = ""
        self.folder = ""
        filled = _SLOT.sub(lambda slot: self._fill(slot.group(1), passage, document), sentence.text)
        passage.text = filled.replace("<sha>", self.sha)
        return passage

    def _fill(self, slot: str, passage: Passage, document: WrittenDocument) -> str:
        self.number += 1
        if slot == "sha":  # known when its file is
            return "<sha>"
        if slot == "number":
            return str(self.number)
        if slot == "folder":
            self.folder = f"PKG-{self.number}"
            return self.folder
        if slot in SILENT:
            return self._name_something(slot)
        if slot == "in-folder":
            name = f"part{self.number}.py"
            document.work[f"staging/{self.folder}/{name}"] = self._content()
            passage.expected.append(Expected(ClaimKind.FILE_CREATED, name, TRUE))
            return name
        may_change = document.committed and slot not in {"commit", "branch", "dirty"}
        truths = (TRUE, FALSE, WAS) if may_change else (TRUE, FALSE)
        made: tuple[str, str] = getattr(self, f"_make_{slot}")(self.dice.choice(truths), document)
        text, truth = made
        passage.expected.append(Expected(ClaimKind(CLAIMED[slot]), text, truth))
        return text

    def _name_something(self, slot: str) -> str:
        number = self.number
        return {
            "mention": self._path(),
            "remote": f"origin/feature-{number % 5}",
            "tag": f"v1.{number % 5}.0",
            "alias": f"@/lib/thing{number}",
            "package": f"@scope/name-{number}",
            "placeholder": self.dice.choice(
                ("XXX_add.sql", f"path/to/file{number}.py", "NNN_name.md", "src/<name>.py")
            ),
            "host": f"api{number}.example.com",
            "ignored": f"dist/bundle{number}.js",
            "hex": self._hex(),
            "command": self.dice.choice(("npm run build", "python -m app.main", "make test")),
        }[slot]

    def _path(self) -> str:
        return f"{self.dice.choice(_FOLDERS)}/unit{self.number}.{self.dice.choice(('py', 'ts', 'md'))}"

    def _content(self) -> str:
        return f"content {self.number} {self.dice.random()}\n"

    def _hex(self) -> str:
        return f"a{self.dice.randrange(16**6):06x}9"[:8]

    def _make_created(self, truth: str, document: WrittenDocument) -> tuple[str, str]:
        path = self._path()
        if truth != FALSE:
            document.work[path] = self._content()
        elif self.dice.random() < 0.3:
            self.base[path] = self._content()
        if truth == WAS:
            document.undone[path] = None
        return path, truth

    def _make_modified(self, truth: str, document: WrittenDocument) -> tuple[str, str]:
        path = self._path()
        if truth != FALSE or self.dice.random() < 0.5:
            self.base[path] = self._content()
        if truth != FALSE:
            document.work[path] = self._content()
        if truth == WAS:
            document.undone[path] = None
        return path, truth

    def _make_deleted(self, truth: str, document: WrittenDocument) -> tuple[str, str]:
        path = self._path()
        self.base[path] = self._content()
        if truth != FALSE:
            document.work[path] = None
        if truth == WAS:
            document.undone[path] = self._content()
        return path, truth

    def _make_read(self, truth: str, document: WrittenDocument) -> tuple[str, str]:
        path = self._path()
        if truth != FALSE:
            self.base[path] = self._content()
        if truth == WAS:
            document.undone[path] = None
        return path, truth

    def _make_hash(self, truth: str, document: WrittenDocument) -> tuple[str, str]:
        path = self._path()
        self.base[path] = self._content()
        content = document.work[path] = self._content()
        self.sha = hashlib.sha256((content if truth != FALSE else "other").encode()).hexdigest()
        if truth == WAS:
            document.undone[path] = self._content() + "later\n"
        return path, truth

    def _make_commit(self, truth: str, document: WrittenDocument) -> tuple[str, str]:
        del document
        known = [commit for commit in self.commits if re.search("[a-f]", commit[:8]) and re.search("[0-9]", commit[:7])]
        return (self.dice.choice(known)[:8] if truth == TRUE else self._hex()), truth

    def _make_branch(self, truth: str, document: WrittenDocument) -> tuple[str, str]:
        name = f"{self.dice.choice(('feature', 'fix', 'claude'))}/part-{self.number}"
        if truth == TRUE:
            document.refs.append(self.dice.choice((f"refs/heads/{name}", f"refs/remotes/origin/{name}")))
        # nothing tells whether a branch existed when a committed document was written
        return name, truth if truth == TRUE or not document.committed else UNKNOWN

    def _make_dirty(self, truth: str, document: WrittenDocument) -> tuple[str, str]:
        path = self._path()
        if truth == FALSE:
            if not document.committed and self.dice.random() < 0.5:
                self.base[path] = self._content()
        elif document.committed:
            self.base[path] = self._content()
            document.extra[path] = self._content()
            return path, WAS
        else:
            self.base[path] = self._content()
            document.unsaved[path] = self._content()
        return path, truth


@dataclass
class World:
    """A repository, and what its documents claim."""

    format: FormatOfWorld
    folder: Path
    documents: list[WrittenDocument]

    def measure(self) -> dict[str, list[Verdict]]:
        """Every verdict by the path of its document."""
        found: dict[str, list[Verdict]] = {}
        for handoff, verdicts in measure_all(self.folder):
            del handoff
            for verdict in verdicts:
                found.setdefault(verdict.claim.where.path, []).append(verdict)
        return found


def measure_all(folder: Path) -> Iterator[tuple[Handoff, tuple[Verdict, ...]]]:
    """Every handoff of a repository with its verdicts."""
    desk = open_session(folder)
    handoffs = read_repository(desk).result.handoffs
    evidence = RepositoryEvidence(desk)
    prepare(evidence, handoffs, handoffs)
    for handoff in handoffs:
        yield handoff, measure_claims(handoff, evidence)


def build_world(folder: Path, kind: FormatOfWorld, seed: int, sentences: Iterable[Sentence] = ()) -> World:
    """A history in one format with all sentences, each in one document, in an order that depends on the seed."""
    dice = random.Random(f"{kind.name} {seed}")  # noqa: S311 - a repeatable world, no secret
    builder = RepositoryBuilder.init(folder)
    base: Files = {".gitignore": "dist/\n", "README.md": "A project.\n"}
    commits = import_history(builder, _EARLY)
    slots = _Slots(dice, commits, base)
    chosen = list(sentences or (*CLAIMING, *NOT_CLAIMING))
    dice.shuffle(chosen)
    documents = [WrittenDocument(kind.path.format(0), [])]
    _write(documents[0], kind, 0)
    for number, start in enumerate(range(0, len(chosen), _PASSAGES), start=1):
        document = WrittenDocument(kind.path.format(number), [], committed=dice.random() < 0.8)
        document.passages = [slots.fill(sentence, document) for sentence in chosen[start : start + _PASSAGES]]
        _write(document, kind, number)
        documents.append(document)
    _commit_all(builder, base, documents)
    return World(kind, folder, documents)


def build_single_documents(folder: Path, kind: FormatOfWorld, bodies: Sequence[str]) -> list[str]:
    """A repository with a document for each text, all committed at once; their paths."""
    builder = RepositoryBuilder.init(folder)
    files: Files = {}
    for number, body in enumerate(bodies, start=1):
        files[kind.path.format(number)] = body.replace("{number}", str(number))
        files |= {path.format(number): text.format(number) for path, text in kind.extra}
    import_history(builder, [({"README.md": "A project.\n"}, "begin"), (files, "hand over")])
    builder.git("reset", "--quiet", "--hard", "main")
    return [kind.path.format(number) for number in range(1, len(bodies) + 1)]


def _write(document: WrittenDocument, kind: FormatOfWorld, number: int) -> None:
    text = kind.head.format(number)
    for passage in document.passages:
        text += "\n" if passage.text.startswith("## ") else "\n## Details\n\n"
        passage.first = text.count("\n") + 1
        text += passage.text + "\n"
        passage.last = text.count("\n")
    document.text = text
    document.extra |= {path.format(number): content.format(number) for path, content in kind.extra}


def _commit_all(builder: RepositoryBuilder, base: Files, documents: Sequence[WrittenDocument]) -> None:
    steps: list[tuple[Files, str]] = [(base, "the files that were always there")]
    refs: list[tuple[str, int]] = [(f"refs/remotes/origin/feature-{number}", 0) for number in range(5)]
    refs += [(f"refs/tags/v1.{number}.0", 0) for number in range(5)]
    undone: Files = {}
    for number, document in enumerate(documents):
        undone |= document.undone
        if document.committed:
            steps.append((document.work | {f"other/work{number}.txt": f"{number}\n"}, f"work {number}"))
            steps.append((document.extra | {document.path: document.text}, f"hand over {number}"))
        refs += [(ref, len(steps) - 1) for ref in document.refs]
    steps.append((undone, "clean up"))
    ids = import_history(builder, steps)
    for ref, step in refs:
        builder.git("update-ref", ref, ids[step])
    builder.git("reset", "--quiet", "--hard", "main")
    for document in documents:
        for path, content in (document.unsaved if document.committed else _list_unsaved(document)).items():
            if content is None:
                builder.place(path).unlink()
            else:
                builder.write(path, content)


def _list_unsaved(document: WrittenDocument) -> Files:
    return document.work | document.unsaved | document.extra | {document.path: document.text}


def import_history(builder: RepositoryBuilder, steps: Sequence[tuple[Files, str]]) -> list[str]:
    """Commits on top of main, in one go; their ids."""
    begun = bool(builder.git("for-each-ref", "refs/heads/main"))
    stream: list[str] = []
    for number, (files, message) in enumerate(steps, start=1):
        moment = _FIRST_SECOND + 60 * number + (10_000 if begun else 0)
        stream.append(f"commit refs/heads/main\nmark :{number}\ncommitter {_IDENTITY} {moment} +0000")
        stream.append(f"data {len(message)}\n{message}")
        if begun and number == 1:
            stream.append("from refs/heads/main^0")
        for path, content in files.items():
            if content is None:
                stream.append(f"D {path}")
            else:
                stream.append(f"M 100644 inline {path}\ndata {len(content.encode())}\n{content}")
    marks = builder.folder / ".git" / "marks"
    builder.git("fast-import", "--quiet", f"--export-marks={marks}", stdin="\n".join([*stream, ""]).encode())
    known = dict(line.split(" ") for line in marks.read_text(encoding="ascii").splitlines())
    return [known[f":{number}"] for number in range(1, len(steps) + 1)]


@dataclass
class Score:
    """How often a kind was found rightly, wrongly, or not at all."""

    right: int = 0
    wrong: int = 0
    missed: int = 0
    examples: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


@dataclass
class Scores:
    """Scores by kind: of claims found in the text, of verdicts "false", and of verdicts "was true"."""

    claims: dict[str, Score] = field(default_factory=dict)
    false: dict[str, Score] = field(default_factory=dict)
    was: dict[str, Score] = field(default_factory=dict)

    def of(self, table: dict[str, Score], kind: ClaimKind) -> Score:
        return table.setdefault(kind.value, Score())

    def show(self) -> str:
        """A table for people."""
        rows = ["kind              claims P / R      false P / R       was-true P / R"]
        for kind in sorted({*self.claims, *self.false}):
            cells = []
            for table in (self.claims, self.false, self.was):
                score = table.get(kind, Score())
                cells.append(f"{score.precision:5.0%} {score.recall:5.0%} ({score.right + score.missed:3})")
            rows.append(f"{kind:16} " + "  ".join(cells))
        return "\n".join(rows)


def judge_world(world: World, scores: Scores) -> None:
    """Compares what was found with what is known."""
    found = world.measure()
    for document in world.documents:
        for passage in document.passages:
            here = [
                verdict
                for verdict in found.get(document.path, [])
                if verdict.claim.kind in _MEASURED
                and verdict.claim.where.line is not None
                and passage.first <= verdict.claim.where.line <= passage.last
            ]
            _judge_passage(f"{world.format.name} {document.path}", passage, here, scores)


def _judge_passage(where: str, passage: Passage, found: list[Verdict], scores: Scores) -> None:
    expected = {(one.kind, one.about): one for one in passage.expected}
    abouts = {one.about for one in passage.expected}
    seen: dict[tuple[ClaimKind, str], Verdict] = {}
    for verdict in found:
        claim = verdict.claim
        about = str(claim.subject if claim.subject not in {None, "head"} else claim.value)
        name = (claim.kind, about if about in abouts else about.rpartition("/")[2])
        if name in expected:
            seen.setdefault(name, verdict)
            continue
        beside = about in abouts and (claim.kind is ClaimKind.FILE_REFERENCED or (ClaimKind.HASH, about) in expected)
        if not beside:
            _count(scores.of(scores.claims, claim.kind), "wrong", where, passage, f"claims {claim.kind} {about}")
        if verdict.state is VerdictState.CONTRADICTED:
            _count(
                scores.of(scores.false, claim.kind),
                "wrong",
                where,
                passage,
                f"{claim.kind} {about}: {verdict.evidence}",
            )
    for name, one in expected.items():
        judged = seen.get(name)
        _count(
            scores.of(scores.claims, one.kind), "right" if judged is not None else "missed", where, passage, f"{one}"
        )
        state = judged.state.value if judged is not None else ""
        said = f"{one} but {state}: {judged.evidence if judged is not None else 'no claim'}"
        for table, truth, word in ((scores.false, FALSE, "contradicted"), (scores.was, WAS, "was-true")):
            score = scores.of(table, one.kind)
            if one.truth == truth:
                _count(score, "right" if state == word else "missed", where, passage, said)
            elif state == word:
                _count(score, "wrong", where, passage, said)


def _count(score: Score, how: str, where: str, passage: Passage, said: str) -> None:
    setattr(score, how, getattr(score, how) + 1)
    if how != "right":
        score.examples.append(f"{how}: {where}:{passage.first} {passage.text!r}: {said}")


def judge_counts(paths: Sequence[str], found: dict[str, Counter[tuple[str, int]]]) -> Score:
    """How well the numbers of `COUNTS` were read, a document each."""
    score = Score()
    for path, sentence in zip(paths, COUNTS, strict=True):
        expected = Counter((name, number) for name, number in sentence.numbers.items())
        here = found.get(path, Counter())
        score.right += (expected & here).total()
        score.wrong += (here - expected).total()
        score.missed += (expected - here).total()
        if here != expected:
            score.examples.append(f"{sentence.text!r}: {dict(here)} for {dict(expected)}")
    return score


def find_numbers(folder: Path) -> dict[str, Counter[tuple[str, int]]]:
    """The test numbers that the documents of a repository claim."""
    found: dict[str, Counter[tuple[str, int]]] = {}
    for handoff, _ in measure_all(folder):
        for claim in handoff.claims:
            if claim.kind is ClaimKind.COUNT and isinstance(claim.value, int):
                name = (claim.subject or "").rpartition(".")[2]
                found.setdefault(claim.where.path, Counter())[name, claim.value] = 1
    return found


Read = Callable[[Handoff], object]


def read_by_path(folder: Path, read: Read) -> dict[str, object]:
    """What a function says of each handoff, by the path of its first document."""
    return {handoff.documents[0].path: read(handoff) for handoff, _ in measure_all(folder)}
