"""The one writer of stdout: JSON for scripts, pages for people."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Protocol, TypeVar, TypeVarTuple

from handoff_tui.cli.plain import explain_failure, write_pieces, write_plain
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import UsageError
from handoff_tui.core.text.columns import fit_grid
from handoff_tui.core.text.page import Cell, Grid, Page
from handoff_tui.core.text.page_layout import Row, lay_out, lay_out_grid, lay_out_table, stack_rows
from handoff_tui.core.text.safe_text import render_safe

if TYPE_CHECKING:
    from handoff_tui.config.theme import Theme
    from handoff_tui.core.text.pictures import Picture

_Values = TypeVarTuple("_Values")


class _AsDict(Protocol):
    def _asdict(self) -> dict[str, object]: ...


_Row = TypeVar("_Row", bound=_AsDict)
_WIDTH_OF_A_PIPE = 120
_NARROW = 150
"""Below this width, columns that fold go under their row instead of beside it."""


def write_result(
    arguments: Namespace,
    build_json: Callable[[*_Values], object],
    build_page: Callable[[*_Values], Page],
    *values: *_Values,
    **options: object,
) -> None:
    """Prints the answer of a verb: one JSON object with --json, else a page."""
    write_plain(render_result(arguments, build_json, build_page, *values, **options))


class PlanWords(NamedTuple):
    """How a verb that shows first, and writes with --apply, speaks."""

    verb: str
    rows: str
    """What the rows are called in JSON."""
    nothing: str
    would: str
    done: str
    again: str


def write_plan(
    arguments: Namespace, words: PlanWords, rows: Sequence[_Row], describe: Callable[[_Row], tuple[str, bool]]
) -> None:
    """Prints what would be written, or was; `describe` says a row, and whether it can be done."""
    if arguments.json:
        schema = f"handoff-tui/{words.verb}/v1"
        write_json({"schema": schema, "applied": arguments.apply, words.rows: [row._asdict() for row in rows]})
        return
    page = Page()
    if not rows:
        page.line(Cell(words.nothing, "muted"))
    for row in rows:
        text, is_possible = describe(row)
        sign = Cell(f"✓ {words.done}  " if arguments.apply else f"· would {words.would}  ")
        page.line(sign if is_possible else Cell("! ", "warning"), Cell(render_safe(text)), indent=4)
    if rows and not arguments.apply:
        page.line(Cell(f"handoff-tui {words.verb} --apply {words.again}", "muted"))
    write_page(page)


def render_result(
    arguments: Namespace,
    build_json: Callable[[*_Values], object],
    build_page: Callable[[*_Values], Page],
    *values: *_Values,
    **options: object,
) -> str:
    """The answer of a verb. Both forms are built from the same values, but only one is; options are for the page."""
    if arguments.json:
        return render_json(build_json(*values))
    build: Callable[..., Page] = build_page
    return render_page(build(*values, **options))


def write_json(value: object) -> None:
    write_plain(render_json(value))


def render_json(value: object) -> str:
    """Renders one object. Characters outside ASCII are escaped, so that none can trick a terminal."""
    return json.dumps(value, indent=2, ensure_ascii=True) + "\n"


def write_stream(pieces: Iterable[bytes], complaint: str, hint: str) -> None:
    """Writes bytes for a file or another program piece by piece, or raises the complaint on a terminal."""
    if sys.stdout.isatty():
        raise UsageError(complaint, hint)
    write_pieces(pieces)


def write_text(text: str) -> None:
    """Writes text that is our own or was made safe."""
    write_plain(text + "\n")


def write_page(page: Page) -> None:
    write_plain(render_page(page))


def write_picture(name: str, picture: Picture) -> None:
    """Draws a picture in half blocks, as large as the terminal allows; in plain characters without colour."""
    from handoff_tui.core.text.pictures import render_half_blocks  # noqa: PLC0415 - few ask for pictures

    columns, lines = _read_size()
    blocks = render_half_blocks(picture, columns, max(4, lines - 3))
    rows = ([(block.text, f"{block.foreground} on {block.background}") for block in row] for row in blocks)
    write_plain(_draw([[(render_safe(name), "")], *rows], columns))


def render_page(page: Page, theme: Theme | None = None, width: int | None = None) -> str:
    """Draws a page. Colours follow the terminal and NO_COLOR; so do the width and the theme if none is given."""
    columns = width or _read_size()[0]
    rows = lay_out(page, columns, _place_grid)
    if not _has_styles():
        return _join(rows)
    if theme is None:
        from handoff_tui.handoffs.session import load_terminal_theme  # noqa: PLC0415 - plain output does without it

        theme = load_terminal_theme()
    return _draw([_list_pieces(row, theme) for row in rows], columns)


def _list_pieces(row: Row, theme: Theme) -> list[tuple[str, str]]:
    """The text of a row by its styles, without the blanks at its end."""
    pieces = [
        ("".join(cell.text for cell in cells), _style(theme, role))
        for role, cells in groupby(row, lambda cell: cell.role)
    ]
    while pieces and not pieces[-1][0].strip(" "):
        pieces.pop()
    return [*pieces[:-1], *((text.rstrip(" "), style) for text, style in pieces[-1:])]


def _place_grid(grid: Grid, width: int) -> list[Row]:
    """Lays out a table with the columns that fit; on a narrow terminal, long cells go below their row."""
    if width < _NARROW and grid.columns[-1].fold:
        return stack_rows(grid, width)
    fitting, widths = fit_grid(grid, width)
    return lay_out_grid(grid, width) if widths is None else lay_out_table(fitting, widths)


def _read_size() -> tuple[int, int]:
    """The columns and lines of the terminal, as `shutil` finds them, which takes long to import."""
    try:
        columns, lines = os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1)
    except (OSError, ValueError):
        columns, lines = _WIDTH_OF_A_PIPE, 24
    return _read_number("COLUMNS") or columns or _WIDTH_OF_A_PIPE, _read_number("LINES") or lines or 24


def _read_number(name: str) -> int:
    value = os.environ.get(name, "")
    return int(value) if value.isascii() and value.isdigit() else 0


def _has_styles() -> bool:
    """Tells whether rich may have colours or bold text to write; it knows terminals, and takes long to import."""
    return sys.stdout.isatty() or any(os.environ.get(name) for name in ("FORCE_COLOR", "TTY_COMPATIBLE"))


def _draw(rows: Sequence[Sequence[tuple[str, str]]], width: int) -> str:
    """Text and styles, as rich writes them to this terminal."""
    if not _has_styles():
        return _join(rows)
    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    plain = "NO_COLOR" in os.environ or None
    console = Console(file=sys.stdout, width=width, markup=False, highlight=False, emoji=False, no_color=plain)
    # captured and written by us, because rich turns a closed pipe into an error
    with explain_failure(), console.capture() as drawn:
        for row in rows:
            console.print(Text.assemble(*row), no_wrap=True, overflow="ignore", crop=False)
    return drawn.get()


def _join(rows: Iterable[Sequence[tuple[str, str]]]) -> str:
    return "".join("".join(text for text, _ in row).rstrip() + "\n" for row in rows)


def _style(theme: Theme, role: str) -> str:
    """Returns the style of a role as rich spells it: `bright-red` is `bright_red`."""
    colour, attributes = theme.style(role)
    return " ".join((colour.replace("-", "_"), *attributes))
