"""One setting of the user's file, read before all the settings are: for what must be drawn at once."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

from handoff_tui.config.theme import Theme, find_theme_folder, load_theme
from handoff_tui.core.errors import ConfigError, FileUnreadableError
from handoff_tui.system.files.user_files import find_config_folder, read_user_file

USUAL_THEME = "dark"
COLOURLESS_THEME = "monochrome"
SIXTEEN_COLOURS_THEME = "terminal"
_SIXTEEN_COLOURS = frozenset({"xterm", "linux", "screen", "tmux", "ansi", "rxvt", "vt100", "vt220"})
"""Terminals that have no more, unless COLORTERM says otherwise: another theme's colours would be guessed there."""
_MAX_BYTES = 256 * 1024


def peek_theme(wanted: str | None) -> Theme:
    """The theme for the first paint. What is wrong with the file, or with the name, is said when all of it is read."""
    try:
        return load_theme(wanted or adapt_theme(_peek(find_config_folder())), find_theme_folder())
    except ConfigError:
        return load_theme(USUAL_THEME, None)


def adapt_theme(name: str) -> str:
    """The theme of the user's file, or the one that fits the terminal they sit at now."""
    if "NO_COLOR" in os.environ:
        return COLOURLESS_THEME
    term = os.environ.get("TERM", "")
    few = term in _SIXTEEN_COLOURS or term.endswith("-16color")
    if few and not os.environ.get("COLORTERM") and name != COLOURLESS_THEME:
        return SIXTEEN_COLOURS_THEME
    return name


def _peek(folder: Path | None) -> str:
    try:
        content = read_user_file(folder / "config.toml", _MAX_BYTES) if folder else None
        name = tomllib.loads((content or b"").decode()).get("theme")
    except (FileUnreadableError, ValueError):
        return USUAL_THEME
    return name if isinstance(name, str) else USUAL_THEME
