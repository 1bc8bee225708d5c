"""A picture as its pixels."""

from __future__ import annotations

from typing import NamedTuple


class Picture(NamedTuple):
    """Three bytes a pixel (red, green, blue), row by row; what was transparent lies on black."""

    width: int
    height: int
    pixels: bytes
