from __future__ import annotations

import struct
import zlib

import pytest

from handoff_tui.core.errors import FileUnreadableError
from handoff_tui.core.text.pictures import (
    UPPER,
    HalfBlock,
    Picture,
    find_size,
    parse_png,
    render_half_blocks,
    render_shades,
)
from tests.support.pictures import build_png

RED, GREEN, GREY = (255, 0, 0), (0, 255, 0), (7, 8, 9)


def pixels(content: bytes) -> list[tuple[int, ...]]:
    picture = parse_png(content)
    data = picture.pixels
    return [tuple(data[index : index + 3]) for index in range(0, len(data), 3)]


@pytest.mark.parametrize(
    ("depth", "colour", "row", "expected"),
    [
        (8, 0, bytes((0, 128)), [(0, 0, 0), (128, 128, 128)]),
        (1, 0, bytes((0b01000000,)), [(0, 0, 0), (255, 255, 255)]),
        (4, 0, bytes((0x0F,)), [(0, 0, 0), (255, 255, 255)]),
        (16, 2, bytes((255, 1, 0, 1, 0, 1, 0, 9, 255, 9, 0, 9)), [RED, GREEN]),
        (8, 4, bytes((255, 255, 255, 0)), [(255, 255, 255), (0, 0, 0)]),
        (8, 6, bytes((*RED, 255, *GREEN, 255)), [RED, GREEN]),
        (8, 6, bytes((*RED, 255, *GREEN, 0)), [RED, (0, 0, 0)]),
        (2, 3, bytes((0b00010000,)), [RED, GREEN]),
        (8, 3, bytes((1, 9)), [GREEN, (0, 0, 0)]),
    ],
)
def test_every_kind_of_colours_is_read(
    depth: int, colour: int, row: bytes, expected: list[tuple[int, int, int]]
) -> None:
    """Grey, colours, a palette, with and without transparency."""
    palette = bytes((*RED, *GREEN)) if colour == 3 else b""
    assert pixels(build_png(2, 1, [row], depth=depth, colour=colour, palette=palette)) == expected


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"GIF89a", "not a PNG"),
        (b"\x89PNG\r\n\x1a\n", "does not say its size"),
        (build_png(2, 1, [b"\0" * 6])[:40], "cut off"),
        (build_png(2, 1, [b"\0" * 6], depth=3), "not known"),
        (build_png(2, 1, [b"\0"], depth=1, colour=3), "colours are missing"),
        (build_png(2, 1, [b"\0" * 6], interlaced=1), "interlaced"),
        (build_png(0, 1, [b""]), "0 by 1"),
        (build_png(100_000, 100_000, [b""]), "100000 by 100000"),
        (build_png(2, 1, [b"\0" * 6], filter_kind=9), "not known"),
    ],
)
def test_picture_that_cannot_be_shown_says_why(content: bytes, words: str) -> None:
    """An error of ours, with a hint."""
    with pytest.raises(FileUnreadableError, match=words) as refused:
        parse_png(content)
    assert refused.value.hint


def test_picture_that_would_fill_the_memory_is_bounded() -> None:
    """What it unpacks to is limited by the size it claims."""
    bomb = zlib.compress(b"\0" * 50_000_000)
    header = struct.pack(">IIBBBBB", 2, 1, 8, 2, 0, 0, 0)
    parts = b"".join(
        struct.pack(">I4s", len(body), kind) + body + b"\0\0\0\0"
        for kind, body in ((b"IHDR", header), (b"IDAT", bomb), (b"IEND", b""))
    )
    assert len(parse_png(b"\x89PNG\r\n\x1a\n" + parts).pixels) == 6


def test_damaged_pixels_are_told() -> None:
    """Not guessed at."""
    content = bytearray(build_png(2, 1, [b"\0" * 6]))
    content[content.index(b"IDAT") + 4] ^= 0xFF
    with pytest.raises(FileUnreadableError, match="damaged"):
        parse_png(bytes(content))


RED, BLUE = (255, 0, 0), (0, 0, 255)


def build(rows: list[list[tuple[int, int, int]]]) -> Picture:
    return Picture(len(rows[0]), len(rows), bytes(value for row in rows for pixel in row for value in pixel))


def test_two_pixels_are_one_cell() -> None:
    """The upper one in the foreground, the lower one behind it."""
    picture = build([[RED, BLUE], [BLUE, RED]])
    assert render_half_blocks(picture, 80, 24) == [
        [HalfBlock(UPPER, "#ff0000", "#0000ff"), HalfBlock(UPPER, "#0000ff", "#ff0000")]
    ]


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


def test_shades_go_from_dark_to_bright() -> None:
    """In characters that every terminal has."""
    picture = build([[(0, 0, 0), (128, 128, 128), (255, 255, 255)]])
    assert render_shades(picture, 80, 24) == [" =@"]
