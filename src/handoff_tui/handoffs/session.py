"""One repository, opened for review: what every use case starts from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.config.load import LoadedSettings, load_settings, load_settings_to_look
from handoff_tui.core.classes import NamedTuple
from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import list_ref_ids
from handoff_tui.git.repository import Repository, WorkTree, open_repository, read_work_tree, reopen_repository
from handoff_tui.git.session import session_of
from handoff_tui.git.work_tree.digest import RepositoryDigest
from handoff_tui.system.files.probe import is_present

if TYPE_CHECKING:
    from handoff_tui.config.theme import Theme

_LOG_FOLDER = ".handoff-tui/log"
_WITNESS = "handoff-tui/witness.json"


class Session(NamedTuple):
    """A repository, its settings, and its work tree as of now."""

    repository: Repository
    loaded: LoadedSettings
    work_tree: WorkTree


def open_session(start: Path, look: RepositoryDigest | None = None) -> Session:
    """Opens the repository around a folder and reads its settings and work tree; `look` has begun to do so already."""
    if look is not None:
        look.begin_listing()
        return Session(look.repository, load_settings(look.repository.root), look.read_work_tree())
    return open_session_of(open_repository(start))


def open_session_of(repository: Repository) -> Session:
    """Reads the settings and the work tree of a repository that was opened just now."""
    return Session(repository, load_settings(repository.root), read_work_tree(repository))


def open_session_to_look(start: Path, look: RepositoryDigest | None = None) -> Session:
    """Opens it for reading only: unusable settings don't stop it; `Session.loaded` says what is wrong with them."""
    if look is not None:
        look.begin_listing()
        return Session(look.repository, load_settings_to_look(look.repository.root), look.read_work_tree())
    repository = open_repository(start)
    return Session(repository, load_settings_to_look(repository.root), read_work_tree(repository))


def reopen_session(session: Session) -> Session:
    """Opens the same repository as it is now."""
    repository = reopen_repository(session.repository)
    return Session(repository, session.loaded, read_work_tree(repository))


def has_log(session: Session) -> bool:
    """Whether decisions were signed here: there are entries, on a branch at least, or this clone remembers some."""
    repository = session.repository
    here = is_present(repository.root, _LOG_FOLDER) or is_present(repository.common_dir, _WITNESS)
    return here or session_of(repository.git).once(_LOG_FOLDER, lambda: _is_log_on_branch(repository.git))


def _is_log_on_branch(git: Git) -> bool:
    """An older commit may be checked out, or only some of the folders."""
    commits = dict.fromkeys(list_ref_ids(git, "refs/heads", "refs/remotes").values())
    found = session_of(git).read_objects().describe(f"{commit}:{_LOG_FOLDER}" for commit in commits)
    return any(info is not None for info in found.values())


def load_terminal_theme() -> Theme:
    """The theme of the command line: the terminal's own sixteen colours, which fit any background."""
    from handoff_tui.config.theme import find_theme_folder, load_theme  # noqa: PLC0415 - where colours are written

    return load_theme("terminal", find_theme_folder())
