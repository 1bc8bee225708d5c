"""`policy show|propose|sign|seal|restore`: who may do what, and how that is changed by several people."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_repository_option, find_start
from handoff_tui.cli.output import render_page, write_json, write_page, write_text
from handoff_tui.core.errors import NoHumanError
from handoff_tui.decisions.confirm import ask_person, can_ask
from handoff_tui.handoffs.session import load_terminal_theme
from handoff_tui.log.policy.json import (
    build_policy_json,
    build_propose_json,
    build_restore_json,
    build_seal_json,
    build_sign_json,
    build_unsealed_json,
)
from handoff_tui.log.policy.page import build_policy_page
from handoff_tui.log.policy.reports import ProposalReport
from handoff_tui.log.policy.show import show_policy
from handoff_tui.log.proposals.page import (
    build_proposal_page,
    build_propose_page,
    build_seal_page,
    build_sign_page,
    build_unsealed_page,
)
from handoff_tui.log.proposals.propose import ProposeRequest, propose_policy
from handoff_tui.log.proposals.seal import prepare_seal, restore_trust, seal_policy
from handoff_tui.log.proposals.sign import prepare_signature, sign_proposal

_EXAMPLES = """\
examples:
  handoff-tui policy show                                   who may do what, by the signed log
  handoff-tui policy propose --add-reviewer "$(cat line)"   the line is what `handoff-tui keys enroll` prints
  handoff-tui policy propose --drop-key SHA256:nThbg6k --add-root "$(cat line)"
  handoff-tui policy propose --edit                         both texts in your editor
  handoff-tui policy sign policy-2.proposal.json            by everybody who has to, each in turn
  handoff-tui policy seal policy-2.proposal.json            when all have signed; several copies can be named

A new policy needs the root people of the old one and of itself. Entries that are added to the log between proposing
and sealing are no obstacle; another policy is, and then it is proposed again. Whoever holds a file that all have signed
can seal it: sign only what you want.
exit: 0 done, 1 forbidden or signatures missing, 3 the log is not sound, 4 nobody to sign
"""
_SIGN_WORD_LENGTH = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    children = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    showing = _add(children, "show", "the policy in force, in words")
    proposing = _add(children, "propose", "write the file of a proposal")
    _add_changes(proposing)
    signing = _add(children, "sign", "add your signature to a proposal")
    signing.add_argument("file", type=Path, metavar="FILE", help="the proposal")
    signing.add_argument("--key", type=Path, metavar="KEYFILE", help="another key than the one you sign with")
    signing.add_argument(
        "--yes-i-read-it", metavar="DIGEST", help="sign without a terminal: the digest of what you have read"
    )
    sealing = _add(children, "seal", "add a proposal that all have signed to the log")
    sealing.add_argument("files", type=Path, nargs="+", metavar="FILE", help="the proposal, or signed copies of it")
    sealing.add_argument(
        "--allow-void", action="store_true", help="also when entries by a dropped key would count for nothing"
    )
    restoring = _add(children, "restore", "write .handoff-tui/trust/ again as the log says")
    for child in (showing, proposing, signing, sealing, restoring):
        child.add_argument("--json", action="store_true", help="print one JSON object for scripts")
        add_repository_option(child)


def run(arguments: argparse.Namespace) -> ExitCode:
    verbs = {"show": _show, "propose": _propose, "sign": _sign, "seal": _seal, "restore": _restore}
    return verbs[arguments.what](arguments)


def _show(arguments: argparse.Namespace) -> ExitCode:
    report = show_policy(find_start(arguments))
    if arguments.json:
        write_json(build_policy_json(report))
    else:
        write_page(build_policy_page(report), load_terminal_theme())
    return ExitCode.INTEGRITY if report.fatal else ExitCode.OK


def _propose(arguments: argparse.Namespace) -> ExitCode:
    request = ProposeRequest(
        sources=tuple(arguments.sources),
        add_roots=tuple(arguments.add_root),
        add_reviewers=tuple(arguments.add_reviewer),
        add_agents=tuple(arguments.add_agent),
        drop_keys=tuple(arguments.drop_key),
        root_threshold=arguments.root_threshold,
        edit=arguments.edit,
        keep=arguments.keep,
        output=arguments.output,
    )
    report = propose_policy(find_start(arguments), request)
    if arguments.json:
        write_json(build_propose_json(report))
    else:
        write_page(build_propose_page(report), load_terminal_theme())
    return ExitCode.OK


def _sign(arguments: argparse.Namespace) -> ExitCode:
    prepared = prepare_signature(find_start(arguments), arguments.file, arguments.key)
    if not prepared.signed:
        _confirm(prepared.report, prepared.principal, arguments.yes_i_read_it)
    report = sign_proposal(prepared)
    if arguments.json:
        write_json(build_sign_json(report))
    else:
        write_page(build_sign_page(report), load_terminal_theme())
    return ExitCode.OK


def _seal(arguments: argparse.Namespace) -> ExitCode:
    prepared = prepare_seal(find_start(arguments), arguments.files)
    if prepared.sealed is None and (prepared.report.stale is not None or not prepared.report.complete):
        if arguments.json:
            write_json(build_unsealed_json(prepared.report))
        else:
            write_page(build_unsealed_page(prepared.report), load_terminal_theme())
        return ExitCode.BLOCKED
    report = seal_policy(prepared, allow_void=arguments.allow_void)
    if arguments.json:
        write_json(build_seal_json(report))
    else:
        write_page(build_seal_page(report), load_terminal_theme())
    return ExitCode.OK


def _restore(arguments: argparse.Namespace) -> ExitCode:
    paths = restore_trust(find_start(arguments))
    if arguments.json:
        write_json(build_restore_json(paths))
    else:
        write_text("\n".join(f"written: {path}" for path in paths))
    return ExitCode.OK


def _confirm(report: ProposalReport, principal: str, spelled: str | None) -> None:
    """A person has seen what is signed: by typing the beginning of its digest, or by spelling all of it out."""
    if spelled is not None:
        if spelled.removeprefix("sha256:") != report.digest.removeprefix("sha256:"):
            raise NoHumanError(
                f"that is not the digest of {report.file}, so nothing was signed",
                "handoff-tui policy sign shows what is proposed and its digest, at a terminal.",
            )
        return
    if not can_ask():
        raise NoHumanError(
            f"there is no terminal to ask on, so {report.digest} was not signed",
            "Read what it changes; then spell its digest out with --yes-i-read-it. Piped input is never an answer.",
        )
    word = report.digest.removeprefix("sha256:")[:_SIGN_WORD_LENGTH]
    shown = render_page(build_proposal_page(report), load_terminal_theme())
    answer = ask_person(f"{shown}\nTo sign this as {principal}, type {word}; anything else leaves it: ")
    if answer != word:
        raise NoHumanError("it was not confirmed", "Nothing was signed.")


def _add_changes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--from",
        dest="sources",
        type=Path,
        action="append",
        default=[],
        metavar="PATH",
        help="new texts: a folder with allowed_signers or policy.toml, or one such file (may be repeated)",
    )
    lines = (
        ("--add-reviewer", "a person who may decide"),
        ("--add-root", "a person who may decide and change the policy"),
        ("--add-agent", "an agent, which may hand over"),
    )
    for option, who in lines:
        parser.add_argument(
            option, action="append", default=[], metavar="LINE", help=f"{who}, as `handoff-tui keys enroll` prints it"
        )
    parser.add_argument(
        "--drop-key", action="append", default=[], metavar="KEYID", help="a key that counts no more (may be repeated)"
    )
    parser.add_argument("--root-threshold", type=int, metavar="N", help="how many change the policy together")
    parser.add_argument("--edit", action="store_true", help="open both texts in your editor, after the other changes")
    parser.add_argument("--keep", metavar="ENTRY", help="in a fork: begin with the texts of this policy")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="the proposal (default: policy-<version>.proposal.json here)"
    )


def _add(
    children: argparse._SubParsersAction[argparse.ArgumentParser], name: str, summary: str
) -> argparse.ArgumentParser:
    return children.add_parser(name, help=summary, description=summary)
