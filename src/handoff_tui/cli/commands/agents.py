"""`agents list` and `agents attach`: which agents there are, and going on with the session of one."""

from __future__ import annotations

import argparse
import shlex

from handoff_tui.agents.roster import build_roster, build_roster_json, build_roster_page
from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_child, add_output_options, add_repository_option, find_start, open_named_session
from handoff_tui.cli.output import write_result, write_text
from handoff_tui.config.load import read_settings

EXAMPLES = """\
examples:
  handoff-tui agents list                   presets, installed or not, and the agents in your configuration
  handoff-tui agents list --json            the same for scripts
  handoff-tui agents attach --handoff H-3   continue the last agent's session yourself, in the folder it worked in
  handoff-tui agents attach --print         print the command for that

One line in config.toml or handoff-tui.toml makes an agent of an installed program:
  agents.implement.preset = "claude"        also codex, gemini, opencode, goose, aider
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    children = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    listing = add_child(children, "list", "list presets and configured agents; starts none of them")
    add_output_options(listing)
    attaching = add_child(children, "attach", "continue the session of an agent that has ended, at this terminal")
    attaching.add_argument("phase", metavar="PHASE", nargs="?", help="the phase (default: that of the last run)")
    attaching.add_argument("--handoff", metavar="ID", help="the handoff, as listed by `handoff-tui status`")
    attaching.add_argument("--print", action="store_true", help="only print the command")
    add_repository_option(attaching)


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.what == "attach":
        return _attach(arguments)
    loaded = read_settings(find_start(arguments), required=arguments.repo is not None)
    write_result(arguments, build_roster_json, build_roster_page, build_roster(loaded))
    return ExitCode.OK


def _attach(arguments: argparse.Namespace) -> ExitCode:
    from handoff_tui.agents.runs.folders import find_session, resume_session  # noqa: PLC0415 - the list needs none
    from handoff_tui.agents.step.prepare import choose_handoff  # noqa: PLC0415
    from handoff_tui.agents.step.step import find_last  # noqa: PLC0415
    from handoff_tui.log.person import require_person  # noqa: PLC0415

    session = open_named_session(arguments)
    handoff = choose_handoff(session, arguments.handoff) if arguments.handoff else None
    agent_session = find_session(session.repository.common_dir, find_last(session, handoff, arguments.phase))
    if arguments.print:
        write_text(f"cd {shlex.quote(agent_session.folder)} && {shlex.join(agent_session.argv)}")
        return ExitCode.OK
    require_person("go on with an agent's session")
    write_note(
        f"Going on with the session of {agent_session.agent} in {agent_session.folder}. Its work is checked by `step`."
    )
    resume_session(agent_session)
    return ExitCode.OK
