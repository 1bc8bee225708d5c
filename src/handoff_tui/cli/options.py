"""Options that several verbs share."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from handoff_tui.core.errors import RepositoryError

if TYPE_CHECKING:
    from handoff_tui.handoffs.session import Session

Children: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - it has no public name


def add_repository_option(parser: argparse.ArgumentParser) -> None:
    """Adds --repo, which may also come after the verb."""
    parser.add_argument(
        "--repo",
        type=Path,
        metavar="PATH",
        default=argparse.SUPPRESS,
        help="the repository (default: the one around this folder)",
    )


def add_handoff_argument(parser: argparse.ArgumentParser) -> None:
    """Adds the id of a handoff."""
    parser.add_argument("id", metavar="ID", help="the handoff, as listed by `handoff-tui status`")


def add_phase_option(parser: argparse.ArgumentParser) -> None:
    """Adds --phase, which names a gate of the handoff."""
    parser.add_argument("--phase", metavar="P", help="the phase (default: the one that was handed over)")


def add_json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object for scripts")


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Adds --json and --repo."""
    add_json_option(parser)
    add_repository_option(parser)


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Adds --repo, --json and --all."""
    add_repository_option(parser)
    add_json_option(parser)
    parser.add_argument("--all", action="store_true", help="print every list in full")


def add_at_option(parser: argparse.ArgumentParser) -> None:
    """Adds --at, a moment in the past."""
    parser.add_argument(
        "--at", metavar="COMMIT|ENTRY", help="look at the repository as it was at a commit or log entry"
    )


def add_pin_option(parser: argparse.ArgumentParser) -> None:
    """Adds --pin, which vouches for the log where nobody has looked at it before."""
    parser.add_argument("--pin", metavar="ID", help="the entry that the log must begin with (or set HANDOFF_TUI_PIN)")


def use_pin(arguments: argparse.Namespace) -> None:
    """Holds every reading of the log in this process to the pin."""
    if arguments.pin is not None:
        from handoff_tui.log.open_log import PIN_VARIABLE  # noqa: PLC0415 - few calls have one
        from handoff_tui.log.show.verify import parse_pin  # noqa: PLC0415

        os.environ[PIN_VARIABLE] = parse_pin(arguments.pin)


def add_child(children: Children, name: str, summary: str) -> argparse.ArgumentParser:
    """Adds a verb of a verb, described by its summary."""
    return children.add_parser(name, help=summary, description=summary[:1].upper() + summary[1:])


def find_start(arguments: argparse.Namespace) -> Path:
    """Returns the folder in which the search for a repository starts."""
    repo: Path | None = arguments.repo
    try:
        return repo if repo is not None else Path.cwd()
    except FileNotFoundError as gone:
        raise RepositoryError("the current folder no longer exists", "Change to another folder.") from gone


def open_named_session(arguments: argparse.Namespace) -> Session:
    """Opens the repository that was named, or the one around the current folder."""
    from handoff_tui.handoffs.session import open_session  # noqa: PLC0415 - help needs no repository

    return open_session(find_start(arguments))


def open_work_session(session: Session, arguments: argparse.Namespace) -> Session:
    """Opens the repository where the handoff's work is: its agent may have a work tree, on a branch of its own."""
    from handoff_tui.system.files.git_private_files import LOCAL_FOLDER, RUNS_FOLDER  # noqa: PLC0415 - few verbs do

    if not (session.repository.common_dir / LOCAL_FOLDER / RUNS_FOLDER).exists():
        return session
    from handoff_tui.agents.runs.branches import open_work  # noqa: PLC0415 - few repositories have runs
    from handoff_tui.agents.runs.folders import list_runs  # noqa: PLC0415
    from handoff_tui.cli.diagnostics import write_note  # noqa: PLC0415

    if not list_runs(session.repository.common_dir):
        return session

    work = open_work(session, arguments.id, arguments.phase)
    if work is not session:
        write_note(f"The work is on {work.work_tree.facts.branch}, in {work.repository.root}.")
    return work
