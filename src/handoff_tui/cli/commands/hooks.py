"""`hooks install` and `hooks uninstall`: git runs the checks before each commit and push."""

from __future__ import annotations

import argparse

from handoff_tui.checks.hooks.hook_files import HookName, build_hooks_json, build_hooks_page
from handoff_tui.checks.hooks.hooks import install_hooks, uninstall_hooks
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_child, add_output_options, find_start
from handoff_tui.cli.output import write_result
from handoff_tui.log.person import Confirmation, require_person

EXAMPLES = """\
examples:
  handoff-tui hooks install                  pre-commit and pre-push; an existing hook runs first
  handoff-tui hooks install --pre-push       only this one
  handoff-tui hooks install --dry-run        show what would be done
  handoff-tui hooks uninstall                restore the earlier hooks, byte for byte

`git commit --no-verify` skips hooks, so run the same checks in CI. `handoff-tui doctor` says what is enforced.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    children = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    for what, summary in (("install", "install the hooks"), ("uninstall", "remove them and restore the earlier ones")):
        child = add_child(children, what, summary)
        child.add_argument("--pre-commit", action="store_true", help="only the pre-commit hook")
        child.add_argument("--pre-push", action="store_true", help="only the pre-push hook")
        child.add_argument("--shared", action="store_true", help="allow a hooks folder that other repositories share")
        child.add_argument("--dry-run", action="store_true", help="change nothing, just show what would be done")
        add_output_options(child)


def run(arguments: argparse.Namespace) -> ExitCode:
    named = {HookName.PRE_COMMIT: arguments.pre_commit, HookName.PRE_PUSH: arguments.pre_push}
    names = [name for name, wanted in named.items() if wanted] or list(HookName)
    if arguments.what == "uninstall" and not arguments.dry_run:
        require_person("take hooks out", Confirmation.HEADLESS)
    work = install_hooks if arguments.what == "install" else uninstall_hooks
    report = work(find_start(arguments), names, shared=arguments.shared, dry_run=arguments.dry_run)
    write_result(arguments, build_hooks_json, build_hooks_page, report)
    return ExitCode.OK
