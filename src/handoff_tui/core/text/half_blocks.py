"""A picture in a terminal without graphics: each cell is two pixels, the upper one in the foreground. Pure."""

from __future__ import annotations

from typing import NamedTuple

from handoff_tui.core.picture import Picture

UPPER = "▀"
_SHADES = " .:-=+*#%@"
_CHANNELS = 3
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
    across = [_pick(x * picture.width // width, (x + 1) * picture.width // width) for x in range(width)]
    down = [_pick(y * picture.height // height, (y + 1) * picture.height // height) for y in range(height)]
    grid = [_average(picture, across, rows_of_it) for rows_of_it in down]
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


def _average(picture: Picture, across: list[list[int]], down: list[int]) -> list[str]:
    """A row of small pixels: each the mean of some points of the part of the picture that becomes it."""
    red, green, blue = (_add_points(picture, across, down, channel) for channel in range(_CHANNELS))
    numbers = [len(columns) * len(down) for columns in across]
    return [
        f"#{r // number:02x}{g // number:02x}{b // number:02x}"
        for r, g, b, number in zip(red, green, blue, numbers, strict=True)
    ]


def _add_points(picture: Picture, across: list[list[int]], down: list[int], channel: int) -> list[int]:
    """One colour of the points of each small pixel, summed; by whole rows, since there may be thousands of them."""
    size = _CHANNELS * picture.width
    lines = [picture.pixels[row * size + channel : (row + 1) * size : _CHANNELS] for row in down]
    return [sum([line[column] for line in lines for column in columns]) for columns in across]


def _pick(start: int, stop: int) -> list[int]:
    """Up to a few places, evenly spread."""
    length = max(1, stop - start)
    return (
        [start + number * length // _SAMPLES for number in range(_SAMPLES)]
        if length > _SAMPLES
        else [start + number for number in range(length)]
    )


def render_shades(picture: Picture, columns: int, rows: int) -> list[str]:
    """The same in characters alone, from dark to bright, for terminals without colours."""
    blocks = render_half_blocks(picture, columns, rows)
    return ["".join(_find_shade(block) for block in row) for row in blocks]


def _find_shade(block: HalfBlock) -> str:
    light = sum(_find_light(colour) for colour in (block.foreground, block.background)) // 2
    return _SHADES[light * (len(_SHADES) - 1) // 255]


def _find_light(colour: str) -> int:
    """How bright a colour is to the eye, up to 255."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return (299 * red + 587 * green + 114 * blue) // 1000
