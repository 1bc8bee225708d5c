"""A picture in a terminal without graphics: each cell is two pixels, the upper one in the foreground. Pure."""

from __future__ import annotations

from typing import NamedTuple

from handoff_tui.models.picture import Picture

UPPER = "▀"
_SAMPLES = 3
"""Points that are looked at in each direction of a pixel of the small picture."""


class HalfBlock(NamedTuple):
    """One cell: a glyph and its two colours, as `#rrggbb`."""

    text: str
    foreground: str
    background: str


def render_half_blocks(picture: Picture, columns: int, rows: int) -> list[list[HalfBlock]]:
    """Rows of cells that fit into so many columns and rows; the shape is kept, and nothing is made larger."""
    width, height = find_size(picture, columns, rows)
    if not width or not height:
        return []
    grid = [[_average(picture, x, y, width, height) for x in range(width)] for y in range(height)]
    if len(grid) % 2:
        grid.append(grid[-1])
    return [
        [HalfBlock(UPPER, upper, lower) for upper, lower in zip(grid[row], grid[row + 1], strict=True)]
        for row in range(0, len(grid), 2)
    ]


def find_size(picture: Picture, columns: int, rows: int) -> tuple[int, int]:
    """How many pixels wide and high the small picture is: a cell is about twice as high as wide."""
    if min(columns, rows, picture.width, picture.height) <= 0:
        return 0, 0
    scale = min(1.0, columns / picture.width, 2 * rows / picture.height)
    return max(1, int(picture.width * scale)), max(1, int(picture.height * scale))


def _average(picture: Picture, x: int, y: int, width: int, height: int) -> str:
    """The mean of some points of the part of the picture that becomes this pixel."""
    across = _pick(x * picture.width // width, (x + 1) * picture.width // width)
    down = _pick(y * picture.height // height, (y + 1) * picture.height // height)
    red = green = blue = 0
    for row in down:
        for column in across:
            place = 3 * (row * picture.width + column)
            red += picture.pixels[place]
            green += picture.pixels[place + 1]
            blue += picture.pixels[place + 2]
    number = len(across) * len(down)
    return f"#{red // number:02x}{green // number:02x}{blue // number:02x}"


def _pick(start: int, stop: int) -> list[int]:
    """Up to a few places, evenly spread."""
    length = max(1, stop - start)
    return (
        [start + number * length // _SAMPLES for number in range(_SAMPLES)]
        if length > _SAMPLES
        else [start + number for number in range(length)]
    )
