"""Opening a repository, and what git says about it now."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import RepositoryError
from handoff_tui.git.command import Git, GitAnswer, mark_file
from handoff_tui.git.hardening import refuse_special_files
from handoff_tui.git.session import RepositorySession
from handoff_tui.git.work_tree.listing import Tracked, parse_listing, parse_status, sort_paths
from handoff_tui.system.background import Background
from handoff_tui.system.files.own_folder import is_own

if TYPE_CHECKING:
    from handoff_tui.core.repository_facts import RepositoryFacts

_STATUS = (
    *("status", "--porcelain=v2", "-z", "--branch", "--ahead-behind", "--no-renames"),
    *("--untracked-files=all", "--ignore-submodules=dirty"),
)
_ASKED = (
    "--is-bare-repository",
    "--is-shallow-repository",
    "--show-object-format",
    "--absolute-git-dir",
    "--git-common-dir",
    "--show-toplevel",
)


class Repository(NamedTuple):
    """A repository with a work tree, opened for reading."""

    root: Path
    git_dir: Path
    common_dir: Path
    git: Git
    shallow: bool
    object_format: str

    @property
    def id_width(self) -> int:
        """How many digits an object id has."""
        return 64 if self.object_format == "sha256" else 40

    @property
    def linked_worktree(self) -> bool:
        return self.git_dir != self.common_dir


def open_repository(start: Path) -> Repository:
    """Finds the repository around a folder and disarms its configuration.

    One that a session of this process has open is found without asking git where it is, if it is still there.
    """
    _refuse_what_is_no_folder(start)
    mark, known = _known.get(str(start), (None, None))
    if known is not None and mark == _mark_place(known):
        return reopen_repository(known._replace(git=_sessions.get(str(start), known.git)))
    refuse_special_files(start)
    git = Git(start)
    _, shallow, object_format, git_dir, common_dir, toplevel = _ask(git, start)
    root = Path(toplevel)
    _refuse_foreign_work_tree(start, root, Path(git_dir))
    repository = Repository(
        root=root,
        git_dir=Path(git_dir),
        common_dir=Path(common_dir),
        git=git,
        shallow=shallow == "true",
        object_format=object_format,
    )
    _sessions.pop(str(root), None)  # of another repository that was in this place
    if str(start) == str(root):
        _known[str(root)] = (_mark_place(repository), repository)
    return _begin_session(repository)


_known: dict[str, tuple[object, Repository]] = {}
"""Where the repositories of some folders are, each with a mark that is the same while that is true."""
_sessions: WeakValueDictionary[str, RepositorySession] = WeakValueDictionary()


def _mark_place(repository: Repository) -> object:
    """The `.git` that is there, its configuration, and whether it is shallow.

    A repository that was deleted and made again may get the same inode; its HEAD is as new as it is.
    """
    try:
        place = os.lstat(repository.root / ".git")
        head = os.lstat(repository.common_dir / "HEAD")
    except OSError:
        return None
    files = (
        repository.common_dir / "config",
        repository.git_dir / "config.worktree",
        repository.common_dir / "shallow",
    )
    return place.st_dev, place.st_ino, place.st_uid, head.st_ctime_ns, *(mark_file(str(file)) for file in files)


def _begin_session(repository: Repository) -> Repository:
    session = RepositorySession.open(repository.root, repository.git_dir, repository.common_dir)
    session.take_over(repository.git)
    _sessions.setdefault(str(repository.root), session)  # the oldest lives longest
    return repository._replace(git=session)


def reopen_repository(repository: Repository) -> Repository:
    """Opens the same repository in a new session: its configuration disarmed again, nothing cached."""
    refuse_special_files(repository.root)
    return _begin_session(repository)


def _ask(git: Git, start: Path) -> list[str]:
    """Returns the answers to `_ASKED`; asks one by one if a path with a newline makes the lines ambiguous."""
    answer = git.run("rev-parse", "--path-format=absolute", *_ASKED)
    lines = os.fsdecode(answer.stdout).split("\n")[:-1]
    if not answer.ok:
        raise _explain_refusal(start, answer, bare=lines[:1] == ["true"])
    if len(lines) == len(_ASKED):
        return lines
    return [os.fsdecode(git.read("rev-parse", "--path-format=absolute", question))[:-1] for question in _ASKED]


class WorkTree(NamedTuple):
    """The paths of the work tree: tracked, changed, untracked, and those git must overlook."""

    facts: RepositoryFacts
    tracked: Tracked
    """Path to blob id, as in the index."""
    overlooked: tuple[str, ...]
    """Tracked paths whose changes git was told not to see (assume-unchanged, skip-worktree)."""
    paths: tuple[str, ...]
    """Every tracked or untracked path, sorted; submodules are not among them."""


def read_status(repository: Repository) -> bytes:
    """Returns what `git status` says now."""
    return repository.git.read(*_STATUS)


def read_listing(repository: Repository) -> bytes:
    """Returns what `git ls-files` says now."""
    return repository.git.read("ls-files", "--stage", "-v", "-z")


def read_facts(repository: Repository, submodules: tuple[str, ...]) -> RepositoryFacts:
    """Asks `git status` alone, for callers that know the submodules already."""
    return _parse_facts(repository, read_status(repository), submodules)


def read_work_tree(repository: Repository) -> WorkTree:
    """Runs `git status` and `git ls-files` in parallel; neither writes."""
    listing = Background(lambda: read_listing(repository))
    try:
        status = read_status(repository)
    finally:
        listing.join()
    return parse_work_tree(repository, status, listing.finish())


def parse_work_tree(repository: Repository, status: bytes, listing: bytes) -> WorkTree:
    """Builds the work tree from the output of `read_status` and `read_listing`."""
    tracked, submodules, overlooked = parse_listing(listing)
    facts = _parse_facts(repository, status, submodules)
    return WorkTree(facts, tracked, overlooked, sort_paths(tracked.paths, facts.untracked))


def _parse_facts(repository: Repository, output: bytes, submodules: tuple[str, ...]) -> RepositoryFacts:
    from handoff_tui.core.repository_facts import RepositoryFacts  # noqa: PLC0415 - opening a repository needs no models

    status = parse_status(output)
    changed = {line.path for line in status.lines if line.kind != "?"}
    untracked = tuple(line.path for line in status.lines if line.kind == "?")
    ahead, _, behind = status.headers.get("branch.ab", "").partition(" ")
    return RepositoryFacts(
        root=str(repository.root),
        head=status.commit,
        branch=status.branch,
        detached=status.is_detached,
        upstream=status.upstream,
        ahead=int(ahead) if ahead else None,
        behind=-int(behind) if behind else None,
        shallow=repository.shallow,
        linked_worktree=repository.linked_worktree,
        object_format=repository.object_format,
        changed=tuple(sorted(path for path in changed if not is_own(path))),
        untracked=tuple(path for path in untracked if not is_own(path)),
        own_uncommitted=tuple(sorted(path for path in changed.union(untracked) if is_own(path))),
        submodules=submodules,
    )


def _refuse_what_is_no_folder(start: Path) -> None:
    try:
        is_folder = start.is_dir()
    except OSError as refused:
        raise RepositoryError(
            f"{start} cannot be read: {refused.strerror}", "Give the path of a git repository with --repo."
        ) from refused
    if not is_folder:
        raise RepositoryError(f"{start} is not a folder", "Give the path of a git repository with --repo.")


def _refuse_foreign_work_tree(start: Path, root: Path, git_dir: Path) -> None:
    """Refuses a planted core.worktree, which could point at any folder of this machine, even `/`.

    The work tree must be around `start`, and git must find the same repository from there.
    """
    place, around = start.resolve(), root.resolve()
    if place == around:  # git was asked there
        return
    if place.is_relative_to(around):
        answer = Git(root).run("rev-parse", "--absolute-git-dir")
        if answer.ok and Path(os.fsdecode(answer.stdout)[:-1]).resolve() == git_dir.resolve():
            return
    raise RepositoryError(
        f"the repository around {start} says that its work tree is {root}",
        "Its core.worktree setting points elsewhere. If that is meant, give that folder with --repo.",
    )


def _explain_refusal(start: Path, answer: GitAnswer, *, bare: bool) -> RepositoryError:
    if "dubious ownership" in answer.stderr:
        import shlex  # noqa: PLC0415 - few repositories are somebody else's

        named = re.search(r"repository at '(.*)'", answer.stderr)
        owned = named.group(1) if named else str(start)
        return RepositoryError(
            f"{owned} belongs to another user, and git refuses to read it",
            f"If you trust it: git config --global --add safe.directory {shlex.quote(owned)}",
        )
    if "not a git repository" in answer.stderr:
        return _explain_absence(start)
    if bare or "must be run in a work tree" in answer.stderr:
        return RepositoryError(
            f"{start} is a bare repository or a .git folder; it has no files to review",
            "Clone it, or name a work tree with --repo PATH.",
        )
    return RepositoryError(f"git cannot open {start}: {answer.complaint}", "Run git status there to see what is wrong.")


def _explain_absence(start: Path) -> RepositoryError:
    """Explains that no repository was found; git also says "not a git repository" of a damaged one."""
    around = start.absolute()
    for folder in (around, *around.parents):
        if os.path.lexists(folder / ".git"):
            return RepositoryError(
                f"{folder / '.git'} is there, but git does not accept it as a repository",
                "Its HEAD, its config or what it points to is missing or damaged; repair it, or clone again.",
            )
    return RepositoryError(
        f"{start} is not inside a git repository",
        "Go to a repository, or name one with --repo PATH. To look around first: handoff-tui demo",
    )


def read_remotes(git: Git) -> list[tuple[str, str]]:
    """Returns names and addresses of the remotes."""
    return sorted(
        (key.removeprefix("remote.").removesuffix(".url"), url)
        for _, key, url in git.list_config()
        if url and key.startswith("remote.") and key.endswith(".url")
    )


def reaches_locally(root: Path, url: str) -> bool | None:
    """Tells whether a remote in a local folder is a repository; None for any other address."""
    from urllib.parse import urlsplit  # noqa: PLC0415 - few repositories are asked

    if url.startswith("file://"):
        url = urlsplit(url).path
    elif "://" in url or (":" in url.partition("/")[0]):
        return None
    place = (root / url).resolve()
    return (place / "HEAD").is_file() or (place / ".git").exists()
