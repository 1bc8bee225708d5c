"""`registry`: brings the builder's registry in line with what people have signed; shows it first."""

from __future__ import annotations

import argparse

from handoff_tui.checks.run.recheck import CheckAgain
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_output_options, open_named_session
from handoff_tui.cli.output import write_result
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.status.refresh import refresh
from handoff_tui.status.registry import RegistryEdit, apply_registry, plan_registry

EXAMPLES = """\
examples:
  handoff-tui registry            show the rows that an approval has overtaken
  handoff-tui registry --apply    write them; committing is up to you

exit: 0 shown or written, 2 there is nothing to write
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--apply", action="store_true", help="write the rows")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    session = open_named_session(arguments)
    edits = plan_registry(refresh(session, CheckAgain()))
    if arguments.apply:
        apply_registry(session, edits)
    write_result(
        arguments,
        lambda found: _build_json(found, applied=arguments.apply),
        lambda found: _build_page(found, applied=arguments.apply),
        edits,
    )
    return ExitCode.OK


def _build_json(edits: tuple[RegistryEdit, ...], *, applied: bool) -> dict[str, object]:
    return {"schema": "handoff-tui/registry/v1", "applied": applied, "rows": [edit._asdict() for edit in edits]}


def _build_page(edits: tuple[RegistryEdit, ...], *, applied: bool) -> Page:
    page = Page()
    if not edits:
        page.line(Cell("The registry says what the signed log says, or there is none", "muted"))
    for edit in edits:
        words = f"{edit.handoff}  {edit.before} → {edit.after}  ({edit.path}:{edit.line})"
        page.line(Cell("✓ written  " if applied else "· would write  "), Cell(render_safe(words)), indent=4)
    if edits and not applied:
        page.line(Cell("handoff-tui registry --apply writes them", "muted"))
    return page
