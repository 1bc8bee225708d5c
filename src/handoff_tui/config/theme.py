"""Themes: a colour for each role, and which theme is used. Screens name roles, never colours."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from handoff_tui.config.layer import Layer, parse_layer
from handoff_tui.config.nearest import shorten, suggest
from handoff_tui.core.classes import NamedTuple, dataclass
from handoff_tui.core.errors import ConfigError, FileUnreadableError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.toml_text import parse_toml
from handoff_tui.system.files.named_files import find_config_folder, list_user_files, read_user_file, shorten_home
from handoff_tui.system.installation import find_resource

TEXT_ROLES = (
    *("text", "muted", "accent", "heading", "path", "key", "human", "agent", "waiting"),
    *("pass", "fail", "error", "timeout", "skipped", "not-applicable", "cancelled", "warning", "unknown"),
    *("holds", "contradicted", "unverified"),
    *("critical", "high", "medium", "low"),
    *("added", "removed", "changed", "added-word", "removed-word", "hunk", "hidden"),
    *("syntax-keyword", "syntax-name", "syntax-string", "syntax-number", "syntax-comment"),
)
"""Roles of text."""
FIELD_ROLES = ("background", "surface", "selection", "added-ground", "removed-ground")
"""Roles of backgrounds."""
ROLES = (*TEXT_ROLES, "border", *FIELD_ROLES)
"""All roles; a theme has each of them and no other."""

_ANSI = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
ANSI_NAMES = (*_ANSI, *(f"bright-{name}" for name in _ANSI))
ATTRIBUTES = ("bold", "dim", "italic", "underline", "reverse")

_MAX_BYTES = 64 * 1024
_FOLDER = "themes"
_SUFFIX = ".toml"
_NAME = compile_later(r"[a-z0-9][a-z0-9-]*")
_HEX = compile_later(r"#[0-9a-f]{6}", re.IGNORECASE)
_KEYS = ("dark", "roles")


class RoleStyle(NamedTuple):
    """How a role is drawn."""

    colour: str
    attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Theme:
    """A theme. A role's value is a colour, then any attributes: `#ffcf70 bold`, `bright-red`, `default dim`.

    `parse_theme` has checked it. It isn't a model: it is needed before the first paint, and they take a third of that.
    """

    name: str
    dark: bool
    roles: dict[str, str]

    def style(self, role: str) -> RoleStyle:
        return parse_style(self.roles[role])


def parse_style(value: str) -> RoleStyle:
    """Splits a role's value; says which word of it is wrong."""
    words = value.split()
    if not words:
        raise ValueError("is empty")
    colour, *attributes = words
    if colour != "default" and colour not in ANSI_NAMES and not _HEX.fullmatch(colour):
        raise ValueError(f"begins with {shorten(colour)}, which is not #rrggbb, a name of an ANSI colour, or default")
    for attribute in attributes:
        if attribute not in ATTRIBUTES:
            raise ValueError(f"has {shorten(attribute)}; {suggest(attribute, ATTRIBUTES)}")
    return RoleStyle(colour, tuple(attributes))


def find_theme_folder() -> Path | None:
    """The folder of the user's own themes, whether it exists or not."""
    folder = find_config_folder()
    return folder / _FOLDER if folder else None


def list_themes(user_folder: Path | None) -> tuple[str, ...]:
    """The names of all themes, including the user's own."""
    return tuple(sorted({name for folder in _find_folders(user_folder) for name in list_user_files(folder, _SUFFIX)}))


def load_theme(name: str, user_folder: Path | None) -> Theme:
    """A theme by name: the user's own, or a built-in one."""
    if _NAME.fullmatch(name):
        for folder in _find_folders(user_folder):
            path = folder / f"{name}{_SUFFIX}"
            try:
                content = read_user_file(path, _MAX_BYTES)
            except FileUnreadableError as unreadable:
                raise ConfigError(unreadable.message, "Choose another theme.") from unreadable
            if content is not None:
                return parse_theme(content, name, shorten_home(path))
    raise ConfigError(f"there is no theme {shorten(name)}; {suggest(name, list_themes(user_folder))}")


def parse_theme(content: bytes, name: str, file_name: str) -> Theme:
    """Reads a theme; refuses it when a role is missing, unknown, or not a colour."""
    layer = parse_layer(content, file_name)
    dark, roles = layer.table.get("dark"), layer.table.get("roles")
    problems = [
        f"{layer.place(key)}: {shorten(key)} is unknown; {suggest(key, _KEYS)}"
        for key in layer.table
        if key not in _KEYS
    ]
    if not isinstance(dark, bool):
        problems.append(f"{layer.place('dark')}: dark should be true or false")
    if not isinstance(roles, dict):
        problems.append(f"{layer.place('roles')}: roles should be a table")
        roles = dict.fromkeys(ROLES, "default")
    problems += _find_role_problems(layer, roles)
    if problems:
        raise ConfigError("\n".join(problems), "A theme has exactly the roles of the themes that are shipped.")
    return Theme(name=name, dark=bool(dark), roles={role: roles[role] for role in ROLES})


def _find_role_problems(layer: Layer, roles: Mapping[str, object]) -> list[str]:
    problems: list[str] = []
    for role, value in roles.items():
        place = layer.place(f"roles.{role}")
        if role not in ROLES:
            problems.append(f"{place}: there is no role {shorten(role)}; {suggest(role, ROLES)}")
        elif not isinstance(value, str):
            problems.append(f"{place}: {role} should be a text in quotes, is {shorten(value)}")
        else:
            try:
                parse_style(value)
            except ValueError as wrong:
                problems.append(f"{place}: {role} {wrong}")
    missing = [role for role in ROLES if role not in roles]
    if missing:
        problems.append(f"{layer.place('roles')}: roles without a colour: {', '.join(missing)}")
    return problems


def _find_folders(user_folder: Path | None) -> tuple[Path, ...]:
    shipped = find_resource(_FOLDER)
    return (user_folder, shipped) if user_folder else (shipped,)


USUAL_THEME = "dark"
COLOURLESS_THEME = "monochrome"
SIXTEEN_COLOURS_THEME = "terminal"
_SIXTEEN_COLOURS = frozenset({"xterm", "linux", "screen", "tmux", "ansi", "rxvt", "vt100", "vt220"})
"""Terminals with sixteen colours only, unless COLORTERM says otherwise; they would guess another theme's colours."""
_PLAIN_TERMINALS = frozenset({"linux", "dumb", "vt100", "vt220"})
"""Terminals whose font lacks our glyphs."""
_MAX_BYTES_peek = 256 * 1024


class FirstLook(NamedTuple):
    """How the first paint is drawn."""

    theme: Theme
    ascii_only: bool


def peek_look(wanted: str | None, *, ascii_only: bool = False) -> FirstLook:
    """The look of the first paint. Problems with the file or the name are reported when all settings are read."""
    chosen = _peek(find_config_folder())
    name = chosen.get("theme")
    ascii_only = needs_ascii(chosen=ascii_only or chosen.get("ascii") is True)
    try:
        fitting = wanted or adapt_theme(name if isinstance(name, str) else USUAL_THEME)
        return FirstLook(load_theme(fitting, find_theme_folder()), ascii_only)
    except ConfigError:
        return FirstLook(load_theme(USUAL_THEME, None), ascii_only)


def needs_ascii(*, chosen: bool) -> bool:
    """Whether only ASCII is drawn: by choice, or because the terminal's font lacks our glyphs."""
    return chosen or os.environ.get("TERM") in _PLAIN_TERMINALS


def adapt_theme(name: str) -> str:
    """The theme of the user's file, or one that fits the current terminal."""
    if "NO_COLOR" in os.environ:
        return COLOURLESS_THEME
    term = os.environ.get("TERM", "")
    few = term in _SIXTEEN_COLOURS or term.endswith("-16color")
    if few and not os.environ.get("COLORTERM") and name != COLOURLESS_THEME:
        return SIXTEEN_COLOURS_THEME
    return name


def _peek(folder: Path | None) -> dict[str, object]:
    try:
        content = read_user_file(folder / "config.toml", _MAX_BYTES_peek) if folder else None
        return parse_toml(content or b"")
    except (FileUnreadableError, ValueError):
        return {}
