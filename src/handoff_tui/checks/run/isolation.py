"""Runs a command away from the person: in a clean checkout, with a home, caches and temporary files of its own.

Where the kernel allows it, the command stands behind walls: it sees the checkout in the place of the repository, and
neither the person's home, keys, agents and processes nor the network. What it needs beyond that, a person grants.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import NamedTuple

from handoff_tui.checks.run.access import Access, GrantedPath, find_access
from handoff_tui.checks.run.commands import CommandCheck, build_environment
from handoff_tui.git.signing.signing_key import find_key_files
from handoff_tui.git.work_tree.capture import write_work_tree
from handoff_tui.git.work_tree.trial_tree import TrialTree, open_trial_tree
from handoff_tui.handoffs.session import Session
from handoff_tui.system.files.cache_files import find_cache_folder, find_state_folder
from handoff_tui.system.files.user_files import find_config_folder
from handoff_tui.system.processes.confined_run import run_confined
from handoff_tui.system.processes.programs import expand_home
from handoff_tui.system.processes.run import Bounds, CommandEnd, OwnFolders, offer_own_folders, read_report
from handoff_tui.system.processes.walls import NO_WALLS, Bound, Walls, find_bubblewrap, find_program_folders

OUT = "{out}"
"""In a command, stands for the path it may write its report to."""
_OF_THE_PERSON = frozenset({
    "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "GNUPGHOME", "GPG_AGENT_INFO", "GPG_TTY", "SSH_AGENT_PID", "SSH_ASKPASS",
    "SSH_AUTH_SOCK", "TMUX", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
})  # fmt: skip
"""Variables that lead to keys, agents and the person's own files."""
_SPLIT = re.compile(r"[\s;&|()<>='\"`$]+")


class IsolatedEnd(NamedTuple):
    """How a command ended, and what it wrote to `{out}`."""

    end: CommandEnd
    written: bytes | None
    note: str = ""
    """What did not keep it apart from the person."""


@contextmanager
def open_clean_checkout(session: Session) -> Iterator[TrialTree]:
    """Offers the work tree as it is captured now: committed and uncommitted, without ignored files and the log."""
    cache_folder = find_cache_folder(session.repository.root)
    captured = write_work_tree(session.repository, cache_folder)
    with open_trial_tree(session.repository) as tree:
        tree.fill(captured, cache_folder)
        yield tree


def run_isolated(
    session: Session, command: CommandCheck, tree: TrialTree, bounds: Bounds, cancel: Event
) -> IsolatedEnd:
    """Runs a command in a checkout, which it may change."""
    access = find_access(session, command)
    with offer_own_folders() as own:
        argv = [word.replace(OUT, str(own.report)) for word in command.argv]
        environment = build_private_environment(command, access, own)
        program = find_bubblewrap()
        if program is not None:
            folder = session.repository.root.resolve()
            tree.borrow(str(own.git))
            walls = _build_walls(session, tree, access, own, argv).build(program)
        else:
            folder, walls = tree.folder, []
            for path in access.paths:
                if path.in_repository:
                    tree.link(path.path)
        end = run_confined(argv, str(folder), environment, bounds, cancel, tree.mark, walls)
        written = read_report(own.report)
    output = _name_repository(end.output, tree, session)
    return IsolatedEnd(end._replace(output=output), written, "" if walls else NO_WALLS)


def build_private_environment(command: CommandCheck, access: Access, own: OwnFolders) -> dict[str, str]:
    """The variables that the check names, with the command's own folders in place of the person's."""
    environment = build_environment(command.check)
    if not access.home:
        environment = {name: value for name, value in environment.items() if name not in _OF_THE_PERSON}
        environment["HOME"] = str(own.home)
    return environment | {
        "TMPDIR": str(own.temporary),
        "XDG_CACHE_HOME": str(own.cache),
        "PYTHONPYCACHEPREFIX": str(own.bytecode),
    }


def _build_walls(session: Session, tree: TrialTree, access: Access, own: OwnFolders, argv: list[str]) -> Walls:
    root = session.repository.root.resolve()
    words = [part for word in argv for part in (word, *_SPLIT.split(word)) if part]
    programs = find_program_folders(words, os.environ.get("PATH", os.defpath), root)
    return Walls(
        bound=(
            *(Bound(place, place) for place in programs if not place.is_relative_to(root)),
            *(_bind(path, root) for path in access.paths if not path.in_repository),
            *(Bound(place, place, writable=True, optional=True) for place in access.sockets),
            Bound(own.root, own.root, writable=True),
            Bound(own.git, session.repository.common_dir.resolve()),
            Bound(root, tree.folder.resolve(), writable=True),
            *(_bind(path, root) for path in access.paths if path.in_repository),
        ),
        temporary=own.temporary,
        hidden=_list_hidden(session),
        network=access.network,
        home=access.home,
    )


def _bind(path: GrantedPath, root: Path) -> Bound:
    place = root / path.path if path.in_repository else expand_home(path.path)
    return Bound(place, place, path.writable, optional=True)


def _list_hidden(session: Session) -> tuple[Path, ...]:
    """What leads to the person, wherever it lies: our own folders, and their key."""
    own = (find_state_folder(), find_cache_folder(session.repository.root).parent, find_config_folder())
    return tuple(place for place in (*own, *find_key_files(session.repository.git)) if place is not None)


def _name_repository(output: bytes, tree: TrialTree, session: Session) -> bytes:
    """Puts the repository's path where the command printed that of the checkout."""
    return output.replace(os.fsencode(tree.folder), os.fsencode(session.repository.root))
