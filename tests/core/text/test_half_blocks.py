from __future__ import annotations

import pytest

from handoff_tui.core.text.pictures import UPPER, HalfBlock, Picture, find_size, render_half_blocks, render_shades

RED, BLUE = (255, 0, 0), (0, 0, 255)


def build(rows: list[list[tuple[int, int, int]]]) -> Picture:
    return Picture(len(rows[0]), len(rows), bytes(value for row in rows for pixel in row for value in pixel))


def test_two_pixels_are_one_cell() -> None:
    """The upper one in the foreground, the lower one behind it."""
    picture = build([[RED, BLUE], [BLUE, RED]])
    assert render_half_blocks(picture, 80, 24) == [
        [HalfBlock(UPPER, "#ff0000", "#0000ff"), HalfBlock(UPPER, "#0000ff", "#ff0000")]
    ]


def test_odd_row_is_drawn_twice() -> None:
    """No colour is made up."""
    assert render_half_blocks(build([[RED]]), 80, 24) == [[HalfBlock(UPPER, "#ff0000", "#ff0000")]]


def test_large_picture_becomes_the_mean_of_its_parts() -> None:
    """Red and blue in turn are neither."""
    picture = build([[RED, BLUE] * 50] * 100)
    [row] = render_half_blocks(picture, 1, 1)
    assert row[0].foreground not in {"#ff0000", "#0000ff"}


@pytest.mark.parametrize(
    ("width", "height", "columns", "rows", "expected"),
    [
        (1920, 1080, 80, 24, (80, 45)),
        (100, 1000, 80, 24, (4, 48)),
        (10, 10, 80, 24, (10, 10)),
        (10_000, 1, 80, 24, (80, 1)),
        (10, 10, 0, 24, (0, 0)),
    ],
)
def test_shape_is_kept_and_nothing_grows(
    width: int, height: int, columns: int, rows: int, expected: tuple[int, int]
) -> None:
    """A cell is two pixels high; where there is no room, nothing is drawn."""
    assert find_size(Picture(width, height, b""), columns, rows) == expected


def test_no_room_draws_nothing() -> None:
    """Without an error."""
    assert render_half_blocks(build([[RED]]), 0, 0) == []


def test_shades_go_from_dark_to_bright() -> None:
    """In characters that every terminal has."""
    picture = build([[(0, 0, 0), (128, 128, 128), (255, 255, 255)]])
    assert render_shades(picture, 80, 24) == [" =@"]
