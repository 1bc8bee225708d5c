"""The settings in force, as JSON and as a page."""

from __future__ import annotations

import json

from handoff_tui.config.layer import SettingRow
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.core.text.safe_text import render_safe

SCHEMA = "handoff-tui/config/v1"
_DEFAULT = "default"


def build_config_json(rows: list[SettingRow]) -> dict[str, object]:
    return {"schema": SCHEMA, "settings": [row._asdict() for row in rows]}


def build_config_page(rows: list[SettingRow], *, origins: bool = False) -> Page:
    """One row per setting; those that a file sets stand out."""
    page = Page()
    columns = (Column("setting"), Column("value", fold=True), *((Column("from"),) if origins else ()))
    cells = []
    for key, value, origin in rows:
        role = "muted" if origin == _DEFAULT else "accent"
        row = (Cell(render_safe(key), "key"), Cell(render_safe(json.dumps(value, ensure_ascii=False))))
        cells.append((*row, Cell(render_safe(origin), role)) if origins else row)
    page.grid(columns, cells)
    return page
