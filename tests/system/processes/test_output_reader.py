from __future__ import annotations

import resource
from pathlib import Path

import pytest

from handoff_tui.system.processes.output_reader import OutputReader, read_ends, read_last_lines
from tests.support.stepping import wait_until


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "output.log"


def test_window_of_lines_is_read_by_number(place: Path) -> None:
    """Anywhere, also across the blocks that are counted."""
    place.write_text("".join(f"line {number}\n" for number in range(50_000)), encoding="ascii")
    reader = OutputReader(place)
    assert not reader.advance()
    assert (reader.line_count, reader.is_complete) == (50_000, True)
    for start in (0, 1, 6_000, 31_234, 49_998):
        expected = [f"line {number}" for number in range(start, min(start + 3, 50_000))]
        assert reader.read_lines(start, 3) == expected
    assert reader.read_lines(50_000, 3) == []
    assert reader.read_lines(-1, 3) == []


def test_growing_output_is_known_as_it_grows(place: Path) -> None:
    """A last line without an end counts; it grows too."""
    reader = OutputReader(place)
    assert (reader.line_count, reader.read_lines(0, 1), reader.size) == (0, [], 0)
    place.write_bytes(b"one\ntw")
    reader.advance()
    assert (reader.line_count, reader.read_lines(1, 5)) == (2, ["tw"])
    with place.open("ab") as file:
        file.write(b"o\n\nthree")
    assert not reader.is_complete
    reader.advance()
    assert reader.read_lines(0, 9) == ["one", "two", "", "three"]


def test_output_is_followed_in_the_background(place: Path) -> None:
    """Until it is closed."""
    place.write_bytes(b"a\n")
    reader = OutputReader(place)
    reader.follow(0.01)
    reader.follow(0.01)
    wait_until(lambda: reader.line_count == 1)
    with place.open("ab") as file:
        file.write(b"b\n" * 1000)
    wait_until(lambda: reader.line_count == 1001)
    reader.close()


def test_count_goes_on_in_pieces(place: Path) -> None:
    """Each call does a bounded part, and says whether there is more."""
    place.write_bytes(b"x\n" * 100_000)
    reader = OutputReader(place)
    assert reader.advance(70_000)
    assert reader.line_count == 35_000
    assert reader.read_lines(34_999, 5) == ["x"]
    assert not reader.advance()


def test_output_that_was_cut_off_is_counted_anew(place: Path) -> None:
    """No line of what was there is shown."""
    place.write_bytes(b"old\n" * 100)
    reader = OutputReader(place)
    reader.advance()
    place.write_bytes(b"new\n")
    reader.advance()
    assert (reader.line_count, reader.read_lines(0, 5)) == (1, ["new"])


def test_text_is_found_in_any_letters_from_a_line_on(place: Path) -> None:
    """Also where it lies across two blocks, and never in a line before."""
    lines = ["Error here"] + ["filler " * 9] * 3_000 + ["an ERROR again", "end"]
    place.write_text("\n".join(lines) + "\n", encoding="ascii")
    reader = OutputReader(place)
    reader.advance()
    assert reader.find("error") == 0
    assert reader.find("error", 1) == 3_001
    assert reader.find("error", 3_002) is None
    assert (reader.find(""), reader.find("a\nb"), reader.find("x", 9_999)) == (None, None, None)
    place.write_bytes(b"\n" * 5 + b"y" * (65_530 - 5) + b"needle in hay\n")
    reader.advance()
    assert reader.find("NEEDLE") == 5


def test_very_long_line_is_shown_by_its_beginning(place: Path) -> None:
    """The line after it is there whole."""
    place.write_bytes(b"z" * 300_000 + b"\nnext\n")
    reader = OutputReader(place)
    reader.advance()
    first, second = reader.read_lines(0, 2)
    assert (len(first), second) == (16 * 1024, "next")


def test_bytes_that_are_no_text_are_kept(place: Path) -> None:
    """A front end shows them as what they are."""
    place.write_bytes(b"\xff\xfe\x1b[31m\r\n")
    reader = OutputReader(place)
    reader.advance()
    assert reader.read_lines(0, 1) == ["\udcff\udcfe\x1b[31m"]


def test_memory_stays_small_for_a_large_output(place: Path) -> None:
    """64 MB of lines cost less than a few MB."""
    with place.open("wb") as file:
        for _ in range(64):
            file.write(b"0123456789abcde\n" * 65_536)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reader = OutputReader(place)
    reader.advance()
    assert reader.line_count == 64 * 65_536
    assert reader.read_lines(4_000_000, 1) == ["0123456789abcde"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8 * 1024


def test_last_lines_need_no_count(place: Path) -> None:
    """Fewer where there are fewer; none where there is no file."""
    assert read_last_lines(place, 3) == []
    place.write_bytes(b"a\nb\nc")
    assert (read_last_lines(place, 2), read_last_lines(place, 9)) == (["b", "c"], ["a", "b", "c"])
    assert read_last_lines(place, 0) == []


def test_beginning_and_end_are_read_without_the_middle(place: Path) -> None:
    """Nothing twice where the whole fits."""
    place.write_bytes(b"head" + b"." * 1000 + b"tail")
    assert read_ends(place, 4, 4) == "head\ntail"
    place.write_bytes(b"short")
    assert read_ends(place, 100, 100) == "short\n"
    assert read_ends(place.with_name("gone"), 1, 1) == ""
