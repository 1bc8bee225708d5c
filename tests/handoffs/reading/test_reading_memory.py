from __future__ import annotations

from collections.abc import Callable

import pytest

from handoff_tui.config.load import build_settings
from handoff_tui.git.repository import open_repository, read_work_tree
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.reading.format import FormatFiles, FormatReading, HandoffFormat, Source
from handoff_tui.handoffs.reading.read import ReadingMemory, list_text_names, read_again, read_handoffs
from handoff_tui.handoffs.reading.source_files import RepositoryFiles
from tests.support.live_desks import build_results, build_work
from tests.support.repositories import RepositoryBuilder

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
        self.result = read_again(self.files, self.formats, list_text_names(self.files.paths), self.memory)

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
        self.files = self.files.move_on(tree, frozenset({path}), presence=presence)
        names = list_text_names(self.files.paths)
        self.result = read_again(self.files, self.formats, names, self.memory)
        assert self.result == read_handoffs(self.open(), FORMATS)
        return list(self.read)


@pytest.fixture
def reader(builder: RepositoryBuilder) -> Reader:
    build_work(builder).write("docs/handoffs/session-1.md", NOTE.format(what="one"))
    builder.write("parts/1/.planning/HANDOFF.json", PLAN.format(phase="01", status="paused")).commit()
    return Reader(builder)


def test_first_reading_asks_every_format(reader: Reader) -> None:
    """And is what a reading without a memory gives."""
    assert reader.read == [format_.id for format_ in FORMATS]
    assert reader.result == read_handoffs(reader.open(), FORMATS)


def test_only_the_owner_of_a_saved_file_reads_again(reader: Reader) -> None:
    """Whatever the file says now, also when it cannot be understood any more, and when it can again."""
    assert reader.save("handoffs/H-1/H-1_RESULTS.md", build_results(1, tests=8)) == ["builder"]
    assert reader.save("docs/handoffs/session-1.md", NOTE.format(what="two")) == ["notes"]
    assert reader.save("parts/1/.planning/HANDOFF.json", "{ broken") == ["gsd"]
    assert "gsd" in reader.save("parts/1/.planning/HANDOFF.json", PLAN.format(phase="01", status="done"))
    assert reader.save("src/part.py", "value = 5\n") == []


def test_file_that_changes_hands_has_both_read(reader: Reader) -> None:
    """A document that becomes one of another format."""
    read = reader.save("docs/handoffs/session-1.md", build_results(3))
    assert "notes" in read
    assert reader.save("docs/handoffs/session-1.md", NOTE.format(what="back"))


def test_new_paths_have_everybody_read(reader: Reader) -> None:
    """Any format may look through the paths."""
    read = reader.save("handoffs/H-5/H-5_RESULTS.md", build_results(5), presence=True)
    assert read == [format_.id for format_ in FORMATS]


def test_reports_of_an_earlier_reading_do_not_stay(reader: Reader) -> None:
    """A problem that one file had because of another is gone with its cause."""
    reader.save("handoffs/H-2/H-2_RESULTS.md", build_results(1))
    reader.save("handoffs/H-2/H-2_RESULTS.md", build_results(2))


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
    read_again(files, (format_,), [], memory)
    read_again(files, (format_,), [], memory)
    assert sized == [3]
    builder.write("proof.png", "12345")
    files = files.move_on(read_work_tree(repository), frozenset({"proof.png"}), presence=False)
    read_again(files, (format_,), [], memory)
    assert sized == [3, 5]
