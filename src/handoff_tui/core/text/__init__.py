"""Text for people: safe text, cells, columns, pages, labels. Pure."""

from __future__ import annotations
