"""Laws of reading an output by lines."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.system.processes.output_reader import OutputReader

PIECES = st.lists(st.binary(max_size=40), max_size=8)


@given(pieces=PIECES, start=st.integers(0, 20), count=st.integers(0, 20))
def test_lines_are_those_of_the_whole_file(pieces: list[bytes], start: int, count: int) -> None:
    """However it grew: the same lines as splitting all of it."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "output"
        place.touch()
        reader = OutputReader(place)
        for piece in pieces:
            with place.open("ab") as file:
                file.write(piece)
            reader.advance()
        whole = b"".join(pieces)
        lines = whole.split(b"\n")
        if not lines[-1]:
            lines.pop()
        expected = [line.rstrip(b"\r").decode("utf-8", "surrogateescape") for line in lines]
        assert reader.line_count == len(expected)
        assert reader.read_lines(start, count) == expected[start : start + count]
        for number, line in enumerate(lines):
            if line:
                found = reader.find(line.decode("utf-8", "surrogateescape"))
                assert found is not None
                assert found <= number
