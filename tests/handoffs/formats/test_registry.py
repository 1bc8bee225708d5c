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
    assert sorted(format_.id for format_ in FORMATS) == sorted(PROMISED)


def test_registry_leaves_no_dialect_of_the_room_out() -> None:
    """Each folder of the room is a format_ in the table."""
    folders = {found.name for found in pkgutil.iter_modules(formats.__path__) if found.ispkg}
    assert folders <= {format_.id for format_ in FORMATS}


def test_notes_come_last() -> None:
    """Handoff Markdown of any make gives way to every format_ that is as sure."""
    assert FORMATS[-1].id == "notes"


@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.id)
def test_dialect_leaves_ordinary_files_alone(format_: HandoffFormat) -> None:
    """Source code and a readme are nobody's handoff."""
    for path in ("src/main.py", "README.md", "package.json", "docs/index.md", "tsconfig.json"):
        assert not format_.may_own(path) or format_.recognise(Source.of_text(path, "# Hello\n")) == NO


@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.id)
def test_dialect_reads_nothing_from_nothing(format_: HandoffFormat) -> None:
    """An empty repository has no handoffs and no problems."""
    reading = format_.read([], MemoryFiles({}).opened)
    assert (reading.handoffs, reading.problems, reading.used) == ([], [], set())


@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.id)
def test_dialect_is_never_sure_of_an_empty_file(format_: HandoffFormat) -> None:
    """A path alone is no certainty."""
    paths = (
        *(".mosaic/agent_state.json", "RESULTS_HANDOFF_7.md", "handoffs/a.json", ".handoff.json", "HANDOFF_1_T1.md"),
        *(".planning/HANDOFF.json", ".claude/handoff.json", "HANDOFF.json", "HANDOFF.md", "test-list.md"),
    )
    judged = [format_.recognise(Source.of_text(path, "")) for path in paths if format_.may_own(path)]
    assert judged
    assert max(judged) < CERTAIN
