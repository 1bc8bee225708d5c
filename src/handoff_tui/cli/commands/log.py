"""`log`: the signed log, listed; one entry shown or extracted; all of it verified, judged again, or in one file."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.cli.diagnostics import clear_progress, write_progress
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_reading_options, add_repository_option, find_start
from handoff_tui.cli.output import write_json, write_page, write_stream, write_text
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.session import load_terminal_theme
from handoff_tui.log.open_log import open_log_at
from handoff_tui.log.record import DecisionVerb
from handoff_tui.log.show.bundle import build_bundle, verify_bundle, write_bundle
from handoff_tui.log.show.by_hand import build_bundle_texts, build_extract_readme
from handoff_tui.log.show.entries import POLICY, SUBMIT, Choice, list_log
from handoff_tui.log.show.entry import build_parts, show_entry, write_extract
from handoff_tui.log.show.json import build_bundle_json, build_entry_json, build_log_json, build_report_json
from handoff_tui.log.show.page import build_entry_page, build_log_page, build_report_page
from handoff_tui.log.show.verify import Demands, verify_whole_at

_ACTS = (*(verb.value for verb in DecisionVerb), SUBMIT, POLICY)
_EXAMPLES = """\
examples:
  handoff-tui log                              every entry, newest first, and whether it holds
  handoff-tui log --handoff H-3 --verb reject  some of them
  handoff-tui log show 45513f --extract /tmp/e one entry, its parts as files for checking by hand
  handoff-tui log verify                       the whole log, every byte anew
  handoff-tui log verify --against origin/main in CI: no entry of the base branch may be gone
  handoff-tui log replay                       every past approval: would it hold today?
  handoff-tui log bundle --out log.tar         all of it in one file; log verify --bundle log.tar reads it anywhere
"""
_VERIFY_EXAMPLES = """\
examples:
  handoff-tui log verify --pin sha256:…        the log must begin with this entry
  handoff-tui log verify --with-ssh-keygen     ask ssh-keygen about every signature too
  handoff-tui log verify --against "$(git merge-base origin/main HEAD)"
  handoff-tui log verify --bundle log.tar      a file made by `log bundle`; no repository is needed

exit: 0 clean, 3 fatal
"""
_REPLAY_EXAMPLES = """\
examples:
  handoff-tui log replay                       every past approval and its four answers
  handoff-tui log replay --all                 with every detail
  handoff-tui log replay --json | jq '.approvals[] | select(.standing == "fails") | {entry, handoff, answers}'

exit: 0 nothing fails (the first line tells what cannot be judged), 1 an approval would not hold today, or evidence
that it names is gone or changed, 3 the log is not sound and nothing is judged
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("--handoff", metavar="ID", help="only entries on this handoff")
    parser.add_argument("--person", metavar="WHO", help="only entries by this person or agent")
    parser.add_argument(
        "--verb", dest="act", choices=_ACTS, metavar="VERB", help=f"only these: {', '.join(_ACTS[:-1])} or {_ACTS[-1]}"
    )
    add_reading_options(parser)
    children = parser.add_subparsers(dest="what", metavar="WHAT")
    _add_show(children)
    _add_verify(children)
    _add_replay(children)
    bundling = _add_child(children, "bundle", "the whole log in one file that can be verified without the repository")
    bundling.add_argument("--out", type=Path, metavar="FILE", help="where to write it (default: standard output)")


def run(arguments: argparse.Namespace) -> ExitCode:
    doing = {"show": _show, "verify": _verify, "replay": _replay, "bundle": _bundle}
    return doing.get(arguments.what, _list)(arguments)


def _list(arguments: argparse.Namespace) -> ExitCode:
    choice = Choice(arguments.handoff, arguments.person, arguments.act)
    view = list_log(open_log_at(find_start(arguments)), choice)
    if arguments.json:
        write_json(build_log_json(view))
    else:
        write_page(build_log_page(view, everything=arguments.all), load_terminal_theme())
    return ExitCode.OK


def _show(arguments: argparse.Namespace) -> ExitCode:
    shown = show_entry(open_log_at(find_start(arguments)), arguments.entry)
    extracted: tuple[str, ...] = ()
    if arguments.extract is not None:
        readme = build_extract_readme(shown.view, tuple(build_parts(shown)))
        extracted = write_extract(shown, arguments.extract, readme)
    if arguments.json:
        write_json(build_entry_json(shown.view, extracted))
    else:
        write_page(build_entry_page(shown.view, extracted, str(arguments.extract or "")), load_terminal_theme())
    return ExitCode.OK


def _verify(arguments: argparse.Namespace) -> ExitCode:
    demands = Demands(arguments.pin, arguments.with_ssh_keygen, arguments.against)
    if arguments.bundle is not None:
        if arguments.against is not None:
            raise UsageError("--against compares with a commit, and a bundle has none", "Leave out one of the two.")
        report = verify_bundle(arguments.bundle, demands, build_bundle_texts())
    else:
        report = verify_whole_at(find_start(arguments), demands)
    if arguments.json:
        write_json(build_report_json(report))
    else:
        write_page(build_report_page(report, everything=arguments.all), load_terminal_theme())
    return ExitCode.INTEGRITY if report.fatal else ExitCode.OK


def _replay(arguments: argparse.Namespace) -> ExitCode:
    from handoff_tui.history.replay.page import build_replay_json, build_replay_page  # noqa: PLC0415
    from handoff_tui.history.replay.replay import replay_at  # noqa: PLC0415
    from handoff_tui.history.replay.report import Standing  # noqa: PLC0415 - the other words need none of the rules

    try:
        report = replay_at(find_start(arguments), lambda done, total: write_progress(f"{done}/{total} judged again"))
    finally:
        clear_progress()
    if arguments.json:
        write_json(build_replay_json(report))
    else:
        write_page(build_replay_page(report, everything=arguments.all), load_terminal_theme())
    if report.fatal:
        return ExitCode.INTEGRITY
    return ExitCode.BLOCKED if report.count(Standing.FAILS) else ExitCode.OK


def _bundle(arguments: argparse.Namespace) -> ExitCode:
    pieces = build_bundle(open_log_at(find_start(arguments)), build_bundle_texts())
    if arguments.out is None:
        if arguments.json:
            raise UsageError("--json tells where the file is, and there is none", "Name one with --out FILE.")
        write_stream(pieces, "a bundle is no text for a terminal", "Name a file with --out FILE, or pipe it on.")
        return ExitCode.OK
    size = write_bundle(pieces, arguments.out)
    if arguments.json:
        write_json(build_bundle_json(str(arguments.out), size))
    else:
        write_text(f"{arguments.out}: {size:,} bytes; `handoff-tui log verify --bundle` reads it anywhere")
    return ExitCode.OK


_Children = argparse._SubParsersAction  # noqa: SLF001 - argparse has no public name for it


def _add_show(children: _Children[argparse.ArgumentParser]) -> None:
    showing = _add_child(children, "show", "one entry whole: fields, signatures, what it is bound to")
    showing.add_argument("entry", metavar="ENTRY", help="the beginning of its id, at least 4 digits")
    showing.add_argument("--extract", type=Path, metavar="DIR", help="write its parts there, for checking by hand")


def _add_verify(children: _Children[argparse.ArgumentParser]) -> None:
    verifying = _add_child(children, "verify", "verify the whole log, every byte anew")
    verifying.epilog = _VERIFY_EXAMPLES
    verifying.add_argument("--pin", metavar="ID", help="the first entry that the log must have")
    verifying.add_argument("--with-ssh-keygen", action="store_true", help="ask ssh-keygen about every signature too")
    verifying.add_argument("--against", metavar="REF", help="every entry of this commit must be here, unchanged")
    verifying.add_argument("--all", action="store_true", default=argparse.SUPPRESS, help="print every problem")
    verifying.add_argument("--bundle", type=Path, metavar="FILE", help="verify a file made by `log bundle` instead")


def _add_replay(children: _Children[argparse.ArgumentParser]) -> None:
    replaying = _add_child(children, "replay", "judge every past approval again, by what holds today")
    replaying.epilog = _REPLAY_EXAMPLES
    replaying.add_argument("--all", action="store_true", default=argparse.SUPPRESS, help="print every detail")


def _add_child(children: _Children[argparse.ArgumentParser], name: str, summary: str) -> argparse.ArgumentParser:
    """What `log` itself was given before the word stays as it is."""
    child = children.add_parser(
        name, help=summary, description=summary, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    child.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object for scripts"
    )
    add_repository_option(child)
    return child
