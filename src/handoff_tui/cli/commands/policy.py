"""`policy show|propose|sign|seal|restore`: who may do what, and how several people change it together."""

from __future__ import annotations

import argparse
from pathlib import Path

from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_child, add_output_options, find_start
from handoff_tui.cli.output import render_page, write_json, write_result, write_text
from handoff_tui.core.errors import NoHumanError
from handoff_tui.log.person import ask_person, require_person
from handoff_tui.log.policy.page import (
    build_policy_json,
    build_policy_page,
    build_proposal_page,
    build_propose_json,
    build_propose_page,
    build_restore_json,
    build_seal_json,
    build_seal_page,
    build_sign_json,
    build_sign_page,
    build_unsealed_json,
    build_unsealed_page,
)
from handoff_tui.log.policy.reports import ProposalReport
from handoff_tui.log.policy.show import show_policy
from handoff_tui.log.policy.sign_and_seal import (
    ProposeRequest,
    prepare_seal,
    prepare_signature,
    propose_policy,
    restore_trust,
    seal_policy,
    sign_proposal,
)

EXAMPLES = """\
examples:
  handoff-tui policy show                                   who may do what, according to the signed log
  handoff-tui policy propose --add-reviewer "$(cat line)"   the line printed by `handoff-tui keys enroll`
  handoff-tui policy propose --drop-key SHA256:nThbg6k --add-root "$(cat line)"
  handoff-tui policy propose --edit                         edit both files in your editor
  handoff-tui policy sign policy-2.proposal.json            every person who must sign does so in turn
  handoff-tui policy seal policy-2.proposal.json            once everyone has signed; accepts several copies

A new policy needs the signatures of the root people of both the old and the new policy. Other entries may be added
to the log between proposing and sealing. If another policy was added, propose again. Anyone who holds a fully signed
proposal can seal it: sign only what you want.

exit: 0 done, 1 forbidden or signatures missing, 3 the log is not intact, 4 nobody to sign
"""
_SIGN_WORD_LENGTH = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    children = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    showing = add_child(children, "show", "show the current policy in words")
    proposing = add_child(children, "propose", "write a proposal file")
    _add_changes(proposing)
    signing = add_child(children, "sign", "add your signature to a proposal")
    signing.add_argument("file", type=Path, metavar="FILE", help="the proposal")
    signing.add_argument("--key", type=Path, metavar="KEYFILE", help="sign with this key instead of your usual one")
    signing.add_argument(
        "--yes-i-read-it", metavar="DIGEST", help="sign without being asked: the digest of the proposal you have read"
    )
    sealing = add_child(children, "seal", "add a fully signed proposal to the log")
    sealing.add_argument(
        "files", type=Path, nargs="+", metavar="FILE", help="the proposal, or several signed copies of it"
    )
    sealing.add_argument(
        "--allow-void", action="store_true", help="seal it even if entries by a dropped key no longer count"
    )
    restoring = add_child(children, "restore", "rewrite .handoff-tui/trust/ from the log")
    for child in (showing, proposing, signing, sealing, restoring):
        add_output_options(child)


def run(arguments: argparse.Namespace) -> ExitCode:
    verbs = {"show": _show, "propose": _propose, "sign": _sign, "seal": _seal, "restore": _restore}
    return verbs[arguments.what](arguments)


def _show(arguments: argparse.Namespace) -> ExitCode:
    report = show_policy(find_start(arguments))
    write_result(arguments, build_policy_json, build_policy_page, report)
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
    write_result(arguments, build_propose_json, build_propose_page, report)
    return ExitCode.OK


def _sign(arguments: argparse.Namespace) -> ExitCode:
    require_person("sign a policy")
    prepared = prepare_signature(find_start(arguments), arguments.file, arguments.key)
    if not prepared.signed:
        _confirm(prepared.report, prepared.principal, arguments.yes_i_read_it)
    report = sign_proposal(prepared)
    write_result(arguments, build_sign_json, build_sign_page, report)
    return ExitCode.OK


def _seal(arguments: argparse.Namespace) -> ExitCode:
    require_person("seal a policy")
    prepared = prepare_seal(find_start(arguments), arguments.files)
    if prepared.sealed is None and (prepared.report.stale is not None or not prepared.report.complete):
        write_result(arguments, build_unsealed_json, build_unsealed_page, prepared.report)
        return ExitCode.BLOCKED
    report = seal_policy(prepared, allow_void=arguments.allow_void)
    write_result(arguments, build_seal_json, build_seal_page, report)
    return ExitCode.OK


def _restore(arguments: argparse.Namespace) -> ExitCode:
    paths = restore_trust(find_start(arguments))
    if arguments.json:
        write_json(build_restore_json(paths))
    else:
        write_text("\n".join(f"written: {path}" for path in paths))
    return ExitCode.OK


def _confirm(report: ProposalReport, principal: str, spelled: str | None) -> None:
    """Makes sure that a person has seen what is signed: they type the beginning of its digest, or pass all of it."""
    if spelled is not None:
        if spelled.removeprefix("sha256:") != report.digest.removeprefix("sha256:"):
            raise NoHumanError(
                f"that isn't the digest of {report.file}; nothing was signed",
                "Run `handoff-tui policy sign` in a terminal to see the proposal and its digest.",
            )
        return
    word = report.digest.removeprefix("sha256:")[:_SIGN_WORD_LENGTH]
    shown = render_page(build_proposal_page(report))
    answer = ask_person(f"{shown}\nTo sign this as {principal}, type {word}; anything else cancels: ")
    if answer != word:
        raise NoHumanError("the signature was not confirmed", "Nothing was signed.")


def _add_changes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--from",
        dest="sources",
        type=Path,
        action="append",
        default=[],
        metavar="PATH",
        help="new files: a folder with allowed_signers or policy.toml, or one such file (repeatable)",
    )
    lines = (
        ("--add-reviewer", "a person who may decide"),
        ("--add-root", "a person who may decide and change the policy"),
        ("--add-agent", "an agent that may hand over"),
    )
    for option, who in lines:
        parser.add_argument(
            option, action="append", default=[], metavar="LINE", help=f"{who}, as `handoff-tui keys enroll` prints it"
        )
    parser.add_argument(
        "--drop-key", action="append", default=[], metavar="KEYID", help="a key that no longer counts (repeatable)"
    )
    parser.add_argument(
        "--root-threshold", type=int, metavar="N", help="how many root people must agree to change the policy"
    )
    parser.add_argument("--edit", action="store_true", help="open both files in your editor, after the other changes")
    parser.add_argument("--keep", metavar="ENTRY", help="in a fork: start from this policy")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="where to write the proposal (default: policy-<version>.proposal.json here)",
    )
