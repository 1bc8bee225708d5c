"""`hook HOST`: answers the hooks of agent hosts; `hook install` and `hook uninstall` put them into their settings."""

from __future__ import annotations

import argparse
import sys

from handoff_tui.agents.hosts.answer import answer_question
from handoff_tui.agents.hosts.wire import (
    AnswerKind,
    HookAnswer,
    HookCall,
    HookEvent,
    Host,
    parse_question,
    render_reply,
)
from handoff_tui.cli.diagnostics import report_bug
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_child, add_output_options, find_start
from handoff_tui.cli.plain import write_plain
from handoff_tui.core.errors import UsageError

EXAMPLES = """\
examples:
  handoff-tui hook install claude               into .claude/settings.json of this repository
  handoff-tui hook install codex --user         for all of your repositories
  handoff-tui hook install gemini --dry-run     show what would be done
  handoff-tui hook uninstall claude             remove it; everything else stays, byte for byte
  handoff-tui hook claude < event.json          what the host calls: one JSON object in, one out

These are hooks of agent hosts: they keep an agent from passing on work that no person has approved, from deciding in
a person's place and from editing the log, and tell it what was asked for. Git's own hooks are `handoff-tui hooks`.
"""
_SUMMARIES = {
    "install": "put the hooks into a host's settings",
    "uninstall": "remove them; everything else in the file stays, byte for byte",
    Host.CLAUDE: "answer Claude Code",
    Host.CODEX: "answer Codex",
    Host.GEMINI: "answer Gemini CLI",
    Host.VSCODE: "answer VS Code and Copilot",
    Host.GOOSE: "answer goose, which lets no hook block",
    Host.OPENCODE: "answer the plugin for opencode",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    children = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    for name, summary in _SUMMARIES.items():
        child = add_child(children, str(name), summary)
        if not isinstance(name, Host):
            _add_install_arguments(child, name)
        elif name is Host.CLAUDE:
            _add_defer(child)


def _add_install_arguments(child: argparse.ArgumentParser, name: str) -> None:
    child.add_argument("host", metavar="HOST", choices=[host.value for host in Host], help=", ".join(Host))
    levels = child.add_mutually_exclusive_group()
    levels.add_argument("--project", action="store_true", help="the settings in this repository (the default)")
    levels.add_argument("--user", action="store_true", help="your own settings, for all repositories")
    child.add_argument("--dry-run", action="store_true", help="change nothing, just show what would be done")
    if name == "install":
        _add_defer(child)
    add_output_options(child)


def _add_defer(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--defer",
        action="store_true",
        help="for `claude -p`: end the run at a gate that waits for a person; `claude -p --resume ID` asks again",
    )


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.what in {"install", "uninstall"}:
        return _change_settings(arguments)
    host = Host(arguments.what)
    question = parse_question(_read_input())
    reply = render_reply(host, question, _answer(host, question, defers=host is Host.CLAUDE and arguments.defer))
    sys.stderr.write(reply.stderr)
    write_plain(reply.stdout)
    return ExitCode.OK


def _answer(host: Host, question: HookCall, *, defers: bool) -> HookAnswer:
    try:
        return answer_question(host, question, defers=defers)
    except Exception as fault:  # noqa: BLE001 - most hosts let a tool run if its hook crashes, so a bug must deny it
        report_bug(fault, ["hook", host.value])
        if question.event is not HookEvent.TOOL:
            return HookAnswer(AnswerKind.NOTHING)
        return HookAnswer(AnswerKind.DENY, "handoff-tui has a bug and can't tell whether this may run. Ask the person.")


def _change_settings(arguments: argparse.Namespace) -> ExitCode:
    from handoff_tui.agents.hosts.install import Installer, build_install_json, build_install_page  # noqa: PLC0415
    from handoff_tui.cli.output import write_result  # noqa: PLC0415 - a hook must answer quickly
    from handoff_tui.log.person import Confirmation, require_person  # noqa: PLC0415

    if arguments.what == "install" and arguments.defer and arguments.host != Host.CLAUDE:
        raise UsageError(f"{arguments.host} can't put a tool call off", "Only claude has --defer.")
    installer = Installer(Host(arguments.host), find_start(arguments), user=arguments.user)
    if arguments.what == "install":
        report = installer.install(defers=arguments.defer, dry_run=arguments.dry_run)
    else:
        if not arguments.dry_run:  # a person's script may do so without a terminal
            require_person("take hooks out", Confirmation.HEADLESS)
        report = installer.uninstall(dry_run=arguments.dry_run)
    write_result(arguments, build_install_json, build_install_page, report)
    return ExitCode.OK


def _read_input() -> str:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("a hook is given its question by the agent host", "`handoff-tui hook --help` has examples.")
    return sys.stdin.buffer.read().decode("utf-8", "replace")
