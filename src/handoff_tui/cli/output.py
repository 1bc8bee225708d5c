"""The one writer of stdout: JSON for scripts, pages for people."""

from __future__ import annotations

import json
import os
import shutil
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVarTuple

from handoff_tui.cli.plain import explain_failure, write_pieces, write_plain
from handoff_tui.core.errors import UsageError
from handoff_tui.core.text.columns import GAP, fit_grid
from handoff_tui.core.text.page import Cell, Grid, Line, Page
from handoff_tui.core.text.pictures import Picture, render_half_blocks
from handoff_tui.core.text.safe_text import render_safe

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from handoff_tui.config.theme import Theme

_Values = TypeVarTuple("_Values")
_WIDTH_OF_A_PIPE = 120
_NARROW = 150
"""Below this width, columns that fold go under their row instead of beside it."""
_NOTHING = "–"


def write_result(
    arguments: Namespace,
    build_json: Callable[[*_Values], object],
    build_page: Callable[[*_Values], Page],
    *values: *_Values,
    **options: object,
) -> None:
    """Prints the answer of a verb: one JSON object with --json, else a page."""
    write_plain(render_result(arguments, build_json, build_page, *values, **options))


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
    from rich.text import Text  # noqa: PLC0415 - few ask for pictures

    size = shutil.get_terminal_size((_WIDTH_OF_A_PIPE, 24))
    console = _build_console(None)
    with explain_failure(), console.capture() as drawn:
        console.print(Text(render_safe(name)))
        for row in render_half_blocks(picture, size.columns, max(4, size.lines - 3)):
            cells = ((block.text, f"{block.foreground} on {block.background}") for block in row)
            console.print(Text.assemble(*cells), no_wrap=True, crop=True)
    write_plain(drawn.get())


def render_page(page: Page, theme: Theme | None = None, width: int | None = None) -> str:
    """Draws a page. Colours follow the terminal and NO_COLOR; so do the width and the theme if none is given."""
    if theme is None:
        from handoff_tui.handoffs.session import load_terminal_theme  # noqa: PLC0415 - JSON output does without it

        theme = load_terminal_theme()
    console = _build_console(width)
    # captured and written by us, because rich turns a closed pipe into an error
    with explain_failure(), console.capture() as drawn:
        for part in page.parts:
            if isinstance(part, Grid) and console.width < _NARROW and part.columns[-1].fold:
                _print_stacked(console, part, theme)
            elif isinstance(part, Grid):
                console.print(_build_table(part, theme, console.width))
            else:
                _print_line(console, part, theme)
    return drawn.get()


def _build_console(width: int | None) -> Console:
    from rich.console import Console  # noqa: PLC0415 - JSON output does without it

    return Console(
        file=sys.stdout,
        width=width or shutil.get_terminal_size((_WIDTH_OF_A_PIPE, 24)).columns,
        markup=False,
        highlight=False,
        emoji=False,
        no_color="NO_COLOR" in os.environ or None,
        soft_wrap=False,
    )


def _build_table(whole: Grid, theme: Theme, width: int) -> Table:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    grid, widths = fit_grid(whole, width)
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style=_style(theme, "muted"))
    for number, column in enumerate(grid.columns):
        table.add_column(
            Text(column.heading),
            justify="right" if column.right else "left",
            overflow="fold",
            ratio=1 if column.fold else None,
            no_wrap=False,
            width=None if widths is None else widths[number],
        )
    for row in grid.rows:
        table.add_row(*(Text(cell.text, style=_style(theme, cell.role)) for cell in row))
    return table


def _print_stacked(console: Console, grid: Grid, theme: Theme) -> None:
    """Prints the short columns of each row on one line, named from the third on, and the long ones below."""
    for row in grid.rows:
        pairs = list(zip(grid.columns, row, strict=True))
        short = [(column, cell) for column, cell in pairs if not column.fold and cell.text not in {"", _NOTHING}]
        cells = [Cell(f"{cell.text}  ", cell.role) for _, cell in short[:2]]
        named = " · ".join(f"{column.heading} {cell.text}" for column, cell in short[2:])
        _print_line(console, Line((*cells, Cell(named, "muted")), indent=4), theme)
        for column, cell in pairs:
            if column.fold and cell.text:
                _print_line(console, Line((Cell("    "), cell), indent=4), theme)


def _print_line(console: Console, line: Line, theme: Theme) -> None:
    """Prints a line, with a hanging indent if it wraps."""
    from rich.text import Text  # noqa: PLC0415

    text = Text.assemble(*((cell.text, _style(theme, cell.role)) for cell in line.cells))
    lead = 2 if line.indent == 2 else 0  # noqa: PLR2004 - list entries stand two in
    width = max(20, console.width - line.indent)
    first, *rest = text.wrap(console, max(20, console.width - lead), overflow="fold") or [Text()]
    told = len(first.plain)
    console.print(_indented(first, lead), overflow="fold")
    if rest:  # taken from the text itself: rejoined pieces of a folded path would have gaps
        told += len(text.plain[told:]) - len(text.plain[told:].lstrip())
        for piece in text[told:].wrap(console, width, overflow="fold"):
            console.print(_indented(piece, line.indent), overflow="fold")


def _indented(text: Text, indent: int) -> Text:
    from rich.text import Text  # noqa: PLC0415

    text.rstrip()
    return Text(" " * indent) + text


def _style(theme: Theme, role: str) -> str:
    """Returns the style of a role as rich spells it: `bright-red` is `bright_red`."""
    colour, attributes = theme.style(role)
    return " ".join((colour.replace("-", "_"), *attributes))
