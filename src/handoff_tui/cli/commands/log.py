"""`log`: lists the signed log; shows or extracts one entry; verifies, replays or bundles all of it."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.cli.diagnostics import counting
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import Children, add_child, add_reading_options, add_repository_option, find_start
from handoff_tui.cli.output import render_page, write_json, write_result, write_stream, write_text
from handoff_tui.core.errors import NoHumanError, UsageError
from handoff_tui.log.entry import DecisionVerb
from handoff_tui.log.open_log import open_log_at
from handoff_tui.log.person import ask_person, read_page_width, require_person
from handoff_tui.log.policy.init import prepare_pin
from handoff_tui.log.show import page
from handoff_tui.log.show.bundle import build_bundle, verify_bundle, write_bundle
from handoff_tui.log.show.entries import POLICY, SUBMIT, EntryFilter, list_log, show_entry, write_extract
from handoff_tui.log.show.verify import VerifyOptions, parse_pin, verify_whole_at

_PIN_WORD_LENGTH = 8
_ACTS = (*(verb.value for verb in DecisionVerb), SUBMIT, POLICY)
EXAMPLES = """\
examples:
  handoff-tui log                               every entry, newest first, and whether it is valid
  handoff-tui log --handoff H-3 --verb reject   some of them
  handoff-tui log show 45513f --extract /tmp/e  one entry, with its parts as files for checking by hand
  handoff-tui log verify                        every byte of the log
  handoff-tui log verify --against origin/main  in CI: no entry of the base branch may be gone
  handoff-tui log pin                           at first use: compare the first entry, then vouch for it
  handoff-tui log replay                        would every past approval still hold today?
  handoff-tui log bundle --out log.tar          the log in one file, for `log verify --bundle log.tar` anywhere
"""
_VERIFY_EXAMPLES = """\
examples:
  handoff-tui log verify --pin sha256:…        the log must begin with this entry
  handoff-tui log verify --with-ssh-keygen     ask ssh-keygen about every signature too
  handoff-tui log verify --against "$(git merge-base origin/main HEAD)"
  handoff-tui log verify --bundle log.tar      a file written by `log bundle`; needs no repository

exit: 0 clean, 3 the log is not intact, or nothing vouches for its first entry
"""
_REPLAY_EXAMPLES = """\
examples:
  handoff-tui log replay                       every past approval and its four answers
  handoff-tui log replay --all                 with every detail
  handoff-tui log replay --json | jq '.approvals[] | select(.standing == "fails") | {entry, handoff, answers}'

exit: 0 nothing fails (the first line says what can't be judged), 1 an approval would not hold today, or its evidence
is missing or changed, 3 the log is not intact and nothing is judged
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--handoff", metavar="ID", help="only entries about this handoff")
    parser.add_argument("--person", metavar="WHO", help="only entries by this person or agent")
    parser.add_argument(
        "--verb",
        dest="act",
        choices=_ACTS,
        metavar="VERB",
        help=f"only entries of this kind: {', '.join(_ACTS[:-1])} or {_ACTS[-1]}",
    )
    add_reading_options(parser)
    children = parser.add_subparsers(dest="what", metavar="WHAT")
    _add_show(children)
    _add_verify(children)
    _add_replay(children)
    pinning = _add_child(children, "pin", "trust this log from now on, after comparing its first entry")
    pinning.add_argument("expected", metavar="ID", nargs="?", help="the id that a colleague or your CI gave you")
    pinning.add_argument(
        "--forget", action="store_true", help="forget the log ID, which has ended; another may begin here"
    )
    bundling = _add_child(children, "bundle", "write the log into one file that can be verified without the repository")
    bundling.add_argument("--out", type=Path, metavar="FILE", help="where to write it (default: standard output)")


def run(arguments: argparse.Namespace) -> ExitCode:
    doing = {"show": _show, "verify": _verify, "replay": _replay, "bundle": _bundle, "pin": _pin}
    return doing.get(arguments.what, _list)(arguments)


def _list(arguments: argparse.Namespace) -> ExitCode:
    wanted = EntryFilter(arguments.handoff, arguments.person, arguments.act)
    view = list_log(open_log_at(find_start(arguments)), wanted)
    write_result(arguments, page.build_log_json, page.build_log_page, view, everything=arguments.all)
    return ExitCode.OK


def _show(arguments: argparse.Namespace) -> ExitCode:
    shown = show_entry(open_log_at(find_start(arguments)), arguments.entry)
    folder = arguments.extract
    extracted = () if folder is None else write_extract(shown, folder)
    write_result(
        arguments, page.build_entry_json, page.build_entry_page, shown.view, extracted, folder=str(folder or "")
    )
    return ExitCode.OK


def _verify(arguments: argparse.Namespace) -> ExitCode:
    options = VerifyOptions(arguments.pin, arguments.with_ssh_keygen, arguments.against)
    if arguments.bundle is not None:
        if arguments.against is not None:
            raise UsageError(
                "--against compares with a commit, and a bundle has none", "Leave out --against or --bundle."
            )
        report = verify_bundle(arguments.bundle, options)
    else:
        report = verify_whole_at(find_start(arguments), options)
    write_result(arguments, page.build_report_json, page.build_report_page, report, everything=arguments.all)
    return ExitCode.OK if report.anchored and not report.fatal else ExitCode.INTEGRITY


def _pin(arguments: argparse.Namespace) -> ExitCode:
    require_person("vouch for a log")
    expected = None if arguments.expected is None else parse_pin(arguments.expected)
    if arguments.forget:
        return _forget(arguments, expected)
    question = prepare_pin(find_start(arguments), expected)
    if expected is None:
        word = question.first.removeprefix("sha256:")[:_PIN_WORD_LENGTH]
        shown = render_page(page.build_pin_page(question), width=read_page_width())
        if ask_person(f"{shown}\nType {word} to take this for the right log; anything else cancels: ") != word:
            raise NoHumanError("the log was not pinned", "Nothing was changed.")
    question.log.consent(question.verdict)
    if arguments.json:
        write_json(page.build_pin_json(question))
    else:
        write_text(f"pinned: {question.first}\nOn this machine, every clone with this log counts as anchored.")
    return ExitCode.OK


def _forget(arguments: argparse.Namespace, expected: str | None) -> ExitCode:
    if expected is None:
        raise UsageError("name the log to forget by its first entry", "handoff-tui log pin --forget sha256:…")
    open_log_at(find_start(arguments)).forget(expected)
    write_text(f"forgotten: {expected}\nThis machine no longer notices if its entries disappear from this repository.")
    return ExitCode.OK


def _replay(arguments: argparse.Namespace) -> ExitCode:
    from handoff_tui.history.replay.page import (  # noqa: PLC0415
        ReplayVerdict,
        build_replay_json,
        build_replay_page,
    )
    from handoff_tui.history.replay.replay import replay_at  # noqa: PLC0415

    with counting("approvals replayed") as tell:
        report = replay_at(find_start(arguments), tell)
    write_result(arguments, build_replay_json, build_replay_page, report, everything=arguments.all)
    if report.fatal:
        return ExitCode.INTEGRITY
    return ExitCode.BLOCKED if report.count(ReplayVerdict.FAILS) else ExitCode.OK


def _bundle(arguments: argparse.Namespace) -> ExitCode:
    pieces = build_bundle(open_log_at(find_start(arguments)))
    if arguments.out is None:
        if arguments.json:
            raise UsageError("--json says where the file is, and there is no file", "Name one with --out FILE.")
        write_stream(pieces, "a bundle is not text for a terminal", "Name a file with --out FILE, or pipe it.")
        return ExitCode.OK
    size = write_bundle(pieces, arguments.out)
    if arguments.json:
        write_json(page.build_bundle_json(str(arguments.out), size))
    else:
        write_text(f"{arguments.out}: {size:,} bytes. `handoff-tui log verify --bundle` verifies it anywhere.")
    return ExitCode.OK


def _add_show(children: Children) -> None:
    showing = _add_child(children, "show", "show one entry in full: fields, signatures, what it binds")
    showing.add_argument("entry", metavar="ENTRY", help="its id, or at least the first 4 digits")
    showing.add_argument(
        "--extract", type=Path, metavar="DIR", help="write its parts to this folder, for checking by hand"
    )


def _add_verify(children: Children) -> None:
    verifying = _add_child(children, "verify", "verify every byte of the log again")
    verifying.epilog = _VERIFY_EXAMPLES
    verifying.add_argument("--pin", metavar="ID", help="the entry that the log must begin with")
    verifying.add_argument("--with-ssh-keygen", action="store_true", help="ask ssh-keygen about every signature too")
    verifying.add_argument("--against", metavar="REF", help="require every entry of this commit, unchanged")
    verifying.add_argument("--all", action="store_true", default=argparse.SUPPRESS, help="print every problem")
    verifying.add_argument("--bundle", type=Path, metavar="FILE", help="verify a file written by `log bundle` instead")


def _add_replay(children: Children) -> None:
    replaying = _add_child(children, "replay", "judge every past approval again, as of today")
    replaying.epilog = _REPLAY_EXAMPLES
    replaying.add_argument("--all", action="store_true", default=argparse.SUPPRESS, help="print every detail")


def _add_child(children: Children, name: str, summary: str) -> argparse.ArgumentParser:
    """Adds a child that keeps the options given to `log` itself."""
    child = add_child(children, name, summary)
    child.formatter_class = argparse.RawDescriptionHelpFormatter
    child.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object for scripts"
    )
    add_repository_option(child)
    return child
