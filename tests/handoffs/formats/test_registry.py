from __future__ import annotations

import pkgutil

import pytest

from handoff_tui.handoffs import formats
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.reading.format import CERTAIN, NO, HandoffFormat, Source
from tests.support.memory_files import MemoryFiles

PROMISED = ("builder", "claude", "gsd", "hub", "mosaic", "notes", "procedure", "relay", "tdd")


def test_registry_has_every_dialect_once() -> None:
    """The ids that scripts see are those that were promised."""
    assert sorted(dialect.id for dialect in FORMATS) == sorted(PROMISED)


def test_registry_leaves_no_dialect_of_the_room_out() -> None:
    """Each folder of the room is a dialect in the table."""
    folders = {found.name for found in pkgutil.iter_modules(formats.__path__) if found.ispkg}
    assert folders <= {dialect.id for dialect in FORMATS}


def test_notes_come_last() -> None:
    """Handoff Markdown of any make gives way to every dialect that is as sure."""
    assert FORMATS[-1].id == "notes"


@pytest.mark.parametrize("dialect", FORMATS, ids=lambda dialect: dialect.id)
def test_dialect_leaves_ordinary_files_alone(dialect: HandoffFormat) -> None:
    """Source code and a readme are nobody's handoff."""
    for path in ("src/main.py", "README.md", "package.json", "docs/index.md", "tsconfig.json"):
        assert not dialect.may_own(path) or dialect.recognise(Source.of_text(path, "# Hello\n")) == NO


@pytest.mark.parametrize("dialect", FORMATS, ids=lambda dialect: dialect.id)
def test_dialect_reads_nothing_from_nothing(dialect: HandoffFormat) -> None:
    """An empty repository has no handoffs and no problems."""
    reading = dialect.read([], MemoryFiles({}))
    assert (reading.handoffs, reading.problems, reading.used) == ([], [], set())


@pytest.mark.parametrize("dialect", FORMATS, ids=lambda dialect: dialect.id)
def test_dialect_is_never_sure_of_an_empty_file(dialect: HandoffFormat) -> None:
    """A path alone is no certainty."""
    paths = (
        *(".mosaic/agent_state.json", "RESULTS_HANDOFF_7.md", "handoffs/a.json", ".handoff.json", "HANDOFF_1_T1.md"),
        *(".planning/HANDOFF.json", ".claude/handoff.json", "HANDOFF.json", "HANDOFF.md", "test-list.md"),
    )
    judged = [dialect.recognise(Source.of_text(path, "")) for path in paths if dialect.may_own(path)]
    assert judged
    assert max(judged) < CERTAIN
