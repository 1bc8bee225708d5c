"""Which format owns a file, and when it is read again."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.config.load import build_settings
from handoff_tui.core.place import Problem
from handoff_tui.git.repository import open_repository, read_work_tree
from handoff_tui.git.work_tree.patched_tree import SavedPaths
from handoff_tui.handoffs import formats
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.handoff import DocumentRole, Handoff, build_id
from handoff_tui.handoffs.reading.format import (
    Confidence,
    FormatFiles,
    FormatReading,
    HandoffFormat,
    Source,
    SourceFile,
)
from handoff_tui.handoffs.reading.read import (
    ReadingMemory,
    _is_text_name,
    is_candidate,
    list_text_names,
    read_handoffs,
)
from handoff_tui.handoffs.reading.source_files import RepositoryFiles
from tests.support.live_desks import build_results, build_work
from tests.support.memory_files import MemoryFiles
from tests.support.repositories import RepositoryBuilder


@dataclass
class Fake:
    """A format that owns what ends like it, and makes a handoff of each file."""

    id: str
    confidence: float = Confidence.CERTAIN
    ending: str = ".md"
    ids: tuple[str, ...] = ()
    """The ids of its handoffs; by default the names of the files."""
    used: set[str] = field(default_factory=set)
    silent: bool = False
    asked: list[str] = field(default_factory=list)

    def build(self) -> HandoffFormat:
        return HandoffFormat(self.id, lambda path: path.endswith(self.ending), self.recognise, self.read)

    def recognise(self, source: Source) -> float:
        self.asked.append(source.path)
        return self.confidence

    def read(self, owned: list[Source], _: FormatFiles) -> FormatReading:
        if self.silent:
            return FormatReading(used=self.used)
        ids = self.ids or tuple(build_id(source.name) for source in owned)
        documents = [(source.document(DocumentRole.NOTE),) for source in owned]
        handoffs = [
            Handoff(id=name, dialect=self.id, documents=documents[number] if number < len(documents) else ())
            for number, name in enumerate(ids)
        ]
        return FormatReading(handoffs, [Problem(path=self.id, message="of the whole")] if owned else [], self.used)


def names(*fakes: Fake, files: dict[str, str]) -> dict[str, str]:
    """Handoff ids by the format that they were read by."""
    result = read_handoffs(MemoryFiles(files), tuple(fake.build() for fake in fakes))
    return {handoff.id: handoff.dialect for handoff in result.handoffs}


def test_surest_format_owns_the_file() -> None:
    """Wherever it stands in the table."""
    assert names(
        Fake("a", Confidence.LIKELY), Fake("b", Confidence.CERTAIN), Fake("c", Confidence.POSSIBLE), files={"x.md": ""}
    ) == {"x.md": "b"}


def test_format_is_asked_only_about_files_it_may_own() -> None:
    """Others are not even read; what isn't text by its name is asked about by nobody."""
    fake = Fake("a", ending="")
    read_handoffs(MemoryFiles({"x.md": "", "y.png": "", "z.py": "", "HANDOFF": "", ".lock": ""}), (fake.build(),))
    assert fake.asked == [".lock", "HANDOFF", "x.md"]
    other = Fake("b", ending=".json")
    read_handoffs(MemoryFiles({"x.md": ""}), (other.build(),))
    assert other.asked == []


@pytest.mark.parametrize(
    ("path", "candidate"),
    [
        ("HANDOFF.md", True),
        ("docs/my-hand-off.TXT", True),
        ("hand_over.yaml", True),
        ("HANDOFF", True),
        (".handoff", True),
        ("handoff.py", False),
        ("handoff-tui.toml", False),
        ("sub/handoff-tui.toml", False),
        ("README.md", False),
        ("handoff/README.png", False),
        ("docs/HANDOFF-PROTOCOL.md", False),
        (".specify/workflows/runs/7/state.json", True),
        ("specs/014-lamp/tasks.md", True),
        ("specs/attic/014-lamp/tasks.md", False),
        ("web/.planning/phases/03-x/03-VERIFICATION.md", True),
        ("openspec/changes/lamp/tasks.md", True),
        ("openspec/changes/archive/2031-01-02-lamp/tasks.md", False),
        (".kiro/specs/lamp/spec.json", True),
        ("_bmad-output/a/sprint-status.yaml", True),
        ("_bmad-output/a/3-1-dim-the-lamp.md", True),
        (".taskmaster/tasks/tasks.json", True),
        ("backlog/tasks/back-7 - Dim.md", True),
        (".beads/issues.jsonl", True),
        ("codev/projects/7-lamp/status.yaml", True),
        (".claude-flow/claims/claims.json", True),
        ("specs/lamp.md", False),
        ("docs/handoff_template_v2.md", False),
        ("docs/handoff-screen.md", False),
    ],
)
def test_candidate_is_told_by_its_name(path: str, candidate: bool) -> None:  # noqa: FBT001
    """What mentions a handoff and could be text, and the state of other methods; never our own settings."""
    assert is_candidate(path) is candidate


def test_candidates_nobody_understands_are_unknown() -> None:
    """Asked about or not; a file that merely is not ours is not listed."""
    files = {"HANDOFF.md": "", "handoff.rst": "", "other.md": "", "src/handoff.py": ""}
    assert read_handoffs(MemoryFiles(files), (Fake("a", Confidence.NO).build(),)).unknown == (
        "HANDOFF.md",
        "handoff.rst",
    )


def test_file_that_was_taken_and_not_used_is_unknown() -> None:
    """A format that has no handoff for its own file does not make it vanish."""
    assert read_handoffs(MemoryFiles({"x.md": ""}), (Fake("a", silent=True).build(),)).unknown == ("x.md",)
    stray = MemoryFiles({".mosaic/palette.json": '{"lamp": "yellow"}'})
    assert read_handoffs(stray, FORMATS).unknown == (".mosaic/palette.json",)


def test_unreadable_file_that_is_nobodys_is_told() -> None:
    """With its problem, whatever its name."""
    files = MemoryFiles({"x.md": ""})
    problem = Problem(path="x.md", message="is too large")
    files.read["x.md"] = SourceFile("x.md", "", readable=False, problems=[problem])
    result = read_handoffs(files, (Fake("a", Confidence.NO).build(),))
    assert (result.unknown, result.problems) == (("x.md",), (problem,))


def test_problems_are_told_once_and_in_order() -> None:
    """By path, line and words; those of several files and those of one together."""

    def recognise(source: Source) -> float:
        for line in (7, 2, 7):
            source.report("is odd", line)
        return Confidence.CERTAIN

    fake = Fake("a").build()._replace(recognise=recognise)
    problems = read_handoffs(MemoryFiles({"x.md": "", "b.md": ""}), (fake,)).problems
    assert [(problem.path, problem.line) for problem in problems] == [
        ("a", None),
        *(("b.md", line) for line in (2, 7)),
        *(("x.md", line) for line in (2, 7)),
    ]


def test_problems_of_a_file_that_is_wrong_throughout_are_cut() -> None:
    """A hundred are told, and how many more there are."""

    def recognise(source: Source) -> float:
        for line in range(1, 131):
            source.report("is odd", line)
        return Confidence.CERTAIN

    fake = Fake("a", silent=True).build()._replace(recognise=recognise)
    problems = read_handoffs(MemoryFiles({"x.md": ""}), (fake,)).problems
    assert len(problems) == 101
    assert problems[0].message == "has 30 more problems like these"
    assert [problem.line for problem in problems[1:]] == list(range(1, 101))


def test_second_handoff_of_an_id_is_renamed_and_that_is_said() -> None:
    """Both are kept; the later one stands under its format."""
    files = {"x.md": "", "y.json": ""}
    fakes = (Fake("a", ids=("H-1",)), Fake("b", ending=".json", ids=("H-1", "H-1", "H-1")))
    assert names(*fakes, files=files) == {"H-1": "a", "b/H-1": "b", "b/H-1/2": "b", "b/H-1/3": "b"}
    result = read_handoffs(MemoryFiles(files), tuple(fake.build() for fake in fakes))
    told = [(problem.path, problem.message) for problem in result.problems if "H-1" in problem.message]
    assert told[-1] == ("y.json", "has the id H-1, as has x.md; it is listed as b/H-1")
    assert len(told) == 3


def test_ids_of_full_length_are_told_apart() -> None:
    """Where no more fits into an id, its end makes room for the number."""
    long = "x" * 128
    found = names(Fake("a", ids=(long,) * 4), files={"x.md": ""})
    assert sorted(map(len, found)) == [122, 122, 128, 128]
    assert len(found) == 4


@given(
    st.lists(
        st.lists(
            st.sampled_from([".", "..", "/", "md", "MD", ".json", ".py", "x", "Makefile", ".lock", "\u212a", "\n"]),
            min_size=1,
            max_size=6,
        ).map("".join)
    )
)
def test_text_names_are_found_as_by_looking_at_each(paths: list[str]) -> None:
    """Sorting out by ending leaves the same paths, in the same order."""
    assert list_text_names(tuple(paths)) == [path for path in paths if _is_text_name(path)]


NOTE = "# Session handoff\n\n**Status**: in progress\n\n## Done\n\n- [x] {what}\n\n## Next steps\n\n1. Go on.\n"

PLAN = '{{"version": "1.0", "phase": "{phase}", "status": "{status}", "next_action": "go on"}}\n'


class Reader:
    """Reads a repository again and again, and counts which formats had to read."""

    def __init__(self, builder: RepositoryBuilder) -> None:
        self.builder = builder
        self.memory = ReadingMemory()
        self.read: list[str] = []
        self.formats = tuple(self._count(format_) for format_ in FORMATS)
        self.files = self.open()
        self.result = read_handoffs(self.files, self.formats, self.memory)

    def open(self) -> RepositoryFiles:
        repository = open_repository(self.builder.folder)
        return RepositoryFiles(repository, read_work_tree(repository), build_settings(None, b"").settings)

    def _count(self, format_: HandoffFormat) -> HandoffFormat:
        def read(owned: list[Source], files: FormatFiles) -> FormatReading:
            self.read.append(format_.id)
            return format_.read(owned, files)

        return format_._replace(read=read)

    def save(self, path: str, text: str, *, presence: bool = False) -> list[str]:
        """Who had to read again after a save; what they all have read is what a fresh reading gives."""
        self.builder.write(path, text)
        self.read.clear()
        tree = read_work_tree(open_repository(self.builder.folder))
        self.files = self.files.move_on(tree, SavedPaths(frozenset({path}), presence))
        self.result = read_handoffs(self.files, self.formats, self.memory)
        assert self.result == read_handoffs(self.open(), FORMATS)
        return list(self.read)


@pytest.fixture
def reader(builder: RepositoryBuilder) -> Reader:
    build_work(builder).write("docs/handoffs/session-1.md", NOTE.format(what="one"))
    builder.write("parts/1/.planning/HANDOFF.json", PLAN.format(phase="01", status="paused")).commit()
    return Reader(builder)


def test_only_the_owner_of_a_saved_file_reads_again(reader: Reader) -> None:
    """Whatever the file says now, also when it cannot be understood any more, and when it can again."""
    assert reader.save("handoffs/H-1/H-1_RESULTS.md", build_results(1, tests=8)) == ["builder"]
    assert reader.save("docs/handoffs/session-1.md", NOTE.format(what="two")) == ["notes"]
    assert reader.save("parts/1/.planning/HANDOFF.json", "{ broken") == ["gsd", "notes"]  # its next owner, its last
    assert "gsd" in reader.save("parts/1/.planning/HANDOFF.json", PLAN.format(phase="01", status="done"))
    assert reader.save("src/part.py", "value = 5\n") == []


def test_new_paths_have_everybody_read(reader: Reader) -> None:
    """Any format may look through the paths."""
    read = reader.save("handoffs/H-5/H-5_RESULTS.md", build_results(5), presence=True)
    assert read == [format_.id for format_ in FORMATS]


def test_size_of_a_proof_counts(builder: RepositoryBuilder) -> None:
    """Who asked for the size of a file reads again when it is another one."""
    sized: list[int | None] = []

    def read(_: list[Source], files: FormatFiles) -> FormatReading:
        sized.append(files.size("proof.png"))
        return FormatReading()

    never: Callable[[str], bool] = lambda _: False  # noqa: E731 - a value of the format
    format_ = HandoffFormat("sizes", never, lambda _: 0.0, read)
    builder.write("proof.png", "123").commit()
    repository = open_repository(builder.folder)
    files = RepositoryFiles(repository, read_work_tree(repository), build_settings(None, b"").settings)
    memory = ReadingMemory()
    read_handoffs(files, (format_,), memory)
    read_handoffs(files, (format_,), memory)
    assert sized == [3]
    builder.write("proof.png", "12345")
    files = files.move_on(read_work_tree(repository), SavedPaths(frozenset({"proof.png"})))
    read_handoffs(files, (format_,), memory)
    assert sized == [3, 5]


PROMISED = ("builder", "claude", "gsd", "hub", "mosaic", "notes", "procedure", "relay", "tdd")


def test_registry_has_every_dialect_once() -> None:
    """The ids that scripts see are those that were promised."""
    assert sorted(format_.id for format_ in FORMATS) == sorted(PROMISED)


def test_registry_leaves_no_dialect_of_the_room_out() -> None:
    """Each folder of the room is a format_ in the table."""
    folders = {found.name for found in pkgutil.iter_modules(formats.__path__) if found.ispkg}
    assert folders <= {format_.id for format_ in FORMATS}


def test_notes_come_last() -> None:
    """Handoff Markdown without a format of its own gives way to every format_ that is as sure."""
    assert FORMATS[-1].id == "notes"


@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.id)
def test_dialect_leaves_ordinary_files_alone(format_: HandoffFormat) -> None:
    """Source code and a readme are nobody's handoff."""
    for path in ("src/main.py", "README.md", "package.json", "docs/index.md", "tsconfig.json"):
        assert not format_.may_own(path) or format_.recognise(Source.of_text(path, "# Hello\n")) == Confidence.NO


@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.id)
def test_dialect_reads_nothing_from_nothing(format_: HandoffFormat) -> None:
    """An empty repository has no handoffs and no problems."""
    reading = format_.read([], MemoryFiles({}).opened)
    assert (reading.handoffs, reading.problems, reading.used) == ([], [], set())


@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.id)
def test_dialect_is_never_sure_of_an_empty_file(format_: HandoffFormat) -> None:
    """A path alone isn't certainty."""
    paths = (
        *(".mosaic/agent_state.json", "RESULTS_HANDOFF_7.md", "handoffs/a.json", ".handoff.json", "HANDOFF_1_T1.md"),
        *(".planning/HANDOFF.json", ".claude/handoff.json", "HANDOFF.json", "HANDOFF.md", "test-list.md"),
    )
    judged = [format_.recognise(Source.of_text(path, "")) for path in paths if format_.may_own(path)]
    assert judged
    assert max(judged) < Confidence.CERTAIN


_RESULTS = "# Results: H-1\n\n## Status: PASS\n\n## Test Results\n"
_NOTE = "# Handoff\n\n**Status**: done\n\n"
_CONTEXT = "# Handoff Context\nGenerated: 2031-01-01 10:00:00\nRun ID: 5 | Project: x | Task: T001\n\n"


@pytest.mark.parametrize(
    ("path", "head", "part"),
    [
        ("handoffs/H-1/H-1_RESULTS.md", _RESULTS, "### Test suite {n}\n- Total: 3 tests\n- Passed: 3\n\n"),
        ("handoffs/H-1/H-1_RESULTS.md", f"{_RESULTS}## Files Created\n", "- `src/f{n}.py` (SHA256: {n:064x})\n"),
        ("docs/HANDOFF.md", _NOTE, "## Tests part {n}\n12 passed, 0 failed\n\n- [ ] do {n}\n\n"),
        ("docs/HANDOFF.md", f"{_NOTE}## Done\n", "- Added `src/f{n}.py` and changed `src/g{n}.py`, 12 passed\n"),
        ("docs/HANDOFF.md", _NOTE, "## Session {n}\n- Added `src/f{n}.py`\n\n"),
        ("HANDOFF_5_T001.md", f"{_CONTEXT}## Uncommitted Changes\n```\n", " src/f{n}.py | 3 +\n"),
        ("HANDOFF_5_T001.md", _CONTEXT, "### DEV Agent (01-02 03:{n})\n**Status**: pass\n\n```\n12 passed\n```\n"),
    ],
)
def test_reading_grows_with_the_document_and_no_faster(path: str, head: str, part: str) -> None:
    """Four times the parts are four times the calls, and some."""

    def count(number: int, first: int) -> int:
        files = MemoryFiles({path: head + "".join(part.format(n=one) for one in range(first, first + number))})
        calls = 0

        def note(_: object, event: str, __: object) -> None:
            nonlocal calls
            calls += event in {"call", "c_call"}

        sys.setprofile(note)
        try:
            assert read_handoffs(files, FORMATS).handoffs
        finally:
            sys.setprofile(None)
        return calls

    count(200, 0)  # patterns are compiled, and common words remembered
    assert count(200, 3000) < 5 * count(50, 1000)
