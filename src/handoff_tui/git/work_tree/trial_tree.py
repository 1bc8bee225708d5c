"""A repository at another commit, outside its folder: as a view without files, or as a separate work tree.

A view has a HEAD of its own in a temporary folder; refs, objects and configuration are the repository's, so a question
about HEAD is answered for that commit. A trial tree has files too: it is moved from commit to commit, or filled once.
Its HEAD and index are inside it; the repository's work tree, index and list of work trees stay unchanged. If its owner
was killed, the next one removes it, with everything that still runs in it.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import stat
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import StoreWriteError
from handoff_tui.git.command import Git
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.repository import Repository
from handoff_tui.git.session import RepositorySession
from handoff_tui.git.work_tree.capture import CapturedTree
from handoff_tui.system.files.own_folder import OWN_FOLDER, is_own
from handoff_tui.system.files.sealed_files import load_json, write_json
from handoff_tui.system.processes.identity import is_same_process, read_birth, read_host
from handoff_tui.system.processes.run import end_marked

_VIEW_PREFIX = "handoff-tui-"
_lock = Lock()
_folders: list[Path] = []


def offer_commit_view(repository: Repository, commit: str) -> Repository:
    """Offers the repository at a commit. Its root stays that of the work tree, which isn't changed."""
    named = hashlib.sha256(os.fsencode(repository.common_dir)).hexdigest()[:16]
    folder = _offer_folder() / named / commit
    try:
        if not (folder / ".git" / "HEAD").is_file():
            make_private_head(folder, repository.common_dir, commit)
    except OSError as refused:
        raise StoreWriteError(
            f"{folder} cannot be written: {refused.strerror}", "Make room in the temporary folder (TMPDIR)."
        ) from refused
    git_dir = folder / ".git"
    git = RepositorySession(folder, repository.git.overrides, git_dir, repository.common_dir)
    return repository._replace(git=git, git_dir=git_dir)


def make_private_head(folder: Path, common_dir: Path, commit: str) -> Path:
    """Creates a folder that git accepts as a work tree of the repository, at a commit; returns its git folder."""
    git_dir = folder / ".git"
    git_dir.mkdir(parents=True, mode=0o700, exist_ok=True)
    (git_dir / "commondir").write_bytes(os.fsencode(common_dir) + b"\n")
    (git_dir / "HEAD").write_text(f"{commit}\n", encoding="ascii")
    return git_dir


def _offer_folder() -> Path:
    """One folder for all views of this process; removed when the process ends."""
    with _lock:
        if not _folders or not _folders[-1].is_dir():  # a clean-up of the temporary folder may delete it
            folder = Path(tempfile.mkdtemp(prefix=_VIEW_PREFIX))
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            _folders.append(folder)
        return _folders[-1]


_PREFIX = "handoff-tui-trial-"
_CAPTURED = "captured-index"
_OWNER = Path(".git", "handoff-tui-owner.json")


class TrialTree:
    """The files of one commit after another."""

    def __init__(self, repository: Repository, folder: Path, mark: str) -> None:
        """Commands that run in it carry `mark`."""
        self._repository = repository
        self.folder = folder
        self.mark = mark

    def move_to(self, commit: str) -> None:
        """Checks out a commit, and removes what an earlier trial left behind."""
        git_dir = make_private_head(self.folder, self._repository.common_dir, commit)
        git = Git(self.folder, self._repository.git.overrides, git_dir, self._repository.common_dir)
        git.read("read-tree", "--reset", "-u", commit)
        git.read("clean", "-ffdxq")

    def fill(self, captured: CapturedTree, cache_folder: Path) -> None:
        """Checks out a captured work tree: no ignored file, and what was uncommitted is uncommitted here too."""
        head = f"ref: refs/heads/{captured.branch}" if captured.branch else captured.commit or "ref: refs/heads/main"
        git_dir = make_private_head(self.folder, self._repository.common_dir, head)
        git = Git(self.folder, self._repository.git.overrides, git_dir, self._repository.common_dir)
        variables = {
            **offer_objects(self._repository, cache_folder),
            "GIT_INDEX_FILE": str(git_dir / _CAPTURED),
            "GIT_OPTIONAL_LOCKS": "1",
        }
        git.read("read-tree", captured.tree, extra=variables)
        git.read("checkout-index", "--all", "--quiet", extra=variables)
        (git_dir / _CAPTURED).unlink()
        if captured.commit is None:
            return
        git.read("read-tree", captured.commit)
        listed = git.read("ls-files", "-z", "--", OWN_FOLDER).split(b"\0")
        own = [path for path in listed if is_own(os.fsdecode(path))]
        if own:  # the log isn't part of the work, and its absence here isn't a change
            git.read("update-index", "--skip-worktree", "-z", "--stdin", stdin=b"\0".join((*own, b"")))

    def borrow(self, common_dir: str) -> None:
        """Names the path under which the repository's own git folder is seen here."""
        (self.folder / ".git" / "commondir").write_bytes(os.fsencode(common_dir) + b"\n")

    def link(self, path: str) -> None:
        """Puts a link to the repository's own file or folder in its place, if there is one."""
        place, target = self.folder / path, self._repository.root.resolve() / path
        if not target.exists():
            return
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)  # the empty folder of a submodule
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)

    def put(self, path: str, content: bytes, *, executable: bool) -> None:
        """Replaces a file."""
        place = self.folder / path
        if place.is_symlink() or not place.resolve().is_relative_to(self.folder.resolve()):
            raise StoreWriteError(f"{path} is a link in this commit, and nothing is written through it")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        place.chmod(0o755 if executable else 0o644)


@contextmanager
def open_trial_tree(repository: Repository) -> Iterator[TrialTree]:
    """Opens a work tree outside the repository; removes it at the end, also after Ctrl-C."""
    remove_left_trials()
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    try:
        yield TrialTree(repository, folder, _write_owner(folder))
    finally:
        shutil.rmtree(folder, onerror=_make_writable)


def remove_left_trials() -> None:
    """Removes this user's work trees whose owner is gone, and ends the commands still running in them."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        owner = _read_owner(folder)
        if owner is not None and owner.host == read_host() and not is_same_process(owner.pid, owner.birth):
            end_marked(owner.mark)
            shutil.rmtree(folder, onerror=_make_writable)


class _Owner(NamedTuple):
    """The process that made a work tree. A pid is reused, and means nothing on another machine."""

    pid: int
    birth: str
    host: str
    mark: str


def _write_owner(folder: Path) -> str:
    """Records the owner; returns the mark for its commands."""
    owner = _Owner(os.getpid(), read_birth(os.getpid()) or "", read_host(), uuid.uuid4().hex)
    (folder / _OWNER).parent.mkdir(mode=0o700)
    write_json(folder / _OWNER, owner._asdict())  # if that fails, only we can remove it
    return owner.mark


def _read_owner(folder: Path) -> _Owner | None:
    """Returns the owner of a folder; None if it belongs to another user, or wasn't made here."""
    try:
        found = folder.lstat()
    except OSError:
        return None
    value = load_json(folder / _OWNER) if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() else None
    match value:
        case {"pid": int(pid), "birth": str(birth), "host": str(host), "mark": str(mark)} if birth and mark:
            return _Owner(pid, birth, host, mark)
    return None


def _make_writable(function: Callable[..., object], path: str, _: object) -> None:
    """Restores permissions that a command removed; what still resists stays in the temporary folder."""
    with suppress(OSError):
        place = Path(path)
        place.parent.chmod(stat.S_IRWXU)
        if not place.is_symlink():
            place.chmod(stat.S_IRWXU)
        function(path)
