"""Examines a gate when no earlier answer can be repeated; imports everything heavy."""

from __future__ import annotations

import argparse

from handoff_tui.checks.run.output_cache import OutputCache
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import open_work_session
from handoff_tui.cli.output import render_result
from handoff_tui.cli.plain import write_plain
from handoff_tui.cli.progress import following
from handoff_tui.decisions.examine import ExaminedGate, ExamineOptions, build_gate_view, examine
from handoff_tui.decisions.pages.gate import build_gate_json, build_gate_page
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.gates.gate_state import OPENING
from handoff_tui.log.open_log import open_log


def run_gate(arguments: argparse.Namespace, recall: OutputCache) -> ExitCode:
    """Prints where the gate stands, and keeps it for the next call if nothing changes until then."""
    session = open_session(recall.look.repository.root, recall.look)
    with following() as progress:
        options = ExamineOptions(fresh=arguments.fresh, capture=arguments.json)  # the page names no snapshot
        work = open_work_session(session, arguments)
        examined = examine(work, open_log(session.repository), arguments.id, arguments.phase, options, progress)
    text = render_result(arguments, build_gate_json, build_gate_page, build_gate_view(examined))
    write_plain(text)
    code = _find_code(examined)
    if examined.report.can_be_recalled and work is session:
        recall.keep(text, code, outside=True)
    return code


def _find_code(examined: ExaminedGate) -> ExitCode:
    if examined.index.verdict.fatal:
        return ExitCode.INTEGRITY
    if examined.gate.state not in OPENING:
        return ExitCode.BLOCKED
    return ExitCode.OK if examined.index.verdict.anchored else ExitCode.INTEGRITY
