"""How the app looks and responds for this user: theme, glyphs, keys, editor. A repository can't change it."""

from __future__ import annotations

from collections.abc import Mapping

from handoff_tui.config.keymap import DEFAULT_KEYMAP
from handoff_tui.config.layer import SettingRow
from handoff_tui.config.load import load_settings
from handoff_tui.config.settings.user import Reasons
from handoff_tui.config.theme import Theme, adapt_theme, find_theme_folder, list_themes, load_theme, needs_ascii
from handoff_tui.core.classes import dataclass, field


@dataclass(frozen=True, slots=True)
class Appearance:
    """What the user chose, or what suits the terminal."""

    theme: Theme
    keymap: Mapping[str, str] = field(default_factory=lambda: DEFAULT_KEYMAP)
    ascii_only: bool = False
    editor: tuple[str, ...] = ()
    read_only: bool = False
    reasons: Reasons = field(default_factory=Reasons)
    settings: tuple[SettingRow, ...] = ()
    """Every setting of the user with its value and where it comes from."""


def load_appearance(theme: str | None = None, *, read_only: bool = False, ascii_only: bool = False) -> Appearance:
    """Loads the user's choices. The terminal's limits override the file; what is given explicitly overrides both."""
    loaded = load_settings(None)
    settings = loaded.settings
    return Appearance(
        theme=load_theme(theme or adapt_theme(settings.theme), find_theme_folder()),
        keymap={**DEFAULT_KEYMAP, **settings.keymap},
        ascii_only=needs_ascii(chosen=ascii_only or settings.ascii),
        editor=settings.editor,
        read_only=read_only,
        reasons=settings.reasons,
        settings=tuple(loaded.rows()),
    )


def list_theme_names() -> tuple[str, ...]:
    return list_themes(find_theme_folder())


def load_named_theme(name: str) -> Theme:
    return load_theme(name, find_theme_folder())
