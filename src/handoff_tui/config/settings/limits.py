"""How much is read."""

from __future__ import annotations

from handoff_tui.config.settings.quantities import Quantity
from handoff_tui.core.model import Model


class Limits(Model):
    """How much is read."""

    file_bytes: Quantity = 4 * 1024 * 1024
    """The largest file that is read; a larger one is listed with a problem."""
    markdown_bytes: Quantity = 512 * 1024
    """The largest document that is parsed as Markdown."""
    hash_bytes: Quantity = 256 * 1024 * 1024
    """The largest file whose hash is measured."""
    commits: Quantity = 200
    """How many commits back from HEAD are searched for handoff trailers and notes."""
