"""Runs the checks when no earlier answer can be repeated; imports everything heavy."""

from __future__ import annotations

import argparse

from handoff_tui.checks.output.json import build_check_json
from handoff_tui.checks.report import CheckReport, ConsentState, RuleInfo
from handoff_tui.checks.run.check import check, parse_moment
from handoff_tui.checks.run.choose import CheckRequest, list_rules
from handoff_tui.checks.run.commands import give_consent, grant_access, read_consent
from handoff_tui.checks.run.guards import accept_settings
from handoff_tui.checks.run.output_cache import OutputCache
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import find_start
from handoff_tui.cli.output import render_json, render_page, write_page, write_result
from handoff_tui.cli.plain import write_plain
from handoff_tui.cli.progress import following
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.person import require_person


def run_checks(arguments: argparse.Namespace, recall: OutputCache | None) -> ExitCode:
    """Runs the checks, prints the results, and keeps them for the next call if nothing changes until then."""
    if arguments.at is not None:
        return _run_past(arguments)
    if arguments.grant and not arguments.trust:
        raise UsageError("--grant goes with --trust DIGEST: whoever grants access has read the commands")
    look = recall.look if recall is not None else None
    session = open_session(find_start(arguments), look)
    if arguments.trust:
        require_person("consent to commands")
        give_consent(session, arguments.trust)
        grant_access(session, arguments.grant)
        accept_settings(session)
    request = _build_request(arguments)
    if arguments.list:
        return _list(arguments, list_rules(session, request), read_consent(session))
    with following(keeps_partial=True) as progress:
        report = check(session, request, progress, look=look)
    form = "json" if arguments.json else arguments.format
    write_plain(_render(report, form, everything=arguments.all))
    if progress.cancel.is_set():
        return ExitCode.INTERRUPTED
    code = ExitCode.BLOCKED if report.verdict == "blocked" else ExitCode.OK
    if recall is not None and report.can_be_recalled:
        again = report.mark_recalled()
        recall.keep(_render(again, form, everything=arguments.all), code, outside=report.rests_on_outside)
    return code


def _run_past(arguments: argparse.Namespace) -> ExitCode:
    """Runs the rules on a past commit; commands don't run there."""
    from handoff_tui.checks.output.page import build_check_page  # noqa: PLC0415
    from handoff_tui.cli.look_back import open_past  # noqa: PLC0415 - few ask about the past
    from handoff_tui.history.travel.values import add_banner  # noqa: PLC0415

    if arguments.list or arguments.trust or arguments.network:
        raise UsageError(
            "--at looks at the past, so --list, --trust and --network don't work with it", "Leave out --at."
        )
    with open_past(arguments) as (traveller, stop):
        report = traveller.check(stop, _build_request(arguments))
    form = "json" if arguments.json else arguments.format
    if form == "text":
        page = build_check_page(report, everything=arguments.all)
        write_page(add_banner(page, stop, traveller.list_notes(stop)))
    else:
        write_plain(_render(report, form, everything=arguments.all))
    return ExitCode.BLOCKED if report.verdict == "blocked" else ExitCode.OK


def _list(arguments: argparse.Namespace, rules: tuple[RuleInfo, ...], state: ConsentState | None) -> ExitCode:
    from handoff_tui.checks.output.page import build_check_list_json, build_check_list_page  # noqa: PLC0415

    write_result(arguments, build_check_list_json, build_check_list_page, rules, state)
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
    """Renders a report; imports only the format that is wanted."""
    if form == "json":
        return render_json(build_check_json(report))
    if form == "text":
        from handoff_tui.checks.output.page import build_check_page  # noqa: PLC0415

        return render_page(build_check_page(report, everything=everything))
    from handoff_tui.checks.output.formats import render_report  # noqa: PLC0415

    return render_report(report, form).rstrip("\n") + "\n"
