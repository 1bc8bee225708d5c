"""Laws of the PNG reader."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.core.errors import FileUnreadableError
from handoff_tui.core.text.pictures import parse_png
from tests.support.pictures import build_png

SIZES = st.integers(1, 5)


@given(data=st.data(), width=SIZES, height=SIZES, kind=st.integers(0, 4))
def test_pixels_come_back_as_they_were(data: st.DataObject, width: int, height: int, kind: int) -> None:
    """However they were stored."""
    rows = [data.draw(st.binary(min_size=3 * width, max_size=3 * width)) for _ in range(height)]
    assert parse_png(build_png(width, height, rows, filter_kind=kind)).pixels == b"".join(rows)


@given(position=st.integers(0, 60), value=st.integers(0, 255), length=st.integers(0, 80))
def test_damaged_file_is_an_error_of_ours_or_a_picture(position: int, value: int, length: int) -> None:
    """Nothing else is raised."""
    content = bytearray(build_png(2, 2, [bytes(6), bytes(6)]))
    content[position] = value
    for damaged in (bytes(content), bytes(content[:length])):
        try:
            picture = parse_png(damaged)
        except FileUnreadableError:
            continue
        assert len(picture.pixels) == 3 * picture.width * picture.height
