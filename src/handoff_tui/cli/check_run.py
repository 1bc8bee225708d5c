"""A run of the checks that must happen: everything heavy is imported here."""

from __future__ import annotations

import argparse

from handoff_tui.checks.output.json import build_check_json
from handoff_tui.checks.report import CheckReport, RuleInfo, TrustState
from handoff_tui.checks.run.check import (
    CheckRequest,
    can_be_recalled,
    check,
    list_rules,
    mark_recalled,
    parse_moment,
    rests_on_outside,
)
from handoff_tui.checks.run.command_consent import build_trust_state, trust
from handoff_tui.checks.run.recall import Recall
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import find_start
from handoff_tui.cli.output import render_json, render_page, write_json, write_page
from handoff_tui.cli.plain import write_plain
from handoff_tui.cli.progress import following
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.session import load_terminal_theme, open_desk


def run_checks(arguments: argparse.Namespace, recall: Recall | None) -> ExitCode:
    """Runs what was asked for, prints it, and keeps it for the next time nothing has moved."""
    if arguments.at is not None:
        return _run_past(arguments)
    desk = open_desk(find_start(arguments), recall.look if recall is not None else None)
    if arguments.trust:
        trust(desk, arguments.trust)
    request = _build_request(arguments)
    if arguments.list:
        return _list(list_rules(desk, request), build_trust_state(desk), as_json=arguments.json)
    with following(keeps_partial=True) as telling:
        report = check(desk, request, telling)
    form = "json" if arguments.json else arguments.format
    write_plain(_render(report, form, everything=arguments.all))
    if telling.cancel.is_set():
        return ExitCode.INTERRUPTED
    code = ExitCode.BLOCKED if report.verdict == "blocked" else ExitCode.OK
    if recall is not None and can_be_recalled(report):
        again = mark_recalled(report)
        recall.keep(_render(again, form, everything=arguments.all), code, outside=rests_on_outside(report))
    return code


def _run_past(arguments: argparse.Namespace) -> ExitCode:
    """The rules on a commit; commands are not run there."""
    from handoff_tui.checks.output.page import build_check_page  # noqa: PLC0415
    from handoff_tui.cli.look_back import open_past  # noqa: PLC0415 - few ask about the past
    from handoff_tui.history.travel.words import add_banner  # noqa: PLC0415

    if arguments.list or arguments.trust or arguments.network:
        raise UsageError("--at looks at the past, where nothing can be listed, trusted or asked", "Leave out --at.")
    with open_past(arguments) as (traveller, stop):
        report = traveller.check(stop, _build_request(arguments))
    form = "json" if arguments.json else arguments.format
    if form == "text":
        page = build_check_page(report, everything=arguments.all)
        write_page(add_banner(page, stop, traveller.list_notes(stop)), load_terminal_theme())
    else:
        write_plain(_render(report, form, everything=arguments.all))
    return ExitCode.BLOCKED if report.verdict == "blocked" else ExitCode.OK


def _list(rules: tuple[RuleInfo, ...], state: TrustState | None, *, as_json: bool) -> ExitCode:
    from handoff_tui.checks.output.list import build_check_list_json, build_check_list_page  # noqa: PLC0415

    if as_json:
        write_json(build_check_list_json(rules, state))
    else:
        write_page(build_check_list_page(rules, state), load_terminal_theme())
    return ExitCode.OK


def _build_request(arguments: argparse.Namespace) -> CheckRequest:
    return CheckRequest(
        moment=parse_moment("gate" if arguments.gate else arguments.moment),
        phase=arguments.gate,
        handoff=arguments.handoff,
        only=tuple(arguments.only),
        excluded=tuple(arguments.excluded),
        baseline=arguments.baseline,
        fresh=arguments.fresh,
        network=arguments.network,
    )


def _render(report: CheckReport, form: str, *, everything: bool) -> str:
    """The form never changes the exit code; only the one that is wanted is imported."""
    if form == "json":
        return render_json(build_check_json(report))
    if form == "text":
        from handoff_tui.checks.output.page import build_check_page  # noqa: PLC0415

        return render_page(build_check_page(report, everything=everything), load_terminal_theme())
    from handoff_tui.checks.output.formats import render_report  # noqa: PLC0415

    return render_report(report, form).rstrip("\n") + "\n"
