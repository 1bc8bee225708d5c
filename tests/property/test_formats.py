"""No file can break a format: whatever stands under its names is read, twice the same, and nothing is dropped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.handoffs.reading.format import Confidence
from tests.support.format_grammars import BY_ID, GRAMMARS, Grammar, repositories, turn_round
from tests.support.memory_files import MemoryFiles, read_with

every_format = pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda grammar: str(grammar.format.id))
BUILDER, MOSAIC, NOTES = (BY_ID[name].format for name in ("builder", "mosaic", "notes"))


@every_format
@given(st.data())
def test_reading_never_raises_and_is_repeatable(grammar: Grammar, data: st.DataObject) -> None:
    """Any content under the names of the format, any notes, messages and refs: no exception, and twice the same."""
    shelf = data.draw(repositories(grammar.files()))
    again = turn_round(shelf)
    assert read_with(grammar.format, shelf) == read_with(grammar.format, again)
    assert shelf.problems() == again.problems()


@every_format
@given(st.data())
def test_file_that_was_recognised_is_a_document(grammar: Grammar, data: st.DataObject) -> None:
    """What the format owns or uses is listed under some handoff, and every id is given once."""
    shelf = MemoryFiles(data.draw(grammar.files()))
    reader = grammar.format
    judged = {path: reader.recognise(shelf.source(path)) for path in shelf.files if reader.may_own(path)}
    owned = {path for path, confidence in judged.items() if confidence >= Confidence.POSSIBLE}
    reading = read_with(reader, shelf)
    listed = {document.path for handoff in reading.handoffs for document in handoff.documents}
    ids = [handoff.id for handoff in reading.handoffs]
    if reader is MOSAIC:  # by its place alone a file may stay nobody's; then the reading lists it as unknown
        owned -= {path for path in owned - listed if judged[path] == Confidence.POSSIBLE}
    assert owned | (reading.used if reader in {BUILDER, NOTES} else set()) == listed
    assert len(ids) == len(set(ids))


@every_format
@given(st.text(max_size=40), st.text(max_size=80))
def test_file_elsewhere_is_not_owned(grammar: Grammar, path: str, text: str) -> None:
    """A file that is not at one of the format's places is never recognised."""
    if not grammar.format.may_own(path):
        assert grammar.format.recognise(MemoryFiles({path: text}).source(path)) == Confidence.NO


@given(st.lists(st.text(max_size=12), min_size=1, max_size=3), st.text(max_size=80))
def test_builder_path_of_any_shape_is_judged(parts: list[str], text: str) -> None:
    """Any path and any text get a confidence between nothing and certainty."""
    for name in ("RESULTS_%s.md", "%s_RESULTS.md", "BUILDER_HANDOFF_%s.md", "BUILDER_BUGFIX_%s.md", "%s/SPEC.md"):
        path = name % "/".join(parts)
        shelf = MemoryFiles({path: text})
        if BUILDER.may_own(path):
            assert 0 <= BUILDER.recognise(shelf.source(path)) <= 1
            assert BUILDER.read([shelf.source(path)], shelf.opened).handoffs
