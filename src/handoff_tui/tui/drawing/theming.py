"""Our themes for the framework: roles become styles for cells, and some of them colour its own widgets."""

from __future__ import annotations

from functools import cache

from rich.color import Color
from rich.style import Style
from textual.theme import Theme as FrameworkTheme

from handoff_tui.config.theme import RoleStyle, Theme

_FRAMES = {
    **dict.fromkeys(map(chr, range(0x2500, 0x2580)), "+"),
    **dict.fromkeys("─━┄┅┈┉╌╍═╴╶╸╺╼╾", "-"),
    **dict.fromkeys("│┃┆┇┊┋╎╏║╵╷╹╻╽╿├┤", "|"),
    "╯": "'",
    "╮": ".",
    "╱": "/",
    "╲": "/",
}
_BLOCKS = {
    **dict.fromkeys(map(chr, range(0x2580, 0x25A0)), "#"),
    **dict(zip("▁▂▃▄▅▆▇░▒▓▐", "_.,-=+*.:=[", strict=True)),
}
_CONTROL_PICTURES = dict.fromkeys(map(chr, range(0x2400, 0x2427)), "^")
"""What stands for the control characters of a text."""
ASCII_GLYPHS = str.maketrans(
    {
        **_FRAMES,
        **_BLOCKS,
        **_CONTROL_PICTURES,
        "✓": "v",
        "✗": "x",
        "◆": "*",
        "●": "o",
        "○": ".",
        "⊘": "-",
        "▸": ">",
        "▶": ">",
        "◂": "<",
        "✎": "c",
        "⇄": "%",
        "↩": "<",
        "◉": "@",
        "\xa0": " ",
        "\ufffd": "?",
        "…": "~",
        "⋯": "~",
        "·": "-",
        "–": "-",
        "—": "-",
        "−": "-",
        "×": "x",
        "→": ">",
        "↵": "enter",
        "↑": "^",
        "↓": "v",
        "←": "<",
        "›": ">",
        "•": "*",
        "■": "#",
        "≠": "!",
        "↻": "@",
        "⟲": "@",
        "↷": ">",
        "↶": "<",
        "‖": "=",
        "⌛": "T ",
        "⟨": "<",
        "⟩": ">",
        "«": '"',
        "»": '"',
    }
)
"""For terminals without these characters, and locales that draw them two columns wide. Only a word is wider."""


class Ink:
    """How cells are drawn: the styles of one theme by role, and whether only ASCII is allowed."""

    def __init__(self, theme: Theme, *, ascii_only: bool = False) -> None:
        self.theme = theme
        self.ascii_only = ascii_only
        self._styles = {role: _build_style(theme.style(role)) for role in theme.roles}
        self.background = _build_ground(theme.style("background"))
        self.surface = _build_ground(theme.style("surface"))
        self.selection = _build_ground(theme.style("selection"))
        self.added = _build_ground(theme.style("added-ground"))
        self.removed = _build_ground(theme.style("removed-ground"))

    @property
    def tinted(self) -> bool:
        """Whether changed lines have a background colour, so their words can have other colours."""
        return self.background not in {self.added, self.removed}

    def get(self, role: str) -> Style:
        """Returns the style of a role."""
        return self._styles[role]

    def get_on(self, role: str, ground: Style) -> Style:
        """Returns the style of a role on a background.

        On a reversed background every cell would get another background, and some would be unreadable. There
        only the weight of a role remains; its glyph and word say the rest.
        """
        style = self._styles[role]
        if not ground.reverse:
            return ground + style
        return ground + Style(bold=style.bold, underline=style.underline)


def is_native(theme: Theme) -> bool:
    """Tells whether the theme uses the terminal's own colours."""
    return any(not theme.style(role).colour.startswith("#") for role in theme.roles)


def build_framework_theme(theme: Theme) -> FrameworkTheme:
    """Returns the colours of the framework's own widgets (fields, scroll bars)."""
    colours = {role: _name(theme.style(role).colour) for role in theme.roles}
    return FrameworkTheme(
        name=f"handoff-{theme.name}",
        primary=colours["accent"],
        secondary=colours["path"],
        warning=colours["warning"],
        error=colours["fail"],
        success=colours["pass"],
        accent=colours["accent"],
        foreground=colours["text"],
        background=colours["background"],
        surface=colours["surface"],
        panel=colours["selection"],
        dark=theme.dark,
        ansi=is_native(theme),
        variables={
            "ansi-background": colours["background"],
            "ansi-foreground": colours["text"],
            "border": colours["border"],
            "border-blurred": colours["border"],
            "input-cursor-background": colours["text"],
            "input-cursor-foreground": colours["background"],
            "input-selection-background": colours["selection"],
            "scrollbar": colours["border"],
            "scrollbar-hover": colours["muted"],
            "scrollbar-active": colours["accent"],
            "scrollbar-background": colours["background"],
            "scrollbar-background-hover": colours["background"],
            "scrollbar-background-active": colours["background"],
            "scrollbar-corner-color": colours["background"],
        },
    )


@cache
def _build_style(style: RoleStyle) -> Style:
    return Style(color=_colour(style.colour)) + Style.parse(" ".join(style.attributes))


@cache
def _build_ground(style: RoleStyle) -> Style:
    return Style(bgcolor=_colour(style.colour)) + Style.parse(" ".join(style.attributes))


def _colour(name: str) -> Color:
    return Color.parse(name.replace("-", "_"))


def _name(colour: str) -> str:
    """Returns a colour as the framework spells it."""
    return colour if colour.startswith("#") else f"ansi_{colour.replace('-', '_')}"
