"""A repository full of anything, under the names of every format at once."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.core.text.page import Cell, Grid, Page
from handoff_tui.handoffs.claim import Verdict, VerdictState
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.reading.format import Confidence
from handoff_tui.handoffs.reading.read import (
    ReadHandoffs,
    ReadingMemory,
    is_candidate,
    read_handoffs,
)
from handoff_tui.status.next_move import build_gate
from handoff_tui.status.review_state import ReviewedHandoff, ReviewState, ShownHandoff
from handoff_tui.status.show_page import build_show_json, build_show_page
from handoff_tui.status.status_page import build_status_json, build_status_page
from tests.support.format_grammars import GRAMMARS, repositories, turn_round
from tests.support.memory_files import MemoryFiles
from tests.support.strategies import json_texts, line_texts

_HOSTILE = (
    *(
        *("\x1b]52;c;ZXZpbA==\x07", "\u202e\u2066\x9b31m", "\x1b[2J", "\u202ePASS", " ", "# Handoff \x1b[2J"),
        *("**Status**: \u202e",),
    ),
)
_STRAY_PATHS = (
    *(
        *("docs/handoffs/README.md", "handover.rst", "tools/handoff.yaml", "HANDOFF", "docs/\x1b[2Jhandoff.md"),
        *("README.md",),
    ),
    *("handoff-tui.toml", "handoffs/\u202e.txt", "handoff.schema.json", ".mosaic/notes/other.json"),
    *(path for grammar in GRAMMARS for path in grammar.text_paths + grammar.json_paths),
)
_OTHER_PATHS = ("proofs/T007/run-12/a.png", "screenshots/b.png", "src/handoff.py", "handoff.pyc")
_own = st.one_of(*(grammar.files() for grammar in GRAMMARS))
_anything = st.one_of(
    line_texts(_HOSTILE),
    *(grammar.texts for grammar in GRAMMARS if grammar.lines),
    *(grammar.data for grammar in GRAMMARS if grammar.keys),
    json_texts(("status", "phase", "task", "handoff_message"), _HOSTILE),
)
_files = st.builds(
    lambda first, second, strays, others: first | second | strays | others,
    _own,
    _own,
    st.dictionaries(st.sampled_from(_STRAY_PATHS), _anything, max_size=8),
    st.dictionaries(st.sampled_from(_OTHER_PATHS), st.text(max_size=5), max_size=2),
)
_shelves = repositories(_files)
_unshrunk = settings(phases=[Phase.explicit, Phase.reuse, Phase.generate])
"""A failing repository is printed whole: to make it smaller takes longer than a test may run."""


def _judge(shelf: MemoryFiles) -> dict[str, float]:
    """How sure the surest format is of each file."""
    asked = [path for path in shelf.files if path not in _OTHER_PATHS]
    return {
        path: max(
            (dialect.recognise(shelf.source(path)) for dialect in FORMATS if dialect.may_own(path)),
            default=Confidence.NO,
        )
        for path in asked
    }


def _review(result: ReadHandoffs) -> tuple[ReviewState, list[ShownHandoff]]:
    """As the use cases do it, with nothing measured."""
    by_id = {handoff.id: handoff for handoff in result.handoffs}
    reviewed: list[ReviewedHandoff] = []
    shown: list[ShownHandoff] = []
    for handoff in result.handoffs:
        verdicts = tuple(Verdict(claim=claim, state=VerdictState.UNVERIFIED) for claim in handoff.claims)
        gate = build_gate(handoff, by_id, verdicts, result.problems)
        reviewed.append(ReviewedHandoff(handoff=handoff, gate=gate))
        shown.append(ShownHandoff(reviewed=reviewed[-1], verdicts=verdicts, problems=result.problems))
    facts = RepositoryFacts(root="/r")
    state = ReviewState(repository=facts, handoffs=tuple(reviewed), unknown=result.unknown, problems=result.problems)
    return state, shown


def _list_cells(page: Page) -> Iterator[Cell]:
    for part in page.parts:
        if isinstance(part, Grid):
            yield from (cell for row in part.rows for cell in row)
        else:
            yield from part.cells


def _obeys(character: str) -> bool:
    """Whether a terminal would act on it instead of showing it."""
    directed = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    return (
        unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} or unicodedata.bidirectional(character) in directed
    )


class _SavedFiles(MemoryFiles):
    """Files that are read again after one of them was saved."""

    def save(self, path: str, text: str) -> None:
        self.files[path] = text
        self.read.pop(path, None)


@given(_shelves, st.data())
@_unshrunk
def test_reading_again_after_saves_is_a_fresh_reading(shelf: MemoryFiles, data: st.DataObject) -> None:
    """Whatever was kept of files that are as they were: handoffs, problems and what nobody understood are the same."""
    living = _SavedFiles(dict(shelf.files), git_commits=shelf.git_commits, git_refs=shelf.git_refs)
    memory = ReadingMemory()
    read_handoffs(living, FORMATS, memory)
    for path in data.draw(st.lists(st.sampled_from(sorted(shelf.files)), max_size=3)) if shelf.files else ():
        living.save(path, data.draw(_anything))
        found = read_handoffs(living, FORMATS, memory)
        fresh = MemoryFiles(dict(living.files), git_commits=shelf.git_commits, git_refs=shelf.git_refs)
        assert found == read_handoffs(fresh, FORMATS)


@given(_shelves)
@_unshrunk
def test_reading_never_raises_and_is_repeatable(shelf: MemoryFiles) -> None:
    """Any content under any mix of names is read without an exception, and twice the same; ids are given once."""
    result = read_handoffs(shelf, FORMATS)
    ids = [handoff.id for handoff in result.handoffs]
    assert len(ids) == len(set(ids))
    assert result == read_handoffs(turn_round(shelf), FORMATS)


@given(_shelves)
@_unshrunk
def test_reading_drops_no_file(shelf: MemoryFiles) -> None:
    """What is recognised by content is a document of a handoff; by its place alone, or its name, at least unknown."""
    result = read_handoffs(shelf, FORMATS)
    judged = _judge(shelf)
    recognised = {path for path, confidence in judged.items() if confidence > Confidence.POSSIBLE}
    placed = {path for path, confidence in judged.items() if confidence == Confidence.POSSIBLE}
    listed = {document.path for handoff in result.handoffs for document in handoff.documents}
    candidates = {path for path in shelf.files if is_candidate(path)}
    assert recognised <= listed
    assert placed | candidates <= listed | set(result.unknown)
    assert not set(result.unknown) & listed
    assert not listed & set(_OTHER_PATHS)


@given(_shelves)
@_unshrunk
def test_whatever_was_read_can_be_shown(shelf: MemoryFiles) -> None:
    """Both JSON shapes can be written, and no character of both pages is one that a terminal obeys."""
    state, shown = _review(read_handoffs(shelf, FORMATS))
    json.dumps([build_status_json(state), *map(build_show_json, shown)])
    pages = [build_status_page(state, everything=True), *(build_show_page(one, everything=True) for one in shown)]
    for page in pages:
        for cell in _list_cells(page):
            assert not any(map(_obeys, cell.text)), repr(cell.text)
