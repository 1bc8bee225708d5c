"""Screenshots in a terminal: PNG files decoded within limits, drawn as half blocks (two pixels per cell) or shades."""

from __future__ import annotations

import struct
import zlib

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import FileUnreadableError


class Picture(NamedTuple):
    """Three bytes per pixel (red, green, blue), row by row; transparent pixels are on black."""

    width: int
    height: int
    pixels: bytes


UPPER = "▀"
_SHADES = " .:-=+*#%@"
_COLOURS = 3
_SAMPLES = 3
"""Points sampled in each direction per pixel of the small picture."""


MOST_PIXELS = 4_000_000
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_PALETTE = 3
_BYTE = 8
_WIDE = 16
_DEPTHS = {0: {1, 2, 4, 8, 16}, 2: {8, 16}, 3: {1, 2, 4, 8}, 4: {8, 16}, 6: {8, 16}}


class _Header(NamedTuple):
    width: int
    height: int
    depth: int
    colour: int
    interlaced: int

    @property
    def channels(self) -> int:
        return _CHANNELS[self.colour]

    @property
    def row_bytes(self) -> int:
        return (self.width * self.channels * self.depth + 7) // 8

    @property
    def pixel_bytes(self) -> int:
        return max(1, self.channels * self.depth // 8)


def parse_png(content: bytes) -> Picture:
    """Returns the pixels of a PNG file; raises an error that says why it can't be shown."""
    header, palette, data = _parse_chunks(content)
    try:
        raw = zlib.decompressobj().decompress(data, (header.row_bytes + 1) * header.height)
    except zlib.error as damaged:
        raise _refuse("its pixels are damaged") from damaged
    if len(raw) < (header.row_bytes + 1) * header.height:
        raise _refuse("it is cut off")
    rows = _unfilter(raw, header)
    pixels = b"".join(_build_row(_widen(row, header), header, palette) for row in rows)
    return Picture(header.width, header.height, pixels)


def _parse_chunks(content: bytes) -> tuple[_Header, bytes, bytes]:
    if not content.startswith(_SIGNATURE):
        raise _refuse("it is not a PNG picture")
    header: _Header | None = None
    palette, data, position = b"", [], len(_SIGNATURE)
    while position + 8 <= len(content):
        length, kind = struct.unpack_from(">I4s", content, position)
        body = content[position + 8 : position + 8 + length]
        position += length + 12
        if kind == b"IHDR":
            header = _parse_header(body)
        elif kind == b"PLTE":
            palette = body
        elif kind == b"IDAT":
            data.append(body)
        elif kind == b"IEND":
            break
    if header is None:
        raise _refuse("it does not say its size")
    if header.colour == _PALETTE and not palette:
        raise _refuse("its colours are missing")
    return header, palette, b"".join(data)


def _parse_header(body: bytes) -> _Header:
    try:
        width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
    except struct.error as damaged:
        raise _refuse("its header is damaged") from damaged
    header = _Header(width, height, depth, colour, interlaced)
    if depth not in _DEPTHS.get(colour, set()):
        raise _refuse("its kind of colours is not known")
    if not width or not height or width * height > MOST_PIXELS:
        raise _refuse(f"it has {width} by {height} pixels; up to {MOST_PIXELS:,} are shown")
    if interlaced:
        raise _refuse("it is interlaced")
    return header


def _unfilter(raw: bytes, header: _Header) -> list[bytes]:
    rows: list[bytes] = []
    before = bytes(header.row_bytes)
    for number in range(header.height):
        start = number * (header.row_bytes + 1)
        row = bytearray(raw[start + 1 : start + 1 + header.row_bytes])
        _undo(raw[start], row, before, header.pixel_bytes)
        before = bytes(row)
        rows.append(before)
    return rows


def _undo(kind: int, row: bytearray, above: bytes, step: int) -> None:
    """Undoes a filter: each byte is stored as the difference to its neighbours (left, above, both, or the nearest)."""
    length = len(row)
    if kind == 1:
        for index in range(step, length):
            row[index] = (row[index] + row[index - step]) & 0xFF
    elif kind == 2:  # noqa: PLR2004 - the standard's own numbers
        row[:] = bytes((one + other) & 0xFF for one, other in zip(row, above, strict=True))
    elif kind == 3:  # noqa: PLR2004
        for index in range(length):
            left = row[index - step] if index >= step else 0
            row[index] = (row[index] + ((left + above[index]) >> 1)) & 0xFF
    elif kind == 4:  # noqa: PLR2004
        for index in range(length):
            left = row[index - step] if index >= step else 0
            corner = above[index - step] if index >= step else 0
            row[index] = (row[index] + _find_nearest(left, above[index], corner)) & 0xFF
    elif kind:
        raise _refuse("its pixels are stored in a way that is not known")


def _find_nearest(left: int, above: int, corner: int) -> int:
    estimate = left + above - corner
    by_left, by_above, by_corner = abs(estimate - left), abs(estimate - above), abs(estimate - corner)
    if by_left <= by_above and by_left <= by_corner:
        return left
    return above if by_above <= by_corner else corner


def _widen(row: bytes, header: _Header) -> bytes:
    """Returns one byte per value of a row."""
    if header.depth == _BYTE:
        return row
    if header.depth == _WIDE:
        return row[::2]
    scale = 1 if header.colour == _PALETTE else 255 // ((1 << header.depth) - 1)
    mask = (1 << header.depth) - 1
    shifts = range(_BYTE - header.depth, -1, -header.depth)
    values = [((byte >> shift) & mask) * scale for byte in row for shift in shifts]
    return bytes(values[: header.width * header.channels])


def _build_row(row: bytes, header: _Header, palette: bytes) -> bytes:
    """Returns red, green and blue of every pixel."""
    if header.colour == _PALETTE:
        known = len(palette) // 3
        return b"".join(palette[3 * index : 3 * index + 3] if index < known else b"\0\0\0" for index in row)
    if header.channels == 3:  # noqa: PLR2004 - red, green, blue
        return row
    if header.channels == 1:
        return bytes(value for value in row for _ in range(3))
    if header.channels == 2:  # noqa: PLR2004 - grey and how much of it
        pairs = zip(row[::2], row[1::2], strict=True)
        return bytes(value * alpha // 255 for value, alpha in pairs for _ in range(3))
    alphas = row[3::4]
    if alphas.count(255) == len(alphas):
        solid = bytearray(3 * len(alphas))
        solid[0::3], solid[1::3], solid[2::3] = row[0::4], row[1::4], row[2::4]
        return bytes(solid)
    return bytes(row[4 * index + channel] * alpha // 255 for index, alpha in enumerate(alphas) for channel in range(3))


def _refuse(reason: str) -> FileUnreadableError:
    return FileUnreadableError(f"the picture cannot be shown: {reason}", "Open it in a viewer of your own.")


class HalfBlock(NamedTuple):
    """One cell: a glyph and its two colours, as `#rrggbb`."""

    text: str
    foreground: str
    background: str


def render_half_blocks(picture: Picture, columns: int, rows: int) -> list[list[HalfBlock]]:
    """Returns rows of cells that fit into this size; keeps the aspect ratio and never enlarges."""
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


def render_shades(picture: Picture, columns: int, rows: int) -> list[str]:
    """Does the same with characters only, from dark to bright, for terminals without colours."""
    blocks = render_half_blocks(picture, columns, rows)
    return ["".join(_find_shade(block) for block in row) for row in blocks]


def find_size(picture: Picture, columns: int, rows: int) -> tuple[int, int]:
    """Returns width and height of the small picture in pixels: a cell is about twice as high as wide."""
    if min(columns, rows, picture.width, picture.height) <= 0:
        return 0, 0
    scale = min(1.0, columns / picture.width, 2 * rows / picture.height)
    return max(1, int(picture.width * scale)), max(1, int(picture.height * scale))


def _average(picture: Picture, across: list[list[int]], down: list[int]) -> list[str]:
    """Returns a row of small pixels, each the mean of some points of its part of the picture."""
    red, green, blue = (_add_points(picture, across, down, channel) for channel in range(_COLOURS))
    numbers = [len(columns) * len(down) for columns in across]
    return [
        f"#{r // number:02x}{g // number:02x}{b // number:02x}"
        for r, g, b, number in zip(red, green, blue, numbers, strict=True)
    ]


def _add_points(picture: Picture, across: list[list[int]], down: list[int], channel: int) -> list[int]:
    """Sums one colour of the sampled points of each small pixel; row by row, as there may be thousands."""
    size = _COLOURS * picture.width
    lines = [picture.pixels[row * size + channel : (row + 1) * size : _COLOURS] for row in down]
    return [sum([line[column] for line in lines for column in columns]) for columns in across]


def _pick(start: int, stop: int) -> list[int]:
    """Picks up to a few positions, evenly spread."""
    length = max(1, stop - start)
    return (
        [start + number * length // _SAMPLES for number in range(_SAMPLES)]
        if length > _SAMPLES
        else [start + number for number in range(length)]
    )


def _find_shade(block: HalfBlock) -> str:
    light = sum(_find_light(colour) for colour in (block.foreground, block.background)) // 2
    return _SHADES[light * (len(_SHADES) - 1) // 255]


def _find_light(colour: str) -> int:
    """Returns how bright a colour looks, up to 255."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return (299 * red + 587 * green + 114 * blue) // 1000
