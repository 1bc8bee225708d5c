from __future__ import annotations

import json

from handoff_tui.config.page import SettingRow, build_config_json, build_config_page
from handoff_tui.core.text.page import Grid
from tests.support.reviewed import list_lines

ROWS: list[SettingRow] = [
    ("limits.commits", 200, "default"),
    ("agents.names", ["köhler", "\x1b[2J"], "handoff-tui.toml:3"),
]


def test_config_json_has_key_value_and_origin() -> None:
    """The shape promised to scripts, in the order of the rows."""
    assert build_config_json(ROWS) == {
        "schema": "handoff-tui/config/v1",
        "settings": [
            {"key": "limits.commits", "value": 200, "origin": "default"},
            {"key": "agents.names", "value": ["köhler", "\x1b[2J"], "origin": "handoff-tui.toml:3"},
        ],
    }
    json.dumps(build_config_json(ROWS))


def test_config_page_shows_origins_only_when_asked() -> None:
    """The third column comes with the question."""
    assert list_lines(build_config_page(ROWS, origins=False)) == [
        "setting | value",
        "limits.commits | 200",
        'agents.names | ["köhler", "\\u001b[2J"]',
    ]
    assert list_lines(build_config_page(ROWS, origins=True))[1:] == [
        "limits.commits | 200 | default",
        'agents.names | ["köhler", "\\u001b[2J"] | handoff-tui.toml:3',
    ]


def test_config_page_lets_what_was_set_stand_out() -> None:
    """A default is muted, a value that someone set is not."""
    [grid] = build_config_page(ROWS, origins=True).parts
    assert isinstance(grid, Grid)
    assert [row[-1].role for row in grid.rows] == ["muted", "accent"]


def test_config_page_without_settings_is_empty() -> None:
    """Nothing set, nothing shown."""
    assert build_config_page([], origins=True).parts == []
