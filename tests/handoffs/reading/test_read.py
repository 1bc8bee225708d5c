from __future__ import annotations

import gc
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.core.place import Problem
from handoff_tui.handoffs.document import DocumentRole
from handoff_tui.handoffs.formats.registry import DIALECTS
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.handoffs.reading.format import CERTAIN, LIKELY, NO, POSSIBLE, Dialect, Reading, Shelf, Source
from handoff_tui.handoffs.reading.read import _is_text_name, is_candidate, list_text_names, read_handoffs
from tests.support.shelf import MemoryShelf


@dataclass
class Fake:
    """A dialect that owns what ends like it, and makes a handoff of each file."""

    id: str
    confidence: float = CERTAIN
    ending: str = ".md"
    ids: tuple[str, ...] = ()
    """The ids of its handoffs; by default the names of the files."""
    used: set[str] = field(default_factory=set)
    silent: bool = False
    asked: list[str] = field(default_factory=list)

    def build(self) -> Dialect:
        return Dialect(self.id, lambda path: path.endswith(self.ending), self.recognise, self.read)

    def recognise(self, source: Source) -> float:
        self.asked.append(source.path)
        return self.confidence

    def read(self, owned: list[Source], _: Shelf) -> Reading:
        if self.silent:
            return Reading(used=self.used)
        ids = self.ids or tuple(build_id(source.name) for source in owned)
        documents = [(source.document(DocumentRole.NOTE),) for source in owned]
        handoffs = [
            Handoff(id=name, dialect=self.id, documents=documents[number] if number < len(documents) else ())
            for number, name in enumerate(ids)
        ]
        return Reading(handoffs, [Problem(path=self.id, message="of the whole")] if owned else [], self.used)


def names(*fakes: Fake, files: dict[str, str]) -> dict[str, str]:
    """Handoff ids by the dialect that they were read by."""
    harvest = read_handoffs(MemoryShelf(files), tuple(fake.build() for fake in fakes))
    return {handoff.id: handoff.dialect for handoff in harvest.handoffs}


def test_surest_dialect_owns_the_file() -> None:
    """Wherever it stands in the table."""
    assert names(Fake("a", LIKELY), Fake("b", CERTAIN), Fake("c", POSSIBLE), files={"x.md": ""}) == {"x.md": "b"}


def test_first_of_equals_owns_the_file() -> None:
    """The order of the table decides, and only then."""
    assert names(Fake("a", LIKELY), Fake("b", LIKELY), files={"x.md": ""}) == {"x.md": "a"}


@pytest.mark.parametrize("confidence", [NO, 0.49])
def test_dialect_that_is_not_sure_enough_owns_nothing(confidence: float) -> None:
    """Below `possible` a file is nobody's."""
    assert names(Fake("a", confidence), files={"x.md": ""}) == {}


def test_dialect_is_asked_only_about_files_it_may_own() -> None:
    """Others are not even read; what is no text by its name is asked about by nobody."""
    fake = Fake("a", ending="")
    read_handoffs(MemoryShelf({"x.md": "", "y.png": "", "z.py": "", "HANDOFF": "", ".lock": ""}), (fake.build(),))
    assert fake.asked == [".lock", "HANDOFF", "x.md"]
    other = Fake("b", ending=".json")
    read_handoffs(MemoryShelf({"x.md": ""}), (other.build(),))
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
    ],
)
def test_candidate_is_told_by_its_name(path: str, candidate: bool) -> None:  # noqa: FBT001
    """What speaks of a handoff and could be text; never our own settings."""
    assert is_candidate(path) is candidate


def test_candidates_nobody_understands_are_unknown() -> None:
    """Asked about or not; a file that merely is not ours is not listed."""
    files = {"HANDOFF.md": "", "handoff.rst": "", "other.md": "", "src/handoff.py": ""}
    assert read_handoffs(MemoryShelf(files), (Fake("a", NO).build(),)).unknown == ("HANDOFF.md", "handoff.rst")


def test_candidate_that_belongs_to_a_handoff_is_not_unknown() -> None:
    """A dialect may use files that it did not recognise by themselves."""
    fake = Fake("a", NO, used={"HANDOFF.md"})
    assert read_handoffs(MemoryShelf({"HANDOFF.md": ""}), (fake.build(),)).unknown == ()


def test_file_that_was_taken_and_not_used_is_unknown() -> None:
    """A dialect that has no handoff for its own file does not make it vanish."""
    assert read_handoffs(MemoryShelf({"x.md": ""}), (Fake("a", silent=True).build(),)).unknown == ("x.md",)
    stray = MemoryShelf({".mosaic/palette.json": '{"lamp": "yellow"}'})
    assert read_handoffs(stray, DIALECTS).unknown == (".mosaic/palette.json",)


def test_unreadable_file_that_is_nobodys_is_told() -> None:
    """With its problem, whatever its name."""
    shelf = MemoryShelf({"x.md": ""})
    problem = Problem(path="x.md", message="is too large")
    shelf._sources["x.md"] = Source("x.md", "", readable=False, problems=[problem])
    harvest = read_handoffs(shelf, (Fake("a", NO).build(),))
    assert (harvest.unknown, harvest.problems) == (("x.md",), (problem,))


def test_problems_are_told_once_and_in_order() -> None:
    """By path, line and words; those of the whole and those of files together."""
    shelf = MemoryShelf({"x.md": "", "b.md": ""})
    for line in (7, 2):
        shelf.source("x.md").report("is odd", line)
    shelf.source("b.md").report("is odd")
    problems = read_handoffs(shelf, (Fake("a").build(),)).problems
    assert [(problem.path, problem.line) for problem in problems] == [
        ("a", None),
        ("b.md", None),
        ("x.md", 2),
        ("x.md", 7),
    ]


def test_second_handoff_of_an_id_is_renamed_and_that_is_said() -> None:
    """Both are kept; the later one stands under its dialect."""
    files = {"x.md": "", "y.json": ""}
    fakes = (Fake("a", ids=("H-1",)), Fake("b", ending=".json", ids=("H-1", "H-1", "H-1")))
    assert names(*fakes, files=files) == {"H-1": "a", "b/H-1": "b", "b/H-1/2": "b", "b/H-1/3": "b"}
    harvest = read_handoffs(MemoryShelf(files), tuple(fake.build() for fake in fakes))
    told = [(problem.path, problem.message) for problem in harvest.problems if "H-1" in problem.message]
    assert told[-1] == ("y.json", "the id H-1 is also used by a a handoff; listed as b/H-1")
    assert len(told) == 3


def test_ids_of_full_length_are_told_apart() -> None:
    """Where no more fits into an id, its end makes room for the number."""
    long = "x" * 128
    found = names(Fake("a", ids=(long,) * 4), files={"x.md": ""})
    assert sorted(map(len, found)) == [122, 122, 128, 128]
    assert len(found) == 4


def test_collection_of_garbage_is_as_before_the_reading() -> None:
    """It is off while reading, and put back also when a dialect fails."""

    def fail(_: list[Source], __: Shelf) -> Reading:
        assert not gc.isenabled()
        raise ZeroDivisionError

    broken = Dialect("a", lambda _: True, lambda _: NO, fail)
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        read_handoffs(MemoryShelf({}), (broken,))
    assert gc.isenabled()
    gc.disable()
    try:
        read_handoffs(MemoryShelf({}), ())
        assert not gc.isenabled()
    finally:
        gc.enable()


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
