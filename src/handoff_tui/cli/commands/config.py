"""`config show` and `config schema`: the current settings, and everything that can be set."""

from __future__ import annotations

import argparse
import json

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_child, add_reading_options, add_repository_option, find_start
from handoff_tui.cli.output import write_json, write_result, write_text
from handoff_tui.config.layer import SettingRow
from handoff_tui.config.load import read_settings
from handoff_tui.config.schema import build_schema
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


EXAMPLES = """\
examples:
  handoff-tui config show                   every setting
  handoff-tui config show --origins         and the file and line it comes from
  handoff-tui config schema > schema.json   for your editor
  handoff-tui config accept                 use a changed handoff-tui.toml on this machine at once

A change to handoff-tui.toml counts for the handoffs that start after it, and for all once it is approved: a branch
never sets its own guards.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    children = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    show = add_child(children, "show", "show the current settings")
    show.add_argument("--origins", action="store_true", help="show where each value comes from")
    add_reading_options(show)
    add_child(children, "schema", "print the JSON Schema of handoff-tui.toml")
    accepting = add_child(children, "accept", "use handoff-tui.toml as it is now, before anybody has approved it")
    add_repository_option(accepting)


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.what == "schema":
        write_json(build_schema())
        return ExitCode.OK
    if arguments.what == "accept":
        return _accept(arguments)
    rows = read_settings(find_start(arguments), required=arguments.repo is not None).rows()
    write_result(arguments, build_config_json, build_config_page, rows, origins=arguments.origins)
    return ExitCode.OK


def _accept(arguments: argparse.Namespace) -> ExitCode:
    from handoff_tui.checks.run.guards import accept_settings  # noqa: PLC0415 - the other words need no checks
    from handoff_tui.handoffs.session import open_session  # noqa: PLC0415
    from handoff_tui.log.person import require_person  # noqa: PLC0415

    require_person("accept settings of checks")
    accept_settings(open_session(find_start(arguments)))
    write_text(
        "accepted: handoff-tui.toml as it is now, on this machine. A further change waits for an approval again."
    )
    return ExitCode.OK
