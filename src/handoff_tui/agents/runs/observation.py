"""Observes what an agent could touch, before and after its run, and reads what differs."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from handoff_tui.agents.step.report import NewCommit, TouchedFile
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.model import Model
from handoff_tui.git.command import Git
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.objects.tree_diff import list_changes
from handoff_tui.git.repository import Repository, open_repository
from handoff_tui.git.work_tree.capture import CapturedTree, write_work_tree
from handoff_tui.system.files.cache_files import find_cache_folder, find_state_folder
from handoff_tui.system.files.named_files import find_config_folder
from handoff_tui.system.files.own_folder import OWN_FOLDER
from handoff_tui.system.files.probe import list_named


class Observation(Model):
    """What an agent could touch at one moment: digests and stamps by path, "" where nothing could be read."""

    head: str | None = None
    branch: str | None = None
    refs: dict[str, str] = {}
    tree: str | None = None
    """The files of the work folder as a git tree, without `.handoff-tui/`."""
    repository_tree: str | None = None
    """The files of the repository itself, if the agent has its own work tree."""
    own: dict[str, str] = {}
    """Files below `.handoff-tui/`."""
    rules: dict[str, str] = {}
    """The files that say how the work is checked."""
    git_files: dict[str, str] = {}
    """Configuration, hooks and attributes beside git's objects."""
    guarded: dict[str, str] = {}
    """Files outside that the agent must leave alone."""
    neighbours: dict[str, str] = {}
    """Files and folders beside the work folder."""
    guarded_names: tuple[str, ...] = ()
    rule_names: tuple[str, ...] = ()
    """What was observed, so that the same is observed afterwards, whatever the configuration says by then."""
    problem: str | None = None
    """Why the repository could not be read."""


_GIT_FILES = ("config", "config.worktree", "hooks", "info", "description")
_MOST_NEIGHBOURS = 2_000
_MOST_GUARDED = 500
_MOST_COMMITS = 200
_LARGEST_HASHED = 64 * 1024 * 1024
_OWN_REFS = "refs/handoff-tui/"
_NOTES = "refs/notes/"


def read_observation(
    work_folder: Path,
    repository: Path,
    rules: Iterable[str],
    guarded: Iterable[str],
    opened: Repository | None = None,
) -> Observation:
    """Observes what is there now; an unreadable repository is part of it, because the agent may have caused that.

    `opened` is the repository in the work folder, if somebody has opened it just now.
    """
    rule_names, guarded_names = tuple(rules), tuple(guarded)
    files = Observation(
        own={path: _hash(work_folder / path) for path in list_named(work_folder, [OWN_FOLDER])},
        rules={path: _hash(work_folder / path) for path in list_named(work_folder, rule_names)},
        guarded=dict(_stamp_guarded(guarded_names)),
        neighbours=dict(_stamp_neighbours(work_folder, repository)),
        guarded_names=guarded_names,
        rule_names=rule_names,
    )
    try:
        opened = opened or open_repository(work_folder)
        captured = _capture(opened)
        return files.model_copy(
            update={
                "head": captured.commit,
                "branch": None if captured.branch is None else f"refs/heads/{captured.branch}",
                "refs": _read_refs(opened.git),
                "tree": captured.tree,
                "repository_tree": None if work_folder == repository else _capture(open_repository(repository)).tree,
                "git_files": _read_git_files(opened),
            }
        )
    except HandoffError as unread:
        return files.model_copy(update={"problem": unread.message})


def read_new_commits(git: Git, before: str | None, after: str | None) -> tuple[NewCommit, ...]:
    """Reads the commits that `after` contains and `before` does not, newest first."""
    if after is None or before == after:
        return ()
    reach = after if before is None else f"{before}..{after}"
    answer = git.run("log", "-z", f"--max-count={_MOST_COMMITS}", "--format=%H%x00%s%x00%ae", reach)
    fields = os.fsdecode(answer.stdout).split("\0") if answer.ok else []
    return tuple(
        NewCommit(id=fields[start], subject=fields[start + 1], author=fields[start + 2])
        for start in range(0, len(fields) - 2, 3)
    )


def find_own_notes(git: Git, before: Observation, after: Observation) -> frozenset[str]:
    """Finds the notes refs that changed on nothing but the commits of the run: an agent may describe its own work."""
    moved = [ref for ref, target in after.refs.items() if before.refs.get(ref, target) != target]
    notes = [ref for ref in moved if ref.startswith(_NOTES)]
    if not notes or after.head is None:
        return frozenset()
    reach = (after.head,) if before.head is None else (after.head, f"^{before.head}")
    own = set(git.read("rev-list", *reach, "--").decode("ascii").split())
    return frozenset(ref for ref in notes if _list_annotated(git, before.refs[ref], after.refs[ref]) <= own)


def _list_annotated(git: Git, before: str, after: str) -> set[str]:
    """The objects whose note differs; git spreads their ids over folders."""
    paths = git.read("diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after).decode("ascii", "replace")
    return {path.replace("/", "") for path in paths.split("\0") if path}


def read_touched_files(repository: Repository, before: str, after: str) -> tuple[TouchedFile, ...]:
    """Reads which files differ between two git trees, which may be in our cache."""
    objects = offer_objects(repository, find_cache_folder(repository.root))
    changes = list_changes(repository.git, before, after, extra=objects) if before != after else ()
    return tuple(TouchedFile(path=change.path, change=change.word, old_path=change.old_path) for change in changes)


def _capture(repository: Repository) -> CapturedTree:
    return write_work_tree(repository, find_cache_folder(repository.root))


def _read_refs(git: Git) -> dict[str, str]:
    lines = os.fsdecode(git.read("for-each-ref", "--format=%(refname) %(objectname)")).splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if " " in line)
    return {name: target for name, target in pairs if not name.startswith(_OWN_REFS)}


def _read_git_files(repository: Repository) -> dict[str, str]:
    places = list_named(repository.common_dir, _GIT_FILES)
    found = {path: _hash(repository.common_dir / path) for path in places}
    if repository.linked_worktree:
        found["worktree config"] = _hash(repository.git_dir / "config.worktree")
    return found


def _stamp_guarded(guarded: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Stamps the user's own files; of a folder also what lies directly in it."""
    own = [str(folder) for folder in (find_config_folder(), find_state_folder() / "trusted.json") if folder is not None]
    for name in (*guarded, *own):
        try:
            place = Path(name).expanduser()
        except RuntimeError:
            continue
        yield name, _stamp(place)
        if place.is_dir():
            yield from ((f"{name}/{path.name}", _stamp(path)) for path in _list(place, _MOST_GUARDED))


def _stamp_neighbours(work_folder: Path, repository: Path) -> Iterator[tuple[str, str]]:
    """Stamps what lies beside the work folder; skips a folder that everybody writes to."""
    for folder in {work_folder.parent, repository.parent}:
        try:
            if folder.stat().st_mode & stat.S_ISVTX:
                continue
        except OSError:
            continue
        for path in _list(folder, _MOST_NEIGHBOURS):
            if path not in {work_folder, repository}:
                yield str(path), _stamp(path)


def _list(folder: Path, most: int) -> list[Path]:
    try:
        return sorted(folder.iterdir())[:most]
    except OSError:
        return []


def _stamp(place: Path) -> str:
    """Returns enough to see that a file was written, without reading it."""
    try:
        status = place.lstat()
    except OSError:
        return ""
    return f"{status.st_mode:o} {status.st_size} {status.st_mtime_ns} {status.st_ino}"


def _hash(place: Path) -> str:
    """Returns the digest of a regular file or the target of a link; "" if it can't be read."""
    try:
        status = place.lstat()
        if stat.S_ISLNK(status.st_mode):
            return f"link {place.readlink()}"
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_HASHED:
            return _stamp(place)
        return f"{status.st_mode & 0o777:o} {hashlib.sha256(place.read_bytes()).hexdigest()}"
    except OSError:
        return ""
