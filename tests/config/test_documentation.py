from __future__ import annotations

import re
from pathlib import Path

from handoff_tui.config.load import build_settings
from handoff_tui.config.settings.root import Settings

PAGE = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")


def test_examples_of_the_documentation_load() -> None:
    """The example of a repository's file and that of a user's file are right, alone and together."""
    repository, user = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    loaded = build_settings(user.encode(), repository.encode())
    assert loaded.settings.theme == "high-contrast"
    assert [phase.name for phase in loaded.settings.pipelines["release"].phases] == ["write", "publish"]


def test_documentation_names_every_section() -> None:
    """No section of the settings is missing in the table."""
    table = PAGE[PAGE.index("## Sections") :]
    assert [name for name in Settings.model_fields if f"`{name}" not in table] == []
