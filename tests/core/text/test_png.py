from __future__ import annotations

import struct
import zlib

import pytest

from handoff_tui.core.errors import FileUnreadableError
from handoff_tui.core.text.pictures import parse_png
from tests.support.pictures import build_png

RED, GREEN, GREY = (255, 0, 0), (0, 255, 0), (7, 8, 9)


def pixels(content: bytes) -> list[tuple[int, ...]]:
    picture = parse_png(content)
    data = picture.pixels
    return [tuple(data[index : index + 3]) for index in range(0, len(data), 3)]


@pytest.mark.parametrize("kind", [0, 1, 2, 3, 4])
def test_every_way_of_storing_gives_the_same_pixels(kind: int) -> None:
    """None, left, above, both, nearest."""
    rows = [bytes((*RED, *GREEN, *GREY)), bytes((*GREY, *RED, *GREEN)), bytes((*GREEN, *GREY, *RED))]
    expected = [RED, GREEN, GREY, GREY, RED, GREEN, GREEN, GREY, RED]
    assert pixels(build_png(3, 3, rows, filter_kind=kind)) == expected


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
        (b"GIF89a", "no PNG"),
        (b"\x89PNG\r\n\x1a\n", "says nothing of its size"),
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
