from __future__ import annotations

import tomllib
from pathlib import Path

from handoff_tui.config.first_file import FIRST_FILE
from handoff_tui.config.load import load_settings
from handoff_tui.config.settings.root import Settings


def test_first_file_says_nothing_yet(tmp_path: Path) -> None:
    """All of it is comments, so every default counts."""
    (tmp_path / "handoff-tui.toml").write_text(FIRST_FILE)
    assert tomllib.loads(FIRST_FILE) == {}
    assert load_settings(tmp_path).settings == Settings()


def test_examples_of_the_first_file_are_settings(tmp_path: Path) -> None:
    """Who takes the # away in front of a line has a file that is accepted."""
    lines = [line.removeprefix("#") for line in FIRST_FILE.split("\n") if not line.startswith("# ")]
    (tmp_path / "handoff-tui.toml").write_text("\n".join(lines))
    settings = load_settings(tmp_path).settings
    assert settings.checks["regression"].severity == "critical"
    assert [phase.name for phase in settings.pipelines["release"].phases] == ["write", "publish"]
