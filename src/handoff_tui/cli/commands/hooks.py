"""`hooks install` and `hooks uninstall`: git runs the checks before each commit and push."""

from __future__ import annotations

import argparse

from handoff_tui.checks.hooks.hook import HookName
from handoff_tui.checks.hooks.hooks import install_hooks, uninstall_hooks
from handoff_tui.checks.hooks.hooks_page import build_hooks_json, build_hooks_page
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_repository_option, find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.handoffs.session import load_terminal_theme

_EXAMPLES = """\
examples:
  handoff-tui hooks install                  pre-commit and pre-push; a hook that is there runs first
  handoff-tui hooks install --pre-push       only that one
  handoff-tui hooks install --dry-run        say what would be done
  handoff-tui hooks uninstall                and the earlier hooks are back, byte for byte

`git commit --no-verify` skips hooks: the same checks belong into CI, too. `handoff-tui doctor` says what is wired in.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    children = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    for what, summary in (("install", "write the hooks"), ("uninstall", "take them away, put the earlier ones back")):
        child = children.add_parser(what, help=summary, description=summary)
        child.add_argument("--pre-commit", action="store_true", help="only this hook, and others that are named")
        child.add_argument("--pre-push", action="store_true", help="only this hook, and others that are named")
        child.add_argument("--shared", action="store_true", help="also in a folder that other repositories use")
        child.add_argument("--dry-run", action="store_true", help="change nothing; say what would be done")
        child.add_argument("--json", action="store_true", help="print one JSON object for scripts")
        add_repository_option(child)


def run(arguments: argparse.Namespace) -> ExitCode:
    named = {HookName.PRE_COMMIT: arguments.pre_commit, HookName.PRE_PUSH: arguments.pre_push}
    names = [name for name, wanted in named.items() if wanted] or list(HookName)
    work = install_hooks if arguments.what == "install" else uninstall_hooks
    report = work(find_start(arguments), names, shared=arguments.shared, dry_run=arguments.dry_run)
    if arguments.json:
        write_json(build_hooks_json(report))
    else:
        write_page(build_hooks_page(report), load_terminal_theme())
    return ExitCode.OK
