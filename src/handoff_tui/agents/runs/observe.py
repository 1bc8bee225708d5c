"""Looks at what an agent could touch, before and after its run: refs, rules, our folder, git's files, neighbours."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from handoff_tui.agents.runs.observation import Observation
from handoff_tui.agents.step.report import NewCommit
from handoff_tui.core.errors import HandoffError
from handoff_tui.git.command import Git
from handoff_tui.git.repository import Repository, open_repository
from handoff_tui.git.work_tree.capture import write_work_tree
from handoff_tui.system.files.cache_files import find_cache_folder, find_state_folder
from handoff_tui.system.files.own_folder import OWN_FOLDER
from handoff_tui.system.files.probe import list_named
from handoff_tui.system.files.user_files import find_config_folder

_GIT_FILES = ("config", "config.worktree", "hooks", "info", "description")
_MOST_NEIGHBOURS = 2_000
_MOST_GUARDED = 500
_MOST_COMMITS = 200
_LARGEST_HASHED = 64 * 1024 * 1024
_OWN_REFS = "refs/handoff-tui/"


def read_observation(work_folder: Path, repository: Path, rules: Iterable[str], guarded: Iterable[str]) -> Observation:
    """What is there now. A repository that cannot be read is told as such: the agent may have done that."""
    rule_names, guarded_names = tuple(rules), tuple(guarded)
    outside = {
        "guarded": dict(_stamp_guarded(guarded_names)),
        "neighbours": dict(_stamp_neighbours(work_folder, repository)),
    }
    own = {path: _hash(work_folder / path) for path in list_named(work_folder, [OWN_FOLDER])}
    checked = {path: _hash(work_folder / path) for path in list_named(work_folder, rule_names)}
    try:
        opened = open_repository(work_folder)
        return Observation(
            **_read_place(opened),
            refs=_read_refs(opened.git),
            tree=_read_tree(opened),
            repository_tree=None if work_folder == repository else _read_tree(open_repository(repository)),
            own=own,
            rules=checked,
            git_files=_read_git_files(opened),
            guarded=outside["guarded"],
            neighbours=outside["neighbours"],
            guarded_names=guarded_names,
            rule_names=rule_names,
        )
    except HandoffError as unread:
        return Observation(own=own, rules=checked, problem=unread.message, **outside)


def read_new_commits(git: Git, before: str | None, after: str | None) -> tuple[NewCommit, ...]:
    """Commits that are behind `after` and were not behind `before`, newest first."""
    if after is None or before == after:
        return ()
    reach = after if before is None else f"{before}..{after}"
    answer = git.run("log", "-z", f"--max-count={_MOST_COMMITS}", "--format=%H%x00%s%x00%ae", reach)
    fields = os.fsdecode(answer.stdout).split("\0") if answer.ok else []
    return tuple(
        NewCommit(id=fields[start], subject=fields[start + 1], author=fields[start + 2])
        for start in range(0, len(fields) - 2, 3)
    )


def _read_tree(repository: Repository) -> str:
    return write_work_tree(repository, find_cache_folder(repository.root)).tree


def _read_place(repository: Repository) -> dict[str, str | None]:
    head = repository.git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    branch = repository.git.run("symbolic-ref", "--quiet", "HEAD")
    return {"head": head.text if head.ok else None, "branch": branch.text if branch.ok else None}


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
    """The user's own places; of a folder what lies directly in it."""
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
    """What lies beside the work folder; a folder that everybody writes into says nothing."""
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
    """Enough to see that a file was written; nothing is read."""
    try:
        status = place.lstat()
    except OSError:
        return ""
    return f"{status.st_mode:o} {status.st_size} {status.st_mtime_ns} {status.st_ino}"


def _hash(place: Path) -> str:
    """The digest of a regular file; where a link leads; nothing for anything else."""
    try:
        status = place.lstat()
        if stat.S_ISLNK(status.st_mode):
            return f"link {place.readlink()}"
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_HASHED:
            return _stamp(place)
        return f"{status.st_mode & 0o777:o} {hashlib.sha256(place.read_bytes()).hexdigest()}"
    except OSError:
        return ""
