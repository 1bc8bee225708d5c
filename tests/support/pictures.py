"""PNG pictures, made pixel by pixel."""

from __future__ import annotations

import struct
import zlib


def build_png(
    width: int,
    height: int,
    rows: list[bytes],
    *,
    depth: int = 8,
    colour: int = 2,
    palette: bytes = b"",
    filter_kind: int = 0,
    interlaced: int = 0,
) -> bytes:
    """A file with these rows, each stored in one of the standard's ways."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    step = max(1, {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour] * depth // 8)
    stored, above = b"", bytes(len(rows[0]))
    for row in rows:
        stored += bytes((filter_kind,)) + _filter(filter_kind, row, above, step)
        above = row
    chunks = [(b"IHDR", header), *([(b"PLTE", palette)] if palette else []), (b"IDAT", zlib.compress(stored))]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_build_chunk(kind, body) for kind, body in [*chunks, (b"IEND", b"")])


def _build_chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _filter(kind: int, row: bytes, above: bytes, step: int) -> bytes:
    stored = []
    for index, value in enumerate(row):
        left = row[index - step] if index >= step else 0
        corner = above[index - step] if index >= step else 0
        over = above[index]
        nearest = min((left, over, corner), key=lambda one: abs(left + over - corner - one))
        guess = {1: left, 2: over, 3: (left + over) // 2, 4: nearest}.get(kind, 0)
        stored.append((value - guess) & 0xFF)
    return bytes(stored)
